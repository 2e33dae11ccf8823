"""Every rounding bound of the float tier against balls, on ten thousand points each at night, a tenth of them by day.

A row of the table is a bound: the code that states it is run on random input, edges included, the same quantity is
computed in balls by other code, and the true error must not exceed what was stated. The largest ratio of the two must
not be absurdly small either: a check that sees nothing is no check. A new bound is one more row.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from rounding.measure import POINTS, Gauge, Row
from rounding.table import TABLE, title

from dpcompose import exact, inversion, numerics

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"


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


def test_every_bound_is_on_the_page_of_the_engine() -> None:
    listed = {line.split("|")[1].strip() for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"}
    assert {title(row) for row in TABLE} <= listed


def named() -> set[str]:
    """Everything that rows and the page may point to: module.name, and name.attribute of every class."""
    known: set[str] = set()
    for package in (inversion, numerics, exact):
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            path = info.name.split(".")[1:]
            places = ["", *(".".join(path[i:]) + "." for i in range(len(path)))]
            known |= {place[:-1] for place in places}
            for name, thing in vars(importlib.import_module(info.name)).items():
                inside = attributes(thing) if isinstance(thing, type) else set()
                known |= {place + name + tail for place in places for tail in ("", *(f".{a}" for a in inside))}
    return known


def attributes(kind: type) -> set[str]:
    """What a class or its instances have."""
    return {name for each in kind.__mro__ for name in (*vars(each), *getattr(each, "__annotations__", {}))}


def test_rows_and_page_point_to_what_there_is() -> None:
    pointed = {where for row in TABLE for where in row.where.split(", ")}
    pointed |= set(re.findall(r"`([a-z_]+\.[A-Za-z_.]+)`", PAGE.read_text(encoding="utf-8")))
    assert pointed - named() <= {"dpcompose.inversion", "test_methods.py", "test_polylines.py"}


def test_an_error_counts_unless_it_is_certainly_allowed() -> None:
    gauge, vague = Gauge(), arb(1, 0.5)
    gauge.see(arb(2), 1.0)
    gauge.see(vague, 1.0)  # may be more
    gauge.see_between(1.0, vague, 3.0)
    gauge.see_below(arb(2), 1.0, 1.0)
    assert (gauge.points, len(gauge.violations)) == (4, 4)


def test_the_largest_ratio_is_kept() -> None:
    gauge = Gauge()
    gauge.see(arb(-1), 4.0)
    gauge.see(arb(3), 4.0)
    gauge.see(arb(1), 4.0)
    assert gauge.largest == 0.75
    gauge.see_between(1.0, arb(1.125), 3.0)
    assert gauge.largest == 0.875
    gauge.see_below(arb(9), 9.0625, 1.0)
    assert gauge.largest == 0.9375
    assert not gauge.violations
