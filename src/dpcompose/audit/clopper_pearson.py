r"""Confidence limits for a probability from hits among independent trials (Clopper and Pearson 1934).

With $h$ hits among $n$ trials, the limit at level $\alpha$ is the $p$ at which $P[\mathrm{Bin}(n,p) \ge h] = \alpha$:
it exceeds the truth with probability at most $\alpha$, whatever the truth is. Any smaller $p$ is valid too, so the
limit is guessed in floats, then lowered until the tail is *proven* to be at most $\alpha$.

Probabilities are given by their log odds $t = \ln(p/(1-p))$, in which a probability near 1 is as exact as one near 0,
and the upper limit is minus the lower limit of the misses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb
from scipy.special import betaincinv

from dpcompose.errors import InvalidParameter
from dpcompose.kernel import Source
from dpcompose.numerics.chain import Flat, RatioChain
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.parameters import Whole, exact

CP34 = Source(
    "CP34",
    "C. J. Clopper and E. S. Pearson",
    "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
    "Biometrika 26",
    1934,
)
TRIALS = Whole("n", 1, 10**9, "trials", typical=(100, 10**6))
_FIRST, _GROWTH, _STEPS = 1e-10, 8.0, 24
_SURE = Enclosure(1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Trials:
    """A number of hits among a number of independent trials."""

    hits: int
    total: int

    def __post_init__(self) -> None:
        total = int(TRIALS.check("total", self.total))
        hits = int(Whole("h", 0, total).check("hits", self.hits))
        object.__setattr__(self, "hits", hits)
        object.__setattr__(self, "total", total)

    @property
    def misses(self) -> Trials:
        """The same trials with hits and misses exchanged."""
        return Trials(self.total - self.hits, self.total)

    def __str__(self) -> str:
        return f"{self.hits} of {self.total}"


def confidence_level(confidence: object) -> Fraction:
    """The probability of error, `1 - confidence`, exactly."""
    allowed = "a number between 0 and 1, both excluded"
    value = exact("confidence", confidence, allowed)
    if not 0 < value < 1:
        raise InvalidParameter("confidence", confidence, allowed)
    return 1 - Fraction(value)


def least_log_odds(trials: Trials, level: Fraction) -> float:
    """A lower confidence limit on the log odds: above the true ones with probability at most `level`; or -∞."""
    if trials.hits == 0:
        return -math.inf
    guess = _guess(trials, level)
    step = _FIRST * (1.0 + abs(guess))
    for _ in range(_STEPS):
        if upper_tail(trials, guess - step).upper <= level:
            return guess - step
        step *= _GROWTH
    return -math.inf


def most_log_odds(trials: Trials, level: Fraction) -> float:
    """An upper confidence limit on the log odds: below the true ones with probability at most `level`; or +∞."""
    return -least_log_odds(trials.misses, level)


def upper_tail(trials: Trials, log_odds: Real) -> Enclosure:
    r"""$P[\mathrm{Bin}(n,p) \ge h]$ where $p/(1-p) = e^t$.

    The weight at the end times a positive chain that falls away from the mode: upward from $h$, or, where the mode
    lies above $h$, one minus downward from $h - 1$.
    """
    n, h, t = trials.total, trials.hits, Fraction(log_odds)
    if h == 0:
        return _SURE
    with ctx.workprec(working_bits(trials)):
        if ball(t).exp() * (n - h) < h + 1:
            return _clipped(weight(trials, t) * RatioChain(n - h, h + 1, t).total(Flat()))
        return _clipped(1 - weight(Trials(h - 1, n), t) * RatioChain(h - 1, n - h + 2, -t).total(Flat()))


def lower_tail(trials: Trials, log_odds: Real) -> Enclosure:
    r"""$P[\mathrm{Bin}(n,p) \le h]$: the upper tail of the misses."""
    return upper_tail(trials.misses, -log_odds)


def weight(trials: Trials, log_odds: Real) -> Ball:
    r"""$P[\mathrm{Bin}(n,p) = h] = \binom nh e^{ht}/(1+e^t)^n$, at the working precision."""
    n, h, t = trials.total, trials.hits, ball(log_odds)
    log_choose = arb(n + 1).lgamma() - arb(h + 1).lgamma() - arb(n - h + 1).lgamma()
    tilt = h * t if log_odds <= 0 else -(n - h) * t
    return (log_choose + tilt - n * (-abs(t)).exp().log1p()).exp()


def working_bits(trials: Trials) -> int:
    """Bits that give a weight some fifty correct ones: the logarithms that cancel are about `n ln n`."""
    return 72 + 2 * trials.total.bit_length()


def _clipped(x: Ball) -> Enclosure:
    """A probability; a ball without information becomes [0, 1]."""
    found = Enclosure.of(x)
    return Enclosure(min(max(found.lower, 0.0), 1.0), max(min(found.upper, 1.0), 0.0)) & UNIT_INTERVAL


def _guess(trials: Trials, level: Fraction) -> float:
    r"""The limit in floats; where it underflows, from $P[\mathrm{Bin} \ge h] \approx \binom nh p^h$."""
    h, n = trials.hits, trials.total
    p = float(betaincinv(h, n - h + 1, float(level)))
    if p > 1e-290 and 1.0 - p > 1e-9:
        return math.log(p) - math.log1p(-p)
    if p > 0.5:
        q = float(betaincinv(n - h + 1, h, float(1 - level)))
        return math.log1p(-q) - math.log(q) if q > 0.0 else 40.0
    log_choose = math.lgamma(n + 1) - math.lgamma(h + 1) - math.lgamma(n - h + 1)
    return (float(ball(level).log()) - log_choose) / h


__all__ = [
    "CP34",
    "TRIALS",
    "Trials",
    "confidence_level",
    "least_log_odds",
    "lower_tail",
    "most_log_odds",
    "upper_tail",
    "weight",
    "working_bits",
]
