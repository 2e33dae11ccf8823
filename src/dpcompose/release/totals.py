r"""From rows to bounded sums inside the engine, one code path for all of them.

Which of its groups a unit keeps depends on its own rows and on two random numbers of the release, on nothing else. With
its $n > g$ groups in order, numbered $r = 0, 1, \dots$, it keeps those where $rg + s$ passes a multiple of $n$ in the
next step, $s$ a hash of the unit: exactly $g$ of them, spread evenly, each group equally often for random $s$. In the
same way a unit with too many rows keeps `max_rows` of its values where a quantile is asked.

Last before the sum, every contribution is clipped to the range that its noise was made for. So the guarantee rests on
that step alone, and not on the engine's arithmetic before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from dpcompose.release import masks
from dpcompose.release.contributions import Bounds, EveryRow, Missing, Tally
from dpcompose.release.grids import Grid
from dpcompose.release.noises import Drawn
from dpcompose.release.quantiles import Quantile
from dpcompose.release.queries import Query, Tallied
from dpcompose.release.result import Estimate, Key
from dpcompose.release.sampling import Source
from dpcompose.release.sampling.source import word
from dpcompose.release.secret import Secret
from dpcompose.release.statistics import Valued
from dpcompose.release.tables import Table, absent, attempt, fetched

PRIME = 2**31 - 1
HEX = 15  # digits of MD5 that fit in 64 bits
Totals = Mapping[Key, tuple[int, ...]]
Frame = nw.LazyFrame[Any]


def noisy_totals(query: Tallied, table: Table, source: Source) -> dict[Key, Estimate]:
    """Sums with noise, by key. Where the keys are known the noise is drawn before the data is touched."""
    drawn, keys = query.drawn, [None] if query.by is None else query.keys
    share = 1 - (1 - query.confidence) / len(drawn)
    margins = [noise.margin(share) for noise in drawn.values()]
    if keys is None:
        least = query.threshold(*drawn.values()).least
        shown = totals(query, table, source).spent_in(lambda held: _shown(held, drawn, least, source))
    else:
        noises = [noise.draw(len(keys), source) for noise in drawn.values()]
        shown = totals(query, table, source).spent_in(lambda held: _plus(held, keys, noises))
    return {key: query.estimated(noisy, margins) for key, noisy in shown.items()}


def _plus(held: Totals, keys: Sequence[Key], noises: Sequence[npt.NDArray[Any]]) -> dict[Key, list[int]]:
    """Every key gets noise, also those that no row has."""
    none = (0,) * len(noises)
    return {
        key: [total + int(noise[i]) for total, noise in zip(held.get(key, none), noises, strict=True)]
        for i, key in enumerate(keys)
    }


def _shown(held: Totals, drawn: Mapping[str, Drawn], least: int, source: Source) -> dict[Key, list[int]]:
    """The keys whose noisy count reaches the threshold, in the order of the keys, which says nothing of the data."""
    (noise,) = drawn.values()
    present = sorted(key for key, (count,) in held.items() if count)  # type: ignore[type-var]
    noisy = _plus(held, present, [noise.draw(len(present), source)])
    return {key: found for key, found in noisy.items() if found[0] >= least}


def totals(query: Tallied, table: Table, source: Source) -> Secret[Totals]:
    """The exact sums of bounded contributions, by key."""
    return attempt(table.name, lambda: _totals(query, _rows(query, table), source))


def _totals(query: Tallied, rows: Frame, source: Source) -> Secret[Totals]:
    keys = masks.places(query, rows)
    if keys:
        words = _hashed(masks.gathered(rows, keys), source)
        return masks.counted(words, keys, query.bounds.groups or 1)
    return _collected(_contributed(query, rows, source), len(query.tallies))


def _contributed(query: Tallied, rows: Frame, source: Source) -> Frame:
    """What each unit adds to each of its groups."""
    bounds, tallies = query.bounds, list(query.tallies.values())
    keyed = ["key"] if query.by is not None else []
    if keyed and query.keys is not None:
        rows = rows.filter(nw.col("key").is_in(list(query.keys)))
    if isinstance(query, Valued):
        rows = rows.with_columns(**_powers(query.points, tallies))
    if isinstance(query.unit, EveryRow):
        rows = rows.with_columns(n=nw.col("one"))
    else:
        rows = _by_unit(rows, keyed, [f"t{i}" for i, tally in enumerate(tallies) if tally.power])
        if keyed and _too_many(query, bounds):
            rows = _kept(rows, bounds.groups or 1, source)
    return rows.select(*keyed, **_contributions(bounds, tallies))


def _collected(rows: Frame, size: int) -> Secret[Totals]:
    """The sums by key; this is where a lazy engine starts to work."""
    keyed = ["key"] if "key" in rows.collect_schema() else []
    names = [f"t{i}" for i in range(size)]
    sums = [nw.col(name).sum() for name in names]
    summed = rows.group_by(*keyed).agg(*sums) if keyed else rows.select(*sums)
    found = fetched(summed.select(*keyed, *(nw.col(name).cast(nw.Int64) for name in names)))
    first = len(keyed)
    return Secret({nw.to_py_scalar(r[0]) if keyed else None: tuple(int(x or 0) for x in r[first:]) for r in found})


def _rows(query: Query, table: Table) -> Frame:
    """The columns of the query under the names of their roles, without the rows that are left out."""
    schema, columns = table.schema, query.columns
    frame = table.frame
    if query.missing is Missing.DROP:
        for column in dict.fromkeys(columns.values()):
            frame = frame.filter(~absent(nw.col(column), schema[column]))
    chosen = {role: nw.col(column) for role, column in columns.items()}
    for role in chosen.keys() & {"unit", "key"}:
        if schema[columns[role]] in {nw.Categorical, nw.Enum}:
            chosen[role] = chosen[role].cast(nw.String)
    if "value" in chosen:
        chosen["value"] = chosen["value"].cast(nw.Float64)
    return frame.select(**chosen, one=nw.lit(1, nw.Int64))


def index(grid: Grid) -> nw.Expr:
    """The nearest grid point of a value, clipped first: what is infinite has an end of the range."""
    low, high = float(grid.point(0)), float(grid.point(grid.most))
    steps = (nw.col("value").clip(low, high) / float(grid.step) + 0.5).floor()
    return (steps.cast(nw.Int64) - grid.first).clip(0, grid.most)


def _powers(grid: Grid, tallies: Sequence[Tally]) -> dict[str, nw.Expr]:
    """What each row adds to each tally; nothing to a count."""
    powers = {1: index(grid), 2: (index(grid) - grid.middle) * (index(grid) - grid.middle)}
    return {f"t{i}": powers[tally.power] for i, tally in enumerate(tallies) if tally.power}


def _by_unit(rows: Frame, keyed: list[str], names: list[str]) -> Frame:
    """One row for each unit and group: its number of rows, and its sums."""
    found = rows.group_by("unit", *keyed).agg(nw.len().alias("n"), *(nw.col(name).sum() for name in names))
    return found.select("unit", *keyed, *(nw.col(name).cast(nw.Int64) for name in ("n", *names)))


def _contributions(bounds: Bounds, tallies: Sequence[Tally]) -> dict[str, nw.Expr]:
    """What each unit adds to a group: `rows` rows with the mean of its values where it has more, then clipped."""
    m, n = bounds.rows, nw.col("n")
    found = {}
    for i, tally in enumerate(tallies):
        added, t = n.clip(0, m) * -tally.centre, nw.col(f"t{i}")
        if tally.power:
            added = nw.when(n > m).then(t * m // n).otherwise(t).cast(nw.Int64) + added
        found[f"t{i}"] = added.clip(*tally.ends(m))
    return found


def _too_many(query: Tallied, bounds: Bounds) -> bool:
    """Whether a unit can be in more groups than it may be in."""
    return query.keys is None or len(query.keys) > (bounds.groups or 1)


def _kept(rows: Frame, groups: int, source: Source) -> Frame:
    """At most so many groups of each unit."""
    key = nw.col("key").cast(nw.Int64) if rows.collect_schema()["key"] == nw.Boolean else nw.col("key")
    placed = _hashed(rows, source).with_columns(
        rank=key.rank("ordinal").over("unit").cast(nw.Int64) - 1, size=nw.len().over("unit").cast(nw.Int64)
    )
    passes = (nw.col("rank") * groups + nw.col("hash")) % nw.col("size") >= nw.col("size") - groups
    return placed.filter(passes)


def counted_points(query: Quantile, table: Table, source: Source) -> Secret[npt.NDArray[np.int64]]:
    """How many rows lie at each grid point, with at most `max_rows` of each unit."""
    return attempt(table.name, lambda: _points(query, table, source))


def _points(query: Quantile, table: Table, source: Source) -> Secret[npt.NDArray[np.int64]]:
    counts = _rows(query, table).with_columns(point=index(query.points), n=nw.col("one"))
    if not isinstance(query.unit, EveryRow):
        counts = counts.group_by("unit", "point").agg(nw.col("n").sum())
        counts = _thinned(counts.with_columns(nw.col("n").cast(nw.Int64)), query.max_rows, source)
    counts = counts.group_by("point").agg(nw.col("n").sum())
    found = np.zeros(query.points.most + 1, dtype=np.int64)
    for point, count in fetched(counts.select("point", "n")):
        found[int(point)] = int(count)
    return Secret(found)


def _thinned(counts: Frame, rows: int, source: Source) -> Frame:
    """At most so many rows of each unit, over its points in order."""
    placed = _hashed(counts, source).with_columns(
        upto=nw.col("n").cum_sum().over("unit", order_by="point").cast(nw.Int64),
        size=nw.col("n").sum().over("unit").cast(nw.Int64),
    )
    size, upto = nw.col("size"), nw.col("upto")
    start = nw.col("hash") % size
    # Clipped before they are subtracted: the differences of a unit then add up to at most `rows`, come what may.
    after, before = (((x * rows + start) // size).clip(0, rows) for x in (upto, upto - nw.col("n")))
    kept = nw.when(size > rows).then(after - before).otherwise(nw.col("n")).cast(nw.Int64)
    return placed.with_columns(n=kept)


def _hashed(rows: Frame, source: Source) -> Frame:
    """A hash of the unit, salted by two random numbers of this release: (a·u + b) mod p."""
    a, b = 1 + word(source) % (PRIME - 1), word(source) % PRIME
    if rows.collect_schema()["unit"].is_integer():
        numbered = rows.with_columns(number=((nw.col("unit") % PRIME).cast(nw.Int64) + PRIME) % PRIME)
    else:
        numbered = _numbered(rows.with_columns(text=nw.col("unit").cast(nw.String)))
    return numbered.with_columns(hash=(nw.col("number") * a + b) % PRIME)


def _numbered(rows: Frame) -> Frame:
    """The leading digits of the MD5 of a text, the same in every engine; it spreads units, and hides nothing."""
    engine, native = rows.implementation, rows.to_native()
    numbered: Any = None
    if engine.is_duckdb():
        numbered = native.project(f"*, ('0x' || md5(text)[:{HEX}])::BIGINT % {PRIME} AS number")
    elif engine.is_pyspark() or engine.is_pyspark_connect():
        from pyspark.sql import functions as sql

        number = sql.conv(sql.substring(sql.md5(sql.col("text")), 1, HEX), 16, 10).cast("bigint") % PRIME
        numbered = native.withColumn("number", number)
    if numbered is not None:
        found: Frame = nw.from_native(numbered).lazy()
        return found
    held = rows.collect()
    texts: list[str] = held["text"].unique().to_list()
    digests = (hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() for text in texts)
    known = {text: int(digest[:HEX], 16) % PRIME for text, digest in zip(texts, digests, strict=True)}
    return held.with_columns(held["text"].replace_strict(known, return_dtype=nw.Int64).alias("number")).lazy()


__all__ = ["counted_points", "noisy_totals", "totals"]
