"""Whom to ask, how closely, and when to stop: the cheapest first, until what they say together is tight enough.

A claim about both ends is asked for all it can say at once. Claims about one end compete: each is asked at a glance,
and only those that may still be the best of their side are asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from dpcompose.errors import Declined
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Profile
from dpcompose.numerics.enclosure import Enclosure

NEGLIGIBLE = 1e-12
GLANCE = 1e-2
"""The relative gap that is asked for at a glance."""
NEAR = 1e-4
"""What one claim says this well of both ends is not compared with bounds of one end."""
LAST_RESORT = 8
"""The cost of a theorem that says again, at length, what another one said: asked only where that one was wide."""
Ask: TypeAlias = Callable[[Profile, float], Enclosure]
"""What a profile says, with the relative gap it should aim at."""
Rough: TypeAlias = Callable[[Profile], Enclosure | None]
"""Where that lies, most likely, by a glance that proves nothing; None where nobody can tell."""
Said: TypeAlias = list[tuple[Claim[Any], Enclosure]]


def untold(profile: Profile) -> Enclosure | None:  # noqa: ARG001 - of none
    """Nothing is known beforehand."""
    return None


def narrow(  # noqa: PLR0917 - one question
    claims: Iterable[Claim[Profile]],
    ask: Ask,
    possible: Enclosure,
    tolerance: float,
    enough: float,
    rough: Rough = untold,
) -> Said:
    """What was said until the gap was closed, or everyone was asked; `possible` is known beforehand.

    Where one claim says both ends as nearly as `enough`, nobody else is asked.
    """
    inquiry = _Inquiry(ask, rough, possible, tolerance)
    for claim in claims:
        if claim.side is not Side.BOTH and inquiry.is_near:
            break
        inquiry.hear(claim)
        if inquiry.is_closed or (claim.side is Side.BOTH and inquiry.ends().gap <= enough):
            return inquiry.said
    inquiry.settle()
    return inquiry.said


def is_closed(ends: Enclosure, said: Said, tolerance: float) -> bool:
    """Whether the ends are as near as asked, or nearer than anyone can tell."""
    from_below = any(Side.LOWER in claim.side for claim, _ in said)
    return ends.gap <= tolerance or (from_below and ends.upper - ends.lower <= NEGLIGIBLE)


class _Inquiry:
    """What was said so far, and who may have more to say."""

    def __init__(self, ask: Ask, rough: Rough, possible: Enclosure, tolerance: float) -> None:
        self.ask, self.rough, self.possible, self.tolerance = ask, rough, possible, tolerance
        self.said: Said = []
        self.is_near = False
        self._closely: Side = Side(0)
        self._glanced: list[tuple[Claim[Profile], Enclosure]] = []
        self._long_winded: list[Claim[Profile]] = []

    def ends(self) -> Enclosure:
        """What all say together; empty where they contradict each other."""
        lower, upper = self.possible.lower, self.possible.upper
        for claim, found in self.said:
            lower = max(lower, found.lower) if Side.LOWER in claim.side else lower
            upper = min(upper, found.upper) if Side.UPPER in claim.side else upper
        return Enclosure(lower, upper)

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to ask."""
        return is_closed(self.ends(), self.said, self.tolerance)

    def hear(self, claim: Claim[Profile]) -> None:
        """Ask one claim: at a glance if it speaks of one end, and not at all if that was said before."""
        if claim.theorem.surpassed:
            return
        if claim.theorem.cost >= LAST_RESORT and claim.side in self._closely:
            self._long_winded.append(claim)
        elif claim.side is Side.BOTH or not (self._is_outdone(claim) or self._is_hopeless(claim)):
            self._put(claim, self.tolerance if claim.side is Side.BOTH else max(GLANCE, self.tolerance))
            if self._glanced and self._may_close():
                self._look_again()

    def settle(self) -> None:
        """Ask those again that were only glanced at and may be the best, and then the long-winded."""
        self._look_again()
        for claim in self._long_winded:
            if not self.is_closed and claim.side not in self._closely:
                self._put(claim, self.tolerance)

    def _put(self, claim: Claim[Profile], gap: float) -> None:
        try:
            found = self.ask(claim.guarantee, gap)
        except Declined:
            return
        self.said.append((claim, found))
        if claim.theorem.side is Side.BOTH and found.gap <= gap:
            self._closely |= claim.side
        self.is_near |= claim.side is Side.BOTH and found.gap <= NEAR
        if gap > self.tolerance and claim.guarantee.to(gap) is not claim.guarantee:
            self._glanced.append((claim, found))

    def _is_outdone(self, claim: Claim[Profile]) -> bool:
        """Whether somebody drew the same conclusion from the same premises, or from exact ones in their place."""
        return any(found.gap <= 0.1 and _says_no_more(claim, other) for other, found in self.said)

    def _is_hopeless(self, claim: Claim[Profile]) -> bool:
        """Whether it lies, most likely, far beyond what others have said of its end."""
        ends = self.ends()
        said = ends.upper < self.possible.upper if claim.side is Side.UPPER else ends.lower > self.possible.lower
        if not said:
            return False
        about = self.rough(claim.guarantee)
        if about is None:
            return False
        return about.lower > ends.upper if claim.side is Side.UPPER else about.upper < ends.lower

    def _may_close(self) -> bool:
        """Whether closer looks could make the ends meet."""
        least = min((e.lower for c, e in self._glanced if Side.UPPER in c.side), default=self.ends().upper)
        most = max((e.upper for c, e in self._glanced if Side.LOWER in c.side), default=self.ends().lower)
        return min(least, self.ends().upper) <= max(most, self.ends().lower)

    def _look_again(self) -> None:
        """Ask for all that can be said, the most promising of each side first, while it may change an end."""
        for side in (Side.UPPER, Side.LOWER):
            while not self.is_closed and (best := self._most_promising(side)) is not None:
                self._glanced.remove(best)
                self._closely &= ~best[0].side
                self._put(best[0], self.tolerance)

    def _most_promising(self, side: Side) -> tuple[Claim[Profile], Enclosure] | None:
        ends = self.ends()
        if side is Side.UPPER:
            able = [(e.upper, i) for i, (c, e) in enumerate(self._glanced) if side in c.side and e.lower < ends.upper]
        else:
            able = [(-e.lower, i) for i, (c, e) in enumerate(self._glanced) if side in c.side and e.upper > ends.lower]
        return self._glanced[min(able)[1]] if able else None


def _says_no_more(claim: Claim[Any], other: Claim[Any]) -> bool:
    """Whether a claim is the other one, drawn from premises none of which says more."""
    if claim is other:
        return True
    if claim.subject is not other.subject:
        return False
    if other.side is Side.BOTH and type(claim.guarantee) is type(other.guarantee) and not claim.counts:
        return bool(_leak(claim) == _leak(other))
    return (
        claim.theorem is other.theorem
        and claim.side is other.side
        and claim.counts == other.counts
        and len(claim.premises) == len(other.premises) > 0
        and all(map(_says_no_more, claim.premises, other.premises))
    )


def _leak(claim: Claim[Any]) -> Any:
    """The chance of revealing everything, beside what the guarantee says."""
    return getattr(claim.guarantee, "delta", getattr(claim.guarantee, "leak", 0))
