r"""Sums with too many values, put on a coarse lattice: once so that the profile can only rise, once only fall.

With the other terms held fixed the profile of a sum is the mean of $(1-xy)_+$ over $y = e^{-L}$, for some $x \ge 0$.

**Down.** It falls when a loss falls: every loss moves down to the lattice.

**Up.** It is convex in $y$, so by Jensen it rises when an atom is shared out between its two neighbours on the lattice,
$g \le L < g+h$, in such a way that mass and mean of $y$ are kept: the share of $g$ is
$(e^{g+h-L}-1)/(e^h-1)$. (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022 connect the dots in this way.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcompose.exact.atoms import Part, Scaled
from dpcompose.numerics.enclosure import Ball, ball

_STEPS = 1 << 13  # lattice steps over which the whole sum spreads
_MOST_TERMS = 1 << 11  # with more terms rounding each of them says nothing


@dataclass(frozen=True, slots=True)
class LoweredLaw:
    """A law whose losses have moved down to multiples of `step` units, counted from the greatest of them."""

    part: Part
    step: int

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The moved losses, in units, with their masses."""
        top = max(self.part.losses)
        return [(Fraction(loss - (loss - top) % self.step), mass) for loss, mass in self.part.weights().items()]

    def leak(self) -> Ball:
        """The mass that leaks, which does not move."""
        return self.part.law.leak()


@dataclass(frozen=True, slots=True)
class SpreadLaw:
    """A law whose losses have been shared out among multiples of `step` units; a unit is `1/denominator`."""

    part: Part
    step: int
    denominator: int

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """Losses in units: for every loss both neighbours, the second with no mass if the first is the loss."""
        unit = 1 / ball(self.denominator)
        top, whole, found = max(self.part.losses), (self.step * unit).expm1(), []
        for loss, mass in self.part.weights().items():
            past = (loss - top) % self.step
            rest = ((self.step - past) * unit).expm1()
            lower = mass * rest / whole if past else mass
            upper = mass * (1 + rest) * (past * unit).expm1() / whole if past else arb(0)
            found += [(Fraction(loss - past), lower), (Fraction(loss - past + self.step), upper)]
        return found

    def leak(self) -> Ball:
        """The mass that leaks, which does not move."""
        return self.part.law.leak()


def coarse(sums: Scaled) -> tuple[Scaled, Scaled] | None:
    """The same sum on a coarse lattice, below and above; nothing if it has too many terms for that."""
    spread = sum(p.count * (max(p.losses) - min(p.losses)) for p in sums.parts if p.losses)
    if sum(p.count for p in sums.parts) > _MOST_TERMS or not all(p.losses for p in sums.parts):
        return None
    step = spread // _STEPS + 1
    return (
        _moved(sums, lambda part: LoweredLaw(part, step)),
        _moved(sums, lambda part: SpreadLaw(part, step, sums.denominator)),
    )


def _moved(sums: Scaled, move: Callable[[Part], LoweredLaw | SpreadLaw]) -> Scaled:
    parts = []
    for part in sums.parts:
        law = move(part)
        parts.append(Part(law, part.count, tuple(int(loss) for loss, _ in law.atoms())))
    return Scaled(tuple(parts), sums.denominator, sums.drift)


__all__ = ["LoweredLaw", "SpreadLaw", "coarse"]
