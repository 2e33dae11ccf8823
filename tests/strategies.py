"""How cases are drawn: every mechanism from its own declarations, so that a new one inherits every law.

A strategy that is asked for again is the same one: checking a new one takes longer than a draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose import mechanisms as exported
from dpcompose.parameters import Param, Whole, declared

Drawn = st.SearchStrategy[Any]

MECHANISMS: tuple[type[dpc.Mechanism], ...] = tuple(found for found in exported.every().values())
"""Every mechanism the library exports."""


def named(value: object) -> str:
    """How a parametrised test is called."""
    return value.__name__ if isinstance(value, type) else str(value)


def written(number: float) -> Drawn:
    """The same number, or one close to it, written in one of the four ways a caller may use."""
    ways = [number, Fraction(number).limit_denominator(10**6) or number, Decimal(f"{number:.4g}")]
    if number == int(number):
        ways.append(int(number))
    return st.sampled_from(ways)


@cache
def numbers(low: float, high: float) -> Drawn:
    """Numbers spread evenly over the orders of magnitude: ints, floats, Fractions and Decimals."""
    if low <= 0:
        return st.sampled_from([0, 0.0]) | numbers(high / 1000, high)
    spread = st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))
    # Decimal's four digits may round a hair outside the range.
    return spread.flatmap(written).map(lambda x: x if low <= x <= high else min(max(float(x), low), high))


def typical(param: Param) -> Drawn:
    """A value that users give."""
    low, high = param.typical
    return st.integers(int(low), int(high)) if isinstance(param, Whole) else numbers(low, high)


def extreme(param: Param) -> Drawn:
    """A value from anywhere in the declared range, its ends more often than not."""
    ends = [x for x in (param.low, param.high, 1) if param.low <= x <= param.high]
    if isinstance(param, Whole):
        return st.sampled_from(ends) | st.integers(0, 9).map(lambda d: int(min(max(10**d, param.low), param.high)))
    powers = [x for x in (5e-324, 1e-300, 1e-150, 1e-16, 0.5, 2.5, 40.0, 1e6, 1e150) if param.low <= x <= param.high]
    return st.sampled_from([*ends, *powers]) | st.floats(-300, math.log10(param.high)).map(lambda e: 10**e)


Choice = Callable[[Param], Drawn]


@cache
def some(cls: type[dpc.Mechanism], choice: Choice = typical) -> Drawn:
    """A mechanism of one class, its parameters drawn from what it declares."""
    return SPECIAL[cls](choice) if cls in SPECIAL else st.builds(cls, **parameters(cls, choice))


def parameters(cls: type[dpc.Mechanism], choice: Choice) -> dict[str, Drawn]:
    """A strategy for each declared parameter; one that may be left out sometimes is."""
    optional = {field.name for field in fields(cls) if field.default is None}
    drawn = {name: choice(param) for name, param in declared(cls).items()}
    return {name: st.none() | found if name in optional else found for name, found in drawn.items()}


def black_boxes(choice: Choice) -> Drawn:
    """Each of the four descriptions."""
    return st.one_of(*descriptions(choice).values())


@cache
def having(cls: type[dpc.Mechanism], name: str) -> Drawn:
    """A mechanism of one class that states the parameter of this name."""
    if cls is not dpc.BlackBox:
        return some(cls).filter(lambda m: getattr(m, name) is not None)
    return st.one_of(*(drawn for stated, drawn in descriptions(typical).items() if name in stated))


def descriptions(choice: Choice) -> dict[tuple[str, ...], Drawn]:
    """Black boxes by what they state."""
    known = declared(dpc.BlackBox)
    epsilon, delta, rho, mu = (choice(known[name]) for name in ("epsilon", "delta", "rho", "mu"))
    orders = st.lists(st.integers(11, 640), min_size=1, max_size=4, unique=True)
    tables = st.builds(
        lambda at, r: {Fraction(a, 10): r * a / 10 for a in at},  # a table that some mechanism can have
        orders,
        st.floats(1e-3, 0.5),
    )
    return {
        ("epsilon",): st.builds(dpc.BlackBox, epsilon=epsilon),
        ("epsilon", "delta"): st.builds(dpc.BlackBox, epsilon=epsilon, delta=delta),
        ("rho",): st.builds(dpc.BlackBox, rho=rho),
        ("rho", "delta"): st.builds(dpc.BlackBox, rho=rho, delta=delta),
        ("renyi",): st.builds(dpc.BlackBox, renyi=tables),
        ("mu",): st.builds(dpc.BlackBox, mu=mu),
    }


def discrete_gaussians(choice: Choice) -> Drawn:
    """Every noise takes part, but large ones rarely: thousands of losses are listed for them."""
    drawn = parameters(dpc.DiscreteGaussian, choice)
    small = st.builds(dpc.DiscreteGaussian, **drawn | {"noise_std": numbers(0.3, 2)})
    return small if choice is typical else small | st.builds(dpc.DiscreteGaussian, **drawn)


def distributions(size: int) -> Drawn:
    """Exact probabilities, some of them zero."""
    weights = st.lists(st.integers(0, 12), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: [Fraction(x, sum(w)) for x in w])


@st.composite
def pairs(draw: st.DrawFn, choice: Choice) -> dpc.DiscretePair:  # noqa: ARG001 - every pair is exact
    """Two distributions on two to four outcomes: any two, two that share their support, or mirror images."""
    size = draw(st.integers(2, 4))
    p = draw(distributions(size))
    q = draw(st.one_of(distributions(size), st.permutations(p), st.just(p[::-1])))
    return dpc.DiscretePair(p=p, q=q)


def sampled(choice: Choice) -> Drawn:
    """What Poisson sampling accepts: any mechanism under add/remove."""
    rate = choice(declared(dpc.Sampled)["rate"])
    inner = st.one_of(some(dpc.Gaussian, choice), some(dpc.BlackBox, choice), some(dpc.Laplace, choice), leaves(choice))
    return st.builds(dpc.Sampled, inner, rate=rate)


def drawn_without_replacement(choice: Choice) -> Drawn:
    """What a sample of fixed size accepts: any mechanism under replace-one."""
    known = declared(dpc.SampledWithoutReplacement)
    sizes = st.tuples(choice(known["size"]), choice(known["of"])).map(sorted).filter(lambda sizes: sizes[1] > 0)
    inner = leaves(choice).map(lambda m: under(m, dpc.REPLACE_ONE))
    return st.builds(lambda m, both: dpc.SampledWithoutReplacement(m, size=both[0], of=both[1]), inner, sizes)


def within(cls: type[dpc.Mechanism], relation: dpc.Adjacency, **fixed: Drawn) -> Callable[[Choice], Drawn]:
    """Batches, or runs, that are known in closed form. Others have tests of their own, as they take longer."""
    quiet = st.builds(dpc.BlackBox, epsilon=numbers(0.05, 2), adjacency=st.just(relation))
    return lambda choice: st.builds(cls, fixed.get("inner", quiet), **parameters(cls, choice) | _but(fixed, "inner"))


def _but(drawn: dict[str, Drawn], left_out: str) -> dict[str, Drawn]:
    return {name: found for name, found in drawn.items() if name != left_out}


def sums() -> Drawn:
    """Gaussians on sums, of which a record is replaced."""
    return some(dpc.Gaussian).map(lambda m: under(m, dpc.REPLACE_ONE))


def grouped(choice: Choice) -> Drawn:
    """Groups in any mechanism, also in a sampled one."""
    return st.builds(dpc.Group, leaves(choice), size=choice(declared(dpc.Group)["size"]))


@st.composite
def banded(draw: st.DrawFn, choice: Choice) -> dpc.BandedMatrix:
    """Matrices of up to three bands, and steps that keep them apart."""
    known = declared(dpc.BandedMatrix)
    bands = draw(st.lists(st.sampled_from([1, 0.5, Fraction(1, 3), -0.25, 0]), min_size=1, max_size=3))
    numbers = {name: draw(choice(known[name])) for name in ("noise_std", "sensitivity", "participations")}
    steps, separation = (max(int(draw(choice(known[name]))), len(bands)) for name in ("steps", "separation"))
    return dpc.BandedMatrix(coefficients=bands, steps=steps, separation=separation, **numbers)


@st.composite
def mixtures(draw: st.DrawFn, choice: Choice) -> dpc.MixtureOfGaussians:
    """A shift or none: what is known in closed form. Several shifts have tests of their own, as they take longer."""
    known = declared(dpc.Gaussian)
    shift, noise = draw(choice(known["sensitivity"])), draw(choice(known["noise_std"]))
    return dpc.MixtureOfGaussians(noise_std=noise, sensitivities=[0, shift], probabilities=draw(distributions(2)))


@cache
def leaves(choice: Choice = typical) -> Drawn:
    """Mechanisms with no other inside."""
    return st.sampled_from(LEAVES).flatmap(lambda cls: some(cls, choice))


SPECIAL: dict[type[dpc.Mechanism], Callable[[Choice], Drawn]] = {
    dpc.BandedMatrix: banded,
    dpc.MixtureOfGaussians: mixtures,
    dpc.BlackBox: black_boxes,
    dpc.DiscreteGaussian: discrete_gaussians,
    dpc.DiscretePair: pairs,
    dpc.Sampled: sampled,
    dpc.SampledWithoutReplacement: drawn_without_replacement,
    dpc.Group: grouped,
    dpc.SampledWithReplacement: within(dpc.SampledWithReplacement, dpc.REPLACE_ONE, size=st.integers(0, 1)),
    dpc.ShuffledBatches: within(dpc.ShuffledBatches, dpc.REPLACE_ONE),
    dpc.Shuffled: within(dpc.Shuffled, dpc.REPLACE_ONE, of=st.just(1)),
    dpc.TruncatedSample: within(dpc.TruncatedSample, dpc.ADD_REMOVE, limit=st.just(10**12)),
    dpc.RepeatAndSelect: within(dpc.RepeatAndSelect, dpc.ADD_REMOVE, mean=numbers(1, 100)),
}
SPECIAL[dpc.SampledSum] = within(dpc.SampledSum, dpc.REPLACE_ONE, inner=sums(), rate=st.sampled_from([0, 1]))
LEAVES = tuple(cls for cls in MECHANISMS if "mechanism" not in {field.name for field in fields(cls)})


REPLACED = (
    dpc.SampledWithoutReplacement,
    dpc.SampledWithReplacement,
    dpc.SampledSum,
    dpc.ShuffledBatches,
    dpc.Shuffled,
)
SOCIABLE = tuple(cls for cls in MECHANISMS if cls not in REPLACED)


@cache
def mechanisms(choice: Choice = typical) -> Drawn:
    """Any mechanism that goes with any other: what is only for replaced records goes with few."""
    return st.sampled_from(SOCIABLE).flatmap(lambda cls: some(cls, choice))


@st.composite
def compositions(draw: st.DrawFn, max_parts: int = 3, max_count: int = 20) -> dpc.Composition:
    """A few mechanisms, each a few times."""
    parts = draw(st.lists(st.tuples(mechanisms(), st.integers(0, max_count)), max_size=max_parts))
    return dpc.Composition(together(parts))


def together(parts: Sequence[tuple[dpc.Mechanism, int]]) -> tuple[tuple[dpc.Mechanism, int], ...]:
    """The parts that share the neighbouring relation of the first that names one."""
    relations = [m.adjacency for m, _ in parts if m.adjacency is not None]
    return tuple((m, n) for m, n in parts if m.adjacency in {None, *relations[:1]})


deltas = st.sampled_from([0, 1e-12, Decimal("1e-6"), Fraction(1, 1000), 0.3, 1]) | st.floats(-30, -0.01).map(
    lambda e: 10**e
)
small_deltas = st.floats(-12, -0.5).map(lambda e: 10**e)
epsilons = st.sampled_from([0, Fraction(1, 3), Decimal("0.5"), 1, 3.0]) | st.floats(0, 20)


def epsilon_of(mechanism: dpc.Mechanism, delta: Any) -> dpc.Answer:
    """The enclosure of ε; everything from 0 to infinity where no theorem speaks."""
    try:
        return dpc.epsilon(mechanism, delta=delta)
    except dpc.NotProvable:
        return dpc.Answer("ε", dpc.Enclosure(0.0, math.inf), None, None)


def under(mechanism: dpc.Mechanism, relation: dpc.Adjacency) -> dpc.Mechanism:
    """The same description, its sensitivities stated under another relation."""
    return replace(mechanism, adjacency=relation)


def agree(answers: Sequence[dpc.Answer], slack: float = 0.0) -> bool:
    """Whether one number can be the truth of all of them."""
    least, most = max(a.lower for a in answers), min(a.upper for a in answers)
    return least <= most * (1 + slack)


def sound(answer: dpc.Answer, most: float = math.inf) -> bool:
    """Whether the answer is an interval in its range, with no NaN."""
    return 0 <= answer.lower <= answer.upper <= most


__all__ = [
    "LEAVES",
    "MECHANISMS",
    "agree",
    "compositions",
    "deltas",
    "epsilon_of",
    "epsilons",
    "extreme",
    "having",
    "leaves",
    "mechanisms",
    "named",
    "small_deltas",
    "some",
    "sound",
    "together",
    "typical",
    "under",
]
