"""Prices and releases in words: sentences and a table for people, a document for programs, rows for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from fractions import Fraction
from typing import cast

from dpcompose import report, spec
from dpcompose.numerics.enclosure import rounded
from dpcompose.parameters import short
from dpcompose.release.ask.result import Quote, Release, charged, key_text, printable

COLUMNS = ("key", "value", "lower", "upper", "confidence", "note")


def quoted(quote: Quote, *said: str, **known: object) -> report.Sheet:
    """What a question would cost, and how large its noise may be."""
    sure = f"noise, {float(quote.query.confidence):.4g} sure"
    rows = tuple((name, _margin(quote, name), report.shortened(spec.dumps(item))) for name, item in quote.items.items())
    more = () if quote.threshold is None else (f"A key is shown from a noisy count of {quote.threshold} on.",)
    sentences = (
        f"{quote.query}",
        f"would cost {charged(quote.charge, quote.query.delta, quote.mechanism)}",
        *more,
        *said,
    )
    return report.Sheet(
        "dpc.quote/1", sentences, (report.Table(("", sure, "mechanism"), rows),), quote.document() | known
    )


def released(release: Release, *said: str, **known: object) -> report.Sheet:
    """The noisy answers, and what they cost."""
    by = key_text(getattr(release.query, "by", None) or "")
    sure = f"{float(release.query.confidence):.4g} sure"
    rows = tuple(
        (
            "" if key is None else printable(key_text(key)),
            rounded(Fraction(found.value), ROUND_HALF_EVEN),
            f"from {rounded(Fraction(found.lower), ROUND_FLOOR)} to {rounded(Fraction(found.upper), ROUND_CEILING)}"
            + (f", {found.note}" if found.note else ""),
        )
        for key, found in release.estimates.items()
    )
    read = (f"It read the files {', '.join(map(printable, release.files))}.",) if release.files else ()
    cost = f"costs {charged(release.charge, release.query.delta, release.mechanism)}"
    sentences = (f"{release.query}", cost, *said, *risky(release), *read)
    table = report.Table((printable(by), "noisy", sure), rows, note="" if rows else "No key reached the threshold.")
    return report.Sheet("dpc.release/1", sentences, (table,), release.document() | known)


def together(sheets: Sequence[report.Sheet], **known: object) -> report.Sheet:
    """A single sheet with further facts; or several sheets below each other, each question with its cost."""
    if len(sheets) == 1:
        return replace(sheets[0], document={**sheets[0].document, **known})
    document = {"parts": [dict(one.document) for one in sheets], **known}
    said = [f"{one.sentences[0]}: {one.sentences[1]}" for one in sheets]
    said += [sentence for one in sheets for sentence in one.sentences[2:]]
    titled = [
        replace(table, title=f"{one.sentences[0].split(' clipped')[0].split(', hiding')[0]}:")
        for one in sheets
        for table in one.tables
    ]
    return report.Sheet("dpc.releases/1", tuple(dict.fromkeys(said)), tuple(titled), document)


@report.sheet.register
def _(result: Release) -> report.Sheet:
    return released(result)


@report.sheet.register
def _(result: Quote) -> report.Sheet:
    return quoted(result)


def separated(release: Release) -> str:
    """A release as comma-separated values: a line for each number, a column for each column of keys."""
    by = getattr(release.query, "by", None)
    if not isinstance(by, tuple):
        return _csv(COLUMNS, [[row[name] for name in COLUMNS] for row in release.rows()])
    rows = [[*cast(tuple[object, ...], row["key"]), *(row[name] for name in COLUMNS[1:])] for row in release.rows()]
    return _csv((*by, *COLUMNS[1:]), rows)


def risky(release: Release) -> tuple[str, ...]:
    """A warning where δ is not below one over the number of units, judged by the noisy counts of this answer."""
    query, counted = release.query, release.query.statistic == "count"
    total = sum(max(found.value, 0) for found in release.estimates.values()) if counted else 0
    if not total or query.delta * total < 1:
        return ()
    enough = f"δ = {short(query.delta)} is no less than 1/n for the {int(total)} counted here"
    return (f"Beware: {enough}, so a mechanism may publish somebody and keep to it. Take a δ well below 1/n.",)


def separated_quote(quote: Quote) -> str:
    """A price as comma-separated values: a line for each item."""
    rows = [[name, spec.dumps(item), quote.margins.get(name, "")] for name, item in quote.items.items()]
    return _csv(("item", "mechanism", "noise_at_most"), rows)


def _csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if cell is None else printable(str(cell), keep="\n\t") for cell in row] for row in rows)
    return out.getvalue()


def _margin(quote: Quote, name: str) -> str:
    """The margin of an item's noise; for a quantile, which is a choice, the margin of its rank."""
    if name in quote.margins:
        return f"±{rounded(quote.margins[name], ROUND_CEILING)}"
    return f"±{rounded(quote.margins['rank'], ROUND_CEILING)} rows in rank" if "rank" in quote.margins else ""


__all__ = ["quoted", "released", "risky", "separated", "separated_quote", "together"]
