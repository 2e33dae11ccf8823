"""Every theorem side by side, with the value of each, and what all imply together."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any, TypeAlias

from dpcompose.description import Adjacency, Composition, Subject
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.kernel import STANDARD, Claim, SameAs, Side, Theorem, Verb
from dpcompose.notions import Profile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, Enclosure, Real, rounded
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import Answer, about, intersected, reasoned
from dpcompose.prove.claims import Derivation, known
from dpcompose.shown import Explained

Said: TypeAlias = list[tuple[Claim[Any], Enclosure]]
"""The value of each claim."""


@dataclass(frozen=True, slots=True)
class Row:
    """One theorem with its own value, not capped by others, or with the reason why it has none."""

    theorem: str
    aliases: tuple[str, ...]
    enclosure: Enclosure | None
    reason: str
    claim: Claim[Any] | None
    source: str
    is_below: bool = False
    """Whether the theorem applies, but bounds the cost from below only: it has no value, and does not decline."""

    @property
    def value(self) -> float | None:
        """The upper end of the theorem's value; None where it bounds nothing from above."""
        return self.enclosure.upper if self.enclosure else None

    epsilon = value
    delta = value


@dataclass(frozen=True, slots=True)
class Comparison(Explained):
    """The question, every theorem's row (the tightest first), and the sound minimum."""

    subject: Composition
    asked: str
    given: str
    at: Real
    rows: tuple[Row, ...]
    best: Answer

    def __str__(self) -> str:
        shown = [
            f"{'*' if row is self.tightest else ' '} {row.theorem:<10} "
            + (f"{self.asked} ≤ {rounded(row.value, ROUND_CEILING)}" if row.value is not None else f"– {row.reason}")
            for row in self.rows
        ]
        return "\n".join([*shown, str(self.best)])

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.rows)} theorems at {self.given} = {self.at}: {self.best!r}>"

    def __format__(self, form: str) -> str:
        """`f"{comparison:.3g}"` is the safe end of what all theorems imply together; without a form, every theorem."""
        return format(self.best, form) if form else str(self)

    @property
    def tightest(self) -> Row | None:
        """The row whose claim gives the best upper end."""
        return next((row for row in self.rows if row.claim is self.best.upper_by and row.claim), None)


def compare(mechanism: Subject, *, delta: Real | None = None, epsilon: Real | None = None) -> Comparison:
    """Evaluate every theorem at δ (for ε) or at ε (for δ)."""
    if (delta is None) == (epsilon is None):
        raise InvalidParameter("delta, epsilon", (delta, epsilon), "exactly one of the two")
    facts = known(mechanism)
    if delta is not None:
        asked, given, at, possible = "ε", "δ", DELTA.check("delta", delta), NON_NEGATIVE
    else:
        asked, given, at, possible = "δ", "ε", EPSILON.check("epsilon", epsilon), UNIT_INTERVAL
    said, refused = _evaluated(facts, at, given)
    best = about(facts.subject, intersected(asked, said, possible))
    best = best if delta is None else reasoned(best, at)
    theorems = [t for t in STANDARD.theorems.values() if issubclass(t.types[-1], Profile)]
    rows = _one_each([_row(theorem, facts, said, refused, asked) for theorem in theorems])
    rows.sort(key=lambda row: (row.value is None, row.value, row.theorem))
    return Comparison(facts.subject, asked, given, at, tuple(rows), best)


def _one_each(rows: list[Row]) -> list[Row]:
    """One row for each ID: the one with the least value, else the first refusal."""
    kept: dict[str, Row] = {}
    for row in rows:
        known = kept.setdefault(row.theorem, row)
        if row.value is not None and (known.value is None or row.value < known.value):
            kept[row.theorem] = row
    return [*kept.values()]


@effort.question()
def _evaluated(facts: Derivation, at: Real, given: str) -> tuple[Said, dict[str, str]]:
    """The value of each profile, and the reasons of those that decline."""
    said: Said = []
    refused: dict[str, str] = {}
    for claim in facts.profiles():
        if said and effort.is_worn_out():
            refused[spoken(claim).id] = "the others took so long that it was not asked"
            continue
        try:
            with effort.dispensable():
                found = claim.guarantee.epsilon(at) if given == "δ" else claim.guarantee.delta(at)
        except Declined as reason:
            refused[spoken(claim).id] = str(reason)
        else:
            said.append((claim, found))
    return said, refused


def spoken(claim: Claim[Any]) -> Theorem:
    """The theorem to name: for a claim carried over from an equal mechanism, the theorem behind that claim."""
    while claim.premises and isinstance(claim.premises[0].guarantee, SameAs):
        claim = claim.premises[-1]
    return claim.theorem


def _row(theorem: Theorem, facts: Derivation, said: Said, refused: dict[str, str], asked: str) -> Row:
    own = [
        (found.upper, claim, found) for claim, found in said if spoken(claim) is theorem and Side.UPPER in claim.side
    ]
    if own:
        _, claim, found = min(own, key=lambda item: item[0])
        return Row(theorem.id, theorem.aliases, found, "", claim, str(theorem.source))
    why, is_below = (refused[theorem.id], False) if theorem.id in refused else _reason(theorem, facts, said, asked)
    return Row(theorem.id, theorem.aliases, None, why, None, str(theorem.source), is_below)


def _reason(theorem: Theorem, facts: Derivation, said: Said, asked: str) -> tuple[str, bool]:
    """Why a theorem bounds nothing from above: it bounds from below only (then also True), it declined, or its
    premises could not be derived.
    """
    below = [found.lower for claim, found in said if spoken(claim) is theorem]
    if below and Side.UPPER not in theorem.side:
        return f"bounds from below only: {asked} ≥ {rounded(max(below), ROUND_FLOOR)}", True
    own = [why for t, why in facts.declined if t is theorem]
    if own:
        return own[-1], False
    if facts.subject.adjacency is Adjacency.REPLACE_ONE and any(c.theorem is theorem for c in facts.profiles()):
        return "a bound from below only: under replace_one each part may face either way", True
    before = [why for t, why in facts.declined if t.verb is Verb.COMPOSES and t.types[-1] is theorem.types[0]]
    return before[-1] if before else f"nothing here is described by {theorem.types[0].called}", False
