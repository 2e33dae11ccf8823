r"""Finite laws on whole numbers: exact losses become integers, so that equal sums merge and order is certain.

A loss is a `Fraction`, or the logarithm of one (`LogFraction`). Fractions are brought to a common denominator.
Logarithms are written as whole combinations of the logarithms of pairwise coprime numbers, each rounded once to a
fixed grid: products that agree still agree, and the sum of all losses moves by no more than a stated `drift`,
about $2^{-300}$ a step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Protocol, TypeAlias

from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, ball
from dpcompose.numerics.precision import ctx

_LOG_BITS = 320  # logarithms are rounded to multiples of 2^-320
_MOST_RATIOS = 64  # beyond this, common factors of ratios are not looked for


@dataclass(frozen=True, slots=True)
class LogFraction:
    """The logarithm of a positive rational number."""

    ratio: Fraction


Loss: TypeAlias = Fraction | LogFraction


def value(loss: Loss) -> Ball:
    """A loss as a ball."""
    return ball(loss.ratio).log() if isinstance(loss, LogFraction) else ball(loss)


class Law(Protocol):
    """A law on finitely many numbers, and on plus infinity. Laws that are equal must say the same."""

    def atoms(self) -> Sequence[tuple[Loss, Ball]]:
        """Each finite loss with its probability, at the working precision; always in the same order."""

    def leak(self) -> Ball:
        """The mass at plus infinity, at the working precision; may be a wide ball."""


Parts: TypeAlias = Sequence[tuple[Law, int]]


@dataclass(frozen=True, slots=True)
class Part:
    """A law, how often it occurs, and its losses (in the order of its atoms) in units of the scale."""

    law: Law
    count: int
    losses: tuple[int, ...]

    def weights(self) -> dict[int, Ball]:
        """The probability of every loss, at the working precision; equal losses merged, none left out."""
        merged: dict[int, Ball] = {}
        for loss, (_, mass) in zip(self.losses, self.law.atoms(), strict=True):
            merged[loss] = merged[loss] + mass if loss in merged else mass
        return {loss: mass for loss, mass in merged.items() if not mass.is_zero()}


@dataclass(frozen=True, slots=True)
class Scaled:
    """Parts whose losses are whole multiples of `1/denominator`; their sum is off by at most `drift`."""

    parts: tuple[Part, ...]
    denominator: int
    drift: Fraction

    @property
    def greatest(self) -> int:
        """The greatest value of the sum, in units."""
        return sum(p.count * max(p.losses, default=0) for p in self.parts)


def scaled(parts: Parts) -> Scaled:
    """Bring all losses to one scale; equal laws are gathered."""
    return _scaled(tuple(parts))


@lru_cache(maxsize=64)
def _scaled(parts: tuple[tuple[Law, int], ...]) -> Scaled:
    """The same, remembered: whole numbers are the same at every precision, and a reading asks many times."""
    counts: dict[Law, int] = {}
    for law, count in parts:
        if count:
            counts[law] = counts.get(law, 0) + count
    losses = {law: [loss for loss, _ in law.atoms()] for law in counts}
    known = list(chain.from_iterable(losses.values()))
    plain = math.lcm(*{loss.denominator for loss in known if isinstance(loss, Fraction)})
    effort.count(len(known) * plain.bit_length() // 12)  # many denominators have a long one in common
    logs = rounded_logs({loss.ratio for loss in known if isinstance(loss, LogFraction)})
    grid = 1 << _LOG_BITS if logs else 1

    def units(loss: Loss) -> int:
        if isinstance(loss, LogFraction):
            return plain * logs[loss.ratio][0]
        return loss.numerator * (plain // loss.denominator) * grid

    errors = {
        law: max((logs[x.ratio][1] for x in losses[law] if isinstance(x, LogFraction)), default=0) for law in counts
    }
    found = tuple(Part(law, n, tuple(map(units, losses[law]))) for law, n in counts.items())
    return Scaled(found, plain * grid, Fraction(sum(n * errors[law] for law, n in counts.items()), grid))


def rounded_logs(ratios: Iterable[Fraction]) -> dict[Fraction, tuple[int, int]]:
    r"""For every ratio, $\ln r$ in units of $2^{-320}$ and how many units it may be off."""
    wanted = list(ratios)
    numbers = {n for r in wanted for n in r.as_integer_ratio() if n > 1}
    base = coprime_base(numbers) if len(wanted) <= _MOST_RATIOS else None
    with ctx.workprec(2 * _LOG_BITS):
        if base is None:
            found = {}
            for r in wanted:
                size = _grid_log(max(r, 1 / r))
                found[r] = (size if r > 1 else -size, 2)
            return found
        logs = {b: _grid_log(Fraction(b)) for b in base}
    return {r: _combination(r, logs) for r in wanted}


def _grid_log(x: Fraction) -> int:
    r"""$2^{320}\ln x$ to within 2."""
    if x == 1:
        return 0
    mantissa, exponent = ball(x).log().mid().man_exp()
    return int(Fraction(int(mantissa)) * Fraction(2) ** (int(exponent) + _LOG_BITS))


def _combination(r: Fraction, logs: dict[int, int]) -> tuple[int, int]:
    value = error = 0
    for number, sign in ((r.numerator, 1), (r.denominator, -1)):
        rest = number
        for b, log in logs.items():
            while rest % b == 0:
                rest //= b
                value, error = value + sign * log, error + 2
    return value, error


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime numbers above 1 of which all the given ones are products."""
    base: list[int] = []
    waiting = [n for n in numbers if n > 1]
    while waiting:
        n = waiting.pop()
        for i, b in enumerate(base):
            common = math.gcd(n, b)
            if common > 1:
                del base[i]
                waiting += [x for x in (common, n // common, b // common) if x > 1]
                break
        else:
            base.append(n)
    return base


__all__ = ["Law", "LogFraction", "Loss", "Part", "Parts", "Scaled", "coprime_base", "rounded_logs", "scaled", "value"]
