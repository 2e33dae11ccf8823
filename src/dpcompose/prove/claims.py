"""From a mechanism to claims: first about each part, then about the whole; each is derived only when needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dpcompose.description import Composition, Mechanism, Subject, Wrapper, described
from dpcompose.kernel import STANDARD, Claim, SameAs, Side, Theorem, Verb
from dpcompose.notions import Alone, ApproxDP, Dotted, FiniteLoss, Guarantee, LossTransform, Profile
from dpcompose.numerics import effort
from dpcompose.prove.derivations import (
    DerivedClaims,
    Selection,
    applied,
    carry,
    few,
    follow,
    one_ended,
    roads,
    uncollected,
)
from dpcompose.prove.parts import CURVES, Offered, PartsOf, different_parts

MOST_REMEMBERED = 4096
ITSELF, JOINED, CARRIED = "every_mechanism_is_itself", "same_parts_same_whole", "same_law_same_cost"
DOTTED = "dotted"
SETTLED = (LossTransform, ApproxDP, Alone)
"""A claim about a mechanism in one of these forms, derived from all that is known of it, cannot be improved."""


class Derivation:
    """Every claim about a whole, and the theorems that declined; both are found on demand."""

    def __init__(self, subject: Composition) -> None:
        """Nothing is derived yet."""
        self.subject = subject
        self._work = DerivedClaims(subject)
        self._profiles: list[Claim[Profile]] = []
        self._pending = _profiles(self._work)

    def profiles(self) -> Iterator[Claim[Profile]]:
        """The claims that bound δ(ε): those that may close the gap alone come first, in the order of their cost."""
        effort.about(different_parts(self.subject))
        yield from self._profiles
        while claim := self._next():
            self._profiles.append(claim)
            yield claim

    def _next(self) -> Claim[Profile] | None:
        with uncollected():
            return next(self._pending, None)

    @property
    def claims(self) -> tuple[Claim[Any], ...]:
        """All claims."""
        tuple(self.profiles())
        return tuple(self._work.claims)

    @property
    def declined(self) -> tuple[tuple[Theorem, str], ...]:
        """All theorems that declined, with their reasons."""
        tuple(self.profiles())
        return tuple(self._work.declined)

    def of(self, notion: type[Guarantee]) -> list[Claim[Any]]:
        """The claims of one notion."""
        return [claim for claim in self.claims if isinstance(claim.guarantee, notion)]


def known(about: Subject) -> Derivation:
    """Everything that the library concludes about a mechanism or composition, on demand."""
    subject = described(about)
    with uncollected():
        return Derivation(subject.flat() if isinstance(subject, Composition) else Composition(((subject, 1),)))


def _profiles(work: DerivedClaims) -> Iterator[Claim[Profile]]:
    """Every claim that bounds δ(ε): derived for many parts of a kind together and, if an end is left, for each."""
    yield from _taken_apart(work)
    parts, bounded = PartsOf(work, _FACTS.about), Side(0)
    for claim in _along_roads(work, parts):
        bounded |= claim.side
        yield claim
    if parts.kind is not None and bounded is not Side.BOTH:
        parts.kind = None
        yield from _along_roads(work, parts)


def _taken_apart(work: DerivedClaims) -> Iterator[Claim[Profile]]:
    """Claims about the same composition with each wrapped composition replaced by the sum that it equals."""
    parts = work.subject.parts if isinstance(work.subject, Composition) else ()
    wrapped = {part: same for part, _ in parts if isinstance(part, Wrapper) and (same := _sum_within(part))}
    if not wrapped:
        return
    itself, joined, carried = (STANDARD.theorems[name] for name in (ITSELF, JOINED, CARRIED))
    premises = [wrapped[part] if part in wrapped else itself(part) for part, _ in parts]
    for whole in work.apply(joined, premises, [count for _, count in parts]):
        apart = known(whole.guarantee.mechanism)
        for claim in apart.profiles():
            yield from work.apply(carried, (whole, claim))
        for claim in apart.claims:
            if not isinstance(claim.guarantee, Profile):
                work.apply(carried, (whole, claim))


def _sum_within(part: Mechanism) -> Claim[SameAs] | None:
    """The claim that a wrapper equals a composition, if there is one."""
    same = (claim for claim in facts_towards(part, SameAs) if isinstance(claim.guarantee, SameAs))
    return next((claim for claim in same if isinstance(claim.guarantee.mechanism, Composition)), None)


def _along_roads(work: DerivedClaims, parts: PartsOf) -> Iterator[Claim[Profile]]:
    """Claims that can close the gap alone come first; those that turn out to bound only one end are postponed."""
    selected: dict[str, list[Selection]] = {}
    later: list[tuple[Selection, Theorem | None]] = []
    for theorem, last in roads():
        side = (last or theorem).side
        if side is not Side.BOTH:
            yield from one_ended(later)
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
    yield from one_ended(later)


@dataclass(slots=True)
class _Part:
    """The claims about one part: all but curves at once, curves when they are needed."""

    work: DerivedClaims
    once: list[Claim[Any]]
    """A wrapped composition as one pair or one promise."""
    first: tuple[Claim[Any], ...]
    _everything: tuple[Claim[Any], ...] | None = None
    _offered: dict[type[Any], Offered] = field(default_factory=dict)

    def everything(self) -> tuple[Claim[Any], ...]:
        """Every claim, with curves."""
        if self._everything is None:
            self._everything = _with_curves(self.work.subject, self)
        return self._everything

    def towards(self, notion: type[Any]) -> tuple[Claim[Any], ...]:
        """Claims that include all of this notion; curves are derived only if the notion is a curve."""
        return self.everything() if issubclass(notion, CURVES) else self.first

    def offered(self, notion: type[Any]) -> Offered:
        """The claims of this notion."""
        if notion not in self._offered:
            self._offered[notion] = Offered.of(notion, self.towards(notion))
        return self._offered[notion]


class _Facts:
    """The claims about parts, as read by questions about so many, remembered while the library stays the same."""

    def __init__(self) -> None:
        self.under: list[Theorem] | None = None
        self.of: dict[tuple[int, Mechanism], _Part] = {}

    def forget(self) -> None:
        """Forget everything."""
        self.of = {}

    def about(self, part: Mechanism) -> _Part:
        """The claims about a part; forgotten when a theorem is added (which makes new lists) or there are many."""
        now = STANDARD.about(Verb.DESCRIBES)
        if now is not self.under or len(self.of) >= MOST_REMEMBERED:
            self.under, self.of = now, {}
        as_read = effort.thinning(), part
        found = self.of.get(as_read)  # looked up once: a long pair takes its time
        if found is None:
            found = self.of[as_read] = _found_out(part)
        return found


_FACTS = _Facts()
effort.forgotten(_FACTS.forget)


def facts(part: Mechanism) -> tuple[Claim[Any], ...]:
    """Every claim about one part from which compositions can be derived."""
    return _FACTS.about(part).everything()


def facts_towards(part: Mechanism, notion: type[Any]) -> tuple[Claim[Any], ...]:
    """Claims about a part that include all of this notion."""
    return _FACTS.about(part).towards(notion)


def _found_out(part: Mechanism) -> _Part:
    """Every claim about a part, except curves."""
    if isinstance(part, Composition):
        found = tuple(c for c in Derivation(part).claims if not isinstance(c.guarantee, Profile))
        return _Part(DerivedClaims(part), [], found, found)
    work = DerivedClaims(part)
    once = _describe(part, work)
    for same in tuple(work.claims):
        if isinstance(same.guarantee, SameAs):
            carry(work, same, facts_towards(same.guarantee.mechanism, Guarantee))
    follow(work, lambda concluded: not issubclass(concluded, CURVES))
    return _Part(work, once, tuple(work.claims))


def _with_curves(part: Mechanism, found: _Part) -> tuple[Claim[Any], ...]:
    """Every claim about a part, with curves: from descriptions, from equal mechanisms, and from the other claims."""
    work = found.work
    inside = (*facts(part.mechanism), *found.once) if isinstance(part, Wrapper) else ()
    for theorem in STANDARD.about(Verb.DESCRIBES, type(part)):
        is_curve = issubclass(theorem.types[-1], CURVES)
        if len(theorem.types) == 2:
            if is_curve:
                work.apply(theorem, ())
        else:
            applied(work, theorem, (c for c in inside if is_curve or isinstance(c.guarantee, CURVES)))
    for same in found.first:
        if isinstance(same.guarantee, SameAs):
            curves = (c for c in facts(same.guarantee.mechanism) if isinstance(c.guarantee, CURVES))
            carry(work, same, curves)
    follow(work, lambda concluded: issubclass(concluded, CURVES))
    return tuple(work.claims)


def _describe(part: Mechanism, work: DerivedClaims) -> list[Claim[Any]]:
    """Apply the theorems that describe the part; returns a composition inside it, if any, as a single pair."""
    about = [t for t in STANDARD.about(Verb.DESCRIBES, type(part)) if not issubclass(t.types[-1], CURVES)]
    inside = facts_towards(part.mechanism, Guarantee) if isinstance(part, Wrapper) else ()
    for theorem in about:
        if len(theorem.types) == 2:
            work.apply(theorem, ())
        else:
            applied(work, theorem, inside)
    if not isinstance(part, Wrapper):
        return []
    # What follows says more only to those that name it: carried over as it is it would repeat what is known.
    naming = [theorem for theorem in about if len(theorem.types) == 3 and theorem.types[1] is not Guarantee]
    once = _as_one(part.mechanism) if isinstance(part.mechanism, Composition) else []
    for theorem in naming:
        applied(work, theorem, once)
    if not any(_is_close(claim, naming) for claim in work.claims):
        closer = _dominating(part.mechanism, {theorem.types[1] for theorem in naming})
        for theorem in naming:
            applied(work, theorem, closer)
    return once


def _is_close(claim: Claim[Any], naming: list[Theorem]) -> bool:
    """Whether a claim cannot be improved: it equals settled costs, or follows from a loss known from both sides."""
    if Side.UPPER not in claim.side:
        return False
    if isinstance(claim.guarantee, SameAs):
        other = claim.guarantee.mechanism
        return not isinstance(other, Composition) or all(map(_is_settled, (part for part, _ in other.parts)))
    whole = claim.theorem in naming and all(premise.side is Side.BOTH for premise in claim.premises)
    return whole and isinstance(claim.guarantee, SETTLED)


def _is_settled(part: Mechanism) -> bool:
    """Whether a part's loss, or a promise that some worst mechanism attains, is known from both sides."""
    return any(c.side is Side.BOTH and isinstance(c.guarantee, SETTLED) for c in facts_towards(part, Guarantee))


def _as_one(whole: Composition) -> list[Claim[Any]]:
    """A composition as a single pair or a single promise."""
    work = DerivedClaims(whole)
    parts = PartsOf(work, _FACTS.about)
    for theorem in STANDARD.about(Verb.COMPOSES):
        if theorem.types[-1] in {FiniteLoss, ApproxDP}:
            for premises, counts in parts.selections(theorem):
                work.apply(theorem, premises, counts)
    return work.claims


def _dominating(inner: Mechanism, wanted: set[type[Any]]) -> list[Claim[Any]]:
    """Claims that bound δ(ε) of the mechanism inside, and a finite pair that dominates it."""
    answering = _profiles_of(inner) if Profile in wanted else []
    above = [claim for claim in answering if Side.UPPER in claim.side]
    work = DerivedClaims(inner)
    if above and Dotted in wanted:
        work.apply(STANDARD.theorems[DOTTED], above)
    return [*answering, *work.claims]


def _profiles_of(inner: Mechanism) -> list[Claim[Profile]]:
    """Claims that bound δ(ε) of a mechanism: those that bound both ends or, if there are none, a few for each end."""
    every = list(known(inner).profiles())
    answering = [claim for claim in every if claim.side is Side.BOTH] or few(every)
    if isinstance(inner, Composition):
        return answering
    alone, carried = STANDARD.theorems[ITSELF](inner), STANDARD.theorems[CARRIED]
    return [carried(inner, (alone, claim)) for claim in answering]
