r"""Sharing a budget among queries of different weights, so that the weighted sum of their variances is least.

*Gaussian noise.* The queries together are a Gaussian with $\mu^2 = \sum\Delta_i^2/\sigma_i^2$, and the goal limits μ
alone. Minimising $\sum w_i\sigma_i^2$ at fixed μ: by Cauchy and Schwarz $\sum
w_i\sigma_i^2\cdot\sum\Delta_i^2/\sigma_i^2\ge(\sum\Delta_i\sqrt{w_i})^2 = S^2$, with equality at $\sigma_i^2 =
\frac{\Delta_i}{\sqrt{w_i}}\frac S{\mu^2}$; so the least sum is $S^2/\mu^2$.

*Laplace noise.* At δ = 0 the losses $\Delta_i/b_i$ add up to ε. By Hölder's inequality
$\sum2w_ib_i^2\cdot(\sum\Delta_i/b_i)^2\ge2(\sum\Delta_i^{2/3}w_i^{1/3})^3 = 2T^3$, with equality at $b_i =
(\Delta_i/w_i)^{1/3}T/\varepsilon$; so the least sum is $2T^3/\varepsilon^2$.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from dpcompose.advice.noises import Contender, GaussianContender, LaplaceContender, NoisyQuery
from dpcompose.calibration.targets import Target, indistinguishable
from dpcompose.calibration.trial import CLOSE
from dpcompose.description import ADD_REMOVE, Adjacency, Composition, Mechanism
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.exact.normal import normal_mu
from dpcompose.mechanisms.laplace import SENSITIVITY
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose, rounded
from dpcompose.parameters import DELTA, EPSILON, Param, short
from dpcompose.prove.answer import Answer
from dpcompose.shown import Told
from dpcompose.theorems.approx.recipes import INFINITE

WEIGHT = Param("w", 0, 10**150, "", typical=(0.1, 10))
MOST_SHARES = 10_000
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Share:
    """One query: its weight and its noise."""

    weight: Real
    mechanism: Mechanism
    deviation: Enclosure


@dataclass(frozen=True, slots=True, repr=False)
class Split(Told):
    """The noise of every query, the cost of all of them, and the optimum to compare with."""

    noise: str
    shares: tuple[Share, ...]
    answer: Answer
    """The cost of all queries, certified to be within the goal."""
    total: Enclosure
    """The weighted sum of the variances of this split."""
    optimum: Enclosure
    """The least weighted sum that any split reaches with this kind of noise."""
    equal: Enclosure
    """The weighted sum if every query got the same noise in units of its sensitivity."""

    @property
    def mechanism(self) -> Composition:
        """All queries, as one mechanism."""
        return Composition(tuple((share.mechanism, 1) for share in self.shares))

    def document(self) -> dict[str, object]:
        """Everything as plain values, for JSON."""
        name = next(kind.parameter for kind in (GaussianContender(), LaplaceContender()) if kind.name == self.noise)
        shares = [
            {"weight": float(s.weight), name: float(getattr(s.mechanism, name)), "deviation": s.deviation.upper}
            for s in self.shares
        ]
        sums = {"total": self.total.upper, "optimum_at_least": self.optimum.lower, "equal": self.equal.upper}
        return {"noise": self.noise, "shares": shares, "weighted_variance": sums}

    def __str__(self) -> str:
        lines = [f"{'query':>5} {'weight':>12} {'deviation':>14}"]
        for i, share in enumerate(self.shares[:SHOWN], 1):
            deviation = rounded(share.deviation.upper, ROUND_CEILING)
            lines.append(f"{i:>5} {float(share.weight):>12.6g} {deviation:>14}")
        if len(self.shares) > SHOWN:
            lines.append(f"  ... and {len(self.shares) - SHOWN} more")
        total, equal = (rounded(e.upper, ROUND_CEILING) for e in (self.total, self.equal))
        said = f"Weighted variance with {self.noise} noise: {total}; split evenly: {equal}."
        return "\n".join([*lines, "", said])


@dataclass(frozen=True, slots=True)
class _Plan:
    """A kind of noise: the optimal amounts, up to a factor, in floats; the least sum, and the sum for equal noise."""

    noise: Contender
    parameters: tuple[float, ...]
    delta: Real
    optimum: Enclosure
    equal: Enclosure


def split(
    weights: Sequence[Real],
    *,
    epsilon: Real,
    delta: Real = 0,
    sensitivities: Sequence[Real] | None = None,
    adjacency: Adjacency | None = ADD_REMOVE,
) -> Split:
    r"""Noise for queries of given weights within (ε, δ), such that $\sum w_i\mathrm{Var}_i$ is least.

    Gaussian noise has $\sigma_i\propto\sqrt{\Delta_i}\,w_i^{-1/4}$; Laplace noise, counted at δ = 0, has
    $b_i\propto(\Delta_i/w_i)^{1/3}$. The better of the two is taken; each is optimal of its kind.
    """
    level, limit = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
    if limit == 1:
        raise InvalidParameter("delta", delta, "a number below 1, at which noise is needed at all")
    w, d = _checked(weights, sensitivities)
    plan = min((_gaussian(w, d, level, limit), _laplace(w, d, level)), key=lambda p: p.optimum.upper)
    if math.isinf(plan.optimum.upper):
        raise NotProvable(f"No noise is shown to reach ε = {short(level)} with δ = {short(limit)}")
    shares, answer = _certified(plan, [NoisyQuery(x, adjacency) for x in d], w, indistinguishable(level, plan.delta))
    total = enclose(lambda: _sum(ball(s.weight) * ball(s.deviation) ** 2 for s in shares), gap=1e-9)
    return Split(plan.noise.name, shares, answer, total, plan.optimum, plan.equal)


def _certified(
    plan: _Plan, queries: Sequence[NoisyQuery], w: Sequence[Real], target: Target
) -> tuple[tuple[Share, ...], Answer]:
    """The optimal amounts, widened slightly until they are shown to reach the goal: floats only nearly do."""
    wider = 2.0**-50
    while wider < CLOSE:
        sizes = [(1.0 + wider) * p for p in plan.parameters]
        members = [plan.noise.member(q, p) for q, p in zip(queries, sizes, strict=True)]
        answer = target.cost(Composition(tuple((member, 1) for member in members)), -1)
        if target.met(answer):
            deviations = [plan.noise.deviation(q, p) for q, p in zip(queries, sizes, strict=True)]
            return tuple(Share(*row) for row in zip(w, members, deviations, strict=True)), answer
        wider *= 4.0
    raise NotProvable(f"The optimal split is not shown to meet {target}")


def _sum(terms: object) -> Ball:
    return sum(terms, Ball(0))  # type: ignore[call-overload, no-any-return]


def _checked(weights: Sequence[Real], sensitivities: Sequence[Real] | None) -> tuple[list[Real], list[Real]]:
    given = [1] * len(weights) if sensitivities is None else list(sensitivities)
    if not 1 <= len(weights) <= MOST_SHARES:
        raise InvalidParameter("the number of weights", len(weights), f"from 1 to {MOST_SHARES}")
    if len(given) != len(weights):
        raise InvalidParameter("the number of sensitivities", len(given), f"{len(weights)}, one for each weight")
    w = [WEIGHT.check("weights", x) for x in weights]
    d = [SENSITIVITY.check("sensitivities", x) for x in given]
    for name, values in (("weights", w), ("sensitivities", d)):
        if not all(values):
            raise InvalidParameter(name, 0, "positive numbers: without weight or sensitivity there is nothing to share")
    return w, d


def _gaussian(w: Sequence[Real], d: Sequence[Real], epsilon: Real, delta: Real) -> _Plan:
    mu = normal_mu(epsilon, delta)
    if not mu.lower > 0:
        return _Plan(GaussianContender(), (), delta, INFINITE, INFINITE)

    def total() -> Ball:
        return _sum(ball(x) * ball(y).sqrt() for x, y in zip(d, w, strict=True))

    whole = float(total())
    shape = tuple(math.sqrt(float(x) * whole / math.sqrt(float(y))) / mu.lower for x, y in zip(d, w, strict=True))
    even = _exact_sum(w, d) * len(w)
    return _Plan(
        GaussianContender(),
        shape,
        delta,
        _over(lambda: total() ** 2, lambda end: ball(end) ** 2, mu),
        _over(lambda: ball(even), lambda end: ball(end) ** 2, mu),
    )


def _laplace(w: Sequence[Real], d: Sequence[Real], epsilon: Real) -> _Plan:
    if not epsilon:
        return _Plan(LaplaceContender(), (), 0, INFINITE, INFINITE)

    def total() -> Ball:
        return _sum((ball(x) ** 2 * ball(y)).root(3) for x, y in zip(d, w, strict=True))

    whole = float(total())
    shape = tuple(math.cbrt(float(x) / float(y)) * whole / float(epsilon) for x, y in zip(d, w, strict=True))
    even = 2 * _exact_sum(w, d) * len(w) ** 2
    level = ball(epsilon)
    return _Plan(
        LaplaceContender(),
        shape,
        0,
        enclose(lambda: 2 * total() ** 3 / level**2),
        enclose(lambda: ball(even) / level**2),
    )


def _exact_sum(w: Sequence[Real], d: Sequence[Real]) -> Fraction:
    """Σ wΔ²."""
    return sum((Fraction(y) * Fraction(x) ** 2 for x, y in zip(d, w, strict=True)), Fraction(0))


def _over(top: Callable[[], Ball], bottom: Callable[[float], Ball], mu: Enclosure) -> Enclosure:
    """The quotient of a number by an enclosed one."""
    least, most = (enclose(lambda end=end: top() / bottom(end)) for end in (mu.upper, mu.lower))  # type: ignore[misc]
    return Enclosure(least.lower, most.upper)


__all__ = ["Share", "Split", "split"]
