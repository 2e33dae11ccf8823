"""The referee's report: a row for each accountant, then every answer that is missing or below the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpcompose.numerics.enclosure import Enclosure
from dpcompose.referee.judging import Cell, Sheet
from dpcompose.referee.works import VERSION

HEAD = ("accountant", "version", "works", "sound?", "tight? (median gap)", "total? (failures)", "fast? (times ours)")


def told(sheets: Sequence[Sheet], *, markdown: bool = False) -> str:
    """The whole report, as text or as the Markdown table of the documentation."""
    ours = next((sheet for sheet in sheets if sheet.adapter.package == "dpcompose"), None)
    rows = [HEAD, *(row(sheet, ours) for sheet in sheets)]
    findings = [line for sheet in sheets for line in faults(sheet)]
    if markdown:
        lines = [f"| {' | '.join(cells)} |" for cells in rows]
        table = [lines[0], f"|{'---|' * len(HEAD)}", *lines[1:]]
        listed = [f"- {line}" for line in findings]
    else:
        widths = [max(len(cells[i]) for cells in rows) for i in range(len(HEAD))]
        table = [f"Works of version {VERSION}.", *("  ".join(map(str.ljust, cells, widths)).rstrip() for cells in rows)]
        listed = findings
    return "\n".join([*table, *(["", *listed] if listed else [])])


def row(sheet: Sheet, ours: Sheet | None) -> tuple[str, ...]:
    """The row of one accountant."""
    wrong = [cell for cell in sheet.cells if cell.unsound]
    sound = "yes" if not wrong else f"no: {len(wrong)}, worst {sheet.worst.violation:.2g} below" if sheet.worst else ""
    if sheet.adapter.estimate and wrong:
        sound = f"{sound} (says so)"
    gap = sheet.median_gap
    return (
        sheet.adapter.name,
        sheet.version,
        f"{len(sheet.answered)} of {len(sheet.cells)}",
        sound,
        "–" if gap is None else f"{gap:.1g}",
        "yes" if not sheet.failures else f"no: {len(sheet.failures)}",
        pace(sheet, ours),
    )


def pace(sheet: Sheet, ours: Sheet | None) -> str:
    """The accountant's median time as a multiple of ours, how often it is faster and sound, and how often then as
    tight.
    """
    slower = sheet.slower(ours) if ours is not None else None
    if slower is None or ours is None:
        return "–"
    sooner = sheet.faster(ours)
    tight = sum(cell.tight for cell in sooner)
    return f"{slower:.3g}" + (f"; faster on {len(sooner)}, {tight} of them as tight" if sooner else "")


def faults(sheet: Sheet) -> Iterator[str]:
    """Every answer that is missing or below the truth, with the command that reproduces it."""
    for cell in sheet.cells:
        if cell.unsound or cell.failed:
            yield f"{sheet.adapter.name} on {cell.work.id} ({cell.work.why}): {verdict(cell)}"
    for less, more in sheet.contradictions:
        yield f"{sheet.adapter.name} says more of {less} than of {more}, which costs no less"


def verdict(cell: Cell) -> str:
    """One answer beside the truth, in words."""
    truth = Enclosure(cell.work.lower, cell.work.upper)
    return f"{cell.fault or f'{cell.said:.6g}'} where ε ∈ {truth} at δ = {cell.work.delta:g}"


__all__ = ["told"]
