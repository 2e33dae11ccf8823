"""What is known of the parts of a composition, and the ways to choose a claim for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from dpcompose.description import Composition, Mechanism, Wrapper
from dpcompose.errors import Declined
from dpcompose.kernel import Claim, Side, Theorem
from dpcompose.notions import ZCDP, Renyi
from dpcompose.numerics import effort
from dpcompose.prove.derivations import DerivedClaims, paths

CURVES = (Renyi, ZCDP)
"""Nothing but answers, and other curves, follows from these; what is known exactly seldom needs them."""
MANY = 64
"""From this number of different parts on, parts of one kind are reasoned about together."""


def different_parts(subject: Mechanism) -> int:
    """About how many different parts there are, those inside of wrappers included."""
    if isinstance(subject, Composition):
        return sum(different_parts(part) for part, _ in subject.parts)
    return different_parts(subject.mechanism) if isinstance(subject, Wrapper) else 1


class Offered(NamedTuple):
    """The claims of one notion about a part, those that give both ends first: all, for the upper and for the lower."""

    claims: Sequence[Claim[Any]]
    above: Sequence[Claim[Any]]
    below: Sequence[Claim[Any]]

    @classmethod
    def of(cls, notion: type[Any], claims: Sequence[Claim[Any]]) -> Offered:
        """Those of the notion among these."""
        found = sorted((c for c in claims if isinstance(c.guarantee, notion)), key=lambda c: c.side is not Side.BOTH)
        return cls(found, [c for c in found if Side.UPPER in c.side], [c for c in found if Side.LOWER in c.side])


class KnownPart(Protocol):
    """A part of which something is known."""

    def offered(self, notion: type[Any]) -> Offered:
        """The claims of a notion, derived at the first question."""


class PartsOf:
    """What is known of the parts, one by one or, where there are many of a kind, together."""

    def __init__(self, work: DerivedClaims, about: Callable[[Mechanism], KnownPart]) -> None:
        assert isinstance(work.subject, Composition)  # noqa: S101 - for the type checker
        self.whole, self.work, self._about = work.subject, work, about
        self.counts = tuple(count for _, count in self.whole.parts)
        kinds = {type(part) for part, _ in self.whole.parts}
        self.kind = kinds.pop() if len(kinds) == 1 and len(self.whole.parts) >= MANY else None
        self.kind = None if self.kind is None or issubclass(self.kind, Wrapper) else self.kind
        self._notions: dict[type[Any], list[Offered]] = {}
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
        self.work.declined.append((theorem, f"{kind.__name__} is not described by {theorem.types[0].called}"))

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
                with effort.dispensable():
                    self._chains[key] = None if reached else path[-1](self.whole, () if before is None else (before,))
            except Declined:
                self._chains[key] = None
        return self._chains[key]

    @cached_property
    def _known(self) -> list[KnownPart]:
        return [self._about(part) for part, _ in self.whole.parts]

    def _of(self, notion: type[Any]) -> list[Offered]:
        """The claims of a notion about each part."""
        if notion not in self._notions:
            self._notions[notion] = [part.offered(notion) for part in self._known]
        return self._notions[notion]

    def _one_by_one(self, theorem: Theorem) -> Iterator[tuple[tuple[Claim[Any], ...], tuple[int, ...]]]:
        """For the upper end a claim for every part, for the lower for any."""
        counts, offered = self.counts, self._of(theorem.types[0])
        if offered and not any(part.claims for part in offered):
            self._miss(theorem, type(self.whole.parts[0][0]))
            return
        above = [part.above for part in offered]
        missing = [part for (part, _), claims in zip(self.whole.parts, above, strict=True) if not claims]
        if missing:
            self._miss(theorem, type(missing[0]))
        else:
            yield from ((choice, counts) for choice in _choices(above))
        if Side.LOWER in theorem.side:
            below = [part.below for part in offered]
            runs = tuple(n for claims, n in zip(below, counts, strict=True) if claims)
            for choice in _choices([claims for claims in below if claims]):
                if choice and (missing or any(Side.UPPER not in c.side for c in choice) or len(choice) < len(counts)):
                    yield choice, runs


def _choices(offered: Sequence[Sequence[Claim[Any]]]) -> Iterator[tuple[Claim[Any], ...]]:
    """A claim for each part: the first ones, then the second ones, and so on; where one gives both ends nothing is
    better, so it is also kept while the others change.
    """
    most = max(map(len, offered), default=1)
    if most == 1:
        yield tuple(claims[0] for claims in offered)
        return
    seen: set[tuple[int, ...]] = set()
    for rank in range(most):
        ranks = tuple(min(rank, len(claims) - 1) for claims in offered)
        kept = tuple(0 if claims[0].side is Side.BOTH else r for r, claims in zip(ranks, offered, strict=True))
        for chosen in (kept, ranks):
            if chosen not in seen:
                seen.add(chosen)
                yield tuple(claims[r] for r, claims in zip(chosen, offered, strict=True))
