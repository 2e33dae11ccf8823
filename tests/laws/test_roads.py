"""Whatever is wrapped costs no more than any road that pencil and paper take over its parts.

A sample: amplify what is promised of the whole inside, or the sum of what is promised of its parts. A group: grow
what is promised of the whole, or compose groups of the parts. Samples in samples: multiply the rates. Each road is
written out here, from what is promised of simpler mechanisms.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction

import pytest

import dpcompose as dpc
from cases import scaled

pytestmark = pytest.mark.slow

ROUNDING = 1e-4
"""A part that is known by a curve stands among others by dots on it, which are so near."""
STAYS = 0.05
"""Where the two ends cannot meet, each is followed to a few hundredths of the gap that stays between them."""
DELTAS = (0.0, 1e-9, 1e-5, 1e-2)
SHARES = (0.3, 0.1, 1e-2, 1e-4)


def leaf(rng: random.Random, relation: dpc.Adjacency) -> dpc.Mechanism:
    """Of a kind that is known exactly, from above only, or by a curve."""
    e, bound = rng.choice((0.05, 0.2, 0.7, 2.0)), {"adjacency": relation}
    kinds: list[Callable[[], dpc.Mechanism]] = [
        lambda: dpc.BlackBox(epsilon=e),
        lambda: dpc.BlackBox(epsilon=e, delta=1e-7),
        lambda: dpc.BlackBox(rho=e * e / 2),
        lambda: dpc.RandomizedResponse(epsilon=e, categories=rng.choice((2, 4))),
        lambda: dpc.DiscretePair(p=(0.5, 0.3, 0.2), q=(0.4, 0.4, 0.2)),
        lambda: dpc.Laplace(scale=1 / e, **bound),
        lambda: dpc.Geometric(scale=1 / e, sensitivity=rng.choice((1, 2)), **bound),
        lambda: dpc.Gaussian(noise_std=1 / e, **bound),
        lambda: dpc.Exponential(epsilon=e, **bound),
        lambda: dpc.Staircase(epsilon=e, **bound),
    ]
    return rng.choice(kinds)()


def composition(rng: random.Random, relation: dpc.Adjacency) -> dpc.Composition:
    parts = tuple((leaf(rng, relation), rng.choice((1, 2, 5))) for _ in range(rng.choice((1, 2, 2))))
    return dpc.Composition(parts)


def promised(m: dpc.Mechanism, delta: float) -> float:
    """ε of something simpler; infinite where nothing is promised."""
    try:
        return dpc.epsilon(m, delta).upper if delta < 1 else 0.0
    except dpc.NotProvable:
        return math.inf


def amplified(epsilon: float, rate: float) -> float:
    return epsilon if epsilon > 600 else math.log1p(rate * math.expm1(epsilon))


def summed(parts: list[tuple[dpc.Mechanism, int]], delta: float) -> float:
    """Basic composition, δ in equal shares."""
    return sum(n * promised(part, delta / sum(n for _, n in parts)) for part, n in parts)


def sampled_roads(inner: dpc.Composition, rate: float, delta: float) -> Iterator[tuple[str, float]]:
    yield "the whole, amplified", amplified(promised(inner, delta / rate), rate)
    yield "the sum of the parts, amplified", amplified(summed(list(inner.parts), delta / rate), rate)


def group_roads(inner: dpc.Composition, size: int, delta: float) -> Iterator[tuple[str, float]]:
    groups = [(dpc.Group(part, size=size), n) for part, n in inner.parts]
    yield "the parts in groups, summed", summed(groups, delta)
    yield "the parts in groups, composed", promised(dpc.Composition(tuple(groups)), delta)
    yield "the whole without δ", size * promised(inner, 0.0)
    for share in SHARES if delta else ():  # δ(x)·(e^{gx} − 1)/(e^x − 1) ≤ δ at ε = gx
        x = promised(inner, delta * share)
        if 0 < x < 300 / size and share * math.expm1(size * x) / math.expm1(x) <= 1:
            yield "the whole in groups", size * x


def wrapped(rng: random.Random) -> tuple[dpc.Mechanism, Callable[[float], Iterator[tuple[str, float]]]]:
    """A wrapped composition, and the roads to it at a δ."""
    kind = rng.choice(("sample", "nested", "draw", "group", "group"))
    if kind == "draw":
        inner, of = composition(rng, dpc.REPLACE_ONE), rng.choice((2, 10, 100))
        drawn = rng.randint(1, of - 1)
        return (
            dpc.SampledWithoutReplacement(inner, size=drawn, of=of),
            lambda delta: sampled_roads(inner, drawn / of, delta),
        )
    inner = composition(rng, rng.choice((dpc.ADD_REMOVE, dpc.ZERO_OUT)))
    if kind == "group":
        size = rng.choice((2, 3, 5))
        return dpc.Group(inner, size=size), lambda delta: group_roads(inner, size, delta)
    rate, again = (rng.choice((Fraction(1, 50), Fraction(1, 4), Fraction(9, 10))) for _ in range(2))
    if kind == "sample":
        return dpc.Sampled(inner, rate=rate), lambda delta: sampled_roads(inner, float(rate), delta)
    twice = dpc.Sampled(dpc.Sampled(inner, rate=rate), rate=again)
    return twice, lambda delta: sampled_roads(inner, float(rate * again), delta)


@pytest.mark.parametrize("number", range(scaled(12)))
def test_no_road_over_the_parts_is_shorter(number: int) -> None:
    rng = random.Random(f"roads {number}")  # noqa: S311 - a draw, no secret
    whole, roads = wrapped(rng)
    delta = rng.choice(DELTAS)
    found = math.inf
    with suppress(dpc.NotProvable):
        ends = dpc.epsilon(whole, delta)
        found = ends.upper - STAYS * (ends.upper - ends.lower) if ends.lower < math.inf else ends.upper
    for road, epsilon in roads(delta):
        assert found <= epsilon * (1 + ROUNDING) + 1e-12, f"{whole!r} at {delta}: {found}, and by {road} {epsilon}"
