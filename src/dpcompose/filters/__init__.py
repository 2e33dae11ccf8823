"""Filters: what an analyst may spend who chooses every step, and when to stop, after seeing the answers so far.

The caps are fixed before the first output, coordinate by coordinate, and never traded for each other: that is what the
theorems ask for. The guarantee is that of the caps, whatever the path.

>>> from dpcompose.filters import filter_of
>>> book = filter_of("zcdp", epsilon=1, delta=1e-6)
>>> book.coordinates
('rho', 'delta')
>>> print(book.guarantee)
ε = 1 at δ = 1e-6, whoever stays below ρ ≤ 0.0243559 on every path

Read `rules` (what is summed, below which caps), `filter`, `readings` (what a step costs) and `odometer`; then
`charge` and `numbers`, which budgets share.
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
