"""From a mechanism to claims: first what is known of each part, then of the whole, no sooner than asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dpcompose.description import Composition, Mechanism, Subject, Wrapper, described
from dpcompose.kernel import STANDARD, Claim, SameAs, Side, Theorem, Verb
from dpcompose.notions import Alone, ApproxDP, Dotted, FiniteLoss, Guarantee, LossTransform, Profile
from dpcompose.numerics import effort
from dpcompose.prove.derivations import DerivedClaims, Selection, few, is_last, one_ended, roads, uncollected
from dpcompose.prove.parts import CURVES, PartsOf

MOST_REMEMBERED = 4096
ITSELF, JOINED, CARRIED = "every_mechanism_is_itself", "same_parts_same_whole", "same_law_same_cost"
DOTTED = "dotted"
SETTLED = (LossTransform, ApproxDP, Alone)
"""What follows in one of these forms from all that is known of a mechanism leaves no more to say."""


class Derivation:
    """Every claim about a whole, and the theorems that declined, found as they are asked for."""

    def __init__(self, subject: Composition) -> None:
        """Start with nothing found."""
        self.subject = subject
        self._work = DerivedClaims(subject)
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


def known(about: Subject) -> Derivation:
    """All that the library concludes about a mechanism or composition."""
    subject = described(about)
    with uncollected():
        return Derivation(subject.flat() if isinstance(subject, Composition) else Composition(((subject, 1),)))


def _profiles(work: DerivedClaims) -> Iterator[Claim[Profile]]:
    """Every claim that answers questions: about many parts of a kind together, or else one by one."""
    yield from _taken_apart(work)
    parts, bounded = PartsOf(work, facts_towards), False
    for claim in _along_roads(work, parts):
        bounded |= Side.UPPER in claim.side
        yield claim
    if parts.kind is not None and not bounded:
        parts.kind = None
        yield from _along_roads(work, parts)


def _taken_apart(work: DerivedClaims) -> Iterator[Claim[Profile]]:
    """What is known of the same composition where wrapped compositions are the sums they stand for."""
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
    """The composition that a wrapper stands for, if it does."""
    same = (claim for claim in facts_towards(part, SameAs) if isinstance(claim.guarantee, SameAs))
    return next((claim for claim in same if isinstance(claim.guarantee.mechanism, Composition)), None)


def _along_roads(work: DerivedClaims, parts: PartsOf) -> Iterator[Claim[Profile]]:
    """What can close the gap alone first. One end of what could have given both is dear, and seldom needed: later."""
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
    """What is known of one part: at once all but curves, and these when they are asked for."""

    work: DerivedClaims
    once: list[Claim[Any]]
    """A wrapped composition as one pair or promise."""
    first: tuple[Claim[Any], ...]
    everything: tuple[Claim[Any], ...] | None = None


class _Facts:
    """What was found out about parts, as long as the library stays the same."""

    def __init__(self) -> None:
        self.under: list[Theorem] | None = None
        self.of: dict[Mechanism, _Part] = {}

    def forget(self) -> None:
        """Begin anew."""
        self.of = {}

    def about(self, part: Mechanism) -> _Part:
        """Forget everything when a theorem comes in, which renews the library's lists, or when it is too much."""
        now = STANDARD.about(Verb.DESCRIBES)
        if now is not self.under or len(self.of) >= MOST_REMEMBERED:
            self.under, self.of = now, {}
        found = self.of.get(part)  # looked up once: a long pair takes its time
        if found is None:
            found = self.of[part] = _found_out(part)
        return found


_FACTS = _Facts()
effort.forgotten(_FACTS.forget)


def facts(part: Mechanism) -> tuple[Claim[Any], ...]:
    """Everything known of one part that can be composed."""
    known_of = _FACTS.about(part)
    if known_of.everything is None:
        known_of.everything = _with_curves(part, known_of)
    return known_of.everything


def facts_towards(part: Mechanism, notion: type[Any]) -> tuple[Claim[Any], ...]:
    """Facts among which are all of one notion: curves are derived for those who ask for curves."""
    return facts(part) if issubclass(notion, CURVES) else _FACTS.about(part).first


def _found_out(part: Mechanism) -> _Part:
    """All but curves."""
    if isinstance(part, Composition):
        found = tuple(c for c in Derivation(part).claims if not isinstance(c.guarantee, Profile))
        return _Part(DerivedClaims(part), [], found, found)
    work = DerivedClaims(part)
    once = _describe(part, work)
    for same in tuple(work.claims):
        if isinstance(same.guarantee, SameAs):
            _carry(work, same, facts_towards(same.guarantee.mechanism, Guarantee))
    _follow(work, lambda concluded: not issubclass(concluded, CURVES))
    return _Part(work, once, tuple(work.claims))


def _with_curves(part: Mechanism, found: _Part) -> tuple[Claim[Any], ...]:
    """The same, and what follows as curves: from descriptions, from equal mechanisms, from all the rest."""
    work = found.work
    inside = (*facts(part.mechanism), *found.once) if isinstance(part, Wrapper) else ()
    for theorem in STANDARD.about(Verb.DESCRIBES, type(part)):
        is_curve = issubclass(theorem.types[-1], CURVES)
        if len(theorem.types) == 2:
            if is_curve:
                work.apply(theorem, ())
        else:
            _applied(work, theorem, (c for c in inside if is_curve or isinstance(c.guarantee, CURVES)))
    for same in found.first:
        if isinstance(same.guarantee, SameAs):
            curves = (c for c in facts(same.guarantee.mechanism) if isinstance(c.guarantee, CURVES))
            _carry(work, same, curves)
    _follow(work, lambda concluded: issubclass(concluded, CURVES))
    return tuple(work.claims)


def _carry(work: DerivedClaims, same: Claim[Any], claims: Iterable[Claim[Any]]) -> None:
    """What is known of an equal mechanism."""
    (carried,) = STANDARD.about(Verb.IMPLIES, SameAs)
    for claim in claims:
        work.apply(carried, (same, claim))


def _follow(work: DerivedClaims, wanted: Callable[[type[Any]], bool]) -> None:
    """What follows from one claim alone, of the notions that are wanted."""
    for claim in work.claims:  # grows while it is read
        for theorem in STANDARD.about(Verb.IMPLIES, type(claim.guarantee)):
            if len(theorem.types) == 2 and not is_last(theorem) and wanted(theorem.types[-1]):
                work.apply(theorem, (claim,))


def _describe(part: Mechanism, work: DerivedClaims) -> list[Claim[Any]]:
    """What the descriptions say of the part, or of it and the mechanism inside; this one as a single pair, if it is."""
    about = [t for t in STANDARD.about(Verb.DESCRIBES, type(part)) if not issubclass(t.types[-1], CURVES)]
    inside = facts_towards(part.mechanism, Guarantee) if isinstance(part, Wrapper) else ()
    for theorem in about:
        if len(theorem.types) == 2:
            work.apply(theorem, ())
        else:
            _applied(work, theorem, inside)
    if not isinstance(part, Wrapper):
        return []
    # What follows says more only to those that name it: carried over as it is it would repeat what is known.
    naming = [theorem for theorem in about if len(theorem.types) == 3 and theorem.types[1] is not Guarantee]
    once = _as_one(part.mechanism) if isinstance(part.mechanism, Composition) else []
    for theorem in naming:
        _applied(work, theorem, once)
    if not any(_is_close(claim, naming) for claim in work.claims):
        closer = _dominating(part.mechanism, {theorem.types[1] for theorem in naming})
        for theorem in naming:
            _applied(work, theorem, closer)
    return once


def _applied(work: DerivedClaims, theorem: Theorem, inside: Iterable[Claim[Any]]) -> None:
    for claim in inside:
        if isinstance(claim.guarantee, theorem.types[1]):
            work.apply(theorem, (claim,))


def _is_close(claim: Claim[Any], naming: list[Theorem]) -> bool:
    """Whether nothing better is to be had: it is the cost of others that are known, or follows from all of a loss."""
    if Side.UPPER not in claim.side:
        return False
    if isinstance(claim.guarantee, SameAs):
        other = claim.guarantee.mechanism
        return not isinstance(other, Composition) or all(map(_is_settled, (part for part, _ in other.parts)))
    whole = claim.theorem in naming and all(premise.side is Side.BOTH for premise in claim.premises)
    return whole and isinstance(claim.guarantee, SETTLED)


def _is_settled(part: Mechanism) -> bool:
    """Whether a part's loss, or a promise that is kept by a worst one, is known from both sides."""
    return any(c.side is Side.BOTH and isinstance(c.guarantee, SETTLED) for c in facts_towards(part, Guarantee))


def _as_one(whole: Composition) -> list[Claim[Any]]:
    """A composition as a single pair or promise."""
    work = DerivedClaims(whole)
    parts = PartsOf(work, facts_towards)
    for theorem in STANDARD.about(Verb.COMPOSES):
        if theorem.types[-1] in {FiniteLoss, ApproxDP}:
            for premises, counts in parts.selections(theorem):
                work.apply(theorem, premises, counts)
    return work.claims


def _dominating(inner: Mechanism, wanted: set[type[Any]]) -> list[Claim[Any]]:
    """What answers questions about the mechanism inside, and a finite pair that is at least as bad."""
    answering = _profiles_of(inner) if Profile in wanted else []
    above = [claim for claim in answering if Side.UPPER in claim.side]
    work = DerivedClaims(inner)
    if above and Dotted in wanted:
        work.apply(STANDARD.theorems[DOTTED], above)
    return [*answering, *work.claims]


def _profiles_of(inner: Mechanism) -> list[Claim[Profile]]:
    """Claims that answer questions about a mechanism, a composition or not: of both ends, or else a few of each."""
    every = list(known(inner).profiles())
    answering = [claim for claim in every if claim.side is Side.BOTH] or few(every)
    if isinstance(inner, Composition):
        return answering
    alone, carried = STANDARD.theorems[ITSELF](inner), STANDARD.theorems[CARRIED]
    return [carried(inner, (alone, claim)) for claim in answering]
