"""Counting units by a few known keys: the groups of a unit are the bits of one number.

One pass over the rows then gathers one word for each unit, instead of sorting a table of units and groups. In a unit's
word the group at place $i$ has as its rank the number of lower bits that are set, so the rule by which a unit keeps its
groups (see `totals`) is the same, and so are the counts. Whether this is done depends on the question alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpcompose.release.ask.contributions import EveryRow
from dpcompose.release.ask.queries import NoisySums
from dpcompose.release.engine.kinds import Label
from dpcompose.release.engine.rows import Rows

MOST = 62  # bits of a 64-bit word, without those that a shift might lose


def serve(query: NoisySums) -> bool:
    """Whether the bits of one number can represent all that is asked of a unit: the groups it is in."""
    if query.by is None or query.keys is None or isinstance(query.unit, EveryRow):
        return False
    return len(query.keys) <= MOST and query.bounds.rows == 1 and [t.power for t in query.tallies.values()] == [0]


def counted(rows: Rows, keys: Sequence[Label], groups: int, unit_hash: str) -> dict[Label | None, tuple[int, ...]]:
    """The number of units that kept each key; the keys are sorted, and a unit's hash determines which it keeps."""
    spell = rows.dialect
    place = f"nullif({spell.place('key', [spell.literal(key) for key in keys])}, 0) - 1"
    words = rows.gathered(["unit"], {"mask": f"bit_or({spell.shifted(place)})"}).where("mask IS NOT NULL")
    sized = words.select({"mask": "mask", "hash": unit_hash, "size": spell.whole("bit_count(mask)")})
    passes = {f"n{i}": f"count(CASE WHEN {_passes(rows, i, groups)} THEN 1 END)" for i in range(len(keys))}
    (found,) = sized.gathered([], passes).fetched()
    return {key: (int(n),) for key, n in zip(keys, found, strict=True)}


def _passes(rows: Rows, place: int, groups: int) -> str:
    """The SQL condition that a unit has the group at a place, and keeps it."""
    lower = rows.dialect.whole(f"bit_count(mask & {(1 << place) - 1})")
    return f"(mask & {1 << place}) <> 0 AND ({lower} * {groups} + hash) % size >= size - {groups}"


__all__ = ["MOST", "counted", "serve"]
