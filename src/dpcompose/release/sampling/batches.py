"""Many draws in bounded memory, and rejection sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcompose.release.sampling.source import PATIENCE, Integers, RandomSource, broken

BATCH = 1 << 17  # the arrays of a batch fit in a cache; larger ones are slower and take more memory


def in_batches(size: int, draw: Callable[[int], Integers]) -> Integers:
    """`size` draws, made in batches; as 64-bit integers where all of them fit."""
    parts: list[npt.NDArray[Any]] = [_narrowed(draw(min(BATCH, size - start))) for start in range(0, size, BATCH)]
    return np.concatenate(parts or [np.empty(0, dtype=np.int64)])


def _narrowed(found: Integers) -> Integers:
    """The integers as 64-bit ones, if all of them fit."""
    if found.dtype != np.object_ or max(found.max(), ~found.min()) > np.iinfo(np.int64).max:
        return found
    return found.astype(np.int64)


def accepted(propose: Callable[[int], Integers], size: int, source: RandomSource) -> Integers:
    """The first `size` accepted proposals.

    `propose(n)` makes n independent proposals and returns those it accepts. Accepted proposals are independent and
    identically distributed, so the first ones may be kept and the rest dropped.
    """
    parts: list[npt.NDArray[Any]] = [np.empty(0, dtype=np.int64)]
    missing = size
    for _ in range(PATIENCE):
        if missing <= 0:
            return np.concatenate(parts)[:size]
        parts.append(propose(missing + missing // 2 + 1))
        missing -= len(parts[-1])
    raise broken(source)
