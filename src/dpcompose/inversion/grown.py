r"""What has been added to a list of counted things since it was last seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Kept = TypeVar("Kept")


def added(seen: Sequence[tuple[object, int]], now: Sequence[tuple[Kept, int]]) -> list[tuple[Kept, int]] | None:
    """What there is more of now, in the same order; None where some have become fewer."""
    pairs = zip(seen, now, strict=False)
    if len(now) < len(seen) or any((a is not b and a != b) or n > m for (a, n), (b, m) in pairs):
        return None
    before = [n for _, n in seen] + [0] * (len(now) - len(seen))
    return [(each, count - known) for (each, count), known in zip(now, before, strict=True) if count > known]
