"""A sheet: what a result says, as sentences and tables for a reader and as one document for a program.

Each kind of result has a function that writes its sheet; layers above this one hand in sheets.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from importlib import import_module
from typing import Protocol, runtime_checkable

from dpcompose.report.words import wrapped

MARK = "*"
NOTEBOOK = "dpcompose.report.notebook"
WRITERS = {
    "dpcompose.calibration": "dpcompose.report.calibrated",
    "dpcompose.regions": "dpcompose.report.rates",
    "dpcompose.curves": "dpcompose.report.sweeps",
    "dpcompose.release.ask.result": "dpcompose.app.release_sheets",
    "dpcompose.mechanisms": NOTEBOOK,
    "dpcompose.description": NOTEBOOK,
    "dpcompose.numerics.enclosure": NOTEBOOK,
    "dpcompose.filters.filter": NOTEBOOK,
    "dpcompose.running_total": NOTEBOOK,
}
"""For the results of each package: the module that writes their sheets, imported when needed."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of printed cells under a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    """What the rows leave out, in a sentence."""
    numbers: tuple[int, ...] = ()
    """The columns that are right-aligned."""
    marked: int | None = None
    """The index of the marked row, if there is one."""

    @property
    def width(self) -> int:
        """The width of the table in characters, without wrapping."""
        return sum(2 + max(len(row[i]) for row in (self.head, *self.rows)) for i in range(len(self.head)))

    def lines(self) -> Iterator[str]:
        """The lines of the table, at most 80 wide: only the last cell of a row is wrapped."""
        if self.title:
            yield self.title
        cells = [self.head, *self.rows] if any(self.head) else [*self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.head) - 1)]
        for place, row in enumerate(cells, start=len(self.rows) - len(cells)):
            mark = MARK if place == self.marked else " "
            fitted = (row[i].rjust(w) if i in self.numbers else row[i].ljust(w) for i, w in enumerate(widths))
            start = "".join([mark, " ", *(f"{cell}  " for cell in fitted)])
            yield wrapped(row[-1], start, " " * len(start)) if row[-1] else start.rstrip()
        if self.note:
            yield wrapped(self.note, "  ")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What every form of a result is made from."""

    schema: str
    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    document: Mapping[str, object] = field(default_factory=dict)

    def text(self) -> str:
        """As text, for a terminal of 80 columns."""
        said = "\n".join(wrapped(sentence, hanging="  ") for sentence in self.sentences)
        return "\n\n".join(filter(None, [said, *("\n".join(table.lines()) for table in self.tables)]))


@runtime_checkable
class Documented(Protocol):
    """A result of a layer above this one, which describes itself."""

    def document(self) -> dict[str, object]:
        """The whole result as plain values."""


@singledispatch
def sheet(result: object) -> Sheet | None:
    """The sheet of a result; None for a result that has a form of its own."""
    if isinstance(result, Sheet):
        return result
    home = type(result).__module__
    writer = next((name for root, name in WRITERS.items() if home.startswith(root)), "")
    if writer and writer not in sys.modules:
        import_module(writer)  # importing it registers the sheets of its results
        return sheet(result)
    if not isinstance(result, Documented):
        return None
    said = tuple(str(result).split("\n"))
    return Sheet(f"dpc.{type(result).__name__.lower()}/1", said, (), result.document())
