"""Uniform integers, by rejection."""

from __future__ import annotations

import numpy as np

from dpcompose.errors import InvalidParameter
from dpcompose.release.sampling.batches import accepted, in_batches
from dpcompose.release.sampling.source import OS, Integers, RandomSource, checked_size, words

LARGEST = 1 << 63


def uniform_below(bound: int, size: int, source: RandomSource = OS) -> Integers:
    r"""Independent draws, uniform on $0, 1, \dots, \texttt{bound} - 1$.

    As many bits as `bound − 1` has are drawn; a number that is too large is rejected, so the others are equally likely.
    At most every second one is rejected.
    """
    if isinstance(bound, bool) or not isinstance(bound, int | np.integer) or bound < 1:
        raise InvalidParameter("bound", bound, "a whole number, at least 1")
    below = int(bound)
    return in_batches(checked_size(size), lambda count: uniform(below, count, source))


def uniform(bound: int, size: int, source: RandomSource) -> Integers:
    """One batch of `uniform_below`."""
    bits = (bound - 1).bit_length()
    if not bits:
        return np.zeros(size, dtype=np.int64)
    propose = _short if bound <= LARGEST else _long

    def kept(count: int) -> Integers:
        found = propose(bits, count, source)
        return found[found < bound]

    return accepted(kept, size, source)


def _short(bits: int, size: int, source: RandomSource) -> Integers:
    """Numbers of up to 63 bits: the upper bits of the smallest word with room, complemented (so a silent source gives
    0).
    """
    width = next(w for w in (1, 2, 4, 8) if bits <= 8 * w)
    return (~words(source, size, width) >> (8 * width - bits)).astype(np.int64)


def _long(bits: int, size: int, source: RandomSource) -> Integers:
    """Numbers of any length, as Python's integers."""
    width = -(-bits // 8)
    read, full = words(source, width * size, 1).tobytes(), (1 << 8 * width) - 1
    found = np.empty(size, dtype=np.object_)
    for lane in range(size):
        whole = full - int.from_bytes(read[lane * width : (lane + 1) * width], "little")
        found[lane] = whole >> (8 * width - bits)
    return found
