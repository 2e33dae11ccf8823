r"""Units counted by a few keys, on DuckDB: the groups of a unit are the bits of one number.

One pass over the rows then gathers a word for each unit, where a table of units and groups would be sorted otherwise.
In a unit's word the group at place $i$ has the rank of how many lower bits are set, so the rule by which a unit keeps
its groups (see `totals`) is the same, and so are the counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import narwhals as nw

from dpcompose.release.contributions import EveryRow
from dpcompose.release.queries import Tallied
from dpcompose.release.secret import Secret
from dpcompose.release.tables import fetched

MOST = 62  # bits of a 64-bit word, without those that a shift might lose
Frame = nw.LazyFrame[Any]


def places(query: Tallied, rows: Frame) -> list[Any] | None:
    """The keys in order, those asked for or all that there are, if one number can hold the groups of a unit and there
    is nothing to know but which they are; None otherwise.
    """
    if query.by is None or isinstance(query.unit, EveryRow) or not rows.implementation.is_duckdb():
        return None
    if query.bounds.rows > 1 or [tally.power for tally in query.tallies.values()] != [0]:
        return None
    keys = _present(rows) if query.keys is None else query.keys
    return sorted(keys) if len(keys) <= MOST and all(map(_plain, keys)) else None


def _present(rows: Frame) -> list[object]:
    """The keys that the rows have; of too many, one too many."""
    found: Frame = nw.from_native(rows.to_native().project("key").distinct().limit(MOST + 1)).lazy()
    return [key for (key,) in fetched(found)]


def _plain(key: object) -> bool:
    """Whether SQL has a text for the key."""
    return -(2**63) <= key < 2**63 if isinstance(key, int) else "\x00" not in str(key)


def gathered(rows: Frame, keys: Sequence[object]) -> Frame:
    """The word of each unit that has any of the keys, which are in order."""
    whole = rows.collect_schema()["key"].is_integer()
    key = "TRY_CAST(key AS BIGINT)" if whole else "key"
    known = ", ".join(f"{_literal(k)}::BIGINT" if whole else _literal(k) for k in keys)
    place = f"nullif(list_position([{known}], {key}), 0) - 1"
    words = rows.to_native().aggregate(f"unit, bit_or(1::UBIGINT << ({place})) AS mask", "unit")
    found: Frame = nw.from_native(words.filter("mask IS NOT NULL")).lazy()
    return found


def counted(words: Frame, keys: Sequence[object], groups: int) -> Secret[Mapping[object, tuple[int, ...]]]:
    """How many units kept each group; a unit's hash says which it keeps."""
    lower = "bit_count(mask & ((1::UBIGINT << place) - 1))::BIGINT"
    native = (
        words.to_native()
        .project(f"mask, hash, bit_count(mask)::BIGINT AS size, unnest(range({len(keys)})) AS place")
        .filter("(mask >> place) & 1 = 1")
        .filter(f"({lower} * {groups} + hash) % size >= size - {groups}")
        .aggregate("place, count(*) AS n", "place")
    )
    rows: Frame = nw.from_native(native).lazy()
    found: Mapping[object, tuple[int, ...]] = {keys[int(place)]: (int(n),) for place, n in fetched(rows)}
    return Secret(found)


def _literal(key: object) -> str:
    """A key in SQL; a quote in a text is doubled, and nothing else has a meaning there."""
    if isinstance(key, bool):
        return str(key).upper()
    if isinstance(key, date):
        return f"DATE '{key.isoformat()}'"
    return "'" + str(key).replace("'", "''") + "'"  # also a number, which is cast: the least one has no literal


__all__ = ["counted", "gathered", "places"]
