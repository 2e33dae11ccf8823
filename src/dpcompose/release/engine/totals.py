r"""From rows to bounded sums inside the engine, one code path for all of them.

Which of its groups a unit keeps depends on its own rows and on two random numbers of the release, on nothing else. With
its $n > g$ groups in order, numbered $r = 0, 1, \dots$, it keeps those where $rg + s$ passes a multiple of $n$ in the
next step, $s$ a hash of the unit: exactly $g$ of them, spread evenly, each group equally often for random $s$. In the
same way a unit with too many rows keeps `max_rows` of its values where a quantile is asked.

Last before the sum, every contribution is clipped to the range that its noise was made for. So the guarantee rests on
that step alone, and not on the engine's arithmetic before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dpcompose.release.ask.contributions import CentredSum, ContributionBounds, EveryRow
from dpcompose.release.ask.grids import Grid
from dpcompose.release.ask.queries import NoisySums
from dpcompose.release.ask.statistics import Valued
from dpcompose.release.engine import masks
from dpcompose.release.engine.kinds import Label
from dpcompose.release.engine.rows import PRIME, Rows, clipped, real
from dpcompose.release.engine.secret import Secret
from dpcompose.release.sampling import RandomSource
from dpcompose.release.sampling.source import word

Totals: TypeAlias = Mapping[Label | None, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Salt:
    """Two random numbers of a release, which decide which groups and rows a unit with too many keeps."""

    a: int
    b: int

    @classmethod
    def drawn(cls, source: RandomSource) -> Salt:
        """A salt drawn from the source of the noise."""
        return cls(1 + word(source) % (PRIME - 1), word(source) % PRIME)

    def hash(self, rows: Rows) -> str:
        """A hash of the unit: (a·u + b) mod p."""
        whole = rows.dialect.whole
        number = rows.dialect.digest("unit") if rows.texts else f"({whole(f'unit % {PRIME}')} + {PRIME})"
        return f"(({number} % {PRIME}) * {self.a} + {self.b}) % {PRIME}"


def totals(query: NoisySums, rows: Rows, keys: Sequence[Label] | None, salt: Salt) -> Secret[Totals]:
    """The exact sums of bounded contributions, by key: for the known keys, or for all keys found."""
    if masks.serve(query):
        assert keys is not None  # noqa: S101 - for the type checker
        return Secret(masks.counted(rows, sorted(keys), query.bounds.groups or 1, salt.hash(rows)))
    keyed = [] if query.by is None else ["key"]
    found = _contributed(query, rows, keys, salt)
    names = [f"t{i}" for i in range(len(query.tallies))]
    summed = found.gathered(keyed, {name: rows.dialect.total(name) for name in names})
    first = len(keyed)
    return Secret({row[0] if keyed else None: tuple(map(int, row[first:])) for row in summed.fetched()})


def _contributed(query: NoisySums, rows: Rows, keys: Sequence[Label] | None, salt: Salt) -> Rows:
    """The contribution of each unit to each of its groups."""
    bounds, tallies = query.bounds, list(query.tallies.values())
    keyed = [] if query.by is None else ["key"]
    if keys is not None:
        rows = rows.where(f"key IN ({', '.join(map(rows.dialect.literal, keys))})")
    powers = _powers(rows, query.points, tallies) if isinstance(query, Valued) else {}
    who = [] if isinstance(query.unit, EveryRow) else ["unit"]
    rows = rows.select({**{name: name for name in (*who, *keyed)}, "n": rows.dialect.whole("1"), **powers})
    if who:
        total = rows.dialect.total
        rows = rows.gathered([*who, *keyed], {name: total(name) for name in ("n", *powers)})
        if keyed and (keys is None or len(keys) > (bounds.groups or 1)):
            rows = _kept(rows, bounds.groups or 1, list(powers), salt)
    return rows.select({**{name: name for name in keyed}, **_contributions(rows, bounds, tallies)})


def index(rows: Rows, grid: Grid) -> str:
    """The SQL of the index of the grid point nearest to a value, clipped first; infinities go to the ends."""
    low, high = float(grid.point(0)), float(grid.point(grid.most))
    inside = f"least(greatest(value, {real(low)}), {real(high)})"
    steps = rows.dialect.whole(f"floor({inside} / {real(float(grid.step))} + {real(0.5)})")
    return f"coalesce({clipped(f'{steps} - {rows.dialect.whole(str(grid.first))}', 0, grid.most)}, 0)"


def _powers(rows: Rows, grid: Grid, tallies: Sequence[CentredSum]) -> dict[str, str]:
    """The contribution of each row to each sum; 0 to a count."""
    place = index(rows, grid)
    powers = {1: place, 2: f"({place} - {grid.middle}) * ({place} - {grid.middle})"}
    return {f"t{i}": powers[tally.power] for i, tally in enumerate(tallies) if tally.power}


def _contributions(rows: Rows, bounds: ContributionBounds, tallies: Sequence[CentredSum]) -> dict[str, str]:
    """What each unit contributes to a group: `rows` rows with the mean of its values if it has more, then clipped."""
    m, found = bounds.rows, {}
    for i, tally in enumerate(tallies):
        added = f"{clipped('n', 0, m)} * {-tally.centre}"
        if tally.power:
            mean = rows.dialect.quotient(f"t{i} * {m}", "n")
            added = f"CASE WHEN n > {m} THEN {mean} ELSE t{i} END + {added}"
        found[f"t{i}"] = rows.dialect.whole(clipped(added, *tally.ends(m)))
    return found


def _kept(rows: Rows, groups: int, sums: Sequence[str], salt: Salt) -> Rows:
    """At most this many groups of each unit."""
    same = {name: name for name in ("key", "n", *sums)}
    placed = rows.select(
        {
            **same,
            "hash": salt.hash(rows),
            "place": "row_number() OVER (PARTITION BY unit ORDER BY key) - 1",
            "size": "count(*) OVER (PARTITION BY unit)",
        }
    )
    return placed.where(f"(place * {groups} + hash) % size >= size - {groups}")


__all__ = ["Salt", "Totals", "index", "totals"]
