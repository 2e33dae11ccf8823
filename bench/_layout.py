"""The tables of the pages: one fact a cell, one work a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

OURS = "dpcompose"
NOTHING = "–"
FACTS = {"took": "Time", "above": "Upper end above the truth by", "below": "Lower end below it by"}
"""A table each."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one library said of one question, in print. `above` and `below` are how far its ends are from the truth."""

    by: str
    value: str
    took: str
    ratio: str
    above: str
    below: str
    memory: str

    @property
    def name(self) -> str:
        """Ours stands out."""
        return f"**{self.by}**" if self.by == OURS else self.by


Answers = Mapping[str, Sequence[Line]]
"""The lines of one work, by δ."""


def row(*cells: str) -> str:
    """A line of a table."""
    return "| " + " | ".join(cells) + " |"


def table(head: Sequence[str], body: Iterable[str]) -> str:
    """Head, rule and lines; the first column is text, the others are numbers."""
    return "\n".join([row(*head), "|---|" + "--:|" * (len(head) - 1), *body])


def side_by_side(works: Mapping[str, Answers]) -> str:
    """A work asked at several δ: the times, then how far each end is from the truth; a column for each δ."""
    return "\n\n".join(block for name, answers in works.items() for block in _matrices(name, answers))


def _matrices(name: str, answers: Answers) -> Iterator[str]:
    head = ["", *(f"δ = {delta}" for delta in answers)]
    yield f"### {name}"
    for title, fact in (
        ("Time", "took"),
        ("Upper end above the truth by", "above"),
        ("Lower end below it by", "below"),
    ):
        body = [
            (lines[0].name, [getattr(line, fact) for line in lines]) for lines in zip(*answers.values(), strict=True)
        ]
        yield table([title, *head[1:]], [row(by, *cells) for by, cells in body if set(cells) != {NOTHING}])


def one_by_one(works: Mapping[str, Answers]) -> str:
    """A table for each work that a peer was asked, too; and one for what only we were asked."""
    shared = {name: answers for name, answers in works.items() if any(len(lines) > 1 for lines in answers.values())}
    alone = {name: answers for name, answers in works.items() if name not in shared}
    return "\n\n".join([*(block for name in shared for block in _with_peers(name, shared[name])), *_without(alone)])


def _with_peers(name: str, answers: Answers) -> Iterator[str]:
    for delta, lines in answers.items():
        yield f"### {name}" + ("" if delta == NOTHING else f" = {delta}")
        head = ("", "value", "time", "× ours", "above by", "below by", "MB")
        yield table(head, (row(x.name, x.value, x.took, x.ratio, x.above, x.below, x.memory) for x in lines))


def _without(works: Mapping[str, Answers]) -> Iterator[str]:
    if works:
        yield "### What no peer was asked"
        body = (
            row(name, delta, lines[0].value, lines[0].took, lines[0].above, lines[0].memory)
            for name, answers in works.items()
            for delta, lines in answers.items()
        )
        yield table(("work", "δ", "value", "time", "gap", "MB"), body)


def short(works: Mapping[str, tuple[Line, Line | None]]) -> str:
    """One line a work: ours, and the peer that bounds from both sides."""
    body = (
        row(name, ours.took, ours.above, *(_peer(theirs) if theirs else (NOTHING, NOTHING, NOTHING)))
        for name, (ours, theirs) in works.items()
    )
    return table(("work", "dpcompose", "gap", "PLD", "above by", "below by"), body)


def _peer(line: Line) -> tuple[str, str, str]:
    return line.took, line.above, line.below
