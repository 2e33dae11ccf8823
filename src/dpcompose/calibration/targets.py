"""What a calibrated mechanism must satisfy: (ε, δ), or a limit on what an attacker can do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dpcompose.calibration.sketch import Sketch, delta_sketch
from dpcompose.description import Mechanism
from dpcompose.errors import Declined, InvalidParameter, NotProvable
from dpcompose.exact.normal import normal_mu
from dpcompose.kernel import Side
from dpcompose.numerics.enclosure import Enclosure, Real, ball, enclose
from dpcompose.numerics.special import ndtri
from dpcompose.parameters import DELTA, EPSILON, short
from dpcompose.prove.answer import Answer
from dpcompose.prove.answer import delta as delta_at
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.regions.readings import PRIOR
from dpcompose.regions.readings import tpr as tpr_at
from dpcompose.regions.region import RATE
from dpcompose.regions.tradeoff import complement

SHARP = (1e-3, 1e-9)
"""Relative gaps at which δ is asked for; the last is well below the step of one part in a million that is certified."""
SHARPER = (1e-5, 1e-8, 1e-11)
"""Relative gaps for error rates, whose ends depend on a stretch of the profile."""


@dataclass(frozen=True, slots=True)
class Target:
    """A limit on one quantity: an upper limit where less is more private, a lower limit where more is."""

    said: str
    """The target in words: `δ ≤ 1e-6 at ε = 1`."""
    limit: Real
    ask: Callable[[Mechanism, float], Answer]
    """The quantity for a mechanism, to a relative gap."""
    scale: Callable[[float], float]
    """The quantity in a unit that grows with the loss and is nearly a power of the parameter; for the search only."""
    safe_side: Side = Side.UPPER
    gaps: tuple[float, ...] = SHARP
    """Relative gaps to ask for, one after the other, each only where the one before leaves it open."""
    sketch: Sketch | None = None
    """A rough estimate of the quantity, in floats, to start from."""
    glance: Sketch | None = None
    """A close estimate of the quantity, uncertified, at less than the price of a certified answer."""

    def cost(self, mechanism: Mechanism, first: int = 0) -> Answer:
        """The quantity, just sharp enough to tell whether it is within the limit; starts with the gap of this index."""
        answer = Answer("unknown", Enclosure(0.0, math.inf), None, None, safe_side=self.safe_side)
        for gap in self.gaps[first:]:
            try:
                answer = self.ask(mechanism, gap)
            except (NotProvable, Declined):
                break  # nothing is known there: neither met nor missed
            decided = self.met(answer) or self.missed(answer)
            if decided or answer.enclosure.gap > 100 * gap:  # or no theorem comes near, however sharply it is asked
                break
        return answer

    def met(self, answer: Answer) -> bool:
        """Whether the answer is certainly within the limit."""
        return answer.upper <= self.limit if self.safe_side is Side.UPPER else answer.lower >= self.limit

    def missed(self, answer: Answer) -> bool:
        """Whether the answer is certainly beyond the limit."""
        return answer.lower > self.limit if self.safe_side is Side.UPPER else answer.upper < self.limit

    def __str__(self) -> str:
        return self.said


def indistinguishable(epsilon: Real, delta: Real) -> Target:
    r"""(ε, δ)-DP: $\delta(\varepsilon)\le\delta$; and where $\delta = 0$, the largest loss is at most ε."""
    level, limit = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
    said = f"δ ≤ {short(limit)} at ε = {short(level)}"
    if limit:
        sketch = delta_sketch(level, limit)
        ask, scale = (lambda m, gap: delta_at(m, level, gap)), normal_distance(level)
        return Target(said, limit, ask, scale, sketch=sketch, glance=sketch.glance)
    return Target(f"ε ≤ {short(level)} at δ = 0", level, lambda m, gap: epsilon_at(m, 0, gap), _logarithm)


def little_advantage(advantage: Real) -> Target:
    """At any threshold, a membership attacker's true positive rate exceeds the false positive rate by at most this."""
    limit = RATE.check("advantage", advantage)

    def ask(mechanism: Mechanism, gap: float) -> Answer:
        return replace(delta_at(mechanism, 0, gap), question="TV")

    return Target(f"advantage ≤ {short(limit)}", limit, ask, normal_distance(0))


def few_found(tpr: Real, fpr: Real) -> Target:
    """At this false positive rate, a membership attacker's true positive rate is at most `tpr`."""
    limit, rate = RATE.check("tpr", tpr), RATE.check("fpr", fpr)

    def scale(found: float) -> float:
        """The log of the distance of two unit normals between which a test reaches this pair of rates."""
        apart = float(ndtri(found)) - float(ndtri(float(rate)))
        return _logarithm(apart) if math.isfinite(apart) else _logarithm(found)

    said = f"TPR ≤ {short(limit)} at FPR = {short(rate)}"
    return Target(said, limit, lambda m, gap: tpr_at(m, rate, tolerance=gap), scale, gaps=SHARPER)


def often_wrong(bayes_error: Real, prior: Real) -> Target:
    r"""The best guess is wrong with at least this probability, when one hypothesis has probability π.

    With $m = \min(\pi,1-\pi)$ the error is $m(1-\delta(\ln\frac{1-m}m))$.
    """
    limit, share = RATE.check("bayes_error", bayes_error), Fraction(PRIOR.check("prior", prior))
    least = min(share, 1 - share)
    if limit > least:
        raise InvalidParameter("bayes_error", bayes_error, f"at most {short(least)}, the error of the best blind guess")
    level = Enclosure(0.0, 0.0) if 2 * least == 1 else enclose(lambda: (ball(1 - least) / ball(least)).log())

    def ask(mechanism: Mechanism, gap: float) -> Answer:
        high = delta_at(mechanism, max(level.lower, 0.0), gap)
        low = high if level.lower == level.upper else delta_at(mechanism, level.upper, gap)
        kept = complement(Enclosure(min(low.lower, high.upper), high.upper))
        ends = Enclosure(_times(least, kept.lower).lower, _times(least, kept.upper).upper)
        return Answer("Bayes error", ends, low.lower_by, high.upper_by, safe_side=Side.LOWER)

    distance = normal_distance(level.upper)
    said = f"Bayes error ≥ {short(limit)} at prior {short(share)}"
    if not least:
        return Target(said, limit, lambda *_: _blind(), _logarithm, Side.LOWER)
    return Target(said, limit, ask, lambda e: distance(1.0 - e / float(least)), Side.LOWER)


def _blind() -> Answer:
    return Answer("Bayes error", Enclosure(0.0, 0.0), None, None, "the prior leaves nothing to guess", Side.LOWER)


def _times(share: Fraction, x: float) -> Enclosure:
    return Enclosure.exactly(share * Fraction(x))


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def normal_distance(level: Real) -> Callable[[float], float]:
    """A function from δ at this ε to ln μ of the Gaussian with that δ: nearly linear in the log of most parameters."""

    def scale(found: float) -> float:
        if not 0.0 < found < 1.0:
            return -math.inf if found <= 0.0 else math.inf
        return _logarithm(normal_mu(level, found).upper)

    return scale


KINDS: Mapping[frozenset[str], Callable[..., Target]] = {
    frozenset({"epsilon", "delta"}): indistinguishable,
    frozenset({"advantage"}): little_advantage,
    frozenset({"tpr", "fpr"}): few_found,
    frozenset({"bayes_error", "prior"}): often_wrong,
}


def target(**given: Real | None) -> Target:
    """The target that was named: by ε and δ, an advantage, a TPR at an FPR, or a Bayes error at a prior."""
    named = {name: value for name, value in given.items() if value is not None}
    if "bayes_error" in named:
        named.setdefault("prior", Fraction(1, 2))
    if frozenset(named) not in KINDS:
        accepted = "epsilon and delta, or advantage, or tpr and fpr, or bayes_error (and prior)"
        raise InvalidParameter("target", ", ".join(sorted(named)) or "nothing", accepted)
    return KINDS[frozenset(named)](**named)


__all__ = ["Target", "few_found", "indistinguishable", "little_advantage", "normal_distance", "often_wrong", "target"]
