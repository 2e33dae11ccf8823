"""The cumulant function of a loss at one tilt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Cumulants(NamedTuple):
    """$K, K', K''$ at one tilt. Quick values: they choose, they never certify."""

    value: float
    slope: float
    curvature: float

    @classmethod
    def total(cls, parts: Iterable[Cumulants]) -> Cumulants:
        """Independent losses add, and so do their cumulants."""
        return cls(*(sum(column) for column in zip((0.0, 0.0, 0.0), *parts, strict=True)))
