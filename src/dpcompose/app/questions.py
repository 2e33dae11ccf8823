"""Questions about what a mechanism costs."""

from __future__ import annotations

import math
from fractions import Fraction

from dpcompose import report
from dpcompose.app.reading import Document, Exact, asked, counts, epsilons, exactly, load, round_step
from dpcompose.app.reply import Reply
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove import answer, rigor
from dpcompose.prove import compare as comparison

FEW = 8
"""The greatest number of steps of a profile in print."""
MANY = 100
"""The greatest number of steps of a profile in a picture."""


def epsilon(document: Document, delta: Exact, tolerance: Exact = 1e-6) -> Reply:
    """The least ε at which the mechanism is (ε, δ)-DP, between a lower and an upper bound."""
    mechanism, at = load(document), exactly("delta", delta, DELTA)
    within = float(exactly("tolerance", tolerance, rigor.TOLERANCE))
    return Reply(answer.epsilon(mechanism, at, within), mechanism, {"delta": at})


def delta(document: Document, epsilon: Exact, tolerance: Exact = 1e-6) -> Reply:
    """The least δ at which the mechanism is (ε, δ)-DP, between a lower and an upper bound."""
    mechanism, at = load(document), exactly("epsilon", epsilon, EPSILON)
    within = float(exactly("tolerance", tolerance, rigor.TOLERANCE))
    return Reply(answer.delta(mechanism, at, within), mechanism, {"epsilon": at})


def renyi(document: Document, order: Exact) -> Reply:
    """The Rényi divergence of an order, between a lower and an upper bound."""
    mechanism, at = load(document), exactly("order", order, answer.ORDER)
    return Reply(answer.renyi(mechanism, at), mechanism, {"order": at})


def compare(document: Document, delta: Exact | None = None, epsilon: Exact | None = None) -> Reply:
    """Every theorem side by side, at a δ or at an ε."""
    given, mechanism = asked(delta, epsilon), load(document)
    return Reply(comparison.compare(mechanism, **given), mechanism, given)


def explain(document: Document, delta: Exact | None = None, epsilon: Exact | None = None) -> Reply:
    """The answer at a δ or at an ε, for its explanation."""
    given, mechanism = asked(delta, epsilon), load(document)
    ((name, at),) = given.items()
    found = answer.epsilon(mechanism, at) if name == "delta" else answer.delta(mechanism, at)
    return Reply(found, mechanism, given)


def growth(document: Document, delta: Exact, counts_text: str = "1,10,100,1000") -> Reply:
    """How ε grows with the number of runs, under every theorem."""
    from dpcompose import curves

    mechanism, at = load(document), exactly("delta", delta, DELTA)
    found = curves.growth(mechanism, counts(counts_text), at)
    return Reply(found, mechanism, {"delta": at}, report.growth(found))


def profile(document: Document, epsilons_text: str = "", steps: int | None = FEW) -> Reply:
    """How δ falls as ε grows, under every theorem; by default up to where δ is small, in few round steps or in many."""
    from dpcompose import curves
    from dpcompose.curves.sweeps import range_of_epsilon

    mechanism = load(document)
    at: tuple[Real, ...] = epsilons(epsilons_text) if epsilons_text else range_of_epsilon(mechanism)
    if not epsilons_text:
        at = round_steps(at[-1], steps or MANY)
    found = curves.profile(mechanism, at)
    return Reply(found, mechanism, {}, report.profile(found))


def round_steps(end: Real, most: int) -> tuple[Real, ...]:
    """From 0 to the end or just beyond, in at most this many steps of 1, 2 or 5 times a power of ten."""
    step = round_step(end, most)
    return tuple(step * i for i in range(math.ceil(Fraction(end) / step) + 1))
