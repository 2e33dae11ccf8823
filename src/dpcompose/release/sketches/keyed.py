"""Normal variables determined by a secret key and a counter, so that every machine with the key draws the same ones.

A block of sixteen bytes (what it is for, which edge, row or vertex, which word) is enciphered with AES-256. Without the
key the words are as good as uniform. If a part is computed again, after a machine was lost, it is the same: the
projection stays one projection.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcompose.release.sketches.noise import Floats, from_words

EDGES, NOISE, ROWS = 1, 2, 3
"""The kinds of counters; each has its own number, so that no two uses share a counter."""
KEY_BYTES = 32
BLOCK = np.dtype([("kind", "<u4"), ("one", "<u4"), ("other", "<u4"), ("word", "<u4")])


@dataclass(frozen=True, slots=True)
class KeyedNormals:
    """A secret projection; its key is not printed."""

    key: bytes = field(repr=False)
    columns: int

    def at(self, kind: int, one: npt.NDArray[Any], other: npt.NDArray[Any]) -> Floats:
        """A line of independent standard normals for each pair of numbers below 2³²."""
        pairs = -(-self.columns // 2)
        blocks = np.empty((len(one), pairs), dtype=BLOCK)
        blocks["kind"], blocks["word"] = kind, np.arange(pairs, dtype=np.uint32)
        blocks["one"], blocks["other"] = np.asarray(one)[:, None], np.asarray(other)[:, None]
        words = np.frombuffer(self._enciphered(blocks.tobytes()), dtype="<u8").reshape(len(one), 2 * pairs)
        return from_words(words[:, : self.columns])

    def _enciphered(self, blocks: bytes) -> bytes:
        """Each block enciphered by itself: distinct counters under one key, as in counter mode."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        return Cipher(algorithms.AES(self.key), modes.ECB()).encryptor().update(blocks)  # noqa: S305 - each block is a distinct counter


__all__ = ["EDGES", "KEY_BYTES", "NOISE", "ROWS", "KeyedNormals"]
