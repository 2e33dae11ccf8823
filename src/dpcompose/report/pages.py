"""Results as HTML: fragments for notebooks, and whole pages that need nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from html import escape
from typing import Any

from dpcompose.kernel import Claim, Theorem
from dpcompose.prove.answer import Answer, Answers
from dpcompose.prove.compare import Comparison, Row
from dpcompose.report.latex import readable
from dpcompose.report.proof import claims, sources
from dpcompose.report.sheet import Documented, Table, sheet
from dpcompose.report.spending import Spending, spending
from dpcompose.report.text import note, other_end, promised, shown
from dpcompose.report.words import conditions, down, number, promise, reference, relative, subject, title, up

STYLE = """
.dpcompose { max-width: 60rem }
.dpcompose table { border-collapse: collapse; margin: .6rem 0; font-size: .95em }
.dpcompose th, .dpcompose td { text-align: left; vertical-align: top; padding: .2rem .8rem; background: none }
.dpcompose th { font-weight: 600 }
.dpcompose tr { border-bottom: 1px solid rgba(127, 127, 127, .35); background: none }
.dpcompose td.number { text-align: right; font-variant-numeric: tabular-nums }
.dpcompose tr.tightest { font-weight: 600; background: rgba(46, 160, 67, .16) }
.dpcompose tr.declined { opacity: .65 }
.dpcompose .answer { font-size: 1.4em; margin: .4rem 0 }
.dpcompose p { margin: .3rem 0 }
.dpcompose ul { list-style: none; border-left: 2px solid rgba(127, 127, 127, .35); padding-left: 1rem }
@media (max-width: 40em) { .dpcompose th, .dpcompose td { padding: .2rem .35rem } }
.dpcompose code, .dpcompose pre { white-space: pre-wrap; overflow-wrap: anywhere; background: none; color: inherit }
"""
"""The reader's own colours, light or dark; marked rows are tinted."""
PAGE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
"""


@singledispatch
def html(result: object) -> str:
    """A result as an HTML fragment; formulas keep their LaTeX in `data-latex`."""
    known = sheet(result)
    if isinstance(result, Spending) and not getattr(known, "tables", ()):
        known = spending(result)
    if known is None or (not known.tables and not _is_flat(known.document)):
        return _box(f"<pre>{escape(str(result))}</pre>")
    if isinstance(result, Documented) and not known.tables:
        return _box(f"<p>{escape(known.sentences[0])}</p>", _rows(("", ""), map(_row, _flat(known.document))))
    said = (f"<p>{escape(sentence)}</p>" for sentence in known.sentences)
    return _box(*said, *map(_tabled, known.tables))


def _is_flat(document: Mapping[str, object]) -> bool:
    """Whether a document is one list of names and values; a document with rows is shown by its text instead."""
    nested = (item for value in document.values() if isinstance(value, list) for item in value)
    return not any(isinstance(item, Mapping) for item in nested)


def _flat(document: Mapping[str, object], under: str = "") -> Iterator[tuple[str, str]]:
    """A document as one list of names and values."""
    for key, value in document.items():
        name = f"{under}{key.replace('_', ' ')}"
        yield from _flat(value, f"{name}: ") if isinstance(value, Mapping) else [(name, str(value))]


def _tabled(table: Table) -> str:
    """A table with its title and note."""
    title, note = (f"<p>{escape(text)}</p>\n" if text else "" for text in (table.title, table.note))
    return f"{title}{_rows(table.head, map(_row, table.rows))}{note}"


def page(result: object, heading: str = "dpcompose") -> str:
    """A result as a whole HTML page, without scripts or external files."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{PAGE}</style>\n</head>\n"
        f"<body>\n<h1>{escape(heading)}</h1>\n{html(result)}\n</body>\n</html>\n"
    )


def _box(*parts: str) -> str:
    """A fragment with its style, as a notebook has none for it."""
    return f'<div class="dpcompose">\n<style>{STYLE}</style>\n' + "\n".join(filter(None, parts)) + "\n</div>"


def _rows(head: Sequence[str], rows: Iterable[str]) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f"<table>\n<thead><tr>{cells}</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _row(cells: Sequence[str], kind: str = "", numbers: Sequence[int] = ()) -> str:
    shown_cells = "".join(
        f'<td class="number">{escape(cell)}</td>' if i in numbers else f"<td>{escape(cell)}</td>"
        for i, cell in enumerate(cells)
    )
    return f'<tr class="{kind}">{shown_cells}</tr>' if kind else f"<tr>{shown_cells}</tr>"


@html.register
def _(result: Answer) -> str:
    known = result.enclosure
    ends = (("at least", down(known.least), result.lower_by), ("at most", up(known.most), result.upper_by))
    rows = (_row((end, value, _by(claim)), numbers=(1,)) for end, value, claim in ends)
    return _box(_answer(result), _rows((result.question, "", "by"), rows), *_proof(result))


def _by(claim: Claim[Any] | None) -> str:
    return f"{claim.theorem.id} ({claim.theorem.source})" if claim else ""


@html.register
def _(result: Answers) -> str:
    rows = (_row((a.question, str(a.enclosure), a.because), numbers=(1,)) for a in result.each)
    return _box(_rows(("", "∈", "because"), rows))


def _answer(answer: Answer) -> str:
    other = "" if answer.lower_by is answer.upper_by else f"<br>{escape(other_end(answer))}"
    return (
        f'<p class="answer">{escape(answer.question)} ∈ {escape(str(answer.enclosure))}</p>\n'
        f"<p>{escape(answer.meaning)}{' ' if answer.meaning else ''}because {escape(answer.because)}{other}</p>"
    )


def _proof(result: Answer) -> list[str]:
    trees = "".join(_claim(claim) for claim in claims(result))
    listed = "".join(f"<li>{escape(reference(source))}</li>" for source in sources(result).values())
    return [f"<details><summary>Why</summary>\n<ul>{trees}</ul>\n<ul>{listed}</ul></details>"] if trees else []


def _claim(claim: Claim[Any]) -> str:
    inner = "".join(_claim(premise) for premise in claim.premises)
    said = f"<code>{escape(subject(claim.subject))}</code> ⊢ {escape(promise(claim.guarantee, claim.side))}"
    return f"<li>{_theorem_head(claim.theorem)}<br>{said}{_statement(claim.theorem)}<ul>{inner}</ul></li>\n"


def _theorem_head(theorem: Theorem) -> str:
    return f"<b>{escape(theorem.id)}</b> {escape(title(theorem))} ({escape(str(theorem.source))})"


def _statement(theorem: Theorem) -> str:
    lines = escape(readable(theorem.statement)).replace("\n", "<br>")
    return f'<p class="statement" data-latex="{escape(theorem.statement, quote=True)}">{lines}</p>'


@html.register
def _(result: Comparison) -> str:
    head = ("theorem", f"{result.asked} ≤", "× best", "source, or why it has no value")
    return _box(
        f"<p><code>{escape(subject(result.subject))}</code></p>",
        f"<p>{escape(result.asked)} at {escape(result.given)} = {escape(number(result.at))}</p>",
        _answer(result.best),
        _rows(head, (_compared(row, result) for row in result.rows)),
        *_proof(result.best),
    )


def _compared(row: Row, result: Comparison) -> str:
    if row.value is None:
        return _row((row.theorem, "", "", row.reason), "" if row.is_below else "declined")
    cells = (row.theorem, promised(row), relative(row.value, result.best.upper), note(row))
    return _row(cells, "tightest" if row is result.tightest else "", numbers=(1, 2))


@html.register(list)
@html.register(tuple)
def _(result: list[Theorem] | tuple[Theorem, ...]) -> str:
    return _box(*(f"<p>{_theorem_head(t)}</p>{_statement(t)}<p>{escape(conditions(t))}</p>" for t in result))


@html.register(Mapping)
def _(result: Mapping[str, object]) -> str:
    return _box(_rows(("output", "value"), (_row((name, shown(value))) for name, value in result.items())))
