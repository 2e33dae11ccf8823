"""Properties of a region under their common names: errors, rates, odds, accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import overload

import numpy as np

from dpcompose.description import Subject
from dpcompose.errors import NotProvable
from dpcompose.kernel import Side
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.parameters import DELTA, LEAST, Param
from dpcompose.prove.answer import Answer, Answers, Arguments, several
from dpcompose.prove.answer import delta as delta_at
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.prove.claims import known
from dpcompose.regions.chain import Floats
from dpcompose.regions.orders import View, both_orders, views
from dpcompose.regions.region import RATE
from dpcompose.regions.tradeoff import Order, complement

PRIOR = Param("π", 0, 1, "probability", typical=(0.01, 0.5))
ODDS = Param("odds", 0, 10**300, "", typical=(0.01, 100))
RELATIVE = Param("tolerance", 0, 1, "relative")
_STEP = 1e-5
_FAR = 1e6
_TIGHT, _GLANCE = 1e-6, 1e-2
_SHARES = tuple(Fraction(n, 1000) for n in (1, 20, 100, 300, 600, 900))


@overload
def beta(mechanism: Subject, alpha: Real, *, order: Order = ..., tolerance: float = ...) -> Answer: ...
@overload
def beta(mechanism: Subject, alpha: Arguments, *, order: Order = ..., tolerance: float = ...) -> Answers: ...
def beta(
    mechanism: Subject, alpha: Real | Arguments, *, order: Order = Order.EITHER, tolerance: float = 1e-6
) -> Answer | Answers:
    r"""Enclose the least type II error of a test whose type I error is at most α: $T(P,Q)(\alpha)$.

    Neyman and Pearson's test, randomised at atoms. In either order the attacker picks the better null hypothesis. The
    safe end is the lower one. For a sequence of α, each of them, sharing the work.
    """
    return _type_two("alpha", mechanism, alpha, order, tolerance)


def _type_two(
    name: str, mechanism: Subject, rate: Real | Arguments, order: Order, tolerance: float
) -> Answer | Answers:
    """The least type II error at a rate, or at each of several; `name` is what the caller calls the rate."""
    RELATIVE.check("tolerance", tolerance)
    if (each := several(rate)) is not None:
        return Answers(_betas(mechanism, _rates(name, each), order, tolerance))
    return _betas(mechanism, _rates(name, [rate]), order, tolerance)[0]


@effort.question()
def _betas(mechanism: Subject, rates: tuple[Floats, Floats], order: Order, tolerance: float) -> tuple[Answer, ...]:
    least, most = rates
    choices = both_orders(mechanism, max(tolerance, 1e-12) / 100).of(order)
    if not len(least):
        return ()
    lower, upper = (np.array(ends) for ends in zip(*(t.between(least, most, tolerance) for t in choices), strict=True))
    low_by, high_by = lower.argmin(axis=0).tolist(), upper.argmin(axis=0).tolist()
    ends = map(Enclosure, lower.min(axis=0).tolist(), upper.min(axis=0).tolist())
    return tuple(
        Answer("β", found, choices[high].upper_by, choices[low].lower_by, "", Side.LOWER)
        for found, low, high in zip(ends, low_by, high_by, strict=True)
    )


def _rates(name: str, given: Sequence[object]) -> tuple[Floats, Floats]:
    """The floats just below and just above the rates; equal where the rates are floats."""
    if {type(x) for x in given} <= {float, np.float64}:
        floats = np.array(given, dtype=np.float64)
        if np.all((floats >= 0.0) & (floats <= 1.0)):
            return floats, floats
    rates = [Enclosure.exactly(RATE.check(name, a)) for a in given]
    return np.array([a.lower for a in rates]), np.array([a.upper for a in rates])


def alpha(mechanism: Subject, beta: Real, *, order: Order = Order.EITHER, tolerance: float = 1e-6) -> Answer:
    """Enclose the least type I error of a test whose type II error is at most β: the inverse of `beta`."""
    other = {Order.FORWARD: Order.BACKWARD, Order.BACKWARD: Order.FORWARD}.get(order, order)
    found = _betas(mechanism, _rates("beta", [beta]), other, tolerance)[0]
    return Answer("α", found.enclosure, found.upper_by, found.lower_by, safe_side=Side.LOWER)


@overload
def tpr(mechanism: Subject, fpr: Real, *, order: Order = ..., tolerance: float = ...) -> Answer: ...
@overload
def tpr(mechanism: Subject, fpr: Arguments, *, order: Order = ..., tolerance: float = ...) -> Answers: ...
def tpr(
    mechanism: Subject, fpr: Real | Arguments, *, order: Order = Order.EITHER, tolerance: float = 1e-6
) -> Answer | Answers:
    """Enclose the greatest true positive rate at a false positive rate: 1 − β."""
    missed = _type_two("fpr", mechanism, fpr, order, tolerance)
    if isinstance(missed, Answers):
        return Answers(tuple(_complement("TPR", b) for b in missed))
    return _complement("TPR", missed)


def _complement(name: str, answer: Answer) -> Answer:
    """1 minus an error: the ends, their claims and the safe side are exchanged."""
    return Answer(
        name, complement(answer.enclosure) & UNIT_INTERVAL, answer.lower_by, answer.upper_by, answer.note, Side.UPPER
    )


def advantage(mechanism: Subject) -> Answer:
    """Enclose the greatest difference of the true and the false positive rate: the total variation, δ(0)."""
    found = delta_at(mechanism, 0)
    return Answer("TV", found.enclosure, found.upper_by, found.lower_by, found.note)


@effort.question()
def bayes_error(mechanism: Subject, prior: Real = Fraction(1, 2)) -> Answer:
    r"""Enclose the least probability of a wrong guess, when one hypothesis has probability π:
    $m\,(1-\delta(\ln\frac{1-m}m))$ with $m = \min(\pi,1-\pi)$. The safe end is the lower one.
    """
    share = Fraction(PRIOR.check("prior", prior))
    least = min(share, 1 - share)
    if not least:
        return Answer("Bayes error", Enclosure(0.0, 0.0), None, None, "the prior leaves nothing to guess", Side.LOWER)
    level = enclose(lambda: (ball(1 - least) / ball(least)).log()) if least != 1 - least else Enclosure(0.0, 0.0)
    high = delta_at(mechanism, max(level.lower, 0.0))
    low = high if level.lower == level.upper else delta_at(mechanism, level.upper)
    kept = complement(Enclosure(min(low.lower, high.upper), high.upper))
    ends = Enclosure(
        Enclosure.exactly(least * Fraction(kept.lower)).lower, Enclosure.exactly(least * Fraction(kept.upper)).upper
    )
    return Answer("Bayes error", ends, low.lower_by, high.upper_by, safe_side=Side.LOWER)


def accuracy(mechanism: Subject, prior: Real = Fraction(1, 2)) -> Answer:
    """Enclose the greatest probability of a right guess: 1 minus the Bayes error."""
    return _complement("accuracy", bayes_error(mechanism, prior))


@effort.question()
def posterior_odds(mechanism: Subject, prior_odds: Real = 1, delta: Real = 0) -> Answer:
    r"""Enclose the odds that an attacker can reach, except with probability δ: $e^\tau$ times the prior odds.

    $\tau\ge0$ is the least level that the privacy loss exceeds with probability at most δ, in either order. As a
    function of $s = e^t$ the profile has the slope $-Q(L>t)$, and $P(L>t) = \delta(t)+sQ(L>t)$: two chords enclose it.
    """
    odds, chance = ODDS.check("prior_odds", prior_odds), DELTA.check("delta", delta)
    least = _loss(mechanism, chance)
    level = least.enclosure
    if chance and _grown(odds, level.lower).upper < math.inf:  # else no float holds any odds beyond
        most, facts = _loss(mechanism, 0).upper, known(mechanism)
        seen = views(facts)
        possible = Enclosure(min(level.lower, most), most)
        level = _quantile(seen, chance, possible) if seen[0].alone else _at_most(mechanism, chance, possible)
    low, high = (_grown(odds, end) for end in (level.lower, level.upper))
    return Answer("posterior odds", Enclosure(low.lower, high.upper), least.upper_by, least.lower_by)


def _loss(mechanism: Subject, chance: Real, tolerance: float = _TIGHT) -> Answer:
    """ε at δ; [0, ∞] where no theorem bounds it."""
    try:
        return epsilon_at(mechanism, chance, tolerance)
    except NotProvable:
        return Answer("ε", NON_NEGATIVE, None, None)


def _grown(odds: Real, level: float) -> Enclosure:
    """The odds times e^level."""
    if not odds or level == math.inf:
        return Enclosure(0.0, 0.0) if not odds else Enclosure(math.inf, math.inf)
    return enclose(lambda: ball(odds) * ball(level).exp())


def posterior(mechanism: Subject, prior: Real = Fraction(1, 2), delta: Real = 0) -> Answer:
    """Enclose the posterior probability that an attacker can reach, except with probability δ."""
    share = Fraction(PRIOR.check("prior", prior))
    if share == 1:
        return Answer("posterior", Enclosure(1.0, 1.0), None, None, "the prior is certain")
    found = posterior_odds(mechanism, share / (1 - share), delta)
    low, high = (
        enclose(lambda x=end: ball(x) / (1 + ball(x))) if end < math.inf else Enclosure(1.0, 1.0)  # type: ignore[misc]
        for end in (found.lower, found.upper)
    )
    return Answer("posterior", Enclosure(low.lower, high.upper) & UNIT_INTERVAL, found.upper_by, found.lower_by)


def _at_most(mechanism: Subject, chance: Real, possible: Enclosure) -> Enclosure:
    r"""A bound where no pair is known: $P(L>t)(1-e^{r-t})\le\delta(r)$, so $t = r-\ln(1-\delta(r)/\delta)$ suffices."""

    def level(share: Fraction, tolerance: float) -> float:
        loss = ball(_loss(mechanism, Fraction(chance) * share, tolerance).upper)
        return enclose(lambda: loss - (-ball(share)).log1p()).upper

    shares = [share for share in _SHARES if Fraction(chance) * share >= LEAST]
    best = min(shares, key=lambda share: level(share, _GLANCE), default=None)
    upper = possible.upper if best is None else min(level(best, _TIGHT), possible.upper)
    return Enclosure(possible.lower, max(upper, possible.lower))


def _quantile(seen: Sequence[View], chance: Real, possible: Enclosure) -> Enclosure:
    """The least t ≥ 0 with P(L > t) at most the chance, in the worse order; it is at least ε(δ), as P(L > t) ≥ δ(t)."""
    tails = [
        _tail(view, order)
        for view in seen
        for order in ((Order.FORWARD,) if view.symmetric else (Order.FORWARD, Order.BACKWARD))
    ]

    def worse(t: float) -> Enclosure:
        found = [tail(t) for tail in tails]
        return Enclosure(max(e.lower for e in found), max(e.upper for e in found))

    high = min(possible.upper, _FAR)
    found = invert_decreasing(worse, Enclosure.exactly(chance), possible.lower, 0.0, high, 1e-4)
    upper = math.inf if found.upper >= _FAR else found.upper
    return Enclosure(max(found.lower, possible.lower), max(min(upper, possible.upper), possible.lower))


def _tail(view: View, order: Order) -> Callable[[float], Enclosure]:
    """The tail P(L > t) = δ(t) + s Q(L > t), where Q(L > t) lies between the chords' slopes before and after t."""

    def tail(t: float) -> Enclosure:
        before, after = max(t - _STEP, 0.0), t + _STEP
        low, here, high = (view.question(order)(x).enclosure for x in (before, t, after))
        fall = ball(here.lower) - ball(high.upper)
        least = enclose(lambda: here.lower + fall / (ball(after) - t).expm1(), gap=1.0).lower
        most = 1.0
        if before < t:  # the upper end is here.lower + (low.upper - here.lower)/(1 - e^-h), or more where δ is wider
            drop = ball(low.upper) - ball(here.lower)
            most = enclose(lambda: here.upper + drop * _shrink(before, t), gap=1.0).upper
        return Enclosure(min(max(least, here.lower), 1.0), max(min(most, 1.0), here.lower))

    return tail


def _shrink(before: float, t: float) -> Ball:
    r"""$s/(s-s_0) = 1/(1-e^{t_0-t})$."""
    return 1 / -(ball(before) - t).expm1()


__all__ = [
    "accuracy",
    "advantage",
    "alpha",
    "bayes_error",
    "beta",
    "posterior",
    "posterior_odds",
    "tpr",
]
