"""One law, several descriptions: as so many outcomes, as a mechanism or a pair, counted or written out.

Whatever is asked, the enclosures of two descriptions of one law meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

import dpcompose as dpc

pytestmark = pytest.mark.slow

ROUNDING = 1e-9
"""Masses written as floats describe a law that is off by less."""
P = [Fraction(n, 64) for n in (16, 12, 10, 8, 6, 4, 3, 2, 2, 1)]
Q = [Fraction(n, 64) for n in (8, 12, 4, 8, 10, 4, 9, 1, 4, 4)]
QUESTIONS: dict[str, Callable[[dpc.Mechanism], dpc.Answer]] = {
    "ε": lambda m: dpc.epsilon(m, 1e-3),
    "δ": lambda m: dpc.delta(m, 0.4),
    "D₂": lambda m: dpc.renyi(m, 2),
    "D₁": lambda m: dpc.renyi(m, 1),
    "β": lambda m: dpc.beta(m, 0.2),
}


def split(count: int, adjacency: dpc.Adjacency | None = None) -> dpc.DiscretePair:
    """The law above with every outcome told apart by a coin of its own, into so many outcomes in all."""
    pieces = [count // len(P) + (i < count % len(P)) for i in range(len(P))]
    p, q = ([x / n for x, n in zip(law, pieces, strict=True) for _ in range(n)] for law in (P, Q))
    return dpc.DiscretePair(p=p, q=q, adjacency=adjacency)


def response(epsilon: float, adjacency: dpc.Adjacency | None = None) -> dpc.DiscretePair:
    top = 1 / (1 + math.exp(-epsilon))
    return dpc.DiscretePair(p=[top, 1 - top], q=[1 - top, top], adjacency=adjacency)


def geometric(scale: float, shift: int) -> dpc.DiscretePair:
    """Outcomes beyond both centres put together, which loses nothing."""
    r = math.exp(-1 / scale)
    inner = [(1 - r) / (1 + r) * r**x for x in range(1, shift)]
    p = [1 / (1 + r), *inner, r**shift / (1 + r)]
    return dpc.DiscretePair(p=p, q=p[::-1])


WRAPPED: dict[str, Callable[[dpc.Mechanism], dpc.Mechanism]] = {
    "alone": lambda m: m,
    "twice": lambda m: 2 * m,
    "sampled": lambda m: dpc.Sampled(m, rate=0.3),
    "3 sampled": lambda m: 3 * dpc.Sampled(m, rate=0.3),
    "sampled twice": lambda m: dpc.Sampled(dpc.Sampled(m, rate=0.5), rate=0.5),
    "drawn": lambda m: dpc.SampledWithoutReplacement(m, size=2, of=5),
}
SAME: dict[str, tuple[dpc.Mechanism, dpc.Mechanism]] = {
    "10 and 2000 outcomes": (split(10), split(2000)),
    "10 and 2001 outcomes": (split(10), split(2001)),
    "2000 and 2001 outcomes": (split(2000), split(2001)),
    "a box and its pair": (dpc.BlackBox(epsilon=0.7), response(0.7)),
    "a response and its pair": (dpc.RandomizedResponse(epsilon=0.7), response(0.7)),
}
SUMS: dict[str, tuple[dpc.Mechanism, dpc.Mechanism]] = {
    "counted": (3 * split(10), split(10) + split(20) + split(30)),
    "counted long": (2 * split(10), split(10) + split(2001)),
    "geometric": (2 * dpc.Geometric(scale=2, sensitivity=2), dpc.Geometric(scale=2, sensitivity=2) + geometric(2, 2)),
    "gaussian": (4 * dpc.Gaussian(noise_std=2), dpc.Gaussian(noise_std=1)),
    "sampled gaussians": (
        2 * dpc.Sampled(2 * dpc.Gaussian(noise_std=2), rate=0.3),
        2 * dpc.Sampled(dpc.BlackBox(mu=0.5) + dpc.Gaussian(noise_std=2), rate=0.3),
    ),
    "a sampled sum": (dpc.Sampled(2 * split(10), rate=0.3), dpc.Sampled(split(10) + split(20), rate=0.3)),
    "group of a sum": (
        dpc.Group(dpc.Geometric(scale=3) + dpc.Laplace(scale=3), size=2),
        dpc.Geometric(scale=3, sensitivity=2) + dpc.Laplace(scale=3, sensitivity=2),
    ),
    "groups of groups": (
        dpc.Group(dpc.Group(dpc.BlackBox(epsilon=0.2), size=2), size=2),
        dpc.Group(dpc.BlackBox(epsilon=0.2), size=4),
    ),
}


def meet(first: dpc.Answer, second: dpc.Answer) -> bool:
    slack = ROUNDING * max(1.0, min(first.upper, second.upper))
    return first.lower <= second.upper + slack and second.lower <= first.upper + slack


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("same", SAME)
def test_descriptions_of_one_law_meet(same: str, wrapped: str) -> None:
    first, second = (WRAPPED[wrapped](m) for m in SAME[same])
    slow = wrapped == "drawn" or ("2001" in same and wrapped != "alone")
    for name in ("ε", "D₂") if slow else QUESTIONS:  # error rates of these take half a minute
        answers = QUESTIONS[name](first), QUESTIONS[name](second)
        assert meet(*answers), (name, *answers)


@pytest.mark.parametrize("same", SUMS)
def test_sums_written_in_two_ways_meet(same: str) -> None:
    for name in ("ε", "D₂") if same == "counted long" else QUESTIONS:
        answers = QUESTIONS[name](SUMS[same][0]), QUESTIONS[name](SUMS[same][1])
        assert meet(*answers), (name, *answers)


def test_the_law_bites() -> None:
    """A law that is off by more than rounding is told apart."""
    other = dpc.DiscretePair(p=[0.6, 0.4], q=[0.4, 0.6])
    assert not meet(dpc.delta(dpc.BlackBox(epsilon=0.7), 0.2), dpc.delta(other, 0.2))
