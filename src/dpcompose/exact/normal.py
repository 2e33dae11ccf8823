r"""How far two unit normals $\mu$ apart differ beyond a factor $e^t$.

$$\delta_\mu(t) = \Phi(-x) - e^t\,\Phi(-y), \qquad x = t/\mu - \mu/2, \quad y = t/\mu + \mu/2,$$

with $\partial_t\delta = -e^t\Phi(-y)$ and $\partial_\mu\delta = \varphi(x)$: decreasing in $t$, increasing in
$\mu$ (Balle and Wang 2018). $\mu^2$ is taken exactly, since it is what adds up; inverses are guessed in
floats and proven by evaluating the profile at the two ends that are returned.
"""

from __future__ import annotations

import math

from flint import arb

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.positive import enclose_probability
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_decreasing, invert_increasing
from dpcompose.numerics.special import erfinv, ndtr, ndtri_exp, quick_erfcx

_FAR = 90.0
"""Beyond this many deviations Arb's erfc loses its relative accuracy and Tricomi's U keeps it."""


def normal_delta(mu_squared: Real | Enclosure, t: Real) -> Enclosure:
    r"""$\delta_\mu(t)$ for $\mu^2$ given exactly or within an enclosure; any real $t$."""
    least, most = _ends("mu_squared", mu_squared)
    if t != t:  # noqa: PLR0124 - only NaN differs from itself
        raise InvalidParameter("t", t, "a number")
    found = _delta(least, t)
    return found if least == most else Enclosure(found.lower, _delta(most, t).upper)


def normal_epsilon(mu_squared: Real | Enclosure, delta: Real | Enclosure) -> Enclosure:
    r"""The least $t \ge 0$ with $\delta_\mu(t) \le \delta$; infinite exactly when $\delta = 0 < \mu$."""
    (least, most), (tiniest, largest) = _ends("mu_squared", mu_squared), _ends("delta", delta)
    found = _epsilon(least, largest)
    if least == most and tiniest == largest:
        return found
    return Enclosure(found.lower, _epsilon(most, tiniest).upper)


def normal_mu(epsilon: Real, delta: Real | Enclosure) -> Enclosure:
    r"""The largest $\mu$ with $\delta_\mu(\varepsilon) \le \delta$; infinite exactly when $\delta \ge 1$."""
    _ends("epsilon", epsilon)
    least, most = _ends("delta", delta)
    found = _mu(epsilon, least)
    return found if least == most else Enclosure(found.lower, _mu(epsilon, most).upper)


def _delta(mu_squared: Real, t: Real) -> Enclosure:
    if t == math.inf or mu_squared <= 0:
        return ZERO if t >= 0 else enclose(lambda: -ball(t).expm1()) & UNIT_INTERVAL
    if mu_squared == math.inf:
        return Enclosure(1.0, 1.0)

    def formula() -> Ball:
        return _terms(ball(mu_squared).sqrt(), ball(t))[0]

    return enclose_probability(formula, _bits(_root(mu_squared), _near(t)))


def _epsilon(mu_squared: Real, delta: Real) -> Enclosure:
    if mu_squared <= 0 or delta >= 1:
        return ZERO
    if delta <= 0 or mu_squared == math.inf:
        return Enclosure(math.inf, math.inf)
    mu = _root(mu_squared)

    def excess(t: float) -> Enclosure:
        def formula() -> Ball:  # relative, for a float cannot hold a small part of the least float
            return _terms(ball(mu_squared).sqrt(), arb(t))[0] / ball(delta) - 1

        return enclose(formula, gap=0.5, bits=_bits(mu, t))  # only the sign is wanted

    guess = _newton_in_t(mu, _log(delta))
    if math.isfinite(guess):
        with ctx.workprec(_bits(mu, guess) + 64):
            value, slope, _ = _terms(ball(mu_squared).sqrt(), arb(guess))
            guess = _moved(guess, (value - ball(delta)) / slope)
    return invert_decreasing(excess, ZERO, guess, 0.0, math.inf)


def _mu(epsilon: Real, delta: Real) -> Enclosure:
    if delta <= 0:
        return ZERO
    if delta >= 1 or epsilon == math.inf:
        return Enclosure(math.inf, math.inf)
    near = _near(epsilon)

    def excess(mu: float) -> Enclosure:
        def formula() -> Ball:
            return _terms(arb(mu), ball(epsilon))[0] / ball(delta) - 1

        return enclose(formula, gap=0.5, bits=_bits(mu, near)) if mu > 0.0 else Enclosure(-1.0, -1.0)

    guess = _newton_in_mu(near, _log(delta))
    if math.isfinite(guess) and guess > 0.0:
        with ctx.workprec(_bits(guess, near) + 64):
            value, _, density = _terms(arb(guess), ball(epsilon))
            guess = _moved(guess, (ball(delta) - value) / density)
    return invert_increasing(excess, ZERO, guess, 0.0, math.inf)


def _terms(mu: Ball, t: Ball) -> tuple[Ball, Ball, Ball]:
    r"""$\delta_\mu(t)$, $e^t\Phi(-y)$ and $\varphi(x)$ at the working precision.

    Far out, $\Phi(-z) = e^{-z^2/2}\,U(\tfrac12, \tfrac12, z^2/2) / (2\sqrt\pi)$; and $t - y^2/2 = -x^2/2$.
    """
    ratio, half = t / mu, mu / 2
    x, y = ratio - half, ratio + half
    bell, root_two = (-x * x / 2).exp(), arb(2).sqrt()
    upper = (x / root_two).erfc() / 2 if not x > _FAR else bell * _mills(x)
    lower = t.exp() * (y / root_two).erfc() / 2 if not y > _FAR else bell * _mills(y)
    return upper - lower, lower, bell / (2 * arb.pi()).sqrt()


def _mills(z: Ball) -> Ball:
    half = arb(0.5)
    return (z * z / 2).hypgeom_u(half, half) / (2 * arb.const_sqrt_pi())


def _bits(mu: float, t: float) -> int:
    """A precision that most likely suffices: what squaring, small arguments and the difference will cost."""
    if not (0.0 < mu < math.inf and abs(t) < math.inf):
        return 256
    x, y = abs(t / mu - mu / 2.0), abs(t / mu + mu / 2.0)
    if x > 45.0 and t > 0.0:
        return 96
    lost = 2.0 * math.log2(1.0 + y) + math.log2(1.0 + x) + max(0.0, -math.log2(mu))
    return 72 + min(int(lost), 1024)


def _moved(guess: float, step: Ball) -> float:
    """One Newton step, unless it leads nowhere."""
    there = float((arb(guess) + step).mid()) if step.is_finite() else math.nan
    return there if there > 0.0 else guess


def _newton_in_t(mu: float, log_delta: float) -> float:
    r"""Solve $\ln\delta_\mu(t) = \ln\delta$ in floats, by Newton in $x$.

    $\ln\delta_\mu$ is concave in $t$ (a log-concave tail folded with an exponential), and
    $\delta_\mu < \Phi(-x)$ puts the start to the right of the root, so the steps never overshoot it.
    """
    x = -float(ndtri_exp(log_delta))
    for _ in range(40):
        if x <= -mu / 2.0:
            return 0.0
        log_value, slope = _float_profile(mu, x)
        step = (log_delta - log_value) / (-mu * slope) if slope > 0.0 else math.nan
        if not math.isfinite(step):
            break
        x += step
        if abs(step) <= 1e-5 * (1.0 + abs(x)):  # what is left is its square, and the step in balls squares it again
            break
    return max(mu * (x + mu / 2.0), 0.0)


def _newton_in_mu(epsilon: float, log_delta: float) -> float:
    r"""Solve $\ln\delta_\mu(\varepsilon) = \ln\delta$ in floats, by Newton in $\ln\mu$ from below.

    Both starts are too small, as $\delta_\mu(\varepsilon)$ is below $\Phi(-x)$ and below $\delta_\mu(0)$.
    """
    x = -float(ndtri_exp(log_delta))
    reach = math.hypot(x, math.sqrt(2.0 * epsilon))
    start = 2.0 * (epsilon / (reach + x)) if x > 0.0 else reach - x
    mu = max(start, math.sqrt(8.0) * float(erfinv(math.exp(log_delta))), 1e-300)
    for _ in range(40):
        x = epsilon / mu - mu / 2.0
        log_value, slope = _float_profile(mu, x)
        density = math.exp(min(-x * x / 2.0 - log_value, 700.0)) / math.sqrt(2.0 * math.pi)
        step = (log_delta - log_value) / (mu * density) if density > 0.0 else math.nan
        if not math.isfinite(step) or not slope >= 0.0:
            break
        mu *= math.exp(min(max(step, -2.0), 2.0))
        if abs(step) <= 1e-9:
            break
    return mu


def _float_profile(mu: float, x: float) -> tuple[float, float]:
    r"""$\ln\delta_\mu$ and $e^t\Phi(-y)/\delta_\mu$ at $x$, in floats, through Mills ratios $m$.

    $\delta_\mu = \varphi(x)\,(m(x) - m(x+\mu))$ and $-m'(s) = 1 - s\,m(s)$, integrated where $\mu$ is small.
    """
    beyond = _float_mills(x + mu)
    if x < -5.0:
        below = math.exp(-x * x / 2.0) * beyond / math.sqrt(2.0 * math.pi)
        missing = float(ndtr(x)) + below
        return math.log1p(-missing), below / (1.0 - missing)
    if mu < 0.25:
        nodes = ((-math.sqrt(0.15), 5.0 / 18.0), (0.0, 4.0 / 9.0), (math.sqrt(0.15), 5.0 / 18.0))
        points = [(x + mu * (0.5 + node), weight) for node, weight in nodes]
        fall = mu * sum(weight * (1.0 - s * _float_mills(s)) for s, weight in points)
    else:
        fall = _float_mills(x) - beyond
    if not fall > 0.0:
        return math.nan, math.nan
    return math.log(fall) - (x * x + math.log(2.0 * math.pi)) / 2.0, beyond / fall


def _float_mills(s: float) -> float:
    return math.sqrt(math.pi / 2.0) * quick_erfcx(s / math.sqrt(2.0))


def _ends(name: str, x: Real | Enclosure) -> tuple[Real, Real]:
    """The least and the greatest that `x` may be, neither negative nor NaN."""
    least, most = (x.lower, x.upper) if isinstance(x, Enclosure) else (x, x)
    if not least >= 0:
        raise InvalidParameter(name, x, "a number >= 0")
    return least, most


def _near(x: Real) -> float:
    """A float near `x`, infinite rather than overflowing."""
    return Enclosure.exactly(x).upper


def _root(mu_squared: Real) -> float:
    """A float near the square root, also where the square is no float."""
    return float(ball(mu_squared).sqrt().mid())


def _log(x: Real) -> float:
    """A float near the logarithm, also where `x` is no float."""
    return float(ball(x).log().mid())


__all__ = ["normal_delta", "normal_epsilon", "normal_mu"]
