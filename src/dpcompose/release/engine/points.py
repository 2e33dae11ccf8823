"""The number of rows at each point of a grid, with a bound on the rows of each unit: the basis of a quantile."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpcompose.release.ask.contributions import EveryRow
from dpcompose.release.ask.quantiles import Quantile
from dpcompose.release.engine.rows import Rows, clipped
from dpcompose.release.engine.secret import Secret
from dpcompose.release.engine.totals import Salt, index


def counted_points(query: Quantile, rows: Rows, salt: Salt) -> Secret[npt.NDArray[np.int64]]:
    """The number of rows at each point, in the order of the points."""
    total, grid = rows.dialect.total, query.points
    who = [] if isinstance(query.unit, EveryRow) else ["unit"]
    rows = rows.select({**{name: name for name in who}, "point": index(rows, grid), "n": rows.dialect.whole("1")})
    if who:
        rows = _thinned(rows.gathered(["unit", "point"], {"n": total("n")}), query.max_rows, salt)
    found = np.zeros(grid.most + 1, dtype=np.int64)
    for point, count in rows.gathered(["point"], {"n": total("n")}).fetched():
        found[int(point)] = int(count)
    return Secret(found)


def _thinned(counts: Rows, rows: int, salt: Salt) -> Rows:
    """At most this many rows of each unit, over its points in order."""
    whole = counts.dialect.whole
    placed = counts.select(
        {
            "point": "point",
            "n": "n",
            "hash": salt.hash(counts),
            "upto": whole("sum(n) OVER (PARTITION BY unit ORDER BY point ROWS UNBOUNDED PRECEDING)"),
            "size": whole("sum(n) OVER (PARTITION BY unit)"),
        }
    )
    # Clipped before they are subtracted: the differences of a unit then add up to at most `rows`, come what may.
    after, before = (
        clipped(counts.dialect.quotient(f"{x} * {rows} + hash % size", "size"), 0, rows) for x in ("upto", "(upto - n)")
    )
    return placed.select({"point": "point", "n": f"CASE WHEN size > {rows} THEN {after} - {before} ELSE n END"})


__all__ = ["counted_points"]
