"""The table of `docs/engine.md`: what was checked, on how many points, and how close the true error came to its bound.

Run from the root of the tree: `HYPOTHESIS_PROFILE=nightly PYTHONPATH=tests:tests/inversion python -m rounding.table`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby

import numpy as np
from rounding import above, cells, chains, elementary, formulas, lines, nodes, rows, small, steps, sums
from rounding.measure import Gauge, Row

PARTS = {
    "the model": elementary,
    "formulas": formulas,
    "nodes and atoms": nodes,
    "one step": steps,
    "many different steps": rows,
    "sums of steps": sums,
    "lines": lines,
    "cells": cells,
    "no line": small,
    "binomial terms": chains,
    "from one side": above,
}
TABLE: list[Row] = [row for part in PARTS.values() for row in part.ROWS]


def title(row: Row) -> str:
    """Elementary functions share a line."""
    return "elementary functions" if row.where == "rounding.LIBM" else row.name


def markdown(rows: Iterable[Row]) -> Iterable[str]:
    """A line a bound; a dash where only one side is bounded, so that there is no ratio."""
    yield "| bound | where | points checked | largest error / bound |"
    yield "|---|---|---:|---:|"
    for name, several in groupby(rows, title):
        gauge, where, least = Gauge(), "", 0.0
        for row in several:
            row.check(gauge)
            where, least = row.where, row.least
        ratio = f"{gauge.largest:.2g}" if least else "–"
        yield f"| {name} | {' '.join(f'`{w}`' for w in where.split(', '))} | {gauge.points:,} | {ratio} |"


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for line in markdown(TABLE):
            sys.stdout.write(line + "\n")
