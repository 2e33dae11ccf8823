"""Filters: budgets for an analyst who chooses every step, and when to stop, after seeing the answers so far.

The caps are fixed before the first output, one for each sum, and never traded for each other: the theorems ask for
that. The guarantee is that of the caps, whatever path the analyst takes.

Read `rules` (what is summed, below which caps), `filter`, `readings` (what a step costs) and `odometer`; then `charge`
and `numbers`, which budgets share.
"""

from __future__ import annotations

from dpcompose.filters.charge import Budget, Charge, OverBudget, Protects
from dpcompose.filters.filter import NAMES, Filter, Promise, filter_of
from dpcompose.filters.numbers import meant, stated, unit_of, units_down, units_up
from dpcompose.filters.odometer import Ladder, Odometer, Running, ladder_of, odometer
from dpcompose.filters.readings import Reading

__all__ = [
    "NAMES",
    "Budget",
    "Charge",
    "Filter",
    "Ladder",
    "Odometer",
    "OverBudget",
    "Promise",
    "Protects",
    "Reading",
    "Running",
    "filter_of",
    "ladder_of",
    "meant",
    "odometer",
    "stated",
    "unit_of",
    "units_down",
    "units_up",
]
