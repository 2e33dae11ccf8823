"""Formula cards: theorems in the papers' own symbols, with certified answers.

>>> from dpcompose.formulas import formula
>>> print(formula("MIR-P4")(n=100, eps="0.1", Q="1e-9").exponent_sharp)
[5.93789, 5.9379]

Read `card` and `inputs`, then one paper: `smith`, `drv`, `kov`, `mironov` (with `mironov_values`), `renyi`, or
`applications`. `values` and `fallback` serve all cards; `errata` lists what the papers misprint.
"""

from __future__ import annotations

from dpcompose.formulas import applications, drv, kov, mironov, renyi, smith
from dpcompose.formulas.card import Card, Outputs, cards, formula

__all__ = ["Card", "Outputs", "applications", "cards", "drv", "formula", "kov", "mironov", "renyi", "smith"]
