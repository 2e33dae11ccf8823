"""From a mechanism to claims: first what is known of each part, then of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcompose import mechanisms, theorems
from dpcompose.description import Composition, Mechanism, Wrapper
from dpcompose.errors import Declined
from dpcompose.kernel import STANDARD, Claim, SameAs, Side, Theorem, Verb
from dpcompose.notions import Guarantee, Profile

_LOADED = (mechanisms, theorems)
"""Importing them is what fills the standard library of theorems."""


@dataclass(frozen=True, slots=True)
class Known:
    """Every claim about a whole, and the theorems that declined, with their reasons."""

    subject: Composition
    claims: tuple[Claim[Any], ...]
    declined: tuple[tuple[Theorem, str], ...]

    def profiles(self) -> list[Claim[Profile]]:
        """The claims that answer questions: those that close the gap alone first, and the cheapest of each."""
        found = [c for c in self.claims if isinstance(c.guarantee, Profile)]
        return sorted(found, key=lambda claim: (claim.side is not Side.BOTH, claim.theorem.cost))

    def of(self, notion: type[Guarantee]) -> list[Claim[Any]]:
        """The claims of one notion."""
        return [claim for claim in self.claims if isinstance(claim.guarantee, notion)]


def whole(subject: Mechanism) -> Composition:
    """The subject as a flat composition: each different mechanism once."""
    return subject.flat() if isinstance(subject, Composition) else Composition(((subject, 1),))


def known(subject: Mechanism) -> Known:
    """All that the library concludes about a mechanism or composition."""
    flat = whole(subject)
    table = [facts(part) for part, _ in flat.parts]
    work = _Work(flat)
    for theorem in STANDARD.about(Verb.COMPOSES):
        for premises, counts in _selections(flat, table, theorem, work):
            work.apply(theorem, premises, counts)
    for claim in tuple(work.claims):
        for theorem in STANDARD.about(Verb.IMPLIES, type(claim.guarantee)):
            if issubclass(theorem.types[-1], Profile):
                work.apply(theorem, (claim,), ())
    return Known(flat, tuple(work.claims), tuple(work.declined))


@dataclass(slots=True)
class _Work:
    """Claims and refusals as they come."""

    subject: Mechanism
    claims: list[Claim[Any]] = field(default_factory=list)
    declined: list[tuple[Theorem, str]] = field(default_factory=list)

    def apply(self, theorem: Theorem, premises: Sequence[Claim[Any]], counts: Sequence[int] = ()) -> None:
        try:
            claim = theorem(self.subject, premises, counts)
        except Declined as reason:
            self.declined.append((theorem, str(reason)))
        else:
            if not any(self._covers(c, claim) for c in self.claims):
                self.claims.append(claim)

    @staticmethod
    def _covers(old: Claim[Any], new: Claim[Any]) -> bool:
        """Whether nothing new is said; what answers questions is kept under every theorem that says it."""
        spoken = old.theorem is new.theorem or not isinstance(new.guarantee, Profile)
        return spoken and new.side in old.side and old.guarantee == new.guarantee


def facts(part: Mechanism) -> list[Claim[Any]]:
    """Everything known of one part that can be composed."""
    if isinstance(part, Composition):
        return [c for c in known(part).claims if not isinstance(c.guarantee, Profile)]
    work = _Work(part)
    _describe(part, work)
    for same in tuple(work.claims):
        if isinstance(same.guarantee, SameAs):
            (carried,) = STANDARD.about(Verb.IMPLIES, SameAs)
            for claim in facts(same.guarantee.mechanism):
                work.apply(carried, (same, claim))
    for claim in work.claims:  # grows while it is read
        for theorem in STANDARD.about(Verb.IMPLIES, type(claim.guarantee)):
            if not issubclass(theorem.types[-1], Profile) and len(theorem.types) == 2:
                work.apply(theorem, (claim,))
    return work.claims


def _describe(part: Mechanism, work: _Work) -> None:
    """What the descriptions say of the part, or of it and the mechanism inside."""
    inside = facts(part.mechanism) if isinstance(part, Wrapper) else []
    for theorem in STANDARD.about(Verb.DESCRIBES, type(part)):
        if len(theorem.types) == 2:
            work.apply(theorem, ())
            continue
        for claim in inside:
            if isinstance(claim.guarantee, theorem.types[1]):
                work.apply(theorem, (claim,))


def _selections(
    flat: Composition, table: list[list[Claim[Any]]], theorem: Theorem, work: _Work
) -> Iterator[tuple[tuple[Claim[Any], ...], tuple[int, ...]]]:
    """Ways to give each part one claim of the theorem's notion: for the upper end all parts, for the lower any."""
    notion, counts = theorem.types[0], tuple(count for _, count in flat.parts)
    of_notion = [
        sorted((c for c in claims if isinstance(c.guarantee, notion)), key=lambda c: c.side is not Side.BOTH)
        for claims in table
    ]
    above = [[c for c in claims if Side.UPPER in c.side] for claims in of_notion]
    missing = [part for (part, _), claims in zip(flat.parts, above, strict=True) if not claims]
    if missing:
        work.declined.append((theorem, f"{type(missing[0]).__name__} is not known through {notion.__name__}"))
    else:
        for rank in range(max(map(len, above), default=1)):
            yield tuple(claims[min(rank, len(claims) - 1)] for claims in above), counts
    if Side.LOWER in theorem.side:
        below = [([c for c in claims if Side.LOWER in c.side], n) for claims, n in zip(of_notion, counts, strict=True)]
        kept = [(claims[0], n) for claims, n in below if claims]
        if kept and (missing or any(Side.UPPER not in c.side for c, _ in kept) or len(kept) < len(counts)):
            yield tuple(claim for claim, _ in kept), tuple(n for _, n in kept)
