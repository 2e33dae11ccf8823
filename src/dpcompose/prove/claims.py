"""From a mechanism to claims: first what is known of each part, then of the whole, no sooner than asked for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dpcompose import mechanisms, theorems
from dpcompose.description import Composition, Mechanism, Wrapper
from dpcompose.errors import Declined
from dpcompose.kernel import STANDARD, Claim, SameAs, Side, Theorem, Verb
from dpcompose.notions import Guarantee, Profile
from dpcompose.prove.roads import Selection, Work, is_last, paths, roads

_LOADED = (mechanisms, theorems)
"""Importing them is what fills the standard library of theorems."""
MOST_REMEMBERED = 4096
MANY = 64
"""From so many different parts on, parts of one kind are reasoned about together."""


class Known:
    """Every claim about a whole, and the theorems that declined, found as they are asked for."""

    def __init__(self, subject: Composition) -> None:
        """Start with nothing found."""
        self.subject = subject
        self._work = Work(subject)
        self._profiles: list[Claim[Profile]] = []
        self._pending = _profiles(self._work)

    def profiles(self) -> Iterator[Claim[Profile]]:
        """The claims that answer questions: those that close the gap alone first, and the cheapest of each."""
        yield from self._profiles
        while claim := self._next():
            self._profiles.append(claim)
            yield claim

    def _next(self) -> Claim[Profile] | None:
        with uncollected():
            return next(self._pending, None)

    @property
    def claims(self) -> tuple[Claim[Any], ...]:
        """All of them."""
        tuple(self.profiles())
        return tuple(self._work.claims)

    @property
    def declined(self) -> tuple[tuple[Theorem, str], ...]:
        """All refusals, with their reasons."""
        tuple(self.profiles())
        return tuple(self._work.declined)

    def of(self, notion: type[Guarantee]) -> list[Claim[Any]]:
        """The claims of one notion."""
        return [claim for claim in self.claims if isinstance(claim.guarantee, notion)]


def known(subject: Mechanism) -> Known:
    """All that the library concludes about a mechanism or composition."""
    with uncollected():
        return Known(subject.flat() if isinstance(subject, Composition) else Composition(((subject, 1),)))


@contextmanager
def uncollected() -> Iterator[None]:
    """Claims about 10⁴ parts are 10⁵ objects that stay and form no cycles: the collector, which would walk through all
    there is again and again as they are made, waits until they are.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _profiles(work: Work) -> Iterator[Claim[Profile]]:
    """Every claim that answers questions: about many parts of a kind together, or else one by one."""
    parts, bounded = _Parts(work), False
    for claim in _along_roads(work, parts):
        bounded |= Side.UPPER in claim.side
        yield claim
    if parts.kind is not None and not bounded:
        parts.kind = None
        yield from _along_roads(work, parts)


def _along_roads(work: Work, parts: _Parts) -> Iterator[Claim[Profile]]:
    """What can close the gap alone first. One end of what could have given both is dear, and seldom needed: later."""
    selected: dict[str, list[Selection]] = {}
    later: list[tuple[Selection, Theorem | None]] = []
    for theorem, last in roads():
        side = (last or theorem).side
        if side is not Side.BOTH:
            yield from (claim for selection, step in later for claim in selection.reached(step))
            later = []
        name = theorem.proof.__name__
        if name not in selected:
            selected[name] = [Selection(work, theorem, *chosen) for chosen in parts.selections(theorem)]
        for selection in selected[name]:
            reached = selection.reached(last) if selection.is_whole or side is not Side.BOTH else []
            if reached and reached[0].side is side:
                yield from reached
            else:
                later.append((selection, last))
    yield from (claim for selection, step in later for claim in selection.reached(step))


class _Parts:
    """What is known of the parts, one by one or, where there are many of a kind, together."""

    def __init__(self, work: Work) -> None:
        assert isinstance(work.subject, Composition)  # noqa: S101 - for the type checker
        self.whole, self.work = work.subject, work
        self.counts = tuple(count for _, count in self.whole.parts)
        kinds = {type(part) for part, _ in self.whole.parts}
        self.kind = kinds.pop() if len(kinds) == 1 and len(self.whole.parts) >= MANY else None
        self.kind = None if self.kind is None or issubclass(self.kind, Wrapper) else self.kind
        self._table: list[tuple[Claim[Any], ...]] | None = None
        self._notions: dict[type[Any], list[list[Claim[Any]]]] = {}
        self._chains: dict[tuple[str, ...], Claim[Any] | None] = {}

    def selections(self, theorem: Theorem) -> Iterator[tuple[tuple[Claim[Any], ...], tuple[int, ...]]]:
        """Ways to give each part one claim of the theorem's notion."""
        together = self._together(theorem.types[0])
        yield from (((claim,), self.counts) for claim in together)
        if self.kind is None:
            yield from self._one_by_one(theorem)
        elif not together:
            self._miss(theorem, self.kind)

    def _miss(self, theorem: Theorem, kind: type[Mechanism]) -> None:
        self.work.declined.append((theorem, f"{kind.__name__} is not known through {theorem.types[0].__name__}"))

    def _together(self, notion: type[Any]) -> list[Claim[Any]]:
        """Claims that give every part of one kind a promise of the notion."""
        ends = (self._end(path) for path in (paths(self.kind, notion) if self.kind is not None else ()))
        return [claim for claim in ends if claim is not None]

    def _end(self, path: tuple[Theorem, ...]) -> Claim[Any] | None:
        """Where a chain of theorems leads, each link made once; None if one of them declines."""
        key = tuple(theorem.proof.__name__ for theorem in path)
        if key not in self._chains:
            before = self._end(path[:-1]) if path[1:] else None
            try:
                reached = path[1:] and before is None
                self._chains[key] = None if reached else path[-1](self.whole, () if before is None else (before,))
            except Declined:
                self._chains[key] = None
        return self._chains[key]

    def _of(self, notion: type[Any]) -> list[list[Claim[Any]]]:
        """The claims of a notion about each part, those that give both ends first."""
        if self._table is None:
            self._table = [facts(part) for part, _ in self.whole.parts]
        if notion not in self._notions:
            self._notions[notion] = [
                sorted((c for c in claims if isinstance(c.guarantee, notion)), key=lambda c: c.side is not Side.BOTH)
                for claims in self._table
            ]
        return self._notions[notion]

    def _one_by_one(self, theorem: Theorem) -> Iterator[tuple[tuple[Claim[Any], ...], tuple[int, ...]]]:
        """For the upper end a claim for every part, for the lower for any."""
        notion, counts = theorem.types[0], self.counts
        of_notion = self._of(notion)
        above = [[c for c in claims if Side.UPPER in c.side] for claims in of_notion]
        missing = [part for (part, _), claims in zip(self.whole.parts, above, strict=True) if not claims]
        if missing:
            self._miss(theorem, type(missing[0]))
        else:
            yield from ((choice, counts) for choice in _choices(above))
        if Side.LOWER in theorem.side:
            below = [[c for c in claims if Side.LOWER in c.side] for claims in of_notion]
            runs = tuple(n for claims, n in zip(below, counts, strict=True) if claims)
            for choice in _choices([claims for claims in below if claims]):
                if choice and (missing or any(Side.UPPER not in c.side for c in choice) or len(choice) < len(counts)):
                    yield choice, runs


def _choices(offered: list[list[Claim[Any]]]) -> Iterator[tuple[Claim[Any], ...]]:
    """A claim for each part: the first ones, then the second ones, and so on; where one gives both ends nothing is
    better, so it is also kept while the others change.
    """
    seen: set[tuple[int, ...]] = set()
    for rank in range(max(map(len, offered), default=1)):
        ranks = tuple(min(rank, len(claims) - 1) for claims in offered)
        kept = tuple(0 if claims[0].side is Side.BOTH else r for r, claims in zip(ranks, offered, strict=True))
        for chosen in (kept, ranks):
            if chosen not in seen:
                seen.add(chosen)
                yield tuple(claims[r] for r, claims in zip(chosen, offered, strict=True))


class _Facts:
    """What was found out about parts, as long as the library stays the same."""

    def __init__(self) -> None:
        self.under: list[Theorem] | None = None
        self.of: dict[Mechanism, tuple[Claim[Any], ...]] = {}

    def current(self) -> dict[Mechanism, tuple[Claim[Any], ...]]:
        """Forget everything when a theorem comes in, which renews the library's lists, or when it is too much."""
        now = STANDARD.about(Verb.DESCRIBES)
        if now is not self.under or len(self.of) >= MOST_REMEMBERED:
            self.under, self.of = now, {}
        return self.of


_FACTS = _Facts()


def facts(part: Mechanism) -> tuple[Claim[Any], ...]:
    """Everything known of one part that can be composed."""
    remembered = _FACTS.current()
    if part not in remembered:
        remembered[part] = _found_out(part)
    return remembered[part]


def _found_out(part: Mechanism) -> tuple[Claim[Any], ...]:
    if isinstance(part, Composition):
        return tuple(c for c in Known(part).claims if not isinstance(c.guarantee, Profile))
    work = Work(part)
    _describe(part, work)
    for same in tuple(work.claims):
        if isinstance(same.guarantee, SameAs):
            (carried,) = STANDARD.about(Verb.IMPLIES, SameAs)
            for claim in facts(same.guarantee.mechanism):
                work.apply(carried, (same, claim))
    for claim in work.claims:  # grows while it is read
        for theorem in STANDARD.about(Verb.IMPLIES, type(claim.guarantee)):
            if not is_last(theorem) and len(theorem.types) == 2:
                work.apply(theorem, (claim,))
    return tuple(work.claims)


def _describe(part: Mechanism, work: Work) -> None:
    """What the descriptions say of the part, or of it and the mechanism inside."""
    inside = facts(part.mechanism) if isinstance(part, Wrapper) else ()
    for theorem in STANDARD.about(Verb.DESCRIBES, type(part)):
        if len(theorem.types) == 2:
            work.apply(theorem, ())
            continue
        for claim in inside:
            if isinstance(claim.guarantee, theorem.types[1]):
                work.apply(theorem, (claim,))
