"""Chains of theorems: which to apply in which order, and the claims that result."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, zip_longest
from typing import Any, TypeAlias

from dpcompose.description import Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import STANDARD, Claim, SameAs, Side, Theorem, Verb
from dpcompose.notions import Alone, LossTransform, Profile
from dpcompose.numerics import effort

MOST_CARRIED, MOST_DRAWN = 8, 2
"""How many of the bounds on one end that hold inside a wrapper are carried outside: in all, and from one fact."""


@dataclass(slots=True)
class DerivedClaims:
    """The claims and the refusals about one subject, in the order in which they were derived."""

    subject: Mechanism
    claims: list[Claim[Any]] = field(default_factory=list)
    declined: list[tuple[Theorem, str]] = field(default_factory=list)

    def apply(self, theorem: Theorem, premises: Sequence[Claim[Any]], counts: Sequence[int] = ()) -> list[Claim[Any]]:
        """The new claim, as a list; an empty list if the theorem declines or says nothing new."""
        try:
            with effort.dispensable():
                claim = theorem(self.subject, premises, counts)
        except Declined as reason:
            self.declined.append((theorem, str(reason)))
            return []
        if any(self._covers(c, claim) for c in self.claims):
            return []
        self.claims.append(claim)
        return [claim]

    @staticmethod
    def _covers(old: Claim[Any], new: Claim[Any]) -> bool:
        """Whether a claim adds nothing to an old one; claims that bound δ(ε) are kept for every theorem that gives
        them.
        """
        spoken = old.theorem is new.theorem or not isinstance(new.guarantee, Profile)
        return spoken and new.side in old.side and old.guarantee == new.guarantee


def carry(work: DerivedClaims, same: Claim[Any], claims: Iterable[Claim[Any]]) -> None:
    """Carry the claims about an equal mechanism over."""
    (carried,) = STANDARD.about(Verb.IMPLIES, SameAs)
    for claim in claims:
        work.apply(carried, (same, claim))


def follow(work: DerivedClaims, wanted: Callable[[type[Any]], bool]) -> None:
    """Derive what each claim alone implies, for the wanted notions."""
    for claim in work.claims:  # grows while it is read
        for theorem in STANDARD.about(Verb.IMPLIES, type(claim.guarantee)):
            if len(theorem.types) == 2 and not is_last(theorem) and wanted(theorem.types[-1]):
                work.apply(theorem, (claim,))


def applied(work: DerivedClaims, theorem: Theorem, inside: Iterable[Claim[Any]]) -> None:
    """Apply a theorem to each claim of the notion that it starts from."""
    for claim in inside:
        if isinstance(claim.guarantee, theorem.types[1]):
            work.apply(theorem, (claim,))


Road: TypeAlias = tuple[Theorem, Theorem | None]


class _Roads:
    """The chains to a profile, remembered as long as the library of theorems stays the same."""

    def __init__(self) -> None:
        self.under: list[Theorem] | None = None
        self.found: tuple[Road, ...] = ()

    def now(self) -> tuple[Road, ...]:
        """The chains; found again when a theorem is added, which makes new lists."""
        composing = STANDARD.about(Verb.COMPOSES)
        if composing is not self.under:
            self.under, self.found = composing, tuple(_found(composing))
        return self.found


_ROADS = _Roads()


def roads() -> tuple[Road, ...]:
    """Each composition theorem with each last step to a profile, in the order in which to try them."""
    return _ROADS.now()


def _found(composing: list[Theorem]) -> list[Road]:
    found: list[Road] = []
    for theorem in composing:
        if is_last(theorem):
            found.append((theorem, None))
        found += [(theorem, t) for t in STANDARD.about(Verb.IMPLIES, theorem.types[-1]) if is_last(t)]
    return sorted(found, key=lambda road: ((road[1] or road[0]).side is not Side.BOTH, (road[1] or road[0]).cost))


def is_last(theorem: Theorem) -> bool:
    """Whether the theorem concludes a profile, which bounds δ(ε)."""
    return issubclass(theorem.types[-1], Profile)


def paths(kind: type[Mechanism], notion: type[Any]) -> tuple[tuple[Theorem, ...], ...]:
    """The chains of theorems from a kind of mechanism to a notion."""
    found: list[tuple[Theorem, ...]] = []
    pending: list[tuple[Theorem, ...]] = [(t,) for t in STANDARD.about(Verb.DESCRIBES, kind) if len(t.types) == 2]
    for path in pending:  # grows while it is read
        if path[-1].types[-1] is notion:
            found.append(path)
        after = STANDARD.about(Verb.IMPLIES, path[-1].types[-1])
        pending += [(*path, t) for t in after if len(t.types) == 2 and not is_last(t)]
    return tuple(found)


class Selection:
    """A choice of claims for all parts, or for some; the claim about the whole is derived from them on demand."""

    def __init__(
        self, work: DerivedClaims, theorem: Theorem, premises: tuple[Claim[Any], ...], counts: tuple[int, ...]
    ) -> None:
        self.work, self.theorem, self.premises, self.counts = work, theorem, premises, counts
        self.is_whole = all(premise.side is Side.BOTH for premise in premises)
        self._after: dict[str, list[Claim[Any]]] = {}

    @cached_property
    def _composed(self) -> list[Claim[Any]]:
        return self.work.apply(self.theorem, self.premises, self.counts)

    def reached(self, last: Theorem | None) -> list[Claim[Any]]:
        """The claims about the whole, after a last step if there is one."""
        if last is None:
            return self._composed
        name = last.proof.__name__
        if name not in self._after:
            self._after[name] = [reached for claim in self._composed for reached in self.work.apply(last, (claim,))]
        return self._after[name]


def one_ended(later: Sequence[tuple[Selection, Theorem | None]]) -> Iterator[Claim[Any]]:
    """Claims that bound one end; those from whole runs and losses come first, as others seldom improve on them."""
    ordered = sorted(later, key=lambda road: road[0].theorem.types[0] not in {Alone, LossTransform})
    yield from (claim for selection, step in ordered for claim in selection.reached(step))


def rivals_among(claims: Iterable[Claim[Profile]]) -> Iterator[list[Claim[Profile]]]:
    """Consecutive claims of one theorem about one end, as a list; each claim about both ends in a list of its own."""
    waiting: list[Claim[Profile]] = []
    for claim in claims:
        if waiting and (claim.theorem is not waiting[0].theorem or claim.side is not waiting[0].side):
            yield waiting
            waiting = []
        if claim.side is Side.BOTH:
            yield [claim]
        else:
            waiting.append(claim)
    if waiting:
        yield waiting


def few(claims: Sequence[Claim[Profile]]) -> list[Claim[Profile]]:
    """A few claims for each end: the first of every theorem before the second of any, and at most two that follow from
    one fact about a single run. Every wrapper adds ways to derive what is known inside, so nested wrappers would
    otherwise have hundreds of claims, each with a pair of its own to compute.
    """
    kept: dict[Side, dict[str, list[Claim[Profile]]]] = {}
    drawn: Counter[tuple[int, Side]] = Counter()
    for claim in claims:
        fact = (id(_fact(claim)), claim.side)
        if not claim.theorem.surpassed and drawn[fact] < MOST_DRAWN:
            drawn[fact] += 1
            kept.setdefault(claim.side, {}).setdefault(claim.theorem.id, []).append(claim)
    turns = (filter(None, chain.from_iterable(zip_longest(*found.values()))) for found in kept.values())
    return [claim for one in turns for claim in islice(one, MOST_CARRIED)]


def _fact(claim: Claim[Any]) -> Claim[Any]:
    """The fact about a single run on which a claim rests; the claim itself if it is about several runs."""
    composed = claim
    while composed.premises and not composed.counts:
        composed = composed.premises[-1]
    if composed.counts != (1,):
        return claim
    fact = composed.premises[0]
    while fact.premises and fact.premises[-1].subject is fact.subject:
        fact = fact.premises[-1]
    return fact


@contextmanager
def uncollected() -> Iterator[None]:
    """Suspend the garbage collector: claims about 10⁴ parts are 10⁵ objects that all stay, and the collector would walk
    through them again and again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
