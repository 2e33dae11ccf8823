r"""Geometric and two-sided geometric (discrete Laplace) noise, digit by digit.

If $P(G = g) \propto e^{-\lambda g}$ on $g \ge 0$ and $g = 2^i h + \sum_k 2^{i_k} d_k$ in digits, then $e^{-\lambda g}$
is a product with one factor for each digit and one for $h$: the digits are *independent*, each with a geometric law
cut off at its largest value, and $h$ is geometric with rate $2^i\lambda$. So tables of a few hundred entries serve
every scale. The sign is one more digit: $-1 - g$ takes the place of $g$ with probability
$e^{-\lambda}/(1+e^{-\lambda})$.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from dpcompose.mechanisms.laplace import SCALE
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.release.sampling.batches import in_batches
from dpcompose.release.sampling.lookup import draw
from dpcompose.release.sampling.source import OS, PATIENCE, Integers, RandomSource, broken, checked_size

WIDTH = 8  # bits of a digit
COARSE = 8  # the leading part is drawn at a scale of at most this
ROOM = 62  # bits that a 64-bit integer surely holds
REACH = 32  # a table of the leading part ends where e^−REACH is left


@dataclass(frozen=True, slots=True)
class Digit:
    r"""$P(d) \propto e^{-\lambda d}$ on $0 \le d < 2^w$."""

    rate: Fraction
    width: int

    @property
    def count(self) -> int:
        """The largest digit."""
        return (1 << self.width) - 1

    def survival(self, index: int, /) -> Ball:
        r"""$P(d \ge m) = e^{-m\lambda}\,(1-e^{-(N-m)\lambda})/(1-e^{-N\lambda})$ with $m$ = index + 1, $N = 2^w$."""
        m, size, rate = index + 1, 1 << self.width, ball(self.rate)
        return (-m * rate).exp() * (-(size - m) * rate).expm1() / (-size * rate).expm1()


@dataclass(frozen=True, slots=True)
class Leading:
    """The geometric law, cut at `count`, which stands for itself and everything above."""

    rate: Fraction
    count: int

    def survival(self, index: int, /) -> Ball:
        r"""$P(h > j) = e^{-(j+1)\lambda}$."""
        return (-(index + 1) * ball(self.rate)).exp()


def geometric(scale: Real, size: int, source: RandomSource = OS) -> Integers:
    r"""Independent draws with $P(g) \propto e^{-g/\texttt{scale}}$ on $g = 0, 1, 2, \dots$; a scale of 0 gives 0."""
    checked = Fraction(SCALE.check("scale", scale))
    return in_batches(checked_size(size), lambda count: one_sided(checked, count, source))


def discrete_laplace(scale: Real, size: int, source: RandomSource = OS) -> Integers:
    r"""Independent draws with $P(z) \propto e^{-|z|/\texttt{scale}}$ on the integers; a scale of 0 gives 0."""
    checked = Fraction(SCALE.check("scale", scale))
    return in_batches(checked_size(size), lambda count: two_sided(checked, count, source))


def two_sided(scale: Fraction, size: int, source: RandomSource) -> Integers:
    """One batch of `discrete_laplace`: g or, for the other sign, −1 − g."""
    found = one_sided(scale, size, source)
    return found ^ -draw(Digit(1 / scale, 1), size, source) if scale else found


def one_sided(scale: Fraction, size: int, source: RandomSource) -> Integers:
    """One batch of `geometric`: the leading part, then one digit after the other."""
    if not scale:
        return np.zeros(size, dtype=np.int64)
    shift = max(ceil(scale / COARSE) - 1, 0).bit_length()
    found = _leading((1 << shift) / scale, size, source)
    if shift > ROOM or int(found.max(initial=0)) >> (ROOM - shift):  # would not fit once shifted
        found = found.astype(np.object_)
    found = found << shift
    for place in range(0, shift, WIDTH):
        digit = draw(Digit((1 << place) / scale, min(WIDTH, shift - place)), size, source)
        found |= (digit if found.dtype != np.object_ else digit.astype(np.object_)) << place
    return found


def _leading(rate: Fraction, size: int, source: RandomSource) -> Integers:
    """Geometric draws of rate at least 1/COARSE. The law is memoryless: a draw at the table's end is continued with
    another.
    """
    law = Leading(rate, ceil(REACH / rate))
    found = draw(law, size, source)
    again = np.flatnonzero(found == law.count)
    for _ in range(PATIENCE):
        if not again.size:
            return found
        more = draw(law, again.size, source)
        found[again] += more
        again = again[more == law.count]
    raise broken(source)
