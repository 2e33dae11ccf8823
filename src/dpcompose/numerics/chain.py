r"""Positive chains: `sum_i c_i phi_i` with `c_0 = 1` and `c_{i+1}/c_i = e^tilt (a-i)/(b+i)`, certified.

Tails of binomial laws are such chains. The ratio only falls with `i`, so what is left out after `n` terms is
at most a geometric series; every term is positive, so relative accuracy is never lost. Two kinds of weight
`phi` are known: `Flat` (always 1) and `Rising` (`1 - e^{-pace i}`).

Short chains are summed in balls. Long ones in float64, in rows whose first term is a ball (from lgamma).
**Error model**, `u = 2^-53`: `+ - * /` are correctly rounded, NumPy's `expm1` is within 4 ulp. One step of a
chain then costs at most 5u (its factor 2u, a division, two products), a rising weight at most 11u with its
product, and adding up n terms, 64 to a lane, at most `(64 + n/64) u` in whatever order NumPy adds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpcompose.numerics.enclosure import Ball, ball
from dpcompose.numerics.precision import ctx

_UNIT = 2.0**-53
_ROW = 4096  # terms a row: a row is off by less than 2.3e-12 of itself
_LANE = 64
_SHORT = 96  # chains expected to need no more terms are summed in balls
_NATS = 42.0  # a chain is expected to matter until its terms have fallen by e^-42
_DUST = 1e-280  # more than everything underflow can lose in one row
_LINEAR = 2.0**-60  # below this, 1 - e^{-y} and y agree to within u


@dataclass(frozen=True, slots=True)
class Flat:
    """`phi_i = 1`."""

    rounding = 0.0

    def floats(self, start: int, length: int) -> tuple[NDArray[np.float64], Ball]:  # noqa: ARG002 - the same everywhere
        """`phi_start, phi_{start+1}, ...` as floats times a ball."""
        return np.ones(length), arb(1)

    def balls(self) -> tuple[Ball, Ball]:
        """`phi_0`, and `phi_{i+1} - phi_i` at `i = 0`."""
        return arb(1), arb(0)

    def rest(self, ratio: Ball, start: int) -> Ball:  # noqa: ARG002 - the same everywhere
        """More than `sum_{i>=0} ratio^i phi_{start+i}`."""
        return 1 / (1 - ratio)


@dataclass(frozen=True, slots=True)
class Rising:
    """`phi_i = 1 - e^{-pace i}`."""

    pace: Fraction
    rounding = 11 * _UNIT

    def floats(self, start: int, length: int) -> tuple[NDArray[np.float64], Ball]:
        """`phi_start, phi_{start+1}, ...` as floats times a ball."""
        index = np.arange(start, start + length, dtype=np.float64)
        if self.pace * (start + length) < _LINEAR:
            return index, ball(self.pace)
        return -np.expm1(index * -float(self.pace)), arb(1)

    def balls(self) -> tuple[Ball, Ball]:
        """`phi_0`, and `phi_{i+1} - phi_i` at `i = 0`."""
        return arb(0), -(-ball(self.pace)).expm1()

    def rest(self, ratio: Ball, start: int) -> Ball:
        """More than `sum_{i>=0} ratio^i phi_{start+i}`, from `phi_{n+i} <= phi_n + i phi_1`."""
        here, growth = -(-start * ball(self.pace)).expm1(), self.balls()[1]
        return (here + growth * ratio / (1 - ratio)) / (1 - ratio)


@dataclass(frozen=True, slots=True)
class RatioChain:
    """`c_0 = 1`, `c_{i+1} = c_i e^tilt (a-i)/(b+i)`, `i = 0..a`; `a >= 0`, `b >= 1`."""

    a: int
    b: int
    tilt: Fraction

    @property
    def short(self) -> bool:
        """Whether it is summed in balls, so that more bits make the sum sharper."""
        return self.expected_length() <= _SHORT

    def total(self, weight: Flat | Rising) -> Ball:
        """`sum c_i phi_i`."""
        return self._in_balls(weight) if self.short else self._in_rows(weight)

    def term(self, i: int) -> Ball:
        """`c_i = e^{i tilt} a!/(a-i)! (b-1)!/(b-1+i)!`."""
        if i > self.a:
            return arb(0)
        falling = arb(self.a + 1).lgamma() - arb(self.a - i + 1).lgamma()
        rising = arb(self.b + i).lgamma() - arb(self.b).lgamma()
        return (i * ball(self.tilt) + falling - rising).exp()

    def ratio(self, factor: Ball, i: int) -> Ball:
        """`c_{i+1}/c_i`, which bounds all later ratios."""
        return factor * max(self.a - i, 0) / (self.b + i)

    def expected_length(self) -> int:
        """How many terms should do; a guess (the logarithm of `c` is nearly a parabola)."""
        if self.a < _SHORT:
            return self.a + 1
        fall = math.log(self.b / self.a) - float(max(min(self.tilt, Fraction(1000)), Fraction(-1000)))
        curve = 1 / self.a + 1 / self.b
        root = math.sqrt(fall * fall + 2 * _NATS * curve)
        reach = 2 * _NATS / (fall + root) if fall > 0 else (root - fall) / curve
        return min(self.a, math.ceil(reach)) + 1

    def _in_balls(self, weight: Flat | Rising) -> Ball:
        """Term by term, until the remainder is below the working precision."""
        factor, (phi, growth) = ball(self.tilt).exp(), weight.balls()
        decay, term, total, small = 1 - growth, arb(1), arb(0), arb(2) ** -ctx.prec
        for i in range(self.a + 1):
            total += term * phi
            ratio = self.ratio(factor, i)
            term, phi, growth = term * ratio, phi + growth, growth * decay
            if i % 8 == 7 and ratio < 0.99:  # looking costs as much as a few terms
                rest = term * weight.rest(ratio, i + 1)
                if rest <= total * small:
                    return total + rest.union(0)
        return total

    def _in_rows(self, weight: Flat | Rising) -> Ball:
        """Row by row, until the remainder is below 2^-56 of the sum."""
        factor, length = ball(self.tilt).exp(), self.expected_length()
        total, start, first = arb(0), 0, arb(1)
        while start <= self.a:
            size = _LANE * -(-min(_ROW, max(length - start, _LANE)) // _LANE)
            phi, scale = weight.floats(start, size)
            total += first * scale * _row_sum(self._row(factor, start, size) * phi, weight.rounding)
            start += size
            first, ratio = self.term(start), self.ratio(factor, start)
            if ratio < 1:
                rest = first * weight.rest(ratio, start)
                if rest <= total * 2.0**-56:
                    return total + rest.union(0)
        return total

    def _row(self, factor: Ball, start: int, size: int) -> NDArray[np.float64]:
        """`c_{start+i}/c_start`, each step of it to within 5u."""
        index = np.arange(start, start + size - 1, dtype=np.float64)
        row = np.empty(size)
        row[0] = 1.0
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite row makes an infinite ball
            ratios = np.maximum(self.a - index, 0.0) / (self.b + index) * float(factor)
            np.multiply.accumulate(ratios, out=row[1:])
        return row


def _row_sum(terms: NDArray[np.float64], rounding: float) -> Ball:
    """The sum of a row, the i-th term of which may be off by `rounding + 5iu` of itself."""
    total = float(terms.reshape(-1, _LANE).sum(axis=1).sum())
    drift = float(np.dot(terms, np.arange(float(len(terms)))))
    relative = rounding + (_LANE + len(terms) / _LANE) * _UNIT
    return arb(total, 1.01 * (total * relative + 5 * _UNIT * drift) + _DUST)


__all__ = ["Flat", "RatioChain", "Rising"]
