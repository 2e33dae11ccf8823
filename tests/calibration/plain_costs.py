"""What mechanisms cost, in mpmath and by the definitions alone: nothing here comes from the library."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath as mp

mp.mp.dps = 50


def number(x: Any) -> Any:
    """Exactly the number given."""
    exact = Fraction(x)
    return mp.mpf(exact.numerator) / exact.denominator


def gaussian_delta(mu: Any, epsilon: Any) -> Any:
    """Balle and Wang's formula."""
    e = number(epsilon)
    return mp.ncdf(-e / mu + mu / 2) - mp.exp(e) * mp.ncdf(-e / mu - mu / 2)


def noisy_gaussian_delta(count: int, noise: Any, epsilon: Any) -> Any:
    """Of so many Gaussians of sensitivity 1."""
    return gaussian_delta(mp.sqrt(count) / number(noise), epsilon)


def response_delta(count: int, step: Any, epsilon: Any, own_delta: Any = 0) -> Any:
    """Of leaky randomized response, term by term."""
    s, e = number(step), number(epsilon)
    p, q = 1 / (1 + mp.exp(-s)), 1 / (1 + mp.exp(s))
    terms = [
        mp.binomial(count, l) * p ** (count - l) * q**l * (1 - mp.exp(e - (count - 2 * l) * s))
        for l in range(count + 1)
        if (count - 2 * l) * s > e
    ]
    kept = (1 - number(own_delta)) ** count
    return 1 - kept * (1 - mp.fsum(terms))


def one_sampled_gaussian_delta(rate: Any, noise: Any, epsilon: Any) -> Any:
    """One step, in the worse order: P against Q = N(0, σ²) with P = (1-q) Q + q N(1, σ²), and the other way round."""
    q, s, a = number(rate), number(noise), mp.exp(number(epsilon))

    def place(ratio: Any) -> Any:
        """Where the likelihood ratio P/Q takes this value."""
        return s**2 * mp.log((ratio - 1 + q) / q) + mp.mpf(1) / 2

    def above(x: Any) -> tuple[Any, Any]:
        """P and Q beyond a place."""
        null = mp.ncdf(-x / s)
        return (1 - q) * null + q * mp.ncdf((1 - x) / s), null

    p, n = above(place(a))
    forward = p - a * n
    backward = mp.mpf(0)
    if 1 / a > 1 - q:  # elsewhere the ratio is never so small
        p, n = above(place(1 / a))
        backward = (1 - n) - a * (1 - p)
    return max(forward, backward, mp.mpf(0))
