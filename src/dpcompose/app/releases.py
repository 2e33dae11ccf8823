"""Releases as use cases: a question in texts is priced without the data, or answered from it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpcompose import report, spec
from dpcompose.app import release_options as read
from dpcompose.app.charging import Charged, Payer, charged
from dpcompose.app.release_prices import BOUNDS, prices, suggestion
from dpcompose.app.release_sheets import quoted, released, separated, separated_quote, together
from dpcompose.errors import DPError, InvalidParameter
from dpcompose.filters.charge import OverBudget
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.release.ask.result import Quote, Release
from dpcompose.release.ask.sources import Csv, Database
from dpcompose.release.asking import answers, charge_for
from dpcompose.release.charge import Allowance, Plan
from dpcompose.release.engine.sandbox import located
from dpcompose.release.engine.text import header

HIDDEN = re.compile(r"[^\n -~]")
SCHEMA = "schema"


@dataclass(frozen=True, slots=True)
class ReleaseReply:
    """The reply to a release: as a sheet, and as comma-separated values."""

    sheet: report.Sheet
    csv: str

    def text(self) -> str:
        """For a terminal."""
        return self.sheet.text()

    def json(self) -> str:
        """As JSON; control characters are escaped."""
        return HIDDEN.sub(_escaped, report.to_json(self.sheet))


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
    """A question about a table, with its options read."""

    statistic: str
    data: str
    options: Mapping[str, Any]
    source: Mapping[str, Any]
    plan: Path | None = None
    payer: Payer | None = None
    """The account to charge instead of a plan."""
    keep: Path | None = None
    dataset: str | None = None
    memory: str | None = None
    seconds: str | None = None


def request(
    statistic: str, data: str, texts: Mapping[str, Any], *, every_row: bool = False, **known: Any
) -> ReleaseRequest:
    """Read the options of a question."""
    if Path(statistic).suffix:
        raise DPError(f"The question comes first, and then the data: dpcompose release {data} {statistic}.")
    unit = read.unit(texts.get("unit"), every_row=every_row)
    options = read.options({name: text for name, text in texts.items() if name != "unit"})
    return ReleaseRequest(statistic, data, {**options, "unit": unit}, **known)


def priced(asked: ReleaseRequest) -> ReleaseReply:
    """The price and the error bars, and whether a plan has room for them; no data is opened and nothing is charged."""
    several = prices(asked.statistic, asked.options)
    if asked.payer is not None:
        with charged(asked.payer) as book:
            found = book.account.quote(charge_for(several, asked.dataset))
        if not found.fits:
            raise OverBudget(found.why)
        return _priced(several, found.why)
    if asked.plan is None:
        return _priced(several)
    left = Plan(asked.plan, several[0].query.unit).allowance()
    left.spend(charge_for(several, asked.dataset))
    said = f"It fits into {asked.plan.name!r}: {left.sums} would then be spent."
    return _priced(several, said, budget=_document(left))


def _total(several: Sequence[Quote | Release]) -> tuple[str, ...]:
    """What several questions cost together: each keeps to its share of ε and δ, and the shares add up."""
    if len(several) == 1:
        return ()
    epsilon = spec.written(sum((Fraction(one.query.epsilon) for one in several), Fraction(0)))
    delta = spec.written(sum((Fraction(one.query.delta) for one in several), Fraction(0)))
    return (f"Together they cost ε ≤ {epsilon} at δ = {delta}, because KOV-3.1 (DRV10 Thm. III.1)",)


def _priced(several: Sequence[Quote], *said: str, **known: object) -> ReleaseReply:
    said = (*_total(several), *said)
    sheets = [quoted(price, *(said if price is several[-1] else ())) for price in several]
    return ReleaseReply(together(sheets, **known), "\n".join(map(separated_quote, several)))


def answered(asked: ReleaseRequest) -> ReleaseReply:
    """The noisy answer; what does not fit into the plan is refused before the data is opened."""
    several = prices(asked.statistic, asked.options)
    data, limits = read.source(asked.data, asked.source), read.limits(asked.memory, asked.seconds)
    table = None if isinstance(data, Database) else asked.source.get("table")
    with _kept(asked.keep) as store, _book(asked, several[0].query.unit) as book:
        try:
            found = answers(several, data, table=table, limits=limits, budget=book, dataset=asked.dataset)
        except ModuleNotFoundError as missing:
            raise DPError(str(missing)) from None
        hint = (suggestion(found),) if asked.statistic.strip() == BOUNDS else ()
        reply = _reply(found, book, *hint)
        store(reply)
    return reply


@contextmanager
def _book(asked: ReleaseRequest, unit: Any) -> Iterator[Plan | Charged | None]:
    """The budget that is charged: an account, a plan file, or None."""
    if asked.payer is None:
        yield None if asked.plan is None else Plan(asked.plan, unit)
        return
    if asked.plan is not None:
        raise InvalidParameter("--budget-plan, --account", "both", "one of them")
    with charged(asked.payer) as book:
        yield book


def _reply(found: Sequence[Release], book: Plan | Charged | None, *said: str) -> ReleaseReply:
    known: dict[str, object] = {}
    said = (*_total(found), *said)
    if isinstance(book, Charged):
        said, known = (*said, book.said()), {"budget": book.document()}
    elif book is not None:
        left = book.allowance()
        said, known = (*said, f"Charged to {book.path.name!r}: {left.sums} is spent."), {"budget": _document(left)}
    sheets = [released(one, *(said if one is found[-1] else ())) for one in found]
    return ReleaseReply(together(sheets, **known), "\n".join(map(separated, found)))


@contextmanager
def _kept(path: Path | None) -> Iterator[Any]:
    """A file for the answer, made before the charge, filled before anything is shown, and removed if there is no
    answer.
    """
    if path is None:
        yield lambda _: None
        return
    try:
        file = path.open("x", encoding="utf-8")
    except OSError as error:
        raise InvalidParameter("keep", str(path), f"a file that can be made ({error.strerror})") from None
    filled = False

    def store(reply: ReleaseReply) -> None:
        nonlocal filled
        file.write(f"{reply.json()}\n")
        file.flush()
        os.fsync(file.fileno())
        filled = True

    try:
        yield store
    finally:
        file.close()
        if not filled:
            path.unlink(missing_ok=True)


def schema(data: str, said: Mapping[str, Any]) -> str:
    """A declaration to start from: every column in the header of a text file, with the type that it has by default."""
    found = read.source(data, said)
    if not isinstance(found, Csv):
        raise InvalidParameter("data", spec.AsWritten(data), "a text file: other data has types of its own")
    names = header(located(found.path, (".csv", ".tsv", ".txt"), pattern=found.glob)[0], found)
    lines = [f'{json.dumps(name)} = "{found.types.get(name, "text")}"' for name in names]
    return "\n".join(["# text, int, float, bool or date; what does not read as its type is missing", *lines])


def _document(left: Allowance) -> dict[str, object]:
    spent, caps = ({name: pair[i] for name, pair in left.used.items()} for i in (0, 1))
    return {
        "epsilon": float(left.epsilon),
        "delta": float(left.delta),
        "spent": {name: Enclosure.exactly(value).upper for name, value in spent.items()},
        "caps": {name: Enclosure.exactly(value).lower for name, value in caps.items()},
    }


__all__ = ["SCHEMA", "ReleaseReply", "ReleaseRequest", "answered", "priced", "request", "schema"]
