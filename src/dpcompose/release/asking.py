"""Asking a question of data: price, checks, charge, data, noise, in this order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from fractions import Fraction
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.filters.charge import unit_name
from dpcompose.numerics.enclosure import Real
from dpcompose.release.ask.contributions import EveryRow, Missing
from dpcompose.release.ask.noises import Noise
from dpcompose.release.ask.quantiles import Quantile
from dpcompose.release.ask.queries import Query
from dpcompose.release.ask.result import Quote, Release
from dpcompose.release.ask.sources import LIMITS, Limits
from dpcompose.release.ask.statistics import Count, Mean, Sum, Variance
from dpcompose.release.charge import Budget, Charge
from dpcompose.release.engine.answers import prepared
from dpcompose.release.engine.tables import opened
from dpcompose.release.engine.totals import Salt
from dpcompose.release.sampling import OS, RandomSource, watched

STATISTICS: Mapping[str, type[Query]] = MappingProxyType(
    {kind.statistic: kind for kind in (Count, Sum, Mean, Variance, Quantile)}
)
"""The questions by name; `histogram` is a count by keys."""

ALIASES: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {"histogram": ("count", {}), "median": ("quantile", {"q": Fraction(1, 2)})}
)
"""Other names of a question, with the options that they imply."""

OTHERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("average", "avg", "moyenne"), "mean"),
        **dict.fromkeys(("total", "add"), "sum"),
        **dict.fromkeys(("std", "stddev", "stdev", "sd", "var"), "variance"),
        **dict.fromkeys(("percentile", "quartile"), "quantile"),
        **dict.fromkeys(("min", "minimum"), "quantile with q = 0.01"),
        **dict.fromkeys(("max", "maximum"), "quantile with q = 0.99"),
        **dict.fromkeys(("counts", "n", "size"), "count"),
        **dict.fromkeys(("hist", "groupby", "value_counts"), "histogram"),
    }
)
"""From the names that other tools use to the names here, for suggestions in refusals."""

NEEDED: Mapping[str, str] = MappingProxyType(
    {
        "unit": "the column that names the privacy unit, or EVERY_ROW",
        "epsilon": "a positive number",
        "value": "the name of a column",
        "q": "a number from 0 to 1, such as 0.5 for the median",
    }
)


class Protection(TypedDict, total=False):
    """The options of every question: whom it protects, and at which price."""

    unit: str | EveryRow
    epsilon: Real
    delta: Real
    max_rows: int
    adjacency: Adjacency
    missing: Missing
    confidence: Real
    where: str | Sequence[str]


class Grouped(Protection, total=False):
    """The same, with those of groups."""

    by: str | Sequence[str] | None
    keys: Sequence[Any] | None
    max_groups: int | None
    noise: Noise


class DataOptions(TypedDict, total=False):
    """The options of the data: its table and types, and the budget to charge."""

    table: str | None
    types: Mapping[str, str] | None
    limits: Limits
    budget: Budget | None
    dataset: str | None
    source: RandomSource


class Asked(Grouped, DataOptions, total=False):
    """All options of a count."""


class Single(Protection, DataOptions, total=False):
    """All options of a question without groups."""


def count(data: object, **asked: Unpack[Asked]) -> Release:
    """The number of units (or of rows, with `max_rows` above 1), in all or `by` a column."""
    return run("count", data, **asked)


def histogram(data: object, *, by: str | Sequence[str], **asked: Unpack[Asked]) -> Release:  # type: ignore[misc] # `by` is required here
    """Counts by the keys of a column: by those in `keys`, all of them answered; or by those found in the data whose
    noisy count passes a threshold, which costs δ.
    """
    return run("count", data, by=by, **asked)


def sum(  # noqa: A001 - its name in every engine
    data: object, value: str, *, lower: Real, upper: Real, grid: Real | None = None, **asked: Unpack[Asked]
) -> Release:
    """The sum of a column, each value clipped to [lower, upper] and rounded to whole steps of `grid`."""
    return run("sum", data, value=value, lower=lower, upper=upper, grid=grid, **asked)


def mean(
    data: object, value: str, *, lower: Real, upper: Real, grid: Real | None = None, **asked: Unpack[Asked]
) -> Release:
    """The mean of a column, each value clipped to [lower, upper]: from a noisy sum and a noisy count, with half of ε
    each.
    """
    return run("mean", data, value=value, lower=lower, upper=upper, grid=grid, **asked)


def variance(
    data: object, value: str, *, lower: Real, upper: Real, grid: Real | None = None, **asked: Unpack[Asked]
) -> Release:
    """The variance of a column, each value clipped to [lower, upper]: from three noisy sums, with a third of ε each."""
    return run("variance", data, value=value, lower=lower, upper=upper, grid=grid, **asked)


def quantile(
    data: object, value: str, q: Real, *, lower: Real, upper: Real, grid: Real | None = None, **asked: Unpack[Single]
) -> Release:
    """A point of the grid below which a share `q` of the rows lies, chosen by the exponential mechanism."""
    return run("quantile", data, value=value, q=q, lower=lower, upper=upper, grid=grid, **asked)


def query(statistic: str, **options: Any) -> Query:
    """The question of this name, with its options; no data is needed."""
    name, known_by_name = ALIASES.get(statistic, (statistic, {}))
    options = {**known_by_name, **options}
    if name not in STATISTICS:
        known_names = (*STATISTICS, *ALIASES)
        meant = OTHERS.get(statistic) or next(iter(get_close_matches(str(statistic)[:40], known_names, n=1)), "")
        hint = f" (did you mean {meant}?)" if meant else ""
        raise InvalidParameter("statistic", statistic, f"one of {', '.join(known_names)}{hint}")
    kind = STATISTICS[name]
    known = {f.name for f in fields(kind)}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise InvalidParameter("option", unknown[0], f"one of {', '.join(sorted(known))} for a {name}")
    for needed in fields(kind):
        if needed.name not in options and needed.default is MISSING:
            raise InvalidParameter(needed.name, None, NEEDED.get(needed.name, f"a number, which a {name} needs"))
    return kind(**options)


def quote(statistic: str, **options: Any) -> Quote:
    """What a question would cost, item by item, and how accurate its answers would be; no data is needed.

    >>> print(
    ...     quote(
    ...         "count",
    ...         unit="user",
    ...         by="region",
    ...         keys=["north", "south"],
    ...         max_groups=1,
    ...         epsilon=1,
    ...     )
    ... )
    count by 'region', hiding one 'user' (at most 1 row each) added or removed in at most 1 group
      costs       ε ≤ 1 at δ = 0, because KOV-3.3 ← KOV-4.4 (KOV15 Thm. 3.3)
      count       Geometric(scale=1)
      count       noise at most ±3 (0.95 sure, each)
    """
    asked = query(statistic, **options)
    asked.columns  # noqa: B018 - refuses what is not declared
    return asked.quote()


def run(statistic: str, data: object, **asked: Any) -> Release:
    """Ask a question by its name. The price is computed once."""
    given = {name: asked.pop(name) for name in DATA_OPTIONS & asked.keys()}
    return answer(quote(statistic, **asked), data, **given)


def answer(price: Quote, data: object, **given: Unpack[DataOptions]) -> Release:
    """Answer a question whose price is known. Refusals come before the charge, the charge before the answer."""
    (found,) = answers([price], data, **given)
    return found


def answers(
    prices: Sequence[Quote],
    data: object,
    *,
    table: str | None = None,
    types: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
    budget: Budget | None = None,
    dataset: str | None = None,
    source: RandomSource = OS,
) -> list[Release]:
    """Answer several questions about one table, for one charge.

    What does not fit into the budget is refused before the data is opened. Before the charge only names and types are
    read; after it nothing in the data can make a release fail or change its form.
    """
    charge = charge_for(prices, dataset)
    if budget is not None:
        budget.check(charge)
    drawing = watched(source)
    with opened(data, table, types, limits) as found:
        ready = [prepared(price, found) for price in prices]
        if budget is not None:
            budget.spend(charge)
        salts = [Salt.drawn(drawing) for _ in ready]  # before any data is read, as the number of draws may depend on it
        estimates = [one.answer(salt, drawing) for salt, one in zip(salts, ready, strict=True)]
    pairs = zip(prices, estimates, strict=True)
    return [Release(price.query, price.mechanism, price.charge, told, found.files) for price, told in pairs]


def charge_for(price: Quote | Sequence[Quote], dataset: str | None = None) -> Charge:
    """The charge for a price: its mechanism, its purpose, whom the answer protects, and the data (by a public name)."""
    prices = [price] if isinstance(price, Quote) else list(price)
    asked = prices[0].query
    if any((one.query.unit, one.query.adjacency) != (asked.unit, asked.adjacency) for one in prices):
        raise InvalidParameter("unit", "several", "one privacy unit and one neighbouring relation for one charge")
    whole = reduce(add, (one.mechanism for one in prices))
    return Charge(whole, "; ".join(str(one.query) for one in prices), unit_name(asked.unit), asked.adjacency, dataset)


DATA_OPTIONS = frozenset(DataOptions.__annotations__)

__all__ = [
    "STATISTICS",
    "answer",
    "answers",
    "charge_for",
    "count",
    "histogram",
    "mean",
    "quantile",
    "query",
    "quote",
    "run",
    "sum",
    "variance",
]
