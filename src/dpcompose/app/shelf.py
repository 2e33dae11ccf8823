"""What the library contains: theorems, formula cards, and the documents that it reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dpcompose import report, spec
from dpcompose.app.reading import Document, load
from dpcompose.app.reply import Reply
from dpcompose.errors import InvalidParameter
from dpcompose.kernel import STANDARD, Theorem


def theorems(pattern: str = "") -> Reply:
    """The theorems in force with the pattern in ID, name, source or statement; an exact ID gives just that one."""
    every = sorted(STANDARD.theorems.values(), key=lambda theorem: (theorem.id, theorem.proof.__name__))
    wanted = pattern.casefold()
    named = [t for t in every if wanted in (name.casefold() for name in (t.id, *t.aliases, t.proof.__name__))]
    found = named or [t for t in every if wanted in searched(t)]
    if not found:
        raise InvalidParameter("pattern", pattern, "a part of the name, source or statement of a theorem")
    return Reply(found)


def searched(theorem: Theorem) -> str:
    """The text of a theorem in which a pattern is looked for."""
    parts = (theorem.id, *theorem.aliases, theorem.proof.__name__.replace("_", " "), str(theorem.source))
    return " ".join([*parts, theorem.source.authors, theorem.source.title, theorem.statement]).casefold()


def typeset(theorem: Theorem) -> dict[str, Any]:
    """A theorem for a page: itself, its title, and its statement with formulas in MathML."""
    from dpcompose.report.mathml import statement
    from dpcompose.report.words import title

    return {"theorem": theorem, "title": title(theorem), "statement": statement(theorem.statement)}


def formula(card: str, inputs: Mapping[str, str]) -> Reply:
    """A formula card at the given inputs; lists are written in square brackets."""
    from dpcompose import formulas

    given = {name: spec.nested(name, text) if text.lstrip().startswith("[") else text for name, text in inputs.items()}
    return Reply(formulas.formula(card)(**given))


def cards(pattern: str = "") -> list[Any]:
    """The formula cards whose name, source or statement contains the pattern."""
    from dpcompose import formulas

    wanted = pattern.casefold()
    every = [formulas.formula(name) for name in formulas.cards()]
    return [c for c in every if wanted in f"{c.name} {c.source} {c.statement}".casefold()]


def describe_card(name: str) -> Reply:
    """One formula card in words: its statement and its inputs."""
    from dpcompose import formulas

    card = formulas.formula(name)
    return Reply(card, sheet=report.card_sheet([card]))


def list_cards(pattern: str = "") -> Reply:
    """The formula cards, one on each line."""
    found = cards(pattern)
    return Reply(found, sheet=report.card_sheet(found))


def document(source: Document) -> str:
    """The structured document of a mechanism, as JSON."""
    return json.dumps(spec.to_document(load(source)), indent=2, ensure_ascii=False)


def expression(source: Document) -> str:
    """The expression of a mechanism, which is a document as well."""
    return spec.dumps(load(source))


def schema() -> str:
    """The JSON Schema of structured documents."""
    return json.dumps(spec.schema(), indent=2, ensure_ascii=False)
