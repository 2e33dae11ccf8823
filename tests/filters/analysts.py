"""Analysts who choose after looking, in mpmath: what the best of them gets. Nothing here comes from the library."""

from __future__ import annotations

from mpmath import mp, mpf

mp.dps = 30


def converted(rho: mpf, epsilon: mpf) -> mpf:
    """The tight conversion of ρ-zCDP to δ at ε: the infimum over all orders."""
    if rho <= 0:
        return mpf(0)

    def log_delta(u: mpf) -> mpf:
        a = 1 + mp.exp(u)
        return (a - 1) * (a * rho - epsilon) + a * mp.log1p(-1 / a) - mp.log(a - 1)

    low, high = mpf(-40), mpf(60)
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(160):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if log_delta(left) < log_delta(right) else (left, high)
    return mp.exp(log_delta((low + high) / 2))


def greatest_rho(epsilon: mpf, delta: mpf) -> mpf:
    """The ρ whose conversion is δ."""
    low, high = mpf(0), mpf(1)
    while converted(high, epsilon) < delta:
        high *= 2
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (middle, high) if converted(middle, epsilon) <= delta else (low, middle)
    return low


def gaussian(rho: mpf, epsilon: mpf) -> mpf:
    """δ of a Gaussian at any real ε, from its definition."""
    if rho <= 0:
        return mp.mpf(0) if epsilon >= 0 else -mp.expm1(epsilon)
    mu = mp.sqrt(2 * rho)
    return mp.ncdf(-epsilon / mu + mu / 2) - mp.exp(epsilon) * mp.ncdf(-epsilon / mu - mu / 2)


def revealing(chance: mpf, epsilon: mpf) -> mpf:
    """δ of what publishes everything with a chance, at any real ε."""
    return chance + (1 - chance) * max(mpf(0), -mp.expm1(epsilon))


def chooser(first: mpf, then: mpf, chance: mpf, epsilon: mpf) -> mpf:
    """δ(ε) of whoever runs a Gaussian of ρ = `first`, looks, and then does whichever is worse here.

    Either another Gaussian of ρ = `then`, or what reveals everything with a chance: one integral over the first loss.
    """
    sigma = mp.sqrt(2 * first)

    def gain(z: mpf) -> mpf:
        left = epsilon - (first + sigma * z)
        return mp.npdf(z) * max(gaussian(then, left), revealing(chance, left))

    width = mpf(1) / 16  # the trapezoid rule on a smooth bell: far better than the digits asked for, but at the kink
    return width * mp.fsum(gain(width * k) for k in range(-12 * 16, 12 * 16 + 1))
