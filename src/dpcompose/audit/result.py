"""The result of an audit: a lower bound on ε, its confidence, and the event that shows it."""

from __future__ import annotations

import math
import textwrap
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from dpcompose.audit.clopper_pearson import CP34, Trials
from dpcompose.audit.promises import Promise, promised
from dpcompose.audit.readings import Point, Reading
from dpcompose.kernel import Source
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import short
from dpcompose.shown import Told

_LABEL, _WIDTH = 12, 80


class Witness(ABC):
    """The evidence: what was counted, and the lower bound on ε at any δ that follows."""

    @property
    @abstractmethod
    def assumes(self) -> str:
        """What must be true for the bound to hold."""

    @property
    @abstractmethod
    def source(self) -> Source:
        """The source of the theorem."""

    @abstractmethod
    def epsilon(self, delta: Real) -> float:
        """The lower bound on ε at δ, rounded down; it fails with probability at most 1 - confidence."""

    @abstractmethod
    def facts(self) -> dict[str, str]:
        """What was counted, one line each."""

    @abstractmethod
    def document(self) -> dict[str, object]:
        """The same as plain values."""


@dataclass(frozen=True, slots=True)
class Separation(Witness):
    """An event counted on both inputs, and the confidence limits of its two probabilities.

    The limits do not depend on δ, so one audit answers for every δ at once.
    """

    event: object
    first: Trials
    second: Trials
    point: Point
    reading: Reading
    inputs: tuple[str, str] = ("first input", "second input")
    chosen_on: tuple[int, int] | None = None
    """The number of outputs of each input on which the event was chosen; it was counted on others."""

    @property
    def assumes(self) -> str:
        """Independent outputs, and the hypothesis of the reading."""
        return f"independent outputs of {self.reading.assumes}"

    @property
    def source(self) -> Source:
        """The source of the confidence limits."""
        return CP34

    def epsilon(self, delta: Real) -> float:
        """The lower bound that the two limits imply."""
        return self.reading.epsilon(self.point, delta)

    def facts(self) -> dict[str, str]:
        """The event and its counts."""
        likely, unlikely = Fraction(self.point.likely), Fraction(self.point.unlikely)
        counted = [(self.inputs[0], self.first), (self.inputs[1], self.second)]
        event = str(self.event)
        if self._is_missed():  # the complement gives the greater bound, and is likelier on the other input
            event = f"not ({event})"
            likely, unlikely = 1 - Fraction(unlikely), 1 - Fraction(likely)
            counted = [(name, Trials(t.total - t.hits, t.total)) for name, t in reversed(counted)]
        (more, often), (less, seldom) = counted
        split = {}
        if self.chosen_on is not None:
            halves = f"{self.chosen_on[0]} + {self.chosen_on[1]}"
            split = {"split": f"the event was chosen on {halves} outputs and counted on the other ones"}
        return {
            **split,
            "event": event,
            more: f"{often}, so its probability is at least {rounded(likely, ROUND_FLOOR)}",
            less: f"{seldom}, so its probability is at most {rounded(unlikely, ROUND_CEILING)}",
        }

    def _is_missed(self) -> bool:
        """Whether the complement of the event has the greater ratio of probabilities."""
        likely, unlikely = self.point.likely, self.point.unlikely
        return (1 - unlikely) * unlikely > likely * (1 - likely)

    def document(self) -> dict[str, object]:
        """The event, its counts and its limits."""
        chosen = {} if self.chosen_on is None else {"chosen_on": list(self.chosen_on)}
        return {
            **chosen,
            "event": str(self.event),
            "first": {"hits": self.first.hits, "total": self.first.total, "probability_at_least": self.point.likely},
            "second": {
                "hits": self.second.hits,
                "total": self.second.total,
                "probability_at_most": self.point.unlikely,
            },
        }


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Told):
    """Whether the evidence refutes a promise. Evidence that does not refute it does not prove it."""

    promise: Promise
    found: float
    confidence: Real

    @property
    def violated(self) -> bool:
        """Whether the lower bound exceeds what was promised."""
        return self.found > self.promise.epsilon

    def __str__(self) -> str:
        at_least = f"ε ≥ {rounded(self.found, ROUND_FLOOR)} at δ = {short(self.promise.delta)}"
        if self.violated:
            return f"VIOLATED: {at_least}, but {self.promise}"
        return f"consistent: {at_least}, and {self.promise}"


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Told):
    """With the stated confidence, the mechanism is not (ε′, δ)-DP for any ε′ < `epsilon`."""

    witness: Witness
    delta: Real
    confidence: Real
    claim: Promise | None = None
    epsilon: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", self.witness.epsilon(self.delta))

    def against(self, claim: object) -> Audit:
        """The same audit, with a claim to be judged."""
        return replace(self, claim=promised(claim, self.delta))

    def verdict(self, claim: object = None) -> Verdict:
        """Whether the audit refutes a claim: a pair (ε, δ), a mechanism, or a mechanism's expression.

        A mechanism stands for the computed upper bound of its ε at the δ of the audit. Without an argument, the
        claim that the audit remembers is judged.
        """
        promise = self.claim if claim is None and self.claim is not None else promised(claim, self.delta)
        return Verdict(promise, self.witness.epsilon(promise.delta), self.confidence)

    def document(self) -> dict[str, object]:
        """Everything as plain values, for JSON; an infinite ε is the text "inf"."""
        found: dict[str, object] = {
            "epsilon_at_least": _plain(self.epsilon),
            "delta": float(self.delta),
            "confidence": float(self.confidence),
            "assumes": self.witness.assumes,
            "witness": self.witness.document(),
            "source": str(self.witness.source),
        }
        if self.claim is not None:
            verdict = self.verdict()
            found["claim"] = {
                "text": self.claim.text,
                "epsilon_at_most": _plain(float(self.claim.epsilon)),
                "delta": float(self.claim.delta),
                "violated": verdict.violated,
            }
        return found

    def cite(self) -> str:
        """BibTeX for the theorem behind the bound."""
        return self.witness.source.bibtex

    def __float__(self) -> float:
        return self.epsilon

    def __str__(self) -> str:
        head = f"ε ≥ {rounded(self.epsilon, ROUND_FLOOR)} at δ = {short(self.delta)}, confidence {_shown(self)}"
        facts = {**self.witness.facts(), "assuming": self.witness.assumes}
        if self.claim is not None:
            facts["verdict"] = str(self.verdict())
        return "\n".join([head, *(_line(name, fact) for name, fact in facts.items())])


def _shown(audit: Audit) -> str:
    """The confidence as printed, rounded down."""
    nearest = float(audit.confidence)
    return repr(nearest if nearest <= audit.confidence else math.nextafter(nearest, 0.0))


def _line(name: str, fact: str) -> str:
    indent = " " * (_LABEL + 4)
    return textwrap.fill(f"  {name:<{_LABEL}}  {fact}", _WIDTH, subsequent_indent=indent)


def _plain(epsilon: float) -> float | str:
    return epsilon if math.isfinite(epsilon) else "inf"


__all__ = ["Audit", "Separation", "Verdict", "Witness"]
