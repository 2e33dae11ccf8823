"""Steps known through (ε, δ): their sums, what they leak, and what a total δ leaves beyond the leak."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.kernel import Parts
from dpcompose.notions import ApproxDP, Value
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose, exact_sum

MOST_EXACT_BITS = 2**20
MANY = 256
"""From this number of different leaks on, their logarithms are added in floats."""


@dataclass(frozen=True, slots=True)
class Steps:
    """(ε, δ) with its count, for every different step."""

    items: tuple[tuple[Real, Value, int], ...]

    @classmethod
    def of(cls, parts: Parts[ApproxDP], most: int | None = None) -> Steps:
        """The steps of a composition, equal ones gathered; declines as soon as there are more than `most` kinds."""
        total: dict[tuple[Real, Value], int] = {}
        for g, count in parts.items:
            total[g.epsilon, g.delta] = total.get((g.epsilon, g.delta), 0) + count
            if most is not None and len(total) > most:
                raise Declined(f"there are more than {most} different steps")
        return cls(tuple((e, d, count) for (e, d), count in total.items() if count))

    @property
    def count(self) -> int:
        """How many steps there are."""
        return sum(count for _, _, count in self.items)

    @property
    def deltas(self) -> tuple[tuple[Value, int], ...]:
        """Each step's own δ with its count."""
        return tuple((d, count) for _, d, count in self.items)

    def alike(self) -> tuple[int, Real, Value]:
        """(k, ε, δ) when all steps are equal."""
        if len(self.items) > 1:
            raise Declined(f"needs equal steps, and these are of {len(self.items)} kinds")
        return (self.items[0][2], *self.items[0][:2]) if self.items else (0, 0, 0)

    def basic(self) -> Fraction:
        r"""$\sum\varepsilon_i$, exactly."""
        return exact_sum([(Fraction(e), count) for e, _, count in self.items])

    def energy(self) -> Ball:
        r"""$\sum\varepsilon_i^2$."""
        return ball(exact_sum([(Fraction(e) ** 2, count) for e, _, count in self.items]))

    def drift(self) -> Ball:
        r"""$\sum\varepsilon_i\tanh(\varepsilon_i/2)$: the mean loss of randomized responses."""
        return sum((count * ball(e) * (ball(e) / 2).tanh() for e, _, count in self.items), Ball(0))

    def exponential_drift(self) -> Ball:
        r"""$\sum\varepsilon_i(e^{\varepsilon_i}-1)$."""
        return sum((count * ball(e) * ball(e).expm1() for e, _, count in self.items), Ball(0))

    def variance(self) -> Ball:
        r"""$\sum\varepsilon_i^2/\cosh^2(\varepsilon_i/2)$: the variance of the losses of randomized responses."""
        return sum((count * (ball(e) * (ball(e) / 2).sech()) ** 2 for e, _, count in self.items), Ball(0))


def sum_of(deltas: Iterable[tuple[Value, int]]) -> Ball:
    r"""$\sum\delta_i$."""
    return sum((count * ball(d) for d, count in deltas), Ball(0))


def leak_of(deltas: Iterable[tuple[Value, int]]) -> Ball:
    r"""$1-\prod(1-\delta_i)$: the chance that at least one step tells all."""
    listed = tuple(deltas)
    if len(listed) > MANY and all(isinstance(d, float) and d < 0.5 for d, _ in listed):
        return -ball(_log_kept(listed)).expm1()
    kept = Ball(0)
    for d, count in listed:
        if count and d == 1:
            return Ball(1)
        kept += count * (-ball(d)).log1p()
    return -kept.expm1()


def _log_kept(deltas: Sequence[tuple[Value, int]]) -> Enclosure:
    r"""$\sum\ln(1-\delta_i)$ in floats: each term within four units of the last place, their sum rounded once."""
    total = math.fsum(count * math.log1p(-float(d)) for d, count in deltas if not isinstance(d, Enclosure))
    return Enclosure(total * (1 + 2.0**-48) - math.ulp(0.0), total * (1 - 2.0**-48))


def beyond_sum(delta: Real, deltas: tuple[tuple[Value, int], ...]) -> Enclosure:
    r"""$\delta' = \delta-\sum\delta_i$."""
    if all(not isinstance(d, Enclosure) for d, _ in deltas):
        total = sum((count * Fraction(d) for d, count in deltas if not isinstance(d, Enclosure)), Fraction(0))
        return Enclosure.exactly(Fraction(delta) - total)
    return enclose(lambda: ball(delta) - sum_of(deltas))


def beyond_leak(delta: Real, deltas: tuple[tuple[Value, int], ...]) -> Enclosure:
    r"""$\tilde\delta$ with $1-(1-\tilde\delta)\prod(1-\delta_i) = \delta$; negative where the leak exceeds δ.

    The sign decides between finite and infinite, so a tie is settled in exact arithmetic where it can occur.
    """
    if delta >= 1:
        return Enclosure(1.0, 1.0)
    some = tuple((d, count) for d, count in deltas if d != 0 and count)
    if not some:
        return Enclosure.exactly(delta)
    if any(d == 1 for d, _ in some):
        return Enclosure(-math.inf, -math.inf)
    if is_exact_tie(delta, some):
        return ZERO

    def formula() -> Ball:
        kept = sum((count * (-ball(d)).log1p() for d, count in some), Ball(0))
        return -((-ball(delta)).log1p() - kept).expm1()

    return enclose(formula)


def is_exact_tie(delta: Real, deltas: tuple[tuple[Value, int], ...]) -> bool:
    r"""Whether $1-\delta = \prod(1-\delta_i)$ exactly.

    A power of a reduced fraction is reduced, so a tie needs as many digits as the product has: long ones are none.
    """
    kept = [(1 - Fraction(d), count) for d, count in deltas if not isinstance(d, Enclosure)]
    if len(kept) < len(deltas):
        return False
    if sum(count * k.denominator.bit_length() for k, count in kept) > MOST_EXACT_BITS:
        return False
    return math.prod((k**count for k, count in kept), start=Fraction(1)) == 1 - Fraction(delta)


__all__ = ["Steps", "beyond_leak", "beyond_sum", "leak_of", "sum_of"]
