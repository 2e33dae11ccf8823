"""Every legal question has an answer, or a refusal that the documentation names; soon, and in one piece.

The same works, more of them: `bench/totality.py`.
"""

from __future__ import annotations

import re
from itertools import islice

import pytest

import dpcompose as dpc
from cases import scaled
from dpcompose.prove.claims import known
from strategies import MECHANISMS
from wild import complaint, made, outcome, works

SECONDS = 60.0
"""A limit for a hang only, in processor time, since times never decide a test; the long run asks for ten."""
BLOCKS, EACH = 4, 15

FOUND = [
    "beta(10**6 * Group(BlackBox(epsilon=.1, delta=.5), size=3), .3)",
    "delta(10**9 * Sampled(BlackBox(epsilon=1e150, delta=1), rate=1 - 1e-16), 1)",
    "compare(Geometric(scale=5e-324, sensitivity=2), delta=1e-6)",
    "compare(Sampled(Laplace(scale=1e50, sensitivity=1e-300), rate=.5), delta=1e-6)",
    "compare(10**9 * Exponential(epsilon=5e-324), epsilon=0)",
    "compare(SampledWithoutReplacement(BlackBox(epsilon=5e-324, delta=0.5), size=1, of=10), epsilon=0)",
    "advantage(SampledWithoutReplacement(Laplace(scale=7, sensitivity=5e-324, adjacency=REPLACE_ONE), size=1, of=10))",
    "epsilon(10 * Group(Sampled(TreeAggregation(noise_std=1e-3, steps=9, sensitivity=1e-6), rate=5e-324), size=2), 0)",
    "epsilon(ReportNoisyMax(epsilon=2) + 9 * Sampled(Group(AboveThreshold(epsilon=1e-9), size=2), rate=.9), 1e-6)",
    "renyi(99 * SampledWithoutReplacement(Laplace(scale=7, adjacency=REPLACE_ONE), size=1, of=2) + 9 * TINY, 2)",
    "compare(10**6 * Group(NameAndShame(delta=0.999999999), size=4) + RandomizedResponse(epsilon=1e-200), epsilon=0)",
    "epsilon(3 * Geometric(scale=5e-324, sensitivity=7, adjacency=REPLACE_ONE) + 99 * HUGE, 1e-300)",
    "advantage(2 * Sampled(TruncatedSample(Exponential(epsilon=1e-300), rate=1, limit=9, of=10), rate=1e-16) + SILENT)",
    "epsilon(100 * (2 * Exponential(epsilon=7) + Staircase(epsilon=7)), 1 - 1e-16)",
    "advantage(10 * Sampled(Group(2 * Geometric(scale=0) + Exponential(epsilon=1e50), size=1000), rate=1e-16))",
    "delta(Gaussian(noise_std=3) + 2 * Sampled(DiscreteGaussian(noise_std=7, sensitivity=100), rate=1 - 1e-16), 0)",
    "epsilon(SampledWithReplacement(Staircase(epsilon=0.1, adjacency=REPLACE_ONE), size=10**12, of=3), 1e-6)",
    "renyi(RepeatAndSelect(SampledWithReplacement(Gaussian(noise_std=1), size=10**6, of=2), mean=0.001), 2)",
    "compare(2 * DRAWN + SampledSum(FAR, rate=0.001, contribution=0.1), delta=0.01)",
    "compare(Sampled(DiscretePair(p=(0.5, 0.5), q=(1, 0)), rate=0.5) + Geometric(scale=5e-324), delta=0)",
    "epsilon(3 * SampledWithReplacement(Laplace(scale=1e-100, adjacency=REPLACE_ONE), size=2, of=100), 0)",
    "delta(10**6 * BATCH + 10 * Geometric(scale=7, sensitivity=3, adjacency=REPLACE_ONE) + 10 * PICK, 1)",
]
"""What once raised an exception, or was not a number."""
HUGE = "SampledWithoutReplacement(AboveThreshold(epsilon=1e+300, adjacency=REPLACE_ONE), size=5, of=10)"
DRAWN = "SampledWithReplacement(Exponential(epsilon=0.001, adjacency=REPLACE_ONE), size=1, of=2)"
FAR = "Gaussian(noise_std=0.02, sensitivity=1e6, adjacency=REPLACE_ONE)"
BATCH = "Shuffled(Gaussian(noise_std=2.5, sensitivity=2, adjacency=REPLACE_ONE), of=10**9)"
PICK = "Exponential(epsilon=0.1, adjacency=REPLACE_ONE)"
SILENT = "BandedMatrix(noise_std=2.5, steps=100, separation=3, participations=10**6, coefficients=(0,))"
TINY = "DiscretePair(p=(F(1, 6), F(5, 6), 0), q=(F(1, 10**300), 0, 1 - F(1, 10**300)))"


@pytest.mark.slow
@pytest.mark.parametrize("text", FOUND)
def test_what_once_fell_stands(text: str) -> None:
    for name in ("TINY", "HUGE", "SILENT", "DRAWN", "FAR", "BATCH", "PICK"):
        text = text.replace(name, globals()[name])
    assert not complaint(outcome(text, SECONDS))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(scaled(BLOCKS)))
def test_random_works_from_the_ends_of_every_range(block: int) -> None:
    """Kinds, wrappers and relations at random, parameters from 0 and 5e-324 to 1e300, counts to 10⁹."""
    for text in islice(works(("law", block)), EACH):
        wrong = complaint(outcome(text, SECONDS))
        assert not wrong, f"{wrong}\n{text}"


def test_every_kind_is_among_them() -> None:
    """Kinds come from the library: a new one is drawn, or this fails."""
    drawn = [set(re.findall(r"\w+(?=\()", text)) for text in islice(works(("law", 0)), 500)]
    assert all(sum(kind.__name__ in text for text in drawn) >= 10 for kind in MECHANISMS)


@pytest.mark.parametrize("leaf", ["AboveThreshold(epsilon=0.1)", "ReportNoisyMax(epsilon=2)", "BlackBox(rho=0.1)"])
def test_wrappers_in_wrappers_do_not_multiply_what_is_known(leaf: str) -> None:
    """One wrapper more adds some claims, and no more of them the deeper it is."""
    counts = []
    for _ in range(3):
        leaf = f"Sampled(Group({leaf}, size=3), rate=0.1)"
        counts.append(sum(1 for _ in known(made(leaf)).profiles()))
    assert counts[2] - counts[1] <= max(counts[1] - counts[0], 20)
    assert counts[2] <= 150


AT_ONCE = [
    "100 * Sampled(Gaussian(noise_std=1), rate=0.01)",
    "1000 * Sampled(Gaussian(noise_std=2), rate=0.1)",
    "5 * Laplace(scale=3) + 7 * BlackBox(epsilon=0.2)",
    "30 * Gaussian(noise_std=5) + 30 * Laplace(scale=9)",
    "20 * Sampled(Laplace(scale=1), rate=0.1)",
]


@pytest.mark.slow
@pytest.mark.parametrize("whole", AT_ONCE)
def test_a_delta_that_is_reached_at_once(whole: str) -> None:
    """At δ = δ(0) the least ε is 0, or as near to it as roundings are to δ(0); once that took 25 seconds."""
    at_zero = dpc.delta(made(whole), 0)
    for delta in (at_zero.lower, at_zero.upper):
        found = outcome(f"epsilon({whole}, {delta!r})", SECONDS)
        assert not complaint(found)
        assert found.answer.lower <= 1e-6
        assert found.answer.upper <= 1e-5
