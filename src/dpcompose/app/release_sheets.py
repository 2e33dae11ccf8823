"""How a price and a release read: sentences and a table for people, a document for programs, rows for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from fractions import Fraction

from dpcompose import report, spec
from dpcompose.numerics.enclosure import rounded
from dpcompose.release.ask.result import Quote, Release, charged, printable

COLUMNS = ("key", "value", "lower", "upper", "confidence", "note")


def quoted(quote: Quote, *said: str, **known: object) -> report.Sheet:
    """What a question would cost, and how far its noise reaches."""
    sure = f"noise, {float(quote.query.confidence):.4g} sure"
    rows = tuple((name, _margin(quote, name), report.shortened(spec.dumps(item))) for name, item in quote.items.items())
    more = () if quote.threshold is None else (f"A key is shown from a noisy count of {quote.threshold} on.",)
    sentences = (f"{quote.query}", f"would cost {charged(quote.charge, quote.query.delta)}", *more, *said)
    return report.Sheet(
        "dpc.quote/1", sentences, (report.Table(("", sure, "mechanism"), rows),), quote.document() | known
    )


def released(release: Release, *said: str, **known: object) -> report.Sheet:
    """The noisy answers, and what they cost."""
    by = getattr(release.query, "by", None) or ""
    sure = f"{float(release.query.confidence):.4g} sure"
    rows = tuple(
        (
            "" if key is None else printable(str(key)),
            rounded(Fraction(found.value), ROUND_HALF_EVEN),
            f"from {rounded(Fraction(found.lower), ROUND_FLOOR)} to {rounded(Fraction(found.upper), ROUND_CEILING)}"
            + (f", {found.note}" if found.note else ""),
        )
        for key, found in release.estimates.items()
    )
    read = (f"It read the files {', '.join(map(printable, release.files))}.",) if release.files else ()
    sentences = (f"{release.query}", f"costs {charged(release.charge, release.query.delta)}", *said, *read)
    table = report.Table(
        (printable(str(by)), "noisy", sure), rows, note="" if rows else "No key reached the threshold."
    )
    return report.Sheet("dpc.release/1", sentences, (table,), release.document() | known)


def separated(release: Release) -> str:
    """Comma-separated values, a line a number."""
    return _csv(COLUMNS, [[row[name] for name in COLUMNS] for row in release.rows()])


def separated_quote(quote: Quote) -> str:
    """The price in comma-separated values, a line an item."""
    rows = [[name, spec.dumps(item), quote.margins.get(name, "")] for name, item in quote.items.items()]
    return _csv(("item", "mechanism", "noise_at_most"), rows)


def _csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if cell is None else printable(str(cell), keep="\n\t") for cell in row] for row in rows)
    return out.getvalue()


def _margin(quote: Quote, name: str) -> str:
    """How far an item strays; the item of a quantile is a choice, which strays in rank."""
    if name in quote.margins:
        return f"±{rounded(quote.margins[name], ROUND_CEILING)}"
    return f"±{rounded(quote.margins['rank'], ROUND_CEILING)} rows in rank" if "rank" in quote.margins else ""


__all__ = ["quoted", "released", "separated", "separated_quote"]
