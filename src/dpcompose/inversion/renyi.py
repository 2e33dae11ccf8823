r"""Rényi divergences from the same certified cumulant function: $D_\alpha(P\Vert Q) = K(\alpha-1)/(\alpha-1)$."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcompose.errors import InvalidParameter
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.numerics.enclosure import NON_NEGATIVE, Enclosure
from dpcompose.numerics.rounding import UNIT_ROUNDOFF
from dpcompose.numerics.unreachable import OutOfReach


def renyi_divergence(summands: Sequence[LossSum], leak: Enclosure, order: float) -> Enclosure:
    r"""The divergence of order $\alpha > 1$ of a sum of losses; infinite if anything can leak.

    $\alpha - 1$ is rounded once, which moves $K$ by at most its slope there, and the quotient by as much again.
    """
    if not order > 1.0:
        raise InvalidParameter("order", order, "a number above 1")
    if leak.lower > 0.0:
        return Enclosure(math.inf, math.inf)
    tilt, tilt_error = order - 1.0, UNIT_ROUNDOFF * order
    try:
        parts = [s.tilted(tilt, 0.0, 1e-16 / max(s.steps, 1)) for s in summands]
    except (OutOfReach, OverflowError):
        return NON_NEGATIVE
    value = math.fsum(p.log_moment for p in parts)
    error = math.fsum(p.log_moment_error for p in parts) + 4.0 * UNIT_ROUNDOFF * abs(value)
    error += 2.0 * tilt_error * math.fsum(abs(p.centre) for p in parts)
    if not math.isfinite(value + error) or leak.upper > 0.0:
        return NON_NEGATIVE
    blur = 1.0 + 8.0 * UNIT_ROUNDOFF + tilt_error / tilt
    return Enclosure(max((value - error) / tilt / blur, 0.0), max((value + error) / tilt * blur, 0.0))
