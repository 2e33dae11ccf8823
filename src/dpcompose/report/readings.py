"""Several answers side by side: what an attacker can do, and the value of every theorem along an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.prove.answer import Answer
from dpcompose.report.sheet import Sheet, Table
from dpcompose.report.words import WIDTH, down, number, up

ACROSS = 7
"""The greatest number of places in one row on a screen."""
MOST_ACROSS = 15
"""With more places than this, the text has a row for each, with the best theorem only."""


def risk(answers: Mapping[str, Answer]) -> Sheet:
    """Answers in one table, by their names in words."""
    rows = tuple((name, f"∈ {answer.enclosure}", _by(answer)) for name, answer in answers.items())
    return Sheet(
        "dpc.risk/1",
        ("What the best attacker can do, who knows everything but one record:",),
        (Table(("", "", "because"), rows),),
        {"readings": [{"reading": name, "answer": answer} for name, answer in answers.items()]},
    )


def _by(answer: Answer) -> str:
    """The last theorem behind the safe end of an answer."""
    claim = answer.safe_by
    return f"{claim.theorem.id} ({claim.theorem.source})" if claim and not answer.note else answer.because


class Spoken(Protocol):
    """One theorem's values along an axis."""

    @property
    def theorem(self) -> str:
        """The theorem's ID."""

    @property
    def values(self) -> Sequence[float | None]:
        """The theorem's values; None where it declines."""


class Swept(Protocol):
    """The values of every theorem along an axis."""

    @property
    def at(self) -> Sequence[Real]:
        """The places on the axis."""

    @property
    def truth(self) -> Sequence[Enclosure]:
        """What all theorems together prove at each place."""

    @property
    def series(self) -> Sequence[Spoken]:
        """The theorems; the tightest at the end of the axis comes last."""


def growth(found: Swept) -> Sheet:
    """ε of k runs under every theorem."""
    return _sweep(found, "dpc.growth/1", "counts", "k", "ε")


def profile(found: Swept) -> Sheet:
    """δ at each ε under every theorem."""
    return _sweep(found, "dpc.profile/1", "epsilons", "ε", "δ")


def _sweep(found: Swept, schema: str, axis: str, place: str, asked: str) -> Sheet:
    many = len(found.at) > MOST_ACROSS
    tables = (_down(found, place, asked),) if many else tuple(_across(found, place, asked))
    document = {
        axis: [x if isinstance(x, int) else number(x) for x in found.at],
        "truth": list(found.truth),
        "theorems": [{"theorem": series.theorem, "upper": list(series.values)} for series in found.series],
    }
    return Sheet(schema, (), tables, document)


def _across(found: Swept, place: str, asked: str) -> Iterator[Table]:
    """A row for each theorem and a column for each place, in as many tables as needed."""
    start = 0
    while start < len(found.at):
        tables = (_block(found, place, asked, slice(start, start + size)) for size in range(ACROSS, 0, -1))
        table = next(table for table in tables if table.width <= WIDTH or len(table.head) == 2)
        start += len(table.head) - 1
        yield table


def _block(found: Swept, place: str, asked: str, here: slice) -> Table:
    rows = [(s.theorem, *("–" if v is None else up(v) for v in s.values[here])) for s in found.series]
    rows.append((f"{asked} at most", *(up(e.most) for e in found.truth[here])))
    rows.append((f"{asked} at least", *(down(e.least) for e in found.truth[here])))
    return Table((f"{place} =", *(_short(x) for x in found.at[here])), tuple(rows))


def _down(found: Swept, place: str, asked: str) -> Table:
    """A row for each place, with the theorem that is tightest there."""
    rows = []
    for i, (x, enclosure) in enumerate(zip(found.at, found.truth, strict=True)):
        spoken = [(series.values[i], series.theorem) for series in reversed(found.series)]
        best = min(((v, name) for v, name in spoken if v is not None), key=lambda pair: pair[0], default=(0.0, ""))
        rows.append((_short(x), down(enclosure.least), up(enclosure.most), best[1]))
    return Table((place, f"{asked} at least", f"{asked} at most", "tightest"), tuple(rows))


def _short(place: Real) -> str:
    """A place on the axis: exactly if that is short, else to six digits."""
    said = number(place)
    return said if len(said) <= 10 else f"≈{float(place):.6g}"
