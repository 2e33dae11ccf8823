"""How profiles are refined to a relative gap: by floats with proven error bounds, or by ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dpcompose.errors import InvalidParameter
from dpcompose.notions import Profile
from dpcompose.parameters import Param

TOLERANCE = Param("tolerance", 0, 1, "relative")
FLOAT, BALL = "float", "ball"
Refinement: TypeAlias = Callable[[Profile, float], Profile]
"""Refines a profile to a relative gap."""


def refinement(tolerance: float, rigor: str) -> Refinement:
    """The refinement of this name; the tolerance must be allowed."""
    TOLERANCE.check("tolerance", tolerance)
    if rigor not in {FLOAT, BALL}:
        raise InvalidParameter("rigor", rigor, f"{FLOAT!r} or {BALL!r}")
    return (lambda p, gap: p.to(gap)) if rigor == FLOAT else (lambda p, gap: p.to(gap).in_balls())


__all__ = ["FLOAT", "TOLERANCE", "Refinement", "refinement"]
