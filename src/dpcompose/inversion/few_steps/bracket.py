r"""Two composed laws with the truth between them, and what the lattice leaves out.

Let $O$ be the event that some step exceeds its last edge $b_i$. There the profile is $P(O)-e^\varepsilon
Q(O)+\int_O(e^\varepsilon dQ-dP)_+$, and the last term is nothing if the others cannot pull the sum back below ε. If
they can, but hardly do, it is at most

$$e^\varepsilon\sum_in_iQ(l_i>b_i)\,Q\Bigl(\sum_{j\ne i}l_j<\varepsilon-b_i\Bigr),$$

and Chernoff bounds the last factor: $\mathrm E_Qe^{-sl} = \mathrm E_Pe^{-(s+1)l}$ is the mean of a function convex in
$e^{-l}$, hence no more than that of the chord (`bracket_laws.upper_weights`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dpcompose.inversion.few_steps.bracket_laws import upper_weights
from dpcompose.inversion.few_steps.cells import Cells, Divisible, Mesh
from dpcompose.inversion.few_steps.convolution import Composed, LatticeLaw, cumulants_of
from dpcompose.numerics.crossing import crossing
from dpcompose.numerics.enclosure import ZERO, Enclosure
from dpcompose.numerics.rounding import LEAST, LIBM, UNIT_ROUNDOFF, Floats, exp_up, log_total, log_up

LEAST_MASS = 1e-280
HELD = 1e-290
"""What is larger is known to all digits."""
DEVIATIONS = (2.0, 5.0, 9.0, 14.0)
"""For which numbers of standard deviations the s of Chernoff's bound is tried."""


@dataclass(frozen=True, slots=True)
class CutStep:
    """One step in cells, and how often it occurs."""

    count: int
    mesh: Mesh
    cells: Cells
    least: float
    """No loss is below this, those aside that lie below the first cell."""
    reaches: bool
    """Whether hardly anything lies beyond the last cell."""

    @classmethod
    def of(cls, piece: Divisible, count: int, mesh: Mesh, log_mass: float) -> CutStep:
        """Cut so that about `exp(log_mass)` may be neglected."""
        reaches = mesh.lowest + mesh.span * mesh.cells >= piece.reach(log_mass)[1]
        return cls(count, mesh, piece.cut(mesh, log_mass), max(mesh.lowest, piece.least), reaches)

    @property
    def is_cut(self) -> bool:
        """Whether something that matters lies beyond the last cell."""
        return not self.reaches and self.cells.over_image.upper > 0.0

    @property
    def highest(self) -> float:
        """The upper edge of the last cell."""
        return self.mesh.lowest + self.mesh.span * self.mesh.cells

    def law(self, weights: Callable[[Cells, float], Floats]) -> LatticeLaw:
        """The law above it, or below."""
        return LatticeLaw(weights(self.cells, self.mesh.span), self.mesh.lowest, self.count)


@dataclass(frozen=True, eq=False)
class Bracket:
    """Two composed laws with the truth between them, and what lies beyond the lattice."""

    upper_law: Composed
    lower_law: Composed
    blur: float
    over: Enclosure
    over_image: Enclosure
    log_over_image: float
    """An upper bound on its logarithm, for where no float holds it."""
    limit: float
    """Up to this ε a step beyond its last cell puts the sum above ε."""
    floor: float
    """From this ε on, steps below their first cell keep the sum below ε, where they were left out for that reason."""
    steps: Sequence[CutStep]

    def upper(self, epsilon: float) -> float:
        """An upper bound on δ(ε)."""
        if epsilon < self.floor:
            return 1.0
        scale = math.exp(min(epsilon, 700.0))
        back = self._pulled_back(epsilon) if epsilon > self.limit else 0.0
        image = max(self.over_image.lower * (1.0 - 4.0 * LIBM) - back * (1.0 + 4.0 * LIBM), 0.0) * scale
        beyond = max(self.over.upper - image * (1.0 - 4.0 * LIBM), 0.0)
        found = (self.upper_law.upper(epsilon, self.blur) + beyond) * (1.0 + 4.0 * UNIT_ROUNDOFF) + LEAST_MASS
        return min(1.0, found)  # in this order 1 also stands for what floats have lost

    def _pulled_back(self, epsilon: float) -> float:
        """An upper bound on $Q$ of the event that a step lies beyond its last edge and the sum below ε."""
        return math.fsum(
            min(exp_up(constant + s * epsilon) for s, constant in tails)
            for limit, tails in self._low_tails
            if epsilon > limit
        )

    @cached_property
    def _low_tails(self) -> list[tuple[float, list[tuple[float, float]]]]:
        r"""For each step that is cut: up to which ε this cannot happen; and for some $s$, that and the constant $c$ in
        the bound $e^{c+s\varepsilon}$.
        """
        bottom = math.fsum(step.count * step.least for step in self.steps)
        laws, span = [step.law(upper_weights) for step in self.steps], self.upper_law.span
        deviation = math.sqrt(max(cumulants_of(laws, span, -1.0).curvature, 1e-300))
        choices = []
        for s in (multiple / deviation for multiple in DEVIATIONS):
            moments = [
                log_total([law.log_moment(-(s + 1.0) * span) - (s + 1.0) * law.lowest, _log_over(step, s)])
                for law, step in zip(laws, self.steps, strict=True)
            ]
            counted = [(step.count, m) for step, m in zip(self.steps, moments, strict=True)]
            doubt = 1e-13 * math.fsum(n * (1.0 + abs(m)) for n, m in counted)
            # Exponents range as far as the lattice does, and each is rounded.
            doubt += (
                16.0
                * UNIT_ROUNDOFF
                * (s + 1.0)
                * math.fsum(k.count * (abs(k.mesh.lowest) + abs(k.highest)) for k in self.steps)
            )
            choices.append((s, math.fsum(n * m for n, m in counted) + doubt, moments))
        found = []
        for i, step in enumerate(self.steps):
            if step.is_cut:
                edge, log_over = step.highest - self.blur, math.log(step.count * step.cells.over_image.upper)
                limit = edge - step.least + bottom - 1e-12 * abs(bottom)
                tails = [
                    (s, total - own[i] + log_over - s * edge + 1e-9 * (1.0 + s * abs(edge)))
                    for s, total, own in choices
                ]
                found.append((limit, tails))
        return found

    def lower(self, epsilon: float) -> float:
        """A lower bound on δ(ε)."""
        image = self._image_above(epsilon)
        beyond = max(self.over.lower - image * (1.0 + 4.0 * LIBM), 0.0)
        found = (self.lower_law.lower(epsilon, self.blur) + beyond) * (1.0 - 4.0 * UNIT_ROUNDOFF)
        return max(0.0, found)

    def _image_above(self, epsilon: float) -> float:
        r"""About $e^\varepsilon Q(O)$, and no less where no float holds the power, or $Q(O)$."""
        most = self.over_image.upper
        if epsilon <= 700.0 and most > HELD:
            return most * math.exp(epsilon)
        return exp_up(self.log_over_image + epsilon + 1e-9) if most > 0.0 else 0.0

    def epsilon(self, low_target: float, high_target: float, known: Enclosure, near: float, width: float) -> Enclosure:
        """Where δ gets below the one, and stays above the other."""
        t = self.upper_law.tilt
        _, up = crossing(self.upper, low_target, known, near, t, width)
        down, _ = crossing(self.lower, high_target, Enclosure(known.lower, up), up - width, t, width)
        return known & Enclosure(down, up)


def between(steps: Sequence[CutStep], upper_law: Composed, lower_law: Composed, floor: float = -math.inf) -> Bracket:
    r"""What these laws say of the steps they were composed of; below `floor` they are not valid.

    Where a step is cut since any more of it puts the sum above ε, what lies beyond counts $P-e^\varepsilon Q$. Where
    it is cut since hardly anything lies beyond, that counts at most $P$ and at least nothing.
    """
    counts, cells = [step.count for step in steps], [step.cells for step in steps]
    wholes, images = [c.kept for c in cells], [c.image for c in cells]
    bottom = math.fsum(step.count * step.least for step in steps)
    blur = math.fsum(step.count * step.cells.blur for step in steps)
    lasts = [step.highest - step.least + bottom for step in steps if step.is_cut]
    logs = [
        math.log(s.count) + min(s.cells.log_over_image, log_up(s.cells.over_image.upper)) for s in steps if s.is_cut
    ]
    cut = [ZERO if step.reaches else step.cells.over for step in steps]
    return Bracket(
        upper_law=upper_law,
        lower_law=lower_law,
        blur=blur,
        over=Enclosure(_any(cut, wholes, counts).lower, _any([c.over for c in cells], wholes, counts).upper),
        over_image=_any([ZERO if s.reaches else s.cells.over_image for s in steps], images, counts),
        log_over_image=log_total([*logs, -math.inf]) + 1e-9,
        limit=min(lasts, default=math.inf) - blur - 1e-12 * abs(bottom),
        floor=floor + blur,
        steps=steps,
    )


def _log_over(step: CutStep, s: float) -> float:
    r"""$\ln\mathrm E_Q[e^{-sl};\,l>b]$, at most."""
    image = step.cells.over_image.upper
    return math.log(image) - s * step.highest if image > 0.0 else -math.inf


def _any(parts: list[Enclosure], wholes: list[float], counts: list[int]) -> Enclosure:
    r"""$\prod m_i^{n_i}-\prod(m_i-p_i)^{n_i}$: the mass of what has at least one step in its part $p_i$, out of wholes
    $m_i$ between the given ones and 1. It increases in both.
    """

    def union(values: list[float]) -> float:
        return -math.expm1(math.fsum(n * math.log1p(-min(v, 1.0 - 1e-16)) for v, n in zip(values, counts, strict=True)))

    least = union([p.lower / m if m > 0.0 else 0.0 for p, m in zip(parts, wholes, strict=True)])
    whole = math.prod(max(m, 0.0) ** n for m, n in zip(wholes, counts, strict=True))
    return Enclosure(
        max(least * whole * (1.0 - 5.0 * LIBM - 2.0 * UNIT_ROUNDOFF * sum(counts)) - LEAST * sum(counts), 0.0),
        min(union([p.upper for p in parts]) * (1.0 + 5.0 * LIBM), 1.0),
    )
