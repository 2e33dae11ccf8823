"""Mechanisms of every kind, drawn from the declarations of their parameters."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from dpcompose import mechanisms
from dpcompose.description import Adaptivity, Adjacency, Composition, Mechanism
from dpcompose.notions import GDP, ZCDP, ApproxDP, Renyi
from dpcompose.parameters import Param, Whole, declared

LEAVES = [
    mechanisms.BlackBox,
    mechanisms.DiscreteGaussian,
    mechanisms.Exponential,
    mechanisms.Gaussian,
    mechanisms.Geometric,
    mechanisms.Laplace,
    mechanisms.NameAndShame,
    mechanisms.RandomizedResponse,
    mechanisms.Staircase,
]
RELATIONS = st.sampled_from([*Adjacency, None])


def numbers(param: Param) -> st.SearchStrategy[object]:
    """Whole numbers, floats (subnormal ones too) and fractions within a declared range."""
    low, high = param.low, min(param.high, 10**9)
    if isinstance(param, Whole):
        return st.integers(int(low), int(high))
    return st.one_of(
        st.integers(int(low), int(high)),
        st.floats(float(low), float(param.high), allow_nan=False),
        st.fractions(low, high, max_denominator=10**30),
        st.decimals(low, high, places=8),
    )


@st.composite
def leaves(draw: st.DrawFn, relation: st.SearchStrategy[Adjacency | None] = RELATIONS) -> Mechanism:
    """One mechanism with a random choice of its optional parameters."""
    owner = draw(st.sampled_from(LEAVES))
    params = dict(declared(owner))
    if owner is mechanisms.BlackBox:
        kept = draw(st.sampled_from(["epsilon", "rho", "mu"]))
        params = {kept: params[kept], **({} if kept == "mu" else {"delta": params["delta"]})}
    values = {name: draw(numbers(param)) for name, param in params.items()}
    return owner(adjacency=draw(relation), **values)


@st.composite
def tables(draw: st.DrawFn) -> Mechanism:
    """A black box with a Rényi table."""
    orders = st.fractions(1, 100, max_denominator=1000)
    return mechanisms.BlackBox(
        renyi=draw(st.dictionaries(orders, st.floats(0, 100), min_size=1, max_size=5)), delta=draw(st.floats(0, 1))
    )


@st.composite
def pairs(draw: st.DrawFn) -> Mechanism:
    """Two finite distributions."""
    size = draw(st.integers(1, 6))
    weights = st.lists(st.integers(1, 1000), min_size=size, max_size=size)
    p, q = ([Fraction(w, sum(ws)) for w in ws] for ws in (draw(weights), draw(weights)))
    return mechanisms.DiscretePair(p=p, q=q, adjacency=draw(RELATIONS))


def wrapped(inner: st.SearchStrategy[Mechanism]) -> st.SearchStrategy[Mechanism]:
    """Groups and compositions of what is there."""
    counted = st.tuples(inner, st.integers(0, 10**9))
    modes = st.sampled_from(Adaptivity)
    return st.one_of(
        st.builds(lambda m, size: mechanisms.Group(m, size=size), inner, st.integers(1, 10**6)),
        st.builds(lambda part, mode: Composition((part,), mode), counted, modes),
        st.builds(
            lambda part, notion: Composition(
                (part,), Adaptivity.FULLY_ADAPTIVE, getattr(part[0], "filter", None) or notion
            ),
            counted,
            st.sampled_from([ApproxDP, GDP, Renyi, ZCDP]),
        ),
        st.builds(lambda m, count: m * count, inner, st.integers(0, 10**9)),
    )


def one_relation() -> st.SearchStrategy[Mechanism]:
    """Compositions of many parts, all under one relation."""
    parts = st.lists(st.tuples(leaves(st.just(Adjacency.ADD_REMOVE)), st.integers(0, 50)), max_size=5)
    sampled = st.builds(
        lambda m, rate: mechanisms.Sampled(m, rate=rate), leaves(st.just(Adjacency.ADD_REMOVE)), st.floats(0, 1)
    )
    wholes = st.builds(lambda some, mode: Composition(tuple(some), mode), parts, st.sampled_from(Adaptivity))
    return st.one_of(sampled, wholes, st.builds(lambda a, b, k: a + b * k, wholes, sampled, st.integers(0, 9)))


def every_mechanism() -> st.SearchStrategy[Mechanism]:
    """Mechanisms of every kind, nested."""
    return st.recursive(st.one_of(leaves(), tables(), pairs(), one_relation()), wrapped, max_leaves=4)
