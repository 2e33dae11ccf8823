"""Which claims to evaluate, how closely, and when to stop: the cheapest first, until they are together tight enough.

A claim that bounds both ends is evaluated to the full tolerance at once. Claims that bound one end compete: the most
promising are evaluated roughly (a glance), and only those that may still be the best for their end are evaluated again,
no more closely than is useful beside the gap that will remain between the two ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from dpcompose.errors import Declined
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Profile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.prove.derivations import rivals_among
from dpcompose.prove.glances import badness, is_about, is_better, is_silent, may_improve
from dpcompose.prove.outdone import is_dotted, is_drawn, says_no_more

NEGLIGIBLE = 1e-12
GLANCE = 1e-2
"""The relative gap of a rough evaluation."""
NEAR = 1e-4
"""If one claim bounds both ends this closely, claims about one end are not evaluated."""
RIVALS, ALIKE = 1e-2, 1e-6
"""How much worse than a rival of the same theorem, relatively, a claim may seem and still be evaluated: before anything
is known, and after the rival turned out as good as estimated.
"""
WORTH_WHILE = 0.04
"""Ends are not evaluated more closely than this share of the gap that will remain between them."""
SILENT_CLAIMS = 3
"""After this many consecutive claims of a theorem that do not improve an end, its other claims are skipped."""
VAGUE = 0.1
"""A wider relative gap is too vague to predict the gap that will remain."""
CLOSER = 1e-3
"""By which factor the gap is reduced while the gap that will remain cannot be predicted."""
LAST_RESORT = 8
"""From this cost on a theorem is put off if a cheaper one has bounded the same end closely."""
FORMULA, SHORT = 1, 3
"""The cost of a theorem that is a formula, and of one that still answers shortly if it bounds one end only."""
Ask: TypeAlias = Callable[[Profile, float], Enclosure]
"""The value of a profile, computed to about this relative gap."""
Rough: TypeAlias = Callable[[Profile], Enclosure | None]
"""A fast, uncertified estimate of that value; None where there is none."""
Said: TypeAlias = list[tuple[Claim[Any], Enclosure]]


def untold(profile: Profile) -> Enclosure | None:  # noqa: ARG001 - of none
    """No estimate is available."""
    return None


@effort.question()
def narrow(  # noqa: PLR0917 - one question
    claims: Iterable[Claim[Profile]],
    ask: Ask,
    possible: Enclosure,
    tolerance: float,
    enough: float,
    rough: Rough = untold,
) -> Said:
    """Evaluate claims until the gap is closed or all were considered; `possible` is known beforehand. Returns the
    results.

    If one claim bounds both ends to within `enough`, no other is evaluated. Once the effort is used up, an end that is
    known is improved by cheap claims alone, and only while the ends are vague.
    """
    inquiry = _Inquiry(ask, rough, possible, tolerance)
    for rivals in rivals_among(claims):
        speaks_of = rivals[0].side
        if speaks_of is not Side.BOTH and inquiry.is_near:
            break
        inquiry.hear(rivals)
        if inquiry.is_closed or (speaks_of is Side.BOTH and inquiry.ends().gap <= enough):
            return inquiry.said
    inquiry.settle()
    return inquiry.said


def is_closed(ends: Enclosure, said: Said, tolerance: float) -> bool:
    """Whether the ends are as close as the tolerance asks, or differ negligibly."""
    from_below = any(Side.LOWER in claim.side for claim, _ in said)
    return ends.gap <= tolerance or (from_below and ends.upper - ends.lower <= NEGLIGIBLE)


@dataclass(frozen=True, slots=True)
class _Glance:
    """The result of a claim about one end, evaluated only to this relative gap."""

    claim: Claim[Profile]
    found: Enclosure
    asked: float


class _Inquiry:
    """The results so far, and the claims that may still improve them."""

    def __init__(self, ask: Ask, rough: Rough, possible: Enclosure, tolerance: float) -> None:
        self.ask, self.rough, self.possible, self.tolerance = ask, rough, possible, tolerance
        self.said: Said = []
        self.is_near = False
        self._closely: Side = Side(0)
        self._heard: list[Claim[Profile]] = []
        """The claims that were considered and not declined, evaluated or not."""
        self._glanced: list[_Glance] = []
        self._long_winded: list[Claim[Profile]] = []
        self._outshone: list[Claim[Profile]] = []  # those that looked worse than others

    def ends(self) -> Enclosure:
        """The intersection of all results; empty if they contradict each other."""
        lower, upper = self.possible.lower, self.possible.upper
        for claim, found in self.said:
            lower = max(lower, found.lower) if Side.LOWER in claim.side else lower
            upper = min(upper, found.upper) if Side.UPPER in claim.side else upper
        return Enclosure(lower, upper)

    @property
    def is_closed(self) -> bool:
        """Whether no further claim is evaluated about either end."""
        return is_closed(self.ends(), self.said, self.tolerance) or self._is_done(Side.BOTH)

    def _suffices(self, side: Side) -> bool:
        """Whether no result about these ends is refined: the tolerance is met, or the effort is used up."""
        return is_closed(self.ends(), self.said, self.tolerance) or self._is_tired(side)

    def _is_tired(self, side: Side) -> bool:
        """Whether the effort is used up and something is known of these ends: of the upper one, and of the lower one
        unless that took very long, too.
        """
        if not effort.is_worn_out():
            return False
        ends = self.ends()
        from_above = Side.UPPER not in side or ends.upper < self.possible.upper
        from_below = Side.LOWER not in side or ends.lower > self.possible.lower or effort.is_exhausted()
        return from_above and from_below

    def _is_done(self, side: Side) -> bool:
        """Whether the effort is used up and what is known of these ends must do: not even a cheap claim is tried."""
        return self._is_tired(side) and (self.ends().gap <= VAGUE or effort.is_exhausted())

    def _is_hearable(self, claim: Claim[Profile]) -> bool:
        """Whether there is time for a claim: for a cheap one longer than for others."""
        is_short = claim.theorem.cost <= (SHORT if claim.side is not Side.BOTH else FORMULA)
        return not self._is_done(claim.side) and (is_short or not self._is_tired(claim.side))

    def hear(self, rivals: list[Claim[Profile]]) -> None:
        """Evaluate rival claims: roughly if they bound one end only, and not at all if others have said as much."""
        self._heard += rivals
        able = [c for c in rivals if self._is_hearable(c) and not (c.theorem.surpassed or self._is_put_off(c))]
        if rivals[0].side is Side.BOTH:
            for claim in able:
                self._put(claim, self.tolerance)
            return
        best, silent = None, 0
        for claim, look in self._hopeful(self._different(able)):
            if best is not None and look is not None and not is_better(look, best, claim.side, ALIKE):
                self._outshone.append(claim)  # the rival that looked best was as good as it looked
                continue
            if silent < SILENT_CLAIMS and self._is_wanted(claim) and not self._is_outdone(claim):
                found = self._put(claim, max(GLANCE, self.tolerance))
                silent = silent + 1 if found is None or is_silent(found, self.possible, claim.side) else 0
                best = best or (look if found and look and found.gap <= GLANCE and is_about(found, look) else None)
        if self._glanced and self.ends().lower > self.possible.lower and not self._staying():
            self._look_again()  # not before anything is known from below: patience would wear out on one end

    def _is_wanted(self, claim: Claim[Profile]) -> bool:
        return not is_closed(self.ends(), self.said, self.tolerance) and self._is_hearable(claim)

    def settle(self) -> None:
        """Evaluate again those that were evaluated roughly and may be the best, then those that were put off."""
        self._look_again()
        for claim in self._long_winded:
            if not self._suffices(claim.side) and claim.side not in self._closely:
                self._put(claim, self.tolerance)

    def _put(self, claim: Claim[Profile], gap: float) -> Enclosure | None:
        profile = claim.guarantee.from_below() if claim.side is Side.LOWER else claim.guarantee
        try:
            with effort.dispensable():
                found = self.ask(profile, gap)
        except Declined:
            self._heard = [other for other in self._heard if other is not claim]
            return None
        self.said.append((claim, found))
        if claim.theorem.side is Side.BOTH and found.gap <= (gap if claim.side is Side.BOTH else GLANCE):
            self._closely |= claim.side
        self.is_near |= claim.side is Side.BOTH and found.gap <= NEAR
        if gap > self.tolerance and claim.guarantee.to(gap) is not claim.guarantee:
            self._glanced.append(_Glance(claim, found, gap))
        return found

    def _is_put_off(self, claim: Claim[Profile]) -> bool:
        """Whether a claim is put off to the end: an expensive theorem for an end that another claim has bounded
        closely.
        """
        if claim.theorem.cost < LAST_RESORT or claim.side not in self._closely:
            return False
        self._long_winded.append(claim)
        return True

    def _is_outdone(self, claim: Claim[Profile]) -> bool:
        """Whether another claim follows from the same or better premises, or composes the losses behind them."""
        dotted = any(is_dotted(claim, other) for other in self._heard)
        return (
            dotted
            or any(is_drawn(claim, other) for other in self._outshone)
            or any(
                found.gap <= 0.1
                and (says_no_more(claim, other) or (found.gap <= self._drawn_at(claim) and is_drawn(claim, other)))
                for other, found in self.said
            )
        )

    def _drawn_at(self, claim: Claim[Profile]) -> float:
        """The gap from which on a line replaces what is drawn from it; a formula is known to more digits than most."""
        return GLANCE if claim.theorem.cost > FORMULA else self.tolerance

    def _different(self, rivals: list[Claim[Profile]]) -> list[Claim[Profile]]:
        """The claims that are not outdone, and are not implied by a rival before them."""
        kept: list[Claim[Profile]] = []
        for claim in rivals:
            if not self._is_outdone(claim) and not any(says_no_more(claim, other) for other in kept):
                kept.append(claim)
        return kept

    def _hopeful(self, rivals: list[Claim[Profile]]) -> list[tuple[Claim[Profile], Enclosure | None]]:
        """The claims that by their estimates are not worse than a rival and may improve the end, the best first, with
        the estimates.
        """
        if not rivals:
            return []
        ends, side = self.ends(), rivals[0].side
        said = ends.upper < self.possible.upper if side is Side.UPPER else ends.lower > self.possible.lower
        if len(rivals) == 1 and not said:
            return [(rivals[0], None)]
        looks = [(claim, self._look(claim)) for claim in rivals]
        looks.sort(key=lambda each: badness(each[1], side))
        best = looks[0][1]
        hopeful: list[tuple[Claim[Profile], Enclosure | None]] = []
        for claim, look in looks:
            if look and best and not (is_better(look, best, side, RIVALS) and may_improve(look, ends, side)):
                self._outshone.append(claim)
            else:
                hopeful.append((claim, look))
        return hopeful

    def _look(self, claim: Claim[Profile]) -> Enclosure | None:
        """An uncertified estimate of a claim's value; None if it fails."""
        try:
            with effort.dispensable():
                return self.rough(claim.guarantee)
        except (ArithmeticError, ValueError, Declined):
            return None

    def _staying(self) -> float:
        """The relative gap that will remain when all claims are evaluated fully; 0 if the ends may meet."""
        ends = self.ends()
        least = min((g.found.lower for g in self._glanced if Side.UPPER in g.claim.side), default=ends.upper)
        most = max((g.found.upper for g in self._glanced if Side.LOWER in g.claim.side), default=ends.lower)
        lower, upper = max(most, ends.lower), min(least, ends.upper)
        return Enclosure(lower, upper).gap if lower < upper else 0.0

    def _look_again(self) -> None:
        """Evaluate claims again as closely as is useful, while an end may improve: first those with vague results."""
        for side in (Side.LOWER, Side.UPPER):
            for glance in [g for g in self._glanced if side in g.claim.side and g.found.gap > VAGUE]:
                self._ask_again(glance)
        for side in (Side.UPPER, Side.LOWER):
            while not self._suffices(side) and (best := self._most_promising(side)) is not None:
                self._ask_again(best)

    def _ask_again(self, glance: _Glance) -> None:
        if not self._suffices(glance.claim.side) and self._may_help(glance):
            gap = self._worth_while(glance)  # less than half of what was asked: this comes to an end
            self._glanced.remove(glance)
            self._put(glance.claim, gap)

    def _may_help(self, glance: _Glance) -> bool:
        """Whether a claim may improve an end and has not been evaluated as closely as is useful."""
        closer = min(glance.asked / 2, glance.found.gap) > self._worth_while(glance)
        return closer and may_improve(glance.found, self.ends(), glance.claim.side) and not self._is_hopeless(glance)

    def _is_hopeless(self, glance: _Glance) -> bool:
        """Whether an upper bound has no lower end and is more than twice the best upper bound."""
        found, ends = glance.found, self.ends()
        return glance.claim.side is Side.UPPER and not found.lower and found.upper > 2 * ends.upper

    def _worth_while(self, glance: _Glance) -> float:
        """The relative gap to evaluate to: a small share of the gap that will remain is negligible."""
        stays = self._staying()
        closer = CLOSER * min(glance.asked, 10 * glance.found.gap)
        return max(self.tolerance, min(WORTH_WHILE * stays, GLANCE) if stays else closer)

    def _most_promising(self, side: Side) -> _Glance | None:
        """The claim with the best result for this end among those that may help."""
        able = [glance for glance in self._glanced if side in glance.claim.side and self._may_help(glance)]
        return min(able, key=lambda g: g.found.upper if side is Side.UPPER else -g.found.lower, default=None)
