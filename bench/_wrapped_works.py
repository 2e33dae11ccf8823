"""Small works of every wrapper and relation, each with the pairs of laws that its neighbours give, written out in full.

The pairs are exact fractions, made from the definitions in `tests/oracles` alone. As a rule they are all there is.
Samples of fixed size and groups of black boxes reach these pairs, and may reach worse.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

import dpcompose as dpc

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from oracles.ordered_pairs import Pair, drawn, exactly, facings, together, turned

F = Fraction


@dataclass(frozen=True)
class Part:
    """A mechanism, and its pair with the record in the first input and in the second."""

    mechanism: dpc.Mechanism
    first: Pair
    second: Pair


@dataclass(frozen=True)
class Drawn:
    """A composition and the pairs that it reaches, the law of the first input first."""

    shape: str
    subject: dpc.Mechanism
    pairs: tuple[Pair, ...]
    complete: bool
    """Whether these are all pairs there are; otherwise worse ones may exist."""
    orders: bool
    """Whether each order by itself is listed."""


def real(x: Any) -> mpf:
    """At the working precision."""
    return mpf(F(x).numerator) / F(x).denominator


def law(rng: random.Random, size: int) -> list[Fraction]:
    """Probabilities, now and then 0."""
    weights = [rng.choice((0, 1, 1, 2, 3, 5, 8, 13)) for _ in range(size)]
    return [F(w, sum(weights)) for w in weights] if sum(weights) else [F(1, size)] * size


def geometric(scale: Fraction, shift: int) -> Pair:
    """Outcomes beyond both centres put together, which loses nothing."""
    with mp.workdps(60):
        r = mp.exp(-1 / real(scale))
        inner = [(1 - r) / (1 + r) * r**x for x in range(1, shift)]
        p = [1 / (1 + r), *inner, r**shift / (1 + r)]
        return exactly((p, p[::-1]))


def response(epsilon: Fraction, leak: Fraction, categories: int = 2) -> Pair:
    """The true value, another one, all others; and beside them what leaks."""
    with mp.workdps(60):
        x, kept = mp.exp(real(epsilon)), 1 - real(leak)
        each = kept / (x + categories - 1)
        rest = [each * (categories - 2)] if categories > 2 else []
        lost = [real(leak)] if leak else []
        nothing = [mpf(0)] if leak else []
        p, q = [x * each, each, *rest, *lost, *nothing], [each, x * each, *rest, *nothing, *lost]
        return exactly((p, q))


def leaf(rng: random.Random, relation: Any) -> Part:
    """A mechanism whose laws are finite."""
    to = {"adjacency": relation}
    epsilon, kind = rng.choice((F(1, 5), F(1, 2), F(1), F(2))), rng.randrange(6)
    if kind == 0:
        leak = rng.choice((F(0), F(1, 100), F(1, 10)))
        return plain(dpc.BlackBox(epsilon=epsilon, delta=leak, **to), response(epsilon, leak))
    if kind == 1:
        categories = rng.randint(2, 4)
        found = dpc.RandomizedResponse(epsilon=epsilon, categories=categories, **to)
        return plain(found, response(epsilon, F(0), categories))
    if kind == 2:
        scale, shift = rng.choice((F(1, 2), F(2), F(7, 2))), rng.randint(1, 3)
        return plain(dpc.Geometric(scale=scale, sensitivity=shift, **to), geometric(scale, shift))
    if kind == 3:
        leak = rng.choice((F(1, 100), F(1, 4)))
        return plain(dpc.NameAndShame(delta=leak, **to), response(F(0), leak))
    size = rng.randint(2, 3)
    pair = law(rng, size), law(rng, size)
    return plain(dpc.DiscretePair(p=pair[0], q=pair[1], **to), pair)


def plain(mechanism: dpc.Mechanism, pair: Pair) -> Part:
    """Not sampled: it does not matter which input has the record."""
    return Part(mechanism, pair, pair)


def sampled(part: Part, rate: Fraction) -> Part:
    """On a Poisson sample."""
    second = turned(drawn(rate, turned(part.first)))
    return Part(dpc.Sampled(part.mechanism, rate=rate), drawn(rate, part.first), second)


def summed(parts: list[Part]) -> Part:
    """One after the other."""
    whole = dpc.Composition(tuple(part.mechanism for part in parts))
    return Part(whole, together([part.first for part in parts]), together([part.second for part in parts]))


def few(rng: random.Random, relation: Any, most: int = 3) -> list[Part]:
    """Some of them, of not too many outcomes together; some repeated."""
    found: list[Part] = []
    for _ in range(rng.randint(1, most)):
        part = rng.choice(found) if found and rng.random() < 0.3 else leaf(rng, relation)
        if len(together([one.first for one in (*found, part)])[0]) <= 64:
            found.append(part)
    return found


def listed(rng: random.Random) -> Drawn:
    """Without wrappers, under a relation by which all parts face as they are listed."""
    parts = few(rng, rng.choice((None, dpc.ADD_REMOVE, dpc.ZERO_OUT)))
    whole = summed(parts)
    return Drawn("composition", whole.mechanism, (whole.first,), complete=True, orders=True)


def replaced(rng: random.Random) -> Drawn:
    """Under replace one, where each part faces either way."""
    parts = few(rng, dpc.REPLACE_ONE)
    pairs = tuple(facings([part.first for part in parts]))
    subject = summed(parts).mechanism
    if rng.random() < 0.2:
        subject = dpc.Group(subject, size=1)
    return Drawn("replace one", subject, pairs, complete=True, orders=False)


def thinned(rng: random.Random) -> Drawn:
    """Poisson samples of mechanisms, of compositions and of samples, beside each other and beside a plain one."""
    relation, parts = rng.choice((dpc.ADD_REMOVE, dpc.ADD_REMOVE, dpc.ZERO_OUT)), []
    shape = rng.choice(("sampled", "sampled", "sampled composition", "nested sample"))
    for _ in range(rng.randint(1, 2)):
        inner = summed(few(rng, relation, 2)) if shape == "sampled composition" else leaf(rng, relation)
        rate = rng.choice((F(1, 100), F(1, 4), F(1, 2), F(9, 10)))
        part = sampled(inner, rate)
        if shape == "nested sample":
            outer = rng.choice((F(1, 10), F(1, 2), F(1)))
            part = Part(dpc.Sampled(part.mechanism, rate=outer), *_both(sampled(inner, rate * outer)))
        if not parts or len(part.first[0]) * len(parts[0].first[0]) <= 64:
            parts.append(part)
    beside = leaf(rng, relation)
    if rng.random() < 0.4 and len(together([part.first for part in (*parts, beside)])[0]) <= 64:
        parts.append(beside)
    whole = summed(parts)
    return Drawn(shape, whole.mechanism, placements(whole), complete=True, orders=True)


def placements(part: Part) -> tuple[Pair, ...]:
    """Both pairs, unless they are one pair in two orders: then the first input is the one with the record."""
    turns = _ratios(part.second) == _ratios(turned(part.first))
    return (part.first,) if turns else (part.first, part.second)


def _ratios(pair: Pair) -> dict[Any, tuple[Any, Any]]:
    """The probabilities of each likelihood ratio under both laws."""
    found: dict[Any, tuple[Any, Any]] = {}
    for p, q in zip(*pair, strict=True):
        ratio = None if not q else p / q
        before = found.get(ratio, (0, 0))
        if p or q:
            found[ratio] = before[0] + p, before[1] + q
    return found


def _both(part: Part) -> tuple[Pair, Pair]:
    return part.first, part.second


def fixed(rng: random.Random) -> Drawn:
    """Samples of a fixed size: the neighbours of which one gives the second law occur, whichever comes first."""
    parts, of = few(rng, dpc.REPLACE_ONE, 2), rng.choice((2, 5, 10))
    size = rng.randint(1, of)
    subject = dpc.SampledWithoutReplacement(summed(parts).mechanism, size=size, of=of)
    inner = list(facings([part.first for part in parts]))
    count = 2 if len(inner[0][0]) <= 8 and rng.random() < 0.3 else 1
    runs = [drawn(F(size, of), pair) for pair in inner]
    pairs = [order for pair in runs for order in facings([pair] * count)]
    return Drawn("fixed-size sample", count * subject, tuple(pairs), complete=False, orders=False)


def grouped(rng: random.Random) -> Drawn:
    """Groups of geometric noise are geometric noise; it is also a mechanism that a pure black box may be."""
    scale, size, count = rng.choice((F(1, 2), F(2), F(5))), rng.randint(2, 4), rng.randint(1, 2)
    pure = rng.random() < 0.4
    inner = dpc.BlackBox(epsilon=1 / scale, adjacency=dpc.ADD_REMOVE) if pure else dpc.Geometric(scale=scale)
    pair = geometric(scale, size)
    if rng.random() < 0.4:
        part = sampled(plain(dpc.Group(inner, size=size), pair), rng.choice((F(1, 10), F(1, 2))))
        whole = summed([part] * count)
        return Drawn("sampled group", whole.mechanism, placements(whole), complete=not pure, orders=not pure)
    subject = dpc.Group(dpc.Composition(((inner, count),)), size=size)
    return Drawn("group", subject, (together([pair] * count),), complete=not pure, orders=not pure)


SHAPES: tuple[Callable[[random.Random], Drawn], ...] = (listed, replaced, thinned, thinned, fixed, grouped)

__all__ = ["SHAPES", "Drawn"]
