"""The questions that anybody may ask: each is a document that is read, computed, and answered as the command line does.

A question never names a file: what it says of a mechanism is the text of a document, or the document itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field, Strict

from dpcompose import app as use
from dpcompose.app import Reply
from dpcompose.errors import InvalidParameter
from dpcompose.server.question import (
    WITH_PICTURE,
    WITH_SOURCES,
    AboutMechanism,
    Form,
    Number,
    Places,
    Question,
    as_text,
)


class Epsilon(AboutMechanism):
    """The least ε at a given δ, enclosed from both sides."""

    forms = WITH_SOURCES
    delta: Number
    tolerance: Number = "1e-6"

    def reply(self) -> Reply:
        """As `dpcompose epsilon`."""
        return use.epsilon(self.what, self.delta, self.tolerance)


class Delta(AboutMechanism):
    """The least δ at a given ε, enclosed from both sides."""

    forms = WITH_SOURCES
    epsilon: Number
    tolerance: Number = "1e-6"

    def reply(self) -> Reply:
        """As `dpcompose delta`."""
        return use.delta(self.what, self.epsilon, self.tolerance)


class Renyi(AboutMechanism):
    """The Rényi divergence of an order, the larger of both directions."""

    forms = WITH_SOURCES
    order: Number

    def reply(self) -> Reply:
        """As `dpcompose renyi`."""
        return use.renyi(self.what, self.order)


class Compare(AboutMechanism):
    """Every theorem side by side, at a δ or at an ε."""

    forms = WITH_SOURCES
    delta: Number | None = None
    epsilon: Number | None = None

    def reply(self) -> Reply:
        """As `dpcompose compare`."""
        return use.compare(self.what, self.delta, self.epsilon)


class Explain(AboutMechanism):
    """Why an answer holds: the tree of theorems behind it."""

    forms = WITH_SOURCES
    delta: Number | None = None
    epsilon: Number | None = None

    def reply(self) -> Reply:
        """As `dpcompose explain`."""
        return use.explain(self.what, self.delta, self.epsilon)

    def told(self) -> str:
        """The tree of theorems."""
        return self.reply().explanation()


class Growth(AboutMechanism):
    """How ε grows with the number of runs, under every theorem."""

    forms = WITH_PICTURE
    delta: Number
    counts: Places = "1,10,100,1000"

    def reply(self) -> Reply:
        """As `dpcompose growth`."""
        return use.growth(self.what, self.delta, self.counts)


class Profile(AboutMechanism):
    """How δ falls as ε grows, under every theorem."""

    forms = WITH_PICTURE
    epsilons: Places = ""

    def reply(self) -> Reply:
        """As `dpcompose profile`."""
        return use.profile(self.what, self.epsilons, use.FEW)

    def drawn(self) -> Reply:
        """At as many places as a picture needs."""
        return use.profile(self.what, self.epsilons, None)


class Region(AboutMechanism):
    """The rates of misses and false alarms that attackers reach."""

    forms = WITH_PICTURE
    tolerance: Number = "1e-3"

    def reply(self) -> Reply:
        """As `dpcompose region`."""
        return use.region(self.what, self.tolerance)


class Check(AboutMechanism):
    """Whether a mechanism is (ε, δ)-DP: the theorem by which it is, or the event that shows it is not."""

    epsilon: Number
    delta: Number

    def reply(self) -> Reply:
        """As `dpcompose check`."""
        return use.check(self.what, self.epsilon, self.delta)


class Beta(AboutMechanism):
    """The least type II error of a test with a given type I error."""

    alpha: Number

    def reply(self) -> Reply:
        """As `dpcompose beta`."""
        return use.beta(self.what, self.alpha)


class Risk(AboutMechanism):
    """What an attacker can do: advantage, hits, errors and odds."""

    fpr: Number = "0.01"
    prior: Number = "0.5"
    delta: Number = "1e-6"

    def reply(self) -> Reply:
        """As `dpcompose risk`."""
        return use.risk(self.what, self.fpr, self.prior, self.delta)


class Document(AboutMechanism):
    """A mechanism as a JSON document, every parameter stated exactly; as text, the expression that says the same."""

    def sent(self, form: Form) -> bytes:
        """As `dpcompose document`."""
        text = use.document(self.what) if form is Form.JSON else use.expression(self.what)
        return f"{text}\n".encode()


class Theorems(Question):
    """The theorems in force whose ID, name, source or statement contains a pattern."""

    pattern: Annotated[str, Field(max_length=200)] = ""

    def reply(self) -> Reply:
        """As `dpcompose theorems`."""
        return use.theorems(self.pattern)


class Calibrate(Question):
    """The number at `?` that just keeps a promise: the least noise, or the most runs."""

    mechanism: Annotated[str, Field(min_length=1, examples=["100 * Gaussian(noise_std=?)"])]
    epsilon: Number | None = None
    delta: Number | None = None
    advantage: Number | None = None
    tpr: Number | None = None
    fpr: Number | None = None
    bayes_error: Number | None = None
    prior: Number | None = None

    def reply(self) -> Reply:
        """As `dpcompose calibrate`."""
        limits = {name: value for name in use.LIMITS if (value := getattr(self, name)) is not None}
        return use.calibrate_text(self.mechanism, limits)


class Advise(Question):
    """Which noise serves so many queries best; with weights, how they share a budget."""

    epsilon: Number
    delta: Number = "0"
    queries: Number | None = None
    sensitivity: Number = "1"
    integer: Annotated[bool, Strict()] | None = None
    weights: Places | None = None
    sensitivities: Places | None = None

    def reply(self) -> Reply:
        """As `dpcompose advise`."""
        if (self.queries is None) == (self.weights is None):
            said = "neither" if self.queries is None else "both"
            raise InvalidParameter("queries, weights", said, "exactly one of the two")
        if self.queries is not None:
            return use.advise(self.queries, self.epsilon, self.delta, self.sensitivity, integer=self.integer)
        return use.share(str(self.weights), self.epsilon, self.delta, self.sensitivities)


class Formula(Question):
    """A theorem in the symbols of its paper; without inputs what the card says, without a card all cards."""

    card: Annotated[str, Field(max_length=100)] | None = None
    inputs: dict[str, Annotated[str, BeforeValidator(as_text), Field(max_length=10_000)]] = Field(default_factory=dict)

    def reply(self) -> Reply:
        """As `dpcompose formula`."""
        if self.card is None:
            return use.list_cards()
        return use.formula(self.card, self.inputs) if self.inputs else use.describe_card(self.card)


QUESTIONS: Mapping[str, type[Question]] = {
    "epsilon": Epsilon,
    "delta": Delta,
    "renyi": Renyi,
    "compare": Compare,
    "explain": Explain,
    "growth": Growth,
    "profile": Profile,
    "region": Region,
    "check": Check,
    "beta": Beta,
    "risk": Risk,
    "calibrate": Calibrate,
    "advise": Advise,
    "formula": Formula,
    "document": Document,
    "theorems": Theorems,
}


__all__ = ["QUESTIONS", "Form", "Question", "Region"]
