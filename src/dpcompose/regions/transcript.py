"""Algorithm 1 (SM-C3.3): from k symbols of leaky responses to the transcript of k adaptive mechanisms.

The kernel of step j depends on the outcomes so far. Symbols are independent and each kernel turns U into the step's
first law and V into its second, so the transcript of U^k has exactly the law on the first input, and that of V^k on the
second: k copies of one four-point pair are as bad as anything an analyst can choose.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.regions.simulation import LeakyResponse, Masses, SimulationMap, masses, simulate

History: TypeAlias = tuple[int, ...]
Step: TypeAlias = Callable[[History], tuple[Sequence[Real], Sequence[Real]]]
"""From the outcomes so far to the laws of the next one on the two inputs."""
Draw: TypeAlias = Callable[[Masses], int]
Laws: TypeAlias = dict[History, Fraction]

MOST_TRANSCRIPTS = 10**6


def draw(law: Masses) -> int:
    """An outcome of exactly this law, from the system's randomness."""
    whole = math.lcm(*(mass.denominator for mass in law))
    left = secrets.randbelow(whole)
    for outcome, mass in enumerate(law):
        left -= int(mass * whole)
        if left < 0:
            return outcome
    raise AssertionError("a distribution adds up to 1")


@dataclass(frozen=True, slots=True)
class Interaction:
    """Mechanisms that may depend on earlier outcomes, each (ε, δ)-close for the same rational e^ε and the same δ."""

    steps: tuple[Step, ...]
    exp_epsilon: Real
    delta: Real = 0

    def kernel(self, history: History) -> SimulationMap:
        """The simulation of the step that follows a history."""
        p, q = self.steps[len(history)](history)
        return simulate(p, q, exp_epsilon=self.exp_epsilon, delta=self.delta)

    def transcript(self, symbols: Sequence[object], draw: Draw = draw) -> History:
        """Turn one symbol for each step into a transcript."""
        if len(symbols) != len(self.steps):
            raise InvalidParameter(
                "symbols", f"{len(symbols)} symbols", f"one for each of {len(self.steps)} mechanisms"
            )
        history: History = ()
        for symbol in symbols:
            history = (*history, draw(self.kernel(history).given(symbol)))
        return history

    def laws(self) -> tuple[Laws, Laws]:
        """The laws of the transcript on the two inputs, listed."""
        return self._listed(lambda h: masses("p", self.steps[len(h)](h)[0])), self._listed(
            lambda h: masses("q", self.steps[len(h)](h)[1])
        )

    def simulated(self) -> tuple[Laws, Laws]:
        """The laws of the simulated transcript for symbols from U^k and from V^k, listed."""
        response = LeakyResponse(Fraction(self.exp_epsilon), Fraction(self.delta))
        return (
            self._listed(lambda h: self.kernel(h).image(response.u)),
            self._listed(lambda h: self.kernel(h).image(response.v)),
        )

    def check(self) -> bool:
        """Whether the simulated laws are the true ones, exactly, transcript by transcript."""
        return self.laws() == self.simulated()

    def _listed(self, following: Callable[[History], Masses]) -> Laws:
        found: Laws = {(): Fraction(1)}
        for _ in self.steps:
            found = {
                (*history, outcome): mass * chance
                for history, mass in found.items()
                for outcome, chance in enumerate(following(history))
                if mass * chance
            }
            if len(found) > MOST_TRANSCRIPTS:
                raise InvalidParameter("mechanisms", f"{len(found)} transcripts", f"at most {MOST_TRANSCRIPTS} of them")
        return found


def simulate_transcript(
    mechanisms: Sequence[Step], symbols: Sequence[object], *, exp_epsilon: Real, delta: Real = 0, draw: Draw = draw
) -> History:
    """SM-C3.3, Algorithm 1: a transcript of the mechanisms, made from leaky responses alone."""
    return Interaction(tuple(mechanisms), exp_epsilon, delta).transcript(symbols, draw)


__all__ = ["Interaction", "draw", "simulate_transcript"]
