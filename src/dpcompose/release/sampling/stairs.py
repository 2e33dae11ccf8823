r"""Staircase noise, rounded down to a declared grid: a geometric step, a part of the step, and a uniform place in it.

The continuous noise of Geng and Viswanath (2016) is $\pm\Delta(G + V)$, $P(G = i) \propto e^{-\varepsilon i}$, with $V$
uniform on $[0, \gamma)$ or, with odds $\gamma : (1-\gamma)e^{-\varepsilon}$, on $[\gamma, 1)$. Here $K = \lfloor X/g
\rfloor$ is drawn for the grid $g$. A query $q$ that is a multiple of $g$ gives $q + gK = g\lfloor (q + X)/g \rfloor$:
post-processing of the continuous mechanism, which therefore costs no more.

Both ends of both parts are whole multiples of $g/m$ for some integer $m$, and a uniform real number in such a part lies
in each of its pieces of length $g/m$ equally often. So a uniform integer gives the piece, and the piece gives $K$.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms.laplace import SENSITIVITY
from dpcompose.mechanisms.staircase import variance_optimal_gamma
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import EPSILON, LEAST, Param
from dpcompose.release.sampling.batches import in_batches
from dpcompose.release.sampling.coins import Coin
from dpcompose.release.sampling.digits import one_sided
from dpcompose.release.sampling.lookup import bracket, draw
from dpcompose.release.sampling.source import OS, Integers, RandomSource, checked_size
from dpcompose.release.sampling.uniform import uniform

GAMMA = Param("γ", 0, 1)
GRID = Param("g", LEAST, 10**150, "query units")
FAIR = Coin(Fraction(1, 2))
DIGITS = 20  # of a convenient γ, in bits
FINEST = 1024
LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class LowerPart:
    """1 if the noise lies beyond γΔ in its step, in the lower part of the stair."""

    epsilon: Fraction
    gamma: Fraction
    count: int = 1

    def survival(self, index: int, /) -> Ball:  # noqa: ARG002 - there is only one
        r"""$P(X > 0) = (1-\gamma)b/(\gamma + (1-\gamma)b)$, $b = e^{-\varepsilon}$."""
        lower = ball(1 - self.gamma) * (-ball(self.epsilon)).exp()
        return lower / (ball(self.gamma) + lower)


@dataclass(frozen=True, slots=True)
class Stair:
    """The law of the noise on the grid; lengths are counted in pieces of the grid."""

    epsilon: Fraction
    gamma: Fraction
    pieces: int  # in one cell of the grid
    tread: int  # in a whole step
    upper: int  # in its upper part

    @classmethod
    def of(cls, epsilon: Fraction, sensitivity: Fraction, gamma: Fraction, grid: Fraction) -> Stair:
        """Cut the grid as finely as both parts need. For γ = 0 and γ = 1 there is a single part, and the same law."""
        step, first = sensitivity / grid, (gamma or Fraction(1)) * sensitivity / grid
        pieces = lcm(step.denominator, first.denominator)
        return cls(epsilon, gamma or Fraction(1), pieces, int(step * pieces), int(first * pieces))

    def draw(self, size: int, source: RandomSource) -> Integers:
        """Draw one batch."""
        steps = one_sided(1 / self.epsilon, size, source)
        if max((int(steps.max(initial=0)) + 1) * self.tread, self.pieces) >= LIMIT:
            steps = steps.astype(np.object_)
        places = (steps * self.tread + self._place(size, source)) // self.pieces
        return places ^ -draw(FAIR, size, source)

    def _place(self, size: int, source: RandomSource) -> Integers:
        """The place of the noise within its step."""
        if self.upper == self.tread:
            return uniform(self.tread, size, source)
        lower = draw(LowerPart(self.epsilon, self.gamma), size, source).astype(np.bool_)
        found: npt.NDArray[Any] = np.empty(size, dtype=np.int64 if self.tread < LIMIT else np.object_)
        found[~lower] = uniform(self.upper, int(np.count_nonzero(~lower)), source)
        found[lower] = uniform(self.tread - self.upper, int(np.count_nonzero(lower)), source)
        found[lower] += self.upper
        return found


def staircase(  # noqa: PLR0917 - five of a law, and the source
    epsilon: Real, sensitivity: Real, gamma: Real, grid: Real, size: int, source: RandomSource = OS
) -> Integers:
    r"""Independent draws of $\lfloor X/\texttt{grid} \rfloor$ for staircase noise $X$; symmetric about $-\frac12$.

    A sensitivity of 0 gives 0.
    """
    e, step = EPSILON.check("epsilon", epsilon), SENSITIVITY.check("sensitivity", sensitivity)
    first, cell = GAMMA.check("gamma", gamma), GRID.check("grid", grid)
    count = checked_size(size)
    if not step:
        return np.zeros(count, dtype=np.int64)
    if not e:
        raise InvalidParameter("epsilon", epsilon, "a positive number: no noise is wide enough for 0")
    stair = Stair.of(*(Fraction(x) for x in (e, step, first, cell)))
    return in_batches(count, lambda part: stair.draw(part, source))


def practical_gamma(epsilon: Real) -> Fraction:
    """A short binary fraction just below the γ of least variance. Use the same γ in the mechanism's description."""
    e = EPSILON.check("epsilon", epsilon)
    for bits in range(DIGITS, FINEST, DIGITS):
        low, _ = bracket(lambda: variance_optimal_gamma(e), bits)
        if low >> (DIGITS - 4):  # at least this many digits are correct
            return Fraction(low, 1 << bits)
    return Fraction(1, 1 << FINEST)
