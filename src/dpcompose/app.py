"""The use cases: a request comes in as text, a reply goes out that can be shown in every form.

Nothing here touches a screen or a socket: what is outside is handed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dpcompose import report, spec
from dpcompose import theorems as proved
from dpcompose.description import Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.kernel import STANDARD, Theorem
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.prove import answer
from dpcompose.prove import compare as comparison

_LOADED = proved
"""Importing them is what fills the standard library of theorems."""

Document: TypeAlias = str | Mechanism
"""The text of a document, the name of a file that holds one, or the mechanism itself."""
Exact: TypeAlias = str | Real
"""A number, or its text: `0.1`, `1e-6` or `1/3`, meant exactly."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A result with what was asked, ready to be shown."""

    result: Any
    mechanism: Mechanism | None = None
    given: Mapping[str, Real] = field(default_factory=dict)

    def text(self) -> str:
        """For a terminal of 80 columns."""
        return f"{self._heading()}{report.text(self.result)}"

    def explanation(self) -> str:
        """The proof tree, with statements and sources."""
        return f"{self._heading()}{report.explain(self.result)}"

    def json(self) -> str:
        """For programs."""
        asked = {"mechanism": spec.dumps(self.mechanism)} if self.mechanism is not None else {}
        return report.to_json(self.result, **asked, **{key: spec.written(x) for key, x in self.given.items()})

    def html(self) -> str:
        """For a browser: a whole page."""
        return report.page(self.result)

    def csv(self) -> str:
        """For a spreadsheet."""
        return report.to_csv(self.result)

    def bibtex(self) -> str:
        """For a paper."""
        return report.bibtex(self.result)

    def _heading(self) -> str:
        """What was asked, unless the result says so itself."""
        if self.mechanism is None or isinstance(self.result, comparison.Comparison):
            return ""
        said = ", ".join(f"{SYMBOLS[key]} = {spec.written(value)}" for key, value in self.given.items())
        return f"{report.wrapped(report.subject(self.mechanism))}\n{report.wrapped(said)}\n\n"


SYMBOLS = {"delta": "δ", "epsilon": "ε", "order": "α"}


def load(source: Document, read: Callable[[int], str] | None = None) -> Mechanism:
    """The mechanism of a document; `-` stands for what `read` gives, never more of it than a document may have."""
    if isinstance(source, Mechanism):
        return source
    if source == "-" and read is not None:
        return spec.loads(read(spec.MOST_CHARACTERS + 1))
    return spec.load(source)


def exactly(name: str, value: Exact, param: Param) -> Real:
    """A number within the range of a parameter, from itself or from its text."""
    return spec.within(name, value, param) if isinstance(value, str) else param.check(name, value)


def epsilon(document: Document, delta: Exact, tolerance: Exact = 1e-6) -> Reply:
    """The least ε at which the mechanism is (ε, δ)-DP."""
    mechanism, at = load(document), exactly("delta", delta, DELTA)
    within = float(exactly("tolerance", tolerance, answer.TOLERANCE))
    return Reply(answer.epsilon(mechanism, at, within), mechanism, {"delta": at})


def delta(document: Document, epsilon: Exact, tolerance: Exact = 1e-6) -> Reply:
    """The least δ at which the mechanism is (ε, δ)-DP."""
    mechanism, at = load(document), exactly("epsilon", epsilon, EPSILON)
    within = float(exactly("tolerance", tolerance, answer.TOLERANCE))
    return Reply(answer.delta(mechanism, at, within), mechanism, {"epsilon": at})


def renyi(document: Document, order: Exact) -> Reply:
    """The Rényi divergence of an order."""
    mechanism, at = load(document), exactly("order", order, answer.ORDER)
    return Reply(answer.renyi(mechanism, at), mechanism, {"order": at})


def compare(document: Document, delta: Exact | None = None, epsilon: Exact | None = None) -> Reply:
    """Every theorem side by side, at a δ or at an ε."""
    given, mechanism = asked(delta, epsilon), load(document)
    return Reply(comparison.compare(mechanism, **given), mechanism, given)


def explain(document: Document, delta: Exact | None = None, epsilon: Exact | None = None) -> Reply:
    """The answer at a δ or at an ε; its explanation is what one wants to see."""
    given, mechanism = asked(delta, epsilon), load(document)
    ((name, at),) = given.items()
    found = answer.epsilon(mechanism, at) if name == "delta" else answer.delta(mechanism, at)
    return Reply(found, mechanism, given)


def asked(delta: Exact | None, epsilon: Exact | None) -> dict[str, Real]:
    """The one number that a question gives; both, or neither, are refused."""
    given = {name: value for name, value in (("delta", delta), ("epsilon", epsilon)) if value is not None}
    if len(given) != 1:
        shown = " and ".join(map(str, given.values())) or "nothing"
        raise InvalidParameter("delta, epsilon", shown, "exactly one of the two")
    ((name, value),) = given.items()
    return {name: exactly(name, value, DELTA if name == "delta" else EPSILON)}


def theorems(pattern: str = "") -> Reply:
    """The theorems in force whose ID, name, source or statement contains the pattern; an exact ID stands alone."""
    every = sorted(STANDARD.theorems.values(), key=lambda theorem: (theorem.id, theorem.proof.__name__))
    wanted = pattern.casefold()
    named = [t for t in every if wanted in (name.casefold() for name in (t.id, *t.aliases, t.proof.__name__))]
    found = named or [t for t in every if wanted in searched(t)]
    if not found:
        raise InvalidParameter("pattern", pattern, "a part of the name, source or statement of a theorem")
    return Reply(found)


def searched(theorem: Theorem) -> str:
    """Everything one may remember of a theorem."""
    parts = (theorem.id, *theorem.aliases, theorem.proof.__name__.replace("_", " "), str(theorem.source))
    return " ".join([*parts, theorem.source.authors, theorem.source.title, theorem.statement]).casefold()


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


def describe_card(name: str) -> str:
    """One formula card in words: what it says, and what it takes."""
    from dpcompose import formulas

    return report.card(formulas.formula(name))


def list_cards(pattern: str = "") -> str:
    """The formula cards, a line each."""
    return report.cards(cards(pattern))


def document(source: Document) -> str:
    """The structured document of a mechanism, as JSON."""
    return json.dumps(spec.to_document(load(source)), indent=2, ensure_ascii=False)


def schema() -> str:
    """The JSON Schema of structured documents."""
    return json.dumps(spec.schema(), indent=2, ensure_ascii=False)
