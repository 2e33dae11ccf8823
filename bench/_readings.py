"""Every reading of a small work, against the worst of the pairs that its neighbours give.

Where these are all pairs there are, both ends of an answer must hold; where worse ones may exist, nothing may be said
to cost less.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from _wrapped_works import Drawn
from mpmath import mp

import dpcompose as dpc
from dpcompose.regions import Order

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from oracles.ordered_pairs import Worst, encloses, no_more, turned

F = Fraction
RATES = (F(1, 1000), F(1, 10), F(1, 2), F(9, 10))
MASSES = (F(0), F(1, 10**6), F(1, 100), F(1, 5))
LEVELS = (F(0), F(1, 10), F(1, 2), F(1), F(2), F(4))
ORDERS = (F(1), F(101, 100), F(2), F(15, 2), F(40))
FORWARD_PAIRS = {Order.FORWARD: lambda pairs: pairs, Order.BACKWARD: lambda pairs: [turned(pair) for pair in pairs]}
Reading = tuple[str, str, Any, bool]
"""The kind of a question, where it was asked, the answer, and whether it holds."""


def readings(work: Drawn, rng: random.Random) -> Iterator[Reading]:
    """Every question about a work: what it is called, the answer, and whether it holds."""
    worst = Worst(tuple(order for pair in work.pairs for order in (pair, turned(pair))))
    yield from costs(work, worst, rng)
    yield from guesses(work, worst, rng)
    yield from errors(work, worst, rng)


def holds(work: Drawn, answer: Any, truth: Any) -> bool:
    """Whether the truth lies in the answer; of pairs that are only reached, whether it lies below its upper end."""
    return encloses(answer, truth) if work.complete else _reached(truth, answer.upper)


def _reached(truth: Any, upper: float) -> bool:
    return upper == mp.inf or (truth != mp.inf and no_more(truth, upper))


def costs(work: Drawn, worst: Worst, rng: random.Random) -> Iterator[Reading]:
    """ε, δ, Rényi divergences, and the rows of comparisons."""
    subject, levels = work.subject, rng.sample(LEVELS, 3)
    for level, answer in zip(levels, dpc.delta(subject, levels), strict=True):
        yield "δ", f"at ε = {level}", answer, holds(work, answer, worst.delta(level))
    compared, truth = dpc.compare(subject, epsilon=levels[0]), worst.delta(levels[0])
    yield "compare", f"at ε = {levels[0]}", compared.best, holds(work, compared.best, truth)
    for row in compared.rows:
        if row.value is not None:
            yield "compare, each row", f"{row.theorem} at ε = {levels[0]}", None, no_more(truth, row.value)
    mass = rng.choice(MASSES)
    compared = dpc.compare(subject, delta=mass)
    for row in compared.rows:
        if row.value is not None:
            yield "compare, each row", f"{row.theorem} at δ = {mass}", None, _spent(worst, row.value, mass)
    for answer in asked(lambda: dpc.epsilon(subject, mass)):
        below = min(answer.lower, 1e6) * (1 - 1e-9)
        reached = not work.complete or not below or no_more(mass, worst.delta(below))
        yield "ε", f"at δ = {mass}", answer, reached and _spent(worst, answer.upper, mass)
    order = rng.choice(ORDERS)
    for answer in asked(lambda: dpc.renyi(subject, order)):
        yield "Rényi divergence", f"of order {order}", answer, holds(work, answer, worst.renyi(order))
    for answer in asked(lambda: dpc.delta(subject, levels[1], rigor="ball")):
        yield "δ in balls", f"at ε = {levels[1]}", answer, holds(work, answer, worst.delta(levels[1]))


def _spent(worst: Worst, epsilon: float, mass: Fraction) -> bool:
    return epsilon == mp.inf or no_more(worst.delta(epsilon), mass)


def asked(question: Callable[[], Any]) -> list[Any]:
    """The answer, or none where nothing is provable."""
    try:
        return [question()]
    except dpc.NotProvable:
        return []


def guesses(work: Drawn, worst: Worst, rng: random.Random) -> Iterator[Reading]:
    """Advantage, the least error of a guess, and the odds after it."""
    subject, prior, chance = work.subject, rng.choice((F(1, 2), F(1, 10), F(19, 20))), rng.choice((F(0), F(1, 20)))
    yield "advantage", "", (found := dpc.advantage(subject)), holds(work, found, worst.delta(0))
    error, wrong = dpc.bayes_error(subject, prior), worst.bayes_error(prior)
    yield "Bayes error", f"at {prior}", error, encloses(error, wrong) if work.complete else no_more(error.lower, wrong)
    found = dpc.accuracy(subject, prior)
    yield "accuracy", f"at {prior}", found, holds(work, found, 1 - wrong)
    truth = float(worst.odds(chance))
    if rng.random() < 0.5:
        kind, found = "posterior odds", dpc.posterior_odds(subject, delta=chance)
    else:
        kind, found = "posterior", dpc.posterior(subject, delta=chance)
        truth = truth / (1 + truth) if truth < mp.inf else 1.0
    above = truth <= found.upper * (1 + 1e-12)
    yield kind, f"at {chance}", found, above and (not work.complete or found.lower * (1 - 1e-12) <= truth)


def errors(work: Drawn, worst: Worst, rng: random.Random) -> Iterator[Reading]:
    """Type II errors and rates, in either order, and in each where each is listed."""
    rates = rng.sample(RATES, 2)
    choices = {Order.EITHER: worst}
    if work.orders:
        choices |= {order: Worst(tuple(of(list(work.pairs)))) for order, of in FORWARD_PAIRS.items()}
    for order, among in choices.items():
        for rate, found in zip(rates, dpc.beta(work.subject, rates, order=order), strict=True):
            least = among.beta(rate)
            yield (
                f"β, {order.value}",
                f"at {rate}",
                found,
                encloses(found, least) if work.complete else no_more(found.lower, least),
            )
    found = dpc.tpr(work.subject, rates[0])
    yield "TPR", f"at {rates[0]}", found, holds(work, found, 1 - worst.beta(rates[0]))


__all__ = ["readings"]
