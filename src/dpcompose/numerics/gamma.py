"""The regularised lower incomplete gamma function, as a positive series where Arb's own way loses all digits."""

from __future__ import annotations

from flint import arb

from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.precision import ctx


def gamma_lower(shape: Real, x: Ball) -> Ball:
    r"""$P(s, x) = \frac{1}{\Gamma(s)}\int_0^x u^{s-1} e^{-u}\,du$ for $s, x > 0$, at the working precision.

    Up to $x = s$ it is the series $\frac{x^s e^{-x}}{\Gamma(s+1)} \sum_m \frac{x^m}{(s+1)\cdots(s+m)}$, whose
    terms after the $m$-th sum to less than $\frac{s+m+1}{m+1}$ times that one; beyond, $P = 1 - Q$ loses nothing.
    """
    s = ball(shape)
    if not x <= s:
        return 1 - x.gamma_upper(s, regularized=1)
    smallest = arb(2) ** -(ctx.prec + 8)
    term, total, m = arb(1), arb(1), 0
    while not term < smallest:
        m += 1
        term = term * x / (s + m)
        total += term
    total += arb(0).union(term.upper() * (s + m + 1) / (m + 1))
    return (s * x.log() - x - (s + 1).lgamma()).exp() * total


__all__ = ["gamma_lower"]
