r"""How much one privacy unit may contribute, and how far it can then move a released number.

A unit gives at most `max_rows` rows to a group and is in at most `max_groups` groups; the engine enforces both before
anything is summed. Under add/remove a neighbour has one unit more or less: `max_groups` cells move, each by at most the
largest contribution. Replacing a unit is removing one and adding another: a single number moves by at most twice as
much; of a table at most twice as many cells move, each by at most the distance between two contributions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.parameters import Whole

ROWS = Whole("m", 1, 10**9, "rows", typical=(1, 20))
GROUPS = Whole("g", 1, 10**6, "groups", typical=(1, 20))


class EveryRow(Enum):
    """The type of `EVERY_ROW`."""

    EVERY_ROW = "every row"

    def __repr__(self) -> str:
        return "EVERY_ROW"


EVERY_ROW: Final = EveryRow.EVERY_ROW
"""Each row is a privacy unit of its own: nobody is in two rows."""


class Missing(Enum):
    """What a missing value in a column of the query means: NULL, NaN, or a text that does not read as its type.

    `DROP` silently leaves such a row out. A refusal would reveal that somebody's value is missing.
    """

    DROP = "drop"


DROP: Final = Missing.DROP


@dataclass(frozen=True, slots=True)
class CentredSum:
    """A sum over rows of $t - c$, where $t$ is a whole number from 0 to `most` and $c$ = `centre`.

    `power` determines $t$: 0 gives 0, 1 the grid index of the value, 2 its squared distance from the middle. So `power`
    0 with $c = -1$ counts rows.
    """

    most: int = 0
    centre: int = -1
    power: int = 0

    def ends(self, rows: int) -> tuple[int, int]:
        """The least and the greatest contribution of a unit with at most this many rows."""
        ends = (0, -self.centre * rows, (self.most - self.centre) * rows)
        return min(ends), max(ends)


@dataclass(frozen=True, slots=True)
class ContributionBounds:
    """What a unit may contribute, under a neighbouring relation."""

    rows: int
    groups: int | None
    adjacency: Adjacency

    def cells(self, known: int | None = None) -> int:
        """An upper bound on the number of cells that differ between neighbours, in a table of `known` cells or of any
        size.
        """
        if self.groups is None:
            return 1
        moved = self.groups * (2 if self.adjacency is Adjacency.REPLACE_ONE else 1)
        return moved if known is None else min(moved, known)

    def sensitivity(self, tally: CentredSum) -> int:
        """An upper bound on the change of one cell between neighbours."""
        low, high = tally.ends(self.rows)
        largest = max(-low, high)
        if self.adjacency is Adjacency.ADD_REMOVE:
            return largest
        return 2 * largest if self.groups is None else high - low


def bounded(
    unit: object, max_rows: object, max_groups: object, by: str | None, adjacency: object
) -> tuple[str | EveryRow, ContributionBounds]:
    """Check what was declared about units; a unit without bounds is refused."""
    if not isinstance(unit, EveryRow) and (not isinstance(unit, str) or not unit):
        raise InvalidParameter("unit", unit, "the column that names the privacy unit, or EVERY_ROW")
    if not isinstance(adjacency, Adjacency) or adjacency is Adjacency.ZERO_OUT:
        raise InvalidParameter("adjacency", adjacency, "ADD_REMOVE or REPLACE_ONE")
    rows = int(ROWS.check("max_rows", max_rows))
    if isinstance(unit, EveryRow):
        if rows != 1 or max_groups not in {None, 1}:
            raise InvalidParameter("unit", unit, "a column, as a unit that is one row has no more rows or groups")
        return unit, ContributionBounds(1, None if by is None else 1, adjacency)
    if by is None:
        if max_groups is not None:
            raise InvalidParameter("max_groups", max_groups, "nothing without `by`, as there is one group only")
        return unit, ContributionBounds(rows, None, adjacency)
    if max_groups is None:
        raise InvalidParameter(
            "max_groups", max_groups, f"the most groups of {by} that one unit may be in: it is unbounded otherwise"
        )
    return unit, ContributionBounds(rows, int(GROUPS.check("max_groups", max_groups)), adjacency)


__all__ = ["DROP", "EVERY_ROW", "CentredSum", "ContributionBounds", "EveryRow", "Missing", "bounded"]
