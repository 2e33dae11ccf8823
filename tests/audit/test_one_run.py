"""One run: the p-value against the theorem as printed, and exact false-alarm rates of mechanisms that leak."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpcompose.audit import one_run, one_run_scores
from dpcompose.audit.clopper_pearson import Trials
from dpcompose.audit.one_run import p_value
from dpcompose.errors import InvalidParameter


def as_printed(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """The bound for (ε, δ) as the paper prints it, term by term."""
    q = 1 / (1 + math.exp(-epsilon))
    f = [float(binom.sf(i - 1, r, q)) for i in range(v + 1)]
    steepest = max((f[v - i] - f[v]) / i for i in range(1, v + 1))
    return min(1.0, f[v] + 2 * m * delta * steepest)


CASES = [
    (1000, 100, 80, 0.5, 1e-5),
    (1000, 1000, 600, 0.1, 1e-5),
    (1000, 1000, 600, 0.1, 1e-3),
    (50, 10, 10, 1.0, 1e-3),
    (20, 20, 18, 1.0, 0.01),
    (1000, 1000, 900, 0.5, 0.02),
    (10, 3, 3, 0.1, 1e-3),
    (5000, 5000, 2800, 0.2, 1e-6),
]


@pytest.mark.parametrize("m, r, v, epsilon, delta", CASES)
def test_the_p_value_is_the_printed_one(m: int, r: int, v: int, epsilon: float, delta: float) -> None:
    found = p_value(Trials(v, r), m, epsilon, delta).upper
    assert found == pytest.approx(as_printed(m, r, v, epsilon, delta), rel=1e-9)
    pure = p_value(Trials(v, r), m, epsilon, 0).upper
    assert pure == pytest.approx(float(binom.sf(v - 1, r, 1 / (1 + math.exp(-epsilon)))), rel=1e-9)


def test_with_much_to_spare_the_p_value_is_the_supremum() -> None:
    """Where 2mδ > 1 the printed bound may exceed what any F attains: the concave hull of f(v - i), by brute force."""
    m, r, v, epsilon, delta = 500, 40, 36, 0.5, 0.003
    q = 1 / (1 + math.exp(-epsilon))
    f = np.array([float(binom.sf(v - i - 1, r, q)) for i in range(v + 1)])
    spare = 2 * m * delta
    hull = max(
        f[a] + (f[b] - f[a]) * (spare - a) / (b - a)
        for a in range(int(spare) + 1)
        for b in range(int(spare) + 1, v + 1)
    )
    found = p_value(Trials(v, r), m, epsilon, delta).upper
    assert hull <= found * (1 + 1e-12)
    assert found <= as_printed(m, r, v, epsilon, delta) * (1 + 1e-9)


@pytest.mark.parametrize("m, r, v, epsilon, delta", CASES)
def test_the_bound_is_where_the_p_value_meets_the_level(m: int, r: int, v: int, epsilon: float, delta: float) -> None:
    del epsilon
    found = one_run(canaries=m, guesses=r, correct=v, delta=delta).epsilon
    if found == 0.0:
        assert as_printed(m, r, v, 0.0, delta) > 0.05 * (1 - 1e-9)
    else:
        assert as_printed(m, r, v, found, delta) <= 0.05 * (1 + 1e-9)
        assert as_printed(m, r, v, found + 1e-6, delta) > 0.05


def refuted_from(m: int, r: int, epsilon: float, delta: float, level: float) -> int:
    """The least number of right guesses that refutes (ε, δ)."""
    return next((v for v in range(r + 1) if p_value(Trials(v, r), m, epsilon, delta).upper <= level), r + 1)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("delta", [0.0, 1e-4, 1e-2])
@pytest.mark.parametrize("m, r", [(60, 60), (200, 10)])
def test_exact_false_alarm_rates_of_leaky_mechanisms(m: int, r: int, delta: float, epsilon: float) -> None:
    """Every canary goes through randomized response, and some are revealed: each with probability at most δ."""
    level = 0.05
    least = refuted_from(m, r, epsilon, delta, level)
    q = 1 / (1 + math.exp(-epsilon))

    def alarm(revealed: int) -> float:
        """P[refuted] when so many are revealed and the auditor guesses these first."""
        sure = min(revealed, r)
        return float(binom.sf(least - sure - 1, r - sure, q)) if least > sure else 1.0

    one_by_one = sum(float(binom.pmf(k, m, delta)) * alarm(k) for k in range(m + 1))
    assert one_by_one <= level
    for together in range(1, m + 1):  # `together` at once, a random set, with probability mδ/together
        often = min(1.0, m * delta / together)
        assert often * alarm(together) + (1 - often) * alarm(0) <= level


def test_the_rate_is_no_idle_bound() -> None:
    """With δ = 0 randomized response is refuted almost as often as allowed."""
    least = refuted_from(1000, 1000, 1.0, 0.0, 0.05)
    rate = float(binom.sf(least - 1, 1000, math.e / (1 + math.e)))
    assert 0.04 < rate <= 0.05


def test_scores_of_a_real_run_stay_below_the_truth() -> None:
    """Gaussian noise on each canary's score, μ = 1: ε(δ = 1e-5) = 4.3772."""
    generator = np.random.default_rng(3)
    alarms, found = 0, []
    for _ in range(100):
        inside = generator.random(400) < 0.5
        scores = inside + generator.normal(size=400)
        audit = one_run_scores(scores[inside], scores[~inside], guesses=(20, 20), delta=1e-5)
        alarms += audit.epsilon > 4.3773
        found.append(audit.epsilon)
    assert alarms <= 5
    assert np.median(found) > 1.0


def test_ties_count_as_wrong() -> None:
    same = one_run_scores([0.0] * 50, [0.0] * 50, guesses=(50, 50), delta=0)
    assert same.witness.document() == {"canaries": 100, "guesses": 100, "correct": 0}
    split = one_run_scores([1.0] * 50, [0.0] * 50, guesses=(50, 50), delta=0)
    assert split.witness.document()["correct"] == 100
    assert split.epsilon > 3.4


def test_extremes_have_answers() -> None:
    assert one_run(canaries=1, guesses=1, correct=1, delta=1).epsilon == 0.0
    assert one_run(canaries=10, guesses=10, correct=0, delta=0).epsilon == 0.0
    assert one_run(canaries=10**9, guesses=10**9, correct=6 * 10**8, delta=1e-15).epsilon == pytest.approx(
        math.log(1.5), abs=2e-4
    )
    assert 12 < one_run(canaries=10**7, guesses=10**6, correct=10**6, delta=1e-12).epsilon < 13
    assert one_run(canaries=10**6, guesses=10**6, correct=10**6, delta=1e-300).epsilon > 12


@pytest.mark.parametrize(
    "counts",
    [
        {"canaries": 0, "guesses": 0, "correct": 0},
        {"canaries": 10, "guesses": 11, "correct": 1},
        {"canaries": 10, "guesses": 5, "correct": 6},
        {"canaries": 10, "guesses": 5, "correct": -1},
        {"canaries": 10, "guesses": 5.5, "correct": 1},
    ],
)
def test_impossible_counts_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(InvalidParameter, match="is not allowed"):
        one_run(delta=0, **counts)


@pytest.mark.parametrize("guesses", [(0, 0), (3, 2), (-1, 2)])
def test_impossible_guesses_are_refused(guesses: tuple[int, int]) -> None:
    with pytest.raises(InvalidParameter, match="guesses = "):
        one_run_scores([1.0, 2.0], [0.0, 1.0], guesses=guesses, delta=0)
