"""Questions about what an attacker can do with a mechanism."""

from __future__ import annotations

from fractions import Fraction

from dpcompose import regions, report
from dpcompose.app.reading import Document, Exact, exactly, load
from dpcompose.app.reply import Reply
from dpcompose.errors import InvalidParameter
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.regions.readings import PRIOR
from dpcompose.regions.region import RATE, TOLERANCE

HALF = Fraction(1, 2)


def region(document: Document, tolerance: Exact = Fraction(1, 1000)) -> Reply:
    """The error rates that attackers can reach; a curved boundary is known to within the tolerance."""
    mechanism, within = load(document), float(exactly("tolerance", tolerance, TOLERANCE))
    return Reply(regions.region(mechanism, tolerance=within), mechanism)


def check(document: Document, epsilon: Exact, delta: Exact) -> Reply:
    """Whether the mechanism is (ε, δ)-DP: the theorem by which it is, or the event that shows it is not."""
    mechanism = load(document)
    level, limit = exactly("epsilon", epsilon, EPSILON), exactly("delta", delta, DELTA)
    found = regions.judge(mechanism, level, limit)
    return Reply(found, mechanism, {"epsilon": level, "delta": limit}, holds=found.holds)


def beta(document: Document, alpha: Exact) -> Reply:
    """The least type II error of any test at a type I error, between a lower and an upper bound."""
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
