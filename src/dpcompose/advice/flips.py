"""Where the best noise changes as the number of queries grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dpcompose.advice.fitting import NoiseGoal, Option, fitted, suffices
from dpcompose.advice.noises import KINDS, Contender, GaussianContender
from dpcompose.numerics.search import last

TIE = 1e-3
"""A noise is preferred to a more usual one only if its deviation is smaller by this share."""
SMALL = 3.0
"""From this deviation on, discrete and continuous Gaussian noise are treated as equal."""
TINY = 0.05
"""Below this deviation integer noise of any kind is almost always 0."""
MOST = 2**17
"""The greatest number of queries at which a flip is looked for."""
RANK = {noise.name: rank for rank, noise in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Flip:
    """The number of queries from which on a noise is best, and the noise that was best before, if any."""

    queries: int
    after: str
    before: str = ""


@dataclass(slots=True)
class Contest:
    """The best noise at any number of queries.

    The Gaussian has a closed form, so it is evaluated first; another noise is fitted only if it would reach the goal
    with the least deviation found so far. The Gaussian stands for the discrete Gaussian too unless the noise is small;
    noises so small that they are almost always 0 count as equal.
    """

    goal: NoiseGoal
    noises: Sequence[Contender]
    normal: Contender
    winners: dict[int, str] = field(default_factory=dict)

    def best(self, queries: int) -> str:
        """The name of the best noise."""
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
        """All flips: the number of queries is doubled until the Gaussian is best, as it then stays: its noise grows as
        √k, that of the others in the end too but with a factor of √2.
        """
        found = [Flip(1, self.best(1))]
        low = 1
        while low < MOST and self.best(low) != self.normal.name:
            high = 2 * low
            if self.best(low) != self.best(high):
                found.append(self._between(low, high))
            low = high
            if not self.goal.delta and low >= 1024:  # from there on each loss is ε/k, and nothing changes any more
                break
        return tuple(found)

    def _between(self, low: int, high: int) -> Flip:
        """The flip between two numbers of queries, found by halving."""
        first = self.best(low)
        other = last(lambda queries: self.best(queries) == first, low, high) + 1
        return Flip(other, self.best(other), first)


__all__ = ["TIE", "Contest", "Flip"]
