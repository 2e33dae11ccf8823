"""A question that comes as text, from a command line: priced without the data, or answered from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Any

from dpcompose.errors import DPError
from dpcompose.numerics.enclosure import rounded
from dpcompose.release.asking import quote, run
from dpcompose.release.budget import Allowance
from dpcompose.release.plans import Plan
from dpcompose.release.reading import typed
from dpcompose.release.sheets import quoted, released, separated, separated_quote
from dpcompose.report import Sheet


@dataclass(frozen=True, slots=True)
class Reply:
    """What is shown: as a sheet, and as comma-separated values."""

    sheet: Sheet
    csv: str


def priced(statistic: str, options: Mapping[str, Any], plan: str | Path | None = None) -> Reply:
    """The price and the error bars, and whether a plan has room for it; no data is opened and nothing is charged."""
    price = quote(statistic, **options)
    if plan is None:
        return Reply(quoted(price), separated_quote(price))
    left = Plan(plan, options["unit"]).allowance()
    left.spend(price.mechanism, str(price.query))
    said = f"It fits into {Path(plan).name!r}: {_total(left)} would then be spent."
    return Reply(quoted(price, said, budget=_document(left)), separated_quote(price))


def answered(
    statistic: str,
    data: str,
    options: Mapping[str, Any],
    plan: str | Path | None = None,
    table: str | None = None,
) -> Reply:
    """The noisy answer; what does not fit into the plan is refused before the data is opened."""
    price = quote(statistic, **options)
    book = None if plan is None else Plan(plan, options["unit"])
    if book is not None:
        book.check(price.mechanism, str(price.query))
    try:
        found = run(statistic, data, table=table, budget=book, **_with_typed_keys(data, table, options))
    except ModuleNotFoundError as missing:
        raise DPError(str(missing)) from None
    if book is None:
        return Reply(released(found), separated(found))
    left = book.allowance()
    said = f"Charged to {book.path.name!r}: {_total(left)} is spent."
    return Reply(released(found, said, budget=_document(left)), separated(found))


def _with_typed_keys(data: str, table: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Keys in the type of their column, which is known once its name and type are looked up."""
    if options.get("keys") is None or options.get("by") is None:
        return dict(options)
    from dpcompose.release.tables import opened

    with opened(data, table) as found:
        found.check({"key": options["by"]})
        return {**options, "keys": typed(options["keys"], found.kind(options["by"]))}


def _total(left: Allowance) -> str:
    spent, most = (rounded(x, ROUND_CEILING) for x in (left.charge.upper, left.epsilon))
    return f"ε ≤ {spent} of {most} at δ = {float(left.delta):g}"


def _document(left: Allowance) -> dict[str, object]:
    return {"epsilon": float(left.epsilon), "delta": float(left.delta), "spent_at_most": left.charge.upper}


__all__ = ["Reply", "answered", "priced"]
