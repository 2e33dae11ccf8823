r"""How far `rows` independent normals differ from the same normals with $R$ times the variance.

Only the sum of squares matters: $\chi^2_r$ against $R\,\chi^2_r$. The larger variance exceeds $e^t$ times the
smaller above a threshold, the smaller the larger below one, so with $u_\pm = (r\ln R \pm 2t) / (2(R - 1))$
and the regularised incomplete gammas $Q$ and $P$,

$$\delta_>(t) = Q(\tfrac r2, u_+) - e^t\,Q(\tfrac r2, R u_+), \qquad
  \delta_<(t) = P(\tfrac r2, R u_-) - e^t\,P(\tfrac r2, u_-) \quad (0 \text{ for } u_- \le 0).$$
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dpcompose.errors import Declined, InvalidParameter
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.gamma import gamma_lower
from dpcompose.numerics.positive import enclose_probability

MOST_ROWS = 10**7
"""Up to here an incomplete gamma function takes milliseconds."""

_CERTAIN = Enclosure(1.0, 1.0)
_INFINITE = Enclosure(math.inf, math.inf)


def scaled_chisquare_delta(rows: int, ratio: Real, t: Real) -> tuple[Enclosure, Enclosure]:
    r"""$\delta_>(t)$, large against small, and $\delta_<(t)$, small against large, for a ratio $R \ge 1$."""
    _check(rows, ratio)
    if t != t:  # noqa: PLR0124 - only NaN differs from itself
        raise InvalidParameter("t", t, "a number")
    if t < 0:  # what one exceeds, the other falls short of
        large, small = scaled_chisquare_delta(rows, ratio, -t)
        return _reflected(t, small), _reflected(t, large)
    if rows == 0 or ratio == 1 or t == math.inf:
        return ZERO, ZERO
    if ratio == math.inf:
        return _CERTAIN, _CERTAIN
    excess = Fraction(ratio) - 1

    def large_over_small() -> Ball:
        u = _threshold(rows, excess, t)
        return _upper(rows, u) - ball(t).exp() * _upper(rows, u * ball(1 + excess))

    def small_over_large() -> Ball:
        u = _threshold(rows, excess, -t)
        if u <= 0:
            return arb(0)
        if not u > 0:  # too close to call at this precision: between nothing and all that lies below
            return arb(0).union(_lower(rows, u.upper() * ball(1 + excess)))
        return _lower(rows, u * ball(1 + excess)) - ball(t).exp() * _lower(rows, u)

    bits = 128 + max(0, -2 * math.frexp(Enclosure.exactly(excess).upper)[1])
    return enclose_probability(large_over_small, bits), enclose_probability(small_over_large, bits)


def scaled_normal_renyi(rows: int, ratio: Real, order: Real) -> tuple[Enclosure, Enclosure]:
    r"""The Rényi divergences of order $\alpha \ge 1$: large against small, small against large.

    $$D_\alpha^> = \frac{r}{2}\Bigl(-\frac{\ln(1 - (\alpha-1)(R-1))}{\alpha-1} - \ln R\Bigr), \qquad
      D_\alpha^< = \frac{r}{2}\cdot\frac{\alpha\ln R - \ln(1 + \alpha(R-1))}{\alpha-1},$$

    the former infinite from $\alpha = R/(R-1)$ on; at $\alpha = 1$ their limits, the relative entropies.
    """
    _check(rows, ratio)
    _check_order(order)
    if rows == 0 or ratio == 1:
        return ZERO, ZERO
    if ratio == math.inf:
        return _INFINITE, _INFINITE
    excess = Fraction(ratio) - 1
    if order == math.inf:
        return _INFINITE, _divergence(lambda: rows * ball(excess).log1p() / 2)
    if order == 1:
        return (
            _divergence(lambda: rows * (ball(excess) - ball(excess).log1p()) / 2),
            _divergence(lambda: rows * (ball(excess).log1p() - ball(excess / (1 + excess))) / 2),
        )
    beyond = Fraction(order) - 1

    def large_over_small() -> Ball:
        return -rows * (ball(-beyond * excess).log1p() / ball(beyond) + ball(excess).log1p()) / 2

    def small_over_large() -> Ball:
        a = 1 + beyond
        return rows * (ball(a) * ball(excess).log1p() - ball(a * excess).log1p()) / (2 * ball(beyond))

    finite = beyond * excess < 1
    return _divergence(large_over_small) if finite else _INFINITE, _divergence(small_over_large)


def random_shift_renyi(rows: int, scale: Real, order: Real) -> Enclosure:
    r"""The Rényi divergence of `rows` normals of deviation $w$, each moved by a known standard normal draw.

    $$D_\alpha = -\frac{r}{2(\alpha-1)} \ln\Bigl(1 - \frac{\alpha(\alpha-1)}{w^2}\Bigr),$$

    infinite from $\alpha(\alpha-1) = w^2$ on; $r/(2w^2)$ at $\alpha = 1$.
    """
    _check(rows, 1)
    _check_order(order)
    if not scale >= 0:
        raise InvalidParameter("scale", scale, "a number >= 0")
    if rows == 0 or scale == math.inf:
        return ZERO
    if order == math.inf or scale == 0:
        return _INFINITE
    a, square = Fraction(order), Fraction(scale) ** 2
    if a == 1:
        return _divergence(lambda: ball(rows / (2 * square)))
    if a * (a - 1) >= square:
        return _INFINITE
    return _divergence(lambda: -rows * ball(-a * (a - 1) / square).log1p() / (2 * ball(a - 1)))


def _check(rows: int, ratio: Real) -> None:
    if rows < 0:
        raise InvalidParameter("rows", rows, "an integer >= 0")
    if not ratio >= 1:
        raise InvalidParameter("ratio", ratio, "a number >= 1")
    if rows > MOST_ROWS:
        raise Declined(f"the incomplete gamma function is for at most {MOST_ROWS} rows, not {rows}.")


def _check_order(order: Real) -> None:
    if not order >= 1:
        raise InvalidParameter("order", order, "a number >= 1")


def _threshold(rows: int, excess: Fraction, t: Real) -> Ball:
    return (rows * ball(excess).log1p() + 2 * ball(t)) / (2 * ball(excess))


def _upper(rows: int, x: Ball) -> Ball:
    return x.gamma_upper(arb(rows) / 2, regularized=1)


def _lower(rows: int, x: Ball) -> Ball:
    return gamma_lower(Fraction(rows, 2), x)


def _reflected(t: Real, other: Enclosure) -> Enclosure:
    r"""$\delta_{P|Q}(t) = 1 - e^t + e^t\,\delta_{Q|P}(-t)$."""
    return enclose(lambda: ball(t).exp() * ball(other) - ball(t).expm1(), gap=1.0) & UNIT_INTERVAL


def _divergence(formula: Callable[[], Ball]) -> Enclosure:
    found = enclose(formula, bits=128)
    return Enclosure(max(found.lower, 0.0), max(found.upper, 0.0))


__all__ = ["MOST_ROWS", "random_shift_renyi", "scaled_chisquare_delta", "scaled_normal_renyi"]
