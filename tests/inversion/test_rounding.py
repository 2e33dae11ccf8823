"""Every rounding bound of the float tier against balls, on ten thousand points each.

A row of the table is a bound: the code that states it is run on random input, edges included, the same quantity is
computed in balls by other code, and the true error must not exceed what was stated. The largest ratio of the two must
not be absurdly small either: a check that sees nothing is no check. A new bound is one more row.
"""

from __future__ import annotations

import numpy as np
import pytest
from rounding import above, cells, chains, elementary, formulas, lines, nodes, small, steps, sums
from rounding.measure import POINTS, Gauge, Row

TABLE: list[Row] = [
    row for part in (elementary, formulas, nodes, steps, sums, lines, cells, small, chains, above) for row in part.ROWS
]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in TABLE])
@np.errstate(all="ignore")  # as the engine does: what overflows is checked at the end
def test_no_error_exceeds_its_bound(row: Row) -> None:
    gauge = Gauge()
    row.check(gauge)
    assert not gauge.violations, gauge.summary()
    assert gauge.points >= POINTS
    assert gauge.largest >= row.least


def test_rows_have_different_names() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)
