"""Results for a terminal: 80 columns, no colour, every number rounded outward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch

from dpcompose.kernel import Theorem
from dpcompose.prove.answer import Answer, Answers
from dpcompose.prove.compare import Comparison, Row
from dpcompose.report.sheet import Table, sheet
from dpcompose.report.words import WIDTH, conditions, number, relative, subject, title, up, wrapped


@singledispatch
def text(result: object) -> str:
    """A result as text; of an unknown kind, as Python prints it."""
    known = sheet(result)
    return str(result) if known is None else known.text()


@text.register
def _(result: Answer) -> str:
    return in_digits(result, 6)


def in_digits(result: Answer, digits: int) -> str:
    """An answer with this many digits of both ends, each rounded outward."""
    lines = [f"{result.question} ∈ {result.enclosure.to_digits(digits)}"]
    lines += [wrapped(result.meaning, hanging="  ")] if result.meaning else []
    lines.append(wrapped(f"because {result.because}", hanging="  "))
    if result.lower_by is not result.upper_by and result.lower < result.upper:
        lines.append(wrapped(other_end(result), hanging="  "))
    return "\n".join(lines)


def other_end(answer: Answer) -> str:
    """The claim behind the end that is not the safe one."""
    end, claim = ("lower", answer.lower_by) if answer.safe_by is answer.upper_by else ("upper", answer.upper_by)
    return f"{end} end: {claim.theorem.id} ({claim.theorem.source})" if claim else f"{end} end: no theorem bounds it"


@text.register
def _(result: Answers) -> str:
    return "\n\n".join(text(answer) for answer in result.each)


@text.register
def _(result: Comparison) -> str:
    return compared(result, every=True)


def compared(result: Comparison, *, every: bool) -> str:
    """Every theorem side by side; those without an upper bound are listed by name, or with their reasons."""
    spoken = [row for row in result.rows if row.enclosure]
    below = [row for row in result.rows if row.is_below]
    declined = [row for row in result.rows if not row.enclosure and not row.is_below]
    blocks = [
        wrapped(subject(result.subject), hanging="  "),
        f"{result.asked} at {result.given} = {number(result.at)}, by every theorem",
        "\n".join(_table(result, spoken).lines()),
    ]
    for rows, heading in ((below, "from below only"), (declined, "declined")):
        if rows and every:
            blocks.append("\n".join([heading, *(_refusal(row) for row in rows)]))
    if not every:
        blocks += [wrapped(line, hanging="  ") for line in _named(below, declined)]
    blocks.append(text(result.best))
    return "\n\n".join(blocks)


def _named(below: Sequence[Row], declined: Sequence[Row]) -> Iterator[str]:
    """The names of theorems without a value: those that bound from below, then those that decline."""
    if below:
        yield f"From below only: {', '.join(row.theorem for row in below)}."
    if declined:
        decline = "declines" if len(declined) == 1 else "decline"
        yield f"{len(declined)} more {decline}: {', '.join(row.theorem for row in declined)}."


def _table(result: Comparison, rows: Sequence[Row]) -> Table:
    """A line for each theorem: its value, how many times the best value that is, and its source."""
    cells = ((row.theorem, promised(row), relative(row.value or 0, result.best.upper), note(row)) for row in rows)
    marked = next((place for place, row in enumerate(rows) if row is result.tightest), None)
    return Table(("theorem", f"{result.asked} ≤", "× best", "source"), tuple(cells), numbers=(1, 2), marked=marked)


def promised(row: Row) -> str:
    """The upper end of a theorem's value, as printed."""
    return up(row.enclosure.most) if row.enclosure else ""


def note(row: Row) -> str:
    """The source of a theorem, and its other names."""
    return f"{row.source} (= {', '.join(row.aliases)})" if row.aliases else row.source


def _refusal(row: Row) -> str:
    return wrapped(row.reason, f"  {row.theorem:<10}  ", " " * 14)


@text.register
def _(result: list | tuple) -> str:  # type: ignore[type-arg]
    """A single theorem in full, or a list of several."""
    if len(result) == 1:
        return statement(result[0])
    names = max((len(theorem.id) for theorem in result), default=0)
    return "\n".join(_entry(theorem, names) for theorem in result)


def _entry(theorem: Theorem, width: int) -> str:
    start = f"{theorem.id:<{width}}  "
    source = str(theorem.source)
    line = f"{start}{title(theorem):<{max(WIDTH - len(start) - len(source) - 2, 1)}}  {source}"
    return line if len(line) <= WIDTH else wrapped(f"{title(theorem)} ({source})", start, " " * len(start))


def statement(theorem: Theorem) -> str:
    """A theorem in full."""
    from dpcompose.report.latex import readable

    head = f"{theorem.id}: {title(theorem)}"
    known = f"also known as {', '.join(theorem.aliases)}" if theorem.aliases else ""
    lines = [head, known, wrapped(readable(theorem.statement), "  "), wrapped(conditions(theorem), "  ")]
    return "\n".join([*filter(None, lines), wrapped(f"Source: {theorem.source}.", "  ")])


@text.register(Mapping)
def _(result: Mapping[str, object]) -> str:
    """The outputs of a formula card."""
    names = max((len(name) for name in result), default=0)
    return "\n".join(
        wrapped(shown(value), f"{name:<{names}} {sign(value)} ", " " * (names + 3)) for name, value in result.items()
    )


def sign(value: object) -> str:
    """∈ for an enclosure, = for an exact value."""
    return "∈" if hasattr(value, "upper") and not isinstance(value, str) else "="


def shown(value: object) -> str:
    """An output of a formula card: enclosures rounded outward, lists in brackets."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    return str(value)
