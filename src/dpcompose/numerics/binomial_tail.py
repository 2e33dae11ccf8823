"""Tails of binomial distributions, in balls."""

from __future__ import annotations

from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Real, ball

NEGLIGIBLE = 760
"""A probability below e^-760 is below every positive float."""


def at_least(least: int, draws: int, chance: Real | Ball) -> Ball:
    """P(Bin(n, q) ≥ k) for any whole k: from the rarer of the two outcomes, whose tail converges fast."""
    if least <= 0:
        return Ball(1)
    q = ball(chance)
    if 2 * q > 1:
        return 1 - _of_the_rarer(draws - least + 1, draws, 1 - q) if least <= draws else Ball(0)
    return _of_the_rarer(least, draws, q)


def _of_the_rarer(least: int, draws: int, q: Ball) -> Ball:
    """The same for k > 0 and small q; by Chernoff's bound where one of the two tails is negligible."""
    if least > draws or q == 0:
        return Ball(0)
    exponent = _divergence(least, draws, q)
    if exponent > NEGLIGIBLE and least > draws * q:
        return Ball(0).union((-exponent).exp())
    if exponent > NEGLIGIBLE and least < draws * q:
        return 1 - Ball(0).union((-exponent).exp())
    effort.count(5000)
    return q.beta_lower(Ball(least), Ball(draws - least + 1), regularized=True)


def _divergence(least: int, draws: int, q: Ball) -> Ball:
    """n·KL(k/n ‖ q): the tail beyond k, on the side away from nq, has at most the probability e to the minus this."""
    k, n = Ball(least), Ball(draws)
    others = (n - k) * ((n - k) / (n * (1 - q))).log() if least < draws else 0
    return k * (k / (n * q)).log() + others
