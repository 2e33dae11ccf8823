"""Noisy answers from real tables, with their price: counts, sums, means, variances and quantiles; and sketches.

A release names whom it hides (the privacy unit) and how much one unit may contribute; the engine enforces it. The
noise is made of whole numbers from the operating system's randomness. Query, mechanism, charge and noisy answer are one
object; the exact answer is kept nowhere.

| data | give |
|---|---|
| CSV, Parquet, .duckdb | its path |
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
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpcompose.release.asking import STATISTICS, count, histogram, mean, quantile, query, quote, run, sum, variance  # noqa: A004
from dpcompose.release.budget import Allowance, Budget
from dpcompose.release.contributions import DROP, EVERY_ROW, REFUSE, Missing
from dpcompose.release.noises import GAUSSIAN, GEOMETRIC, Noise
from dpcompose.release.plans import Plan
from dpcompose.release.queries import Query
from dpcompose.release.refusals import InvalidData, OverBudget
from dpcompose.release.result import Estimate, Quote, Release
from dpcompose.release.sketches import covariance_sketch, cut_sketch

if TYPE_CHECKING:
    from dpcompose.release.tables import Sql


def __getattr__(name: str) -> Any:
    """`Sql` is loaded when it is first used: it lives beside the engines, which are extras."""
    if name != "Sql":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dpcompose.release.tables import Sql

    return Sql


__all__ = [
    "DROP",
    "EVERY_ROW",
    "GAUSSIAN",
    "GEOMETRIC",
    "REFUSE",
    "STATISTICS",
    "Allowance",
    "Budget",
    "Estimate",
    "InvalidData",
    "Missing",
    "Noise",
    "OverBudget",
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
