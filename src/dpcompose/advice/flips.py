"""Where the best noise changes as the number of queries grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dpcompose.advice.fitting import Goal, Option, fitted, suffices
from dpcompose.advice.noises import KINDS, Contender, GaussianContender
from dpcompose.numerics.search import last

TIE = 1e-3
"""A noise is preferred to a more usual one only if it takes less by this share."""
SMALL = 3.0
"""From this deviation on, discrete and continuous Gaussian noise are alike."""
TINY = 0.05
"""Below this deviation integer noise of any kind is almost always 0."""
MOST = 2**17
"""No flip is looked for beyond so many queries."""
RANK = {noise.name: rank for rank, noise in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Flip:
    """From so many queries on, a noise is best; with one query less another one, if there was one before."""

    queries: int
    after: str
    before: str = ""


@dataclass(slots=True)
class Contest:
    """Who is best, at any number of queries.

    The Gaussian has a closed form, so it is asked first; another noise is fitted only if at the deviation of the best
    so far it would reach the goal. Of the discrete Gaussian it says all, unless the noise is small; if there is hardly
    any, noises of whole numbers are as good as equal.
    """

    goal: Goal
    noises: Sequence[Contender]
    normal: Contender
    winners: dict[int, str] = field(default_factory=dict)

    def best(self, queries: int) -> str:
        """The name of the winner."""
        if queries not in self.winners:
            self.winners[queries] = self._best(queries)
        return self.winners[queries]

    def _best(self, queries: int) -> str:
        best: Option | None = fitted(GaussianContender(), self.goal, queries)
        if best is not None and best.deviation.upper < TINY and self.normal.whole:
            return min((noise for noise in (*self.noises, self.normal) if noise.whole), key=lambda n: RANK[n.name]).name
        if best is not None and best.deviation.upper < SMALL:
            best = fitted(self.normal, self.goal, queries)
        for noise in self.noises:
            if best is None:
                best = fitted(noise, self.goal, queries)
                continue
            share = 1 + TIE if RANK[noise.name] < RANK[best.name] else 1 - TIE
            if suffices(noise, self.goal, queries, best.deviation.upper * share):
                best = fitted(noise, self.goal, queries) or best
        if best is None:
            return ""
        return self.normal.name if best.noise.normal else best.name

    def flips(self) -> tuple[Flip, ...]:
        """Doubling until the Gaussian wins, which it does for good: its noise grows as √k, and so does that of the
        others in the end, with a factor of √2.
        """
        found = [Flip(1, self.best(1))]
        low = 1
        while low < MOST and self.best(low) != self.normal.name:
            high = 2 * low
            if self.best(low) != self.best(high):
                found.append(self._between(low, high))
            low = high
            if not self.goal.delta and low >= 1024:  # the loss of each is ε/k, and nothing new happens
                break
        return tuple(found)

    def _between(self, low: int, high: int) -> Flip:
        """Halve until neighbours differ."""
        first = self.best(low)
        other = last(lambda queries: self.best(queries) == first, low, high) + 1
        return Flip(other, self.best(other), first)


__all__ = ["TIE", "Contest", "Flip"]
