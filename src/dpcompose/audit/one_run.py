r"""Auditing with one run (Steinke, Nasr and Jagielski 2023).

Each of $m$ canaries is put into the data independently with probability ½. The mechanism runs *once*; from its output
an auditor guesses for at most $r$ canaries, fixed beforehand, whether they were in, and $v$ guesses are right.

**Theorem.** If the mechanism is (ε, δ)-DP under adding or removing one canary, then $v$ is stochastically no larger
than $B + F$, where $B \sim \mathrm{Bin}(r, e^\varepsilon/(1+e^\varepsilon))$ and $F \ge 0$ is independent of $B$ with
$E[F] \le 2m\delta$. With $f(i) = P[B \ge i]$ and δ = 0 the p-value is $f(v)$; in general it is

$$p = \sup\{E\,f(v-F) : E[F] \le c\} \le f(v) + c\max_{1\le i\le v}\frac{f(v-i)-f(v)}{i}, \qquad c = 2m\delta.$$

The supremum is what is bounded here: it grows with ε, so all smaller ε are refuted together. It is at most
$c\lambda + \max_i(f(v-i) - \lambda i)$ for *any* $\lambda \ge 0$. As $f(v-i)$ is convex in $i$ until $v-i$ falls to the
mode of $B$ and concave from there, the maximum is at $i = 0$ or at $i = v - j$ whenever $j$ is below the mode and
$P[B=j-1] \le \lambda \le P[B=j]$. So any such $j$ gives a valid p-value; floats choose it and balls evaluate it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, expit

from dpcompose.audit.clopper_pearson import (
    TRIALS,
    Trials,
    confidence_level,
    lower_tail,
    upper_tail,
    weight,
    working_bits,
)
from dpcompose.audit.outputs import paired
from dpcompose.audit.result import Audit, Witness
from dpcompose.errors import InvalidParameter
from dpcompose.kernel import Source
from dpcompose.numerics.enclosure import Enclosure, Real, ball, rounded
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.search import root
from dpcompose.parameters import DELTA, EPSILON, Whole, exact

SNJ23 = Source(
    "SNJ23",
    "Thomas Steinke and Milad Nasr and Matthew Jagielski",
    "Privacy Auditing with One (1) Training Run",
    "NeurIPS; arXiv 2305.08846",
    2023,
)
_MOST_EPSILON = 700.0
_FIRST, _GROWTH, _STEPS = 1e-9, 8.0, 16
_CANDIDATES, _FINEST = 512, 4096


@dataclass(frozen=True, slots=True)
class Guesses(Witness):
    """The number of right guesses, among how many guesses about how many canaries."""

    canaries: int
    right: Trials
    level: Fraction

    @property
    def assumes(self) -> str:
        """How the canaries and guesses must have come about."""
        return "canaries put in by independent fair coins; the number of guesses fixed beforehand; any mechanism"

    @property
    def source(self) -> Source:
        """The theorem above."""
        return SNJ23

    def epsilon(self, delta: Real) -> float:
        """The largest ε found that is refuted: its p-value is proven to be at most `1 - confidence`."""
        if self.right.hits == 0 or _float_p(self.right, self.canaries, 0.0, float(delta)) > self.level:
            return 0.0
        log_level = math.log(self.level)
        guess = root(lambda t: log_level - self._log_p(t, float(delta)), 0.0, _MOST_EPSILON, 1e-11)
        step = _FIRST * (1.0 + guess)
        for _ in range(_STEPS):
            epsilon = max(guess - step, 0.0)
            if p_value(self.right, self.canaries, epsilon, delta).upper <= self.level:
                return epsilon
            step *= _GROWTH
        return 0.0

    def _log_p(self, epsilon: float, delta: float) -> float:
        return math.log(max(_float_p(self.right, self.canaries, epsilon, delta), 1e-300))

    def facts(self) -> dict[str, str]:
        """The counts, and the right guesses to expect without any leak."""
        chance = p_value(self.right, self.canaries, 0, 0).upper
        return {
            "canaries": str(self.canaries),
            "guesses": f"{self.right} right; by chance alone with probability {rounded(chance, ROUND_CEILING)}",
        }

    def document(self) -> dict[str, object]:
        """The counts."""
        return {"canaries": self.canaries, "guesses": self.right.total, "correct": self.right.hits}


def one_run(*, canaries: int, guesses: int, correct: int, delta: Real, confidence: Real = 0.95) -> Audit:
    """A lower bound on ε at δ from one run: `correct` of `guesses` about `canaries` were right."""
    delta, level = DELTA.check("delta", delta), confidence_level(confidence)
    m = int(TRIALS.check("canaries", canaries))
    r = int(Whole("r", 1, m).check("guesses", guesses))
    v = int(Whole("v", 0, r).check("correct", correct))
    return Audit(Guesses(m, Trials(v, r), level), delta, exact("confidence", confidence))


def one_run_scores(
    members: Iterable[float],
    non_members: Iterable[float],
    *,
    guesses: tuple[int, int],
    delta: Real,
    confidence: Real = 0.95,
) -> Audit:
    """As `one_run`, from scores: the highest `guesses[0]` are guessed in and the lowest `guesses[1]` out.

    Both numbers are fixed before the scores are seen. Among equal scores, as many guesses as possible count as wrong.
    """
    pair = paired(members, non_members)
    if not pair.numeric:
        raise InvalidParameter("members", "outcomes that are not numbers", "scores")
    scores = np.concatenate([pair.first, pair.second])
    inside = np.arange(len(scores)) < len(pair.first)
    tops, bottoms = (int(Whole("r", 0, len(scores)).check("guesses", n)) for n in guesses)
    if not 1 <= tops + bottoms <= len(scores):
        raise InvalidParameter("guesses", guesses, f"from 1 to {len(scores)} guesses in all")
    correct = _right(-scores, inside, tops) + _right(scores, ~inside, bottoms)
    return one_run(canaries=len(scores), guesses=tops + bottoms, correct=correct, delta=delta, confidence=confidence)


def p_value(right: Trials, canaries: int, epsilon: Real, delta: Real) -> Enclosure:
    """An upper bound on the probability of this many right guesses if the mechanism is (ε, δ)-DP; the lower end is
    trivial.
    """
    epsilon, delta = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
    most = upper_tail(right, epsilon).upper
    if delta != 0:
        most = 1.0
        if upper_tail(right, epsilon).upper < 1.0:
            spare = 2 * canaries * Fraction(delta)
            j = _best(right, float(min(spare, Fraction(10**12))), float(epsilon))
            most = _with_spare(right, spare, epsilon, j)
    return Enclosure(0.0, min(most, 1.0))


def _with_spare(right: Trials, spare: Fraction, epsilon: Real, j: int) -> float:
    """The bound of the theorem for one `j` below the mode; 1 where `j` is not proven to be below it."""
    v, r = right.hits, right.total
    with ctx.workprec(working_bits(right)):
        here, ratio = weight(Trials(j, r), epsilon), j / ((r - j + 1) * ball(epsilon).exp())
        if not (0 <= j < v and ratio <= 1):
            return 1.0
        none = ball(upper_tail(right, epsilon))
        some = 1 - ball(lower_tail(Trials(j - 1, r), epsilon)) if j > 0 else arb(1)
        slope = (some - none) / (v - j)
        # at this slope both candidates of the maximum agree; it must lie between the two weights
        fits = slope <= here and slope >= here * ratio
        price = slope if fits else here
        return Enclosure.of(price * ball(spare) + none.max(some - price * (v - j))).upper


def _best(right: Trials, spare: float, epsilon: float) -> int:
    """The `j` at which the bound is least, in floats: searched coarsely, then one by one."""
    coarse = _candidates(right, epsilon)
    around = np.searchsorted(coarse, coarse[np.argmin(_bounds(right, spare, epsilon, coarse))])
    low, high = coarse[max(around - 1, 0)], coarse[min(around + 1, len(coarse) - 1)]
    fine = np.arange(max(low, high - _FINEST), high + 1)
    return int(fine[np.argmin(_bounds(right, spare, epsilon, fine))])


def _candidates(right: Trials, epsilon: float) -> NDArray[np.int64]:
    """The `j` to try: 0, and those within ten standard deviations below the mode."""
    r, q = right.total, float(expit(epsilon))
    mode = min(math.floor((r + 1) * q), right.hits - 1)
    reach = 10 * math.sqrt(r * q * (1 - q)) + 30
    near = np.linspace(max(mode - reach, 0), mode, _CANDIDATES).astype(np.int64)
    return np.unique(np.concatenate([[0], near])).astype(np.int64)


def _bounds(right: Trials, spare: float, epsilon: float, j: NDArray[np.int64]) -> NDArray[np.float64]:
    """The bound of the theorem at each `j`, in floats."""
    v, r, q = right.hits, right.total, float(expit(epsilon))
    none = float(bdtrc(v - 1, r, q))
    some = np.where(j > 0, bdtrc(np.maximum(j, 1) - 1, r, q), 1.0)
    slope = (some - none) / (v - j)
    here = some - np.where(j < r, bdtrc(j, r, q), 0.0)
    before = np.where(j > 0, bdtr(np.maximum(j, 1) - 1, r, q) - np.where(j > 1, bdtr(np.maximum(j, 2) - 2, r, q), 0), 0)
    price = np.where((slope <= here) & (slope >= before), slope, here)
    return np.minimum(price * spare + np.maximum(none, some - price * (v - j)), 1.0)


def _float_p(right: Trials, canaries: int, epsilon: float, delta: float) -> float:
    """The p-value in floats."""
    if delta == 0:
        return float(bdtrc(right.hits - 1, right.total, float(expit(epsilon))))
    return float(_bounds(right, 2.0 * canaries * delta, epsilon, _candidates(right, epsilon)).min())


def _right(keys: NDArray[np.float64], correct: NDArray[np.bool_], count: int) -> int:
    """How many of the `count` least keys are correct; among equal keys wrong ones come first."""
    return int(correct[np.lexsort((correct, keys))[:count]].sum())


__all__ = ["SNJ23", "Guesses", "one_run", "one_run_scores", "p_value"]
