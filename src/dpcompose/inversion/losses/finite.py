r"""Any finite pair of distributions: the loss has finitely many values $l_j = \ln(p_j/q_j)$, with probability $p_j$
each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.losses.decay import NO_DECAY, Layers
from dpcompose.inversion.losses.nodes import Nodes, TiltedNodes, quick_cumulants
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import Cumulants, Direction, Lattice, Loss, LossSum
from dpcompose.inversion.losses.repeated import repeat
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, Integers, inner

QUICK_ATOMS = 4096
BANDS = 3


@dataclass(frozen=True, eq=False)
class ListedLoss:
    r"""Values `losses` with probabilities `weights`; the rest, `leak`, reveals everything.

    Losses may be off by `loss_error` (absolute), weights by `weight_error` (relative); the true weights and the true
    leak sum to 1.
    """

    losses: Floats
    weights: Floats
    leak: Enclosure = ZERO
    loss_error: Floats | float = 0.0
    weight_error: Floats | float = 0.0
    lattice: Lattice | None = None
    """Where the true losses lie, if they lie on a lattice."""
    whole: ListedLoss | None = None
    """The law of which this is a part."""
    hidden: Enclosure = ZERO
    """The probability of the atoms that trimming took away."""

    is_unbounded = False

    @property
    def trim_lost(self) -> float:
        """An upper bound on the probability removed by trimming."""
        return self.hidden.upper

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of all these steps."""
        return repeat(cast(Sequence[tuple[ListedLoss, int]], parts))

    @property
    def supremum(self) -> float:
        """An upper bound on every finite loss."""
        greatest = float(np.max(self.losses + self.loss_error))
        return math.nextafter(greatest, math.inf) if np.any(np.asarray(self.loss_error) > 0.0) else greatest

    @property
    def total_variation(self) -> float:
        r"""$\sum_j p_j(1-e^{-l_j})_+$."""
        gain = -np.expm1(-np.maximum(self.losses + self.loss_error, 0.0))
        return min(1.0, inner(self.weights * (1.0 + np.asarray(self.weight_error)), gain) * (1.0 + 1e-9))

    def sampled(self, rate: Real, direction: Direction) -> ListedLoss:
        r"""The same pair under Poisson sampling: $1-q+qe^l$ is the new likelihood ratio, in either direction.

        $Q$ may have mass $q_0 = 1-\sum w_je^{-l_j}$ where $P$ has none; it gets the ratio $1-q$. What leaks, leaks
        with probability $q$ when removing and not at all when adding.
        """
        sampling = PoissonRatio(rate)
        q, complement, q_error = sampling.numbers
        base = self.weights * np.exp(-self.losses)
        base_error = np.asarray(self.weight_error) + np.asarray(self.loss_error) + 2.0 * LIBM
        rest = 1.0 - math.fsum(base.tolist())
        doubt = float((base * base_error).sum()) + 4.0 * UNIT_ROUNDOFF
        losses, loss_error, _ = sampling.log(self.losses, np.asarray(self.loss_error))
        weights = base * np.exp(losses) if direction is Direction.REMOVE else base
        error = base_error + (loss_error + 2.0 * LIBM if direction is Direction.REMOVE else 0.0)
        leaks = q if direction is Direction.REMOVE else 0.0
        low, high = (
            self.leak.lower * leaks * (1.0 - 4.0 * UNIT_ROUNDOFF),
            self.leak.upper * leaks * (1.0 + 4.0 * UNIT_ROUNDOFF),
        )
        if rest > 4.0 * doubt and complement > 0.0:
            share = rest * complement if direction is Direction.REMOVE else rest
            weights, losses = np.append(weights, share), np.append(losses, math.log(complement))
            error = np.append(np.broadcast_to(error, base.shape), 2.0 * doubt / rest + LIBM + q_error)
            loss_error = np.append(loss_error, q_error - LIBM * math.log(complement))
        else:  # too little to be told from rounding (it may leak, for all we know), or, with q = 1, a leak indeed
            share = complement * (1.0 + 2.0 * q_error) if direction is Direction.REMOVE else 1.0
            high += share * (max(rest, 0.0) + doubt)
            low += max(rest - doubt, 0.0) if rate == 1 and direction is Direction.ADD else 0.0
        return ListedLoss(
            losses if direction is Direction.REMOVE else -losses,
            weights,
            Enclosure(low, high),
            loss_error,
            error,
        )

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Steps of a simpler kind that together cost at least as much."""
        return [(self, 1)]

    @cached_property
    def _from_the_top(self) -> tuple[Integers, Floats]:
        """The order of falling losses, and the probability of all atoms up to each."""
        order = np.argsort(-self.losses, kind="stable")
        return order, np.cumsum(self.weights[order])

    def trimmed(self, log_mass: float, sharpness: int) -> ListedLoss:  # noqa: ARG002 - atoms are sharp
        """Hide the greatest losses, as long as their probability stays below `exp(log_mass)`."""
        mass = math.exp(max(log_mass, -700.0))
        if float(self.weights[int(np.argmax(self.losses))]) > mass:
            return self
        order, tail = self._from_the_top
        count = min(int(np.searchsorted(tail, mass)), order.size - 1)
        return self._part(order[count:], order[:count])

    def bands(self, log_mass: float) -> tuple[Sequence[ListedLoss], float]:
        """The hidden atoms of `whole`, in a few groups of similar loss."""
        if self.whole is None:
            return [], 0.0
        order, tail = self.whole._from_the_top  # noqa: SLF001 - its own kind
        first = int(np.searchsorted(tail, math.exp(max(log_mass, -700.0))))
        shown = order[first : order.size - self.losses.size]
        losses = self.whole.losses[shown]
        cuts = [] if not shown.size else np.linspace(losses[-1], losses[0], BANDS + 1)[1:-1].tolist()
        groups = [g for g in np.split(shown, sorted({int(np.searchsorted(-losses, -c)) for c in cuts})) if g.size]
        everything = np.arange(self.whole.losses.size)
        bands = [self.whole._part(g, np.setdiff1d(everything, g)) for g in groups]  # noqa: SLF001
        return bands, float(tail[first - 1]) * (1.0 + 1e-9) if first else 0.0

    def _part(self, shown: Integers, hidden: Integers) -> ListedLoss:
        """Some of the atoms, with the probability of the others known."""
        errors = [
            np.broadcast_to(np.asarray(e, dtype=np.float64), self.losses.shape)
            for e in (self.loss_error, self.weight_error)
        ]
        away = self.weights[hidden]
        total, doubt = math.fsum(away.tolist()), float((away * errors[1][hidden]).sum()) * (1.0 + 1e-9)
        mass = Enclosure(
            max(total * (1.0 - 2.0 * UNIT_ROUNDOFF) - doubt, 0.0), min(total * (1.0 + 2.0 * UNIT_ROUNDOFF) + doubt, 1.0)
        )
        return replace(
            self,
            losses=self.losses[shown],
            weights=self.weights[shown],
            loss_error=errors[0][shown],
            weight_error=errors[1][shown],
            hidden=mass,
            whole=self.whole or self,
        )

    @cached_property
    def _nodes(self) -> Nodes:
        keep = self.weights > 0.0
        shape = self.losses.shape
        log_weights = np.log(self.weights[keep])
        error = np.broadcast_to(np.asarray(self.weight_error, dtype=np.float64), shape)[keep]
        return Nodes(
            losses=self.losses[keep],
            loss_error=np.broadcast_to(np.asarray(self.loss_error, dtype=np.float64), shape)[keep],
            log_weights=log_weights,
            weight_error=error + 8.0 * UNIT_ROUNDOFF * (1.0 + np.abs(log_weights)),
            deficit=0.5 * (self.leak.lower + self.leak.upper + self.hidden.lower + self.hidden.upper),
            deficit_error=self.leak.upper - self.leak.lower + self.hidden.upper - self.hidden.lower,
        )

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        """The atoms themselves, or the centres of mass of groups of neighbours if there are very many."""
        n = self._nodes
        if n.losses.size <= QUICK_ATOMS:
            return n.losses, n.log_weights
        order = np.argsort(n.losses)
        starts = np.linspace(0, order.size, QUICK_ATOMS, endpoint=False).astype(np.int64)
        w, losses = np.exp(n.log_weights)[order], n.losses[order]
        mass = np.add.reduceat(w, starts)
        return np.add.reduceat(w * losses, starts) / mass, np.log(mass)

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return quick_cumulants(*self._quick, tilt)

    def step(self, tilt: float, reach: float, error: float) -> TiltedNodes:  # noqa: ARG002 - no quadrature
        """The certified law of one step at this tilt."""
        return TiltedNodes(self._nodes, tilt)

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:  # noqa: ARG002 - atoms do not decay
        """Uniform pieces under the density, for its decay."""
        return NO_DECAY
