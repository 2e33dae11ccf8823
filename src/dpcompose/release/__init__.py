"""Noisy answers from real tables, with their price: counts, sums, means, variances and quantiles; and sketches.

A release names whom it hides (the privacy unit) and how much one unit may contribute; the engine enforces it. The
noise is made of whole numbers from the operating system's randomness. Query, mechanism, charge and noisy answer are one
object; the exact answer is kept nowhere.

| data | give |
|---|---|
| Parquet, .duckdb | its path |
| CSV | its path and `types={…}`, or `Csv(…)` with a dialect |
| SQL over them | `Sql("SELECT …")` |
| a frame | DuckDB's, pandas', polars' or Spark's own |

>>> from dpcompose import release
>>> price = release.quote(
...     "count", unit="user", by="region", keys=["north", "south"], max_groups=1, epsilon=1
... )
>>> print(price)
count by 'region', hiding one 'user' (at most 1 row each) added or removed in at most 1 group
  costs       ε ≤ 1 at δ = 0, because KOV-3.3 ← KOV-4.4 (KOV15 Thm. 3.3)
  count       Geometric(scale=1)
  count       noise at most ±3 (0.95 sure, each)

Read `asking` first (price, checks, charge, data, noise, in this order); then `ask` (what is asked), `charge` (who
pays), `engine` (rows), `sampling` (noise) and `sketches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.lazily import loaded
from dpcompose.release.ask.contributions import DROP, EVERY_ROW, Missing
from dpcompose.release.ask.noises import GAUSSIAN, GEOMETRIC, Noise
from dpcompose.release.ask.queries import Query
from dpcompose.release.ask.result import Estimate, Quote, Release
from dpcompose.release.ask.sources import Csv, Database, Limits, Parquet, Sql
from dpcompose.release.asking import STATISTICS, count, histogram, mean, quantile, query, quote, run, sum, variance  # noqa: A004
from dpcompose.release.charge import Allowance, Budget, Charge, Plan
from dpcompose.release.refusals import EngineFailure, InvalidData, OverBudget

if TYPE_CHECKING:
    from dpcompose.release.sketches import covariance_sketch, cut_sketch

HOMES = {"sketches": ("covariance_sketch", "cut_sketch")}
"""What brings arrays and SciPy with it is loaded when it is asked for."""
__getattr__ = loaded(__name__, HOMES)

__all__ = [
    "DROP",
    "EVERY_ROW",
    "GAUSSIAN",
    "GEOMETRIC",
    "STATISTICS",
    "Allowance",
    "Budget",
    "Charge",
    "Csv",
    "Database",
    "EngineFailure",
    "Estimate",
    "InvalidData",
    "Limits",
    "Missing",
    "Noise",
    "OverBudget",
    "Parquet",
    "Plan",
    "Query",
    "Quote",
    "Release",
    "Sql",
    "count",
    "covariance_sketch",
    "cut_sketch",
    "histogram",
    "mean",
    "quantile",
    "query",
    "quote",
    "run",
    "sum",
    "variance",
]
