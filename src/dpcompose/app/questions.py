"""Questions about what a mechanism costs, and what an attacker can do with it."""

from __future__ import annotations

import math
from fractions import Fraction

from dpcompose import regions, report
from dpcompose.app.reading import Document, Exact, asked, counts, epsilons, exactly, load
from dpcompose.app.reply import Reply
from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove import answer
from dpcompose.prove import compare as comparison
from dpcompose.regions.readings import PRIOR
from dpcompose.regions.region import RATE, TOLERANCE

HALF = Fraction(1, 2)
FEW = 8
"""Steps of a profile that is read and not looked at, at most."""


def epsilon(document: Document, delta: Exact, tolerance: Exact = 1e-6) -> Reply:
    """The least ε at which the mechanism is (ε, δ)-DP."""
    mechanism, at = load(document), exactly("delta", delta, DELTA)
    within = float(exactly("tolerance", tolerance, answer.TOLERANCE))
    return Reply(answer.epsilon(mechanism, at, within), mechanism, {"delta": at})


def delta(document: Document, epsilon: Exact, tolerance: Exact = 1e-6) -> Reply:
    """The least δ at which the mechanism is (ε, δ)-DP."""
    mechanism, at = load(document), exactly("epsilon", epsilon, EPSILON)
    within = float(exactly("tolerance", tolerance, answer.TOLERANCE))
    return Reply(answer.delta(mechanism, at, within), mechanism, {"epsilon": at})


def renyi(document: Document, order: Exact) -> Reply:
    """The Rényi divergence of an order."""
    mechanism, at = load(document), exactly("order", order, answer.ORDER)
    return Reply(answer.renyi(mechanism, at), mechanism, {"order": at})


def compare(document: Document, delta: Exact | None = None, epsilon: Exact | None = None) -> Reply:
    """Every theorem side by side, at a δ or at an ε."""
    given, mechanism = asked(delta, epsilon), load(document)
    return Reply(comparison.compare(mechanism, **given), mechanism, given)


def explain(document: Document, delta: Exact | None = None, epsilon: Exact | None = None) -> Reply:
    """The answer at a δ or at an ε; its explanation is what one wants to see."""
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
    """How δ falls as ε grows, under every theorem; by default to where δ is small, in a few round steps or in many."""
    from dpcompose import curves
    from dpcompose.curves.sweeps import range_of_epsilon

    mechanism = load(document)
    at: tuple[Real, ...] = epsilons(epsilons_text) if epsilons_text else range_of_epsilon(mechanism)
    if not epsilons_text and steps is not None:
        at = round_steps(at[-1], steps)
    found = curves.profile(mechanism, at)
    return Reply(found, mechanism, {}, report.profile(found))


def round_steps(end: Real, most: int) -> tuple[Real, ...]:
    """From 0 to the end, or just beyond, in at most so many steps of 1, 2 or 5 times a power of ten."""
    power = Fraction(10) ** math.floor(math.log10(end / most))
    step = next(power * digit for digit in (1, 2, 5, 10, 20) if power * digit * most >= end)
    return tuple(step * i for i in range(math.ceil(Fraction(end) / step) + 1))


def region(document: Document, tolerance: Exact = Fraction(1, 1000)) -> Reply:
    """The error rates that attackers reach, known to within the tolerance where the boundary is curved."""
    mechanism, within = load(document), float(exactly("tolerance", tolerance, TOLERANCE))
    return Reply(regions.region(mechanism, tolerance=within), mechanism)


def check(document: Document, epsilon: Exact, delta: Exact) -> Reply:
    """Whether the mechanism is (ε, δ)-DP: the theorem by which it is, or the event that shows it is not."""
    mechanism = load(document)
    level, limit = exactly("epsilon", epsilon, EPSILON), exactly("delta", delta, DELTA)
    found = regions.judge(mechanism, level, limit)
    return Reply(found, mechanism, {"epsilon": level, "delta": limit}, holds=found.holds)


def beta(document: Document, alpha: Exact) -> Reply:
    """The least type II error at a type I error."""
    mechanism, at = load(document), exactly("alpha", alpha, RATE)
    return Reply(regions.beta(mechanism, at), mechanism, {"alpha": at})


def risk(
    document: Document, fpr: Exact = Fraction(1, 100), prior: Exact = HALF, delta: Exact = Fraction(1, 10**6)
) -> Reply:
    """What an attacker can do: its advantage, its hits at a false positive rate, its errors and odds at a prior."""
    mechanism = load(document)
    rate, share = exactly("fpr", fpr, RATE), Fraction(exactly("prior", prior, PRIOR))
    chance = exactly("delta", delta, DELTA)
    if share == 1:
        raise InvalidParameter("prior", "1", "less than 1: what is certain cannot become more so")
    found = {
        "advantage": regions.advantage(mechanism),
        "TPR at FPR": regions.tpr(mechanism, rate),
        "Bayes error": regions.bayes_error(mechanism, share),
        "accuracy": regions.accuracy(mechanism, share),
        "posterior odds": regions.posterior_odds(mechanism, share / (1 - share), chance),
    }
    given = {"fpr": rate, "prior": share, "delta": chance}
    return Reply(found, mechanism, given, report.risk(found))
