"""Noisy answers from real tables, with their price: counts, sums, means, variances and quantiles; and sketches.

A release names whom it hides (the privacy unit) and how much one unit may contribute; the engine enforces both. Noise
is made of whole numbers from the operating system's randomness. A `Release` holds query, mechanism, charge and noisy
answer; the exact answer is kept nowhere.

Read `asking` first (price, checks, charge, data, noise, in this order); then `ask` (what is asked), `charge` (who
pays), `engine` (rows), `sampling` (noise) and `sketches`; `refusals` holds the errors.
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
"""Loaded when first asked for, as they import arrays and SciPy."""
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
