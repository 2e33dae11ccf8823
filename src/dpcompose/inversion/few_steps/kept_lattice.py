r"""Few steps that become more: two composed laws to which a step is added by one multiplication.

The transforms of all steps so far, above and below, are kept as two products. Whatever the lattice, the tilt and the
ranges were chosen for, they stay valid for every further step and every ε; when an answer has become too wide it is
time for another lattice.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field

from dpcompose.inversion.few_steps.bracket import Bracket, CutStep, between
from dpcompose.inversion.few_steps.bracket_laws import above, below, best_offset
from dpcompose.inversion.few_steps.cells import Divisible, Mesh
from dpcompose.inversion.few_steps.convolution import LatticeLaw, Product, tilt_at
from dpcompose.inversion.few_steps.lattice_answer import MOST_CELLS, FewSteps, Sought
from dpcompose.inversion.few_steps.meshes import Pieces
from dpcompose.inversion.grown import added
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.unreachable import OutOfReach

ROOM = 1.5
"""How much greater an ε a lattice is made for."""
SPARE = 0.9
"""How much finer than needed now."""
LONGEST = 1 << 20
"""A longer transform is not kept."""


@dataclass(eq=False)
class KeptLattice:
    """A lattice, the steps on it, and the transforms of both laws of their sum."""

    span: float
    log_mass: float
    top: float
    """Greater losses are not on the lattice."""
    tilt: float = 0.0
    seen: Pieces = ()
    steps: list[CutStep] = field(default_factory=list)
    laws: list[tuple[LatticeLaw, LatticeLaw]] = field(default_factory=list)
    """The laws of each step, above and below."""
    products: tuple[Product, ...] = ()

    @classmethod
    def build(cls, pieces: Pieces, epsilon: float, log_mass: float, span: float) -> KeptLattice:
        """With all these steps, for ε up to a little more than this one."""
        if any(piece.atoms for piece, _ in pieces):
            raise OutOfReach("atoms want a lattice of their own")
        bottom = math.fsum(n * piece.reach(log_mass)[0] for piece, n in pieces)
        lattice = cls(span, log_mass, ROOM * (epsilon - bottom))
        for piece, count in pieces:
            lattice._append(piece, count)
        lattice.tilt = tilt_at([law for law, _ in lattice.laws], span, epsilon)
        lattice.seen = pieces
        lattice._multiply()
        return lattice

    def _append(self, piece: Divisible, count: int) -> None:
        step = self._cut(piece, count)
        self.steps.append(step)
        self.laws.append((step.law(above), step.law(below)))

    def _cut(self, piece: Divisible, count: int) -> CutStep:
        """One step on this lattice, from its least loss on."""
        least, greatest = piece.reach(self.log_mass)
        offset = best_offset(piece, self.span, self.log_mass)
        mesh = Mesh.over(offset, self.span, least, min(greatest, max(self.top, least)))
        if mesh.cells > MOST_CELLS:
            raise OutOfReach("too many cells")
        return CutStep.of(piece, count, mesh, self.log_mass)

    def _multiply(self) -> None:
        """The products with all steps so far; from the beginning where the sum has outgrown them."""
        full = sum(step.count * step.mesh.cells for step in self.steps) + 1
        if full > LONGEST:
            raise OutOfReach("too many points to be kept")
        if not self.products or full > self.products[0].size:
            size = 1 << math.ceil(math.log2(max(full, 2)))
            self.products = Product(self.span, self.tilt, size), Product(self.span, self.tilt, size)
        for product, laws in zip(self.products, zip(*self.laws, strict=True), strict=True):
            for law in laws[product.laws :]:
                product.add(law)

    def holds(self, pieces: Pieces) -> bool:
        """Whether these are the steps seen so far and perhaps more, which are then added."""
        more = added(self.seen, pieces)
        if more is None:
            return False
        for piece, count in more:
            self._append(piece, count)
        self.seen = pieces
        self._multiply()
        return True

    def between(self) -> Bracket:
        """The two laws of the sum of all steps."""
        upper, lower = (product.composed() for product in self.products)
        return between(self.steps, upper, lower)


@dataclass(frozen=True, eq=False)
class KeptSteps(FewSteps):
    """Few steps, asked again and again as they become more."""

    memory: list[KeptLattice] = field(default_factory=list)
    """The last lattice."""

    def recalled(self, sought: Sought) -> Enclosure | None:
        """ε from the lattice, if there is one and it will do."""
        lattice = self.memory.pop() if self.memory else None
        with suppress(OutOfReach):
            if lattice is not None and sought.expected is not None and lattice.holds(self.pieces):
                looked_at = Enclosure(0.0, min(lattice.top, sought.most))
                found = sought.on(lattice.between(), looked_at, sought.expected)
                if sought.is_met(found) and found.upper < looked_at.upper:
                    self.memory.append(lattice)
                    return found
        return None

    def refined(self, epsilon: float, near: float, log_mass: float, span: float) -> Bracket:
        """On a lattice that is kept, where there can be one."""
        self.memory.clear()
        try:
            self.memory.append(KeptLattice.build(self.pieces, epsilon, log_mass, SPARE * span))
        except OutOfReach:
            return super().refined(epsilon, near, log_mass, span)
        return self.memory[0].between()
