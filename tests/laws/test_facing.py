"""The law of facing: under replace one every part may face either way, and every answer holds the worst of all ways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.regions import accuracy, advantage, alpha, bayes_error, beta, posterior_odds, tpr
from oracles.ordered_pairs import Pair, Worst, after_looking, drawn, encloses, facings, no_more, split, together, turned

pytestmark = pytest.mark.slow
F = Fraction
STEEP: Pair = ([F(9, 10), F(1, 10)], [F(1, 2), F(1, 2)])
RARE: Pair = ([F(1, 100), F(9, 100), F(9, 10)], [F(1, 1000), F(99, 1000), F(9, 10)])
LEAKY: Pair = ([F(1, 20), F(15, 20), F(4, 20)], [0, F(10, 20), F(10, 20)])
EVEN: Pair = ([F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)])
RUNS: dict[str, list[Pair]] = {
    "one": [STEEP],
    "mirrored": [STEEP, turned(STEEP)],
    "twice": [STEEP, STEEP],
    "two kinds": [RARE, STEEP],
    "leaking": [LEAKY, RARE],
    "beside an even one": [STEEP, EVEN],
    "three": [RARE, STEEP, turned(RARE)],
}
SILENT = dpc.RandomizedResponse(epsilon=0, adjacency=dpc.REPLACE_ONE)
"""Costs nothing, and names the relation."""
LONG = 2001
"""From here on pairs are held as floats."""


def listed(pair: Pair, relation: Any = dpc.REPLACE_ONE) -> dpc.Mechanism:
    return dpc.DiscretePair(p=pair[0], q=pair[1], adjacency=relation)


def long(pair: Pair, relation: Any = dpc.REPLACE_ONE) -> dpc.Mechanism:
    return listed(split(pair, LONG), relation)


def all_of(runs: list[Pair], *ways: Any) -> dpc.Composition:
    """Each run in one of the ways to write a pair down, in turn."""
    return dpc.Composition(tuple(ways[i % len(ways)](run) for i, run in enumerate(runs)))


WAYS = {
    "short": lambda runs: all_of(runs, listed),
    "long": lambda runs: all_of(runs, long),
    "long and short": lambda runs: all_of(runs, long, listed),
    "adopted": lambda runs: all_of(runs, lambda run: listed(run, None)) + SILENT,
    "long, adopted": lambda runs: all_of(runs, lambda run: long(run, None)) + SILENT,
    "in a group": lambda runs: dpc.Group(all_of(runs, lambda run: listed(run, None)), size=1) + SILENT,
    "in a long group": lambda runs: dpc.Group(all_of(runs, lambda run: long(run, None)), size=1) + SILENT,
    "all drawn": lambda runs: dpc.SampledWithoutReplacement(all_of(runs, lambda run: listed(run, None)), size=3, of=3),
    "nested": lambda runs: dpc.Group(dpc.SampledWithoutReplacement(all_of(runs, listed), size=3, of=3), size=1),
}


@dataclass(frozen=True)
class Asked:
    """Where the answers are asked for."""

    levels: tuple[Any, ...] = (0, F(1, 2), 1, 3)
    masses: tuple[Any, ...] = (0, F(1, 1000), F(1, 20))
    rates: tuple[Any, ...] = (F(1, 100), F(1, 5), F(1, 2), F(9, 10))
    chances: tuple[Any, ...] = (0, F(1, 20))


ALL, FEW, COSTS = Asked(), Asked((1,), (0,), (F(1, 5),), (0,)), Asked((1,), (0,), (), ())


def keeps(subject: dpc.Mechanism, worst: Worst, asked: Asked = ALL) -> None:
    """Hold every answer, and each row of a comparison, against the worst that is reached."""
    for level in asked.levels:
        truth, compared = worst.delta(level), dpc.compare(subject, epsilon=level)
        assert encloses(dpc.delta(subject, epsilon=level), truth), ("δ", level, truth)
        assert encloses(compared.best, truth)
        assert all(row.value is None or no_more(truth, row.value) for row in compared.rows), (level, truth)
    assert encloses(advantage(subject), worst.delta(0))
    for mass in asked.masses:
        keeps_mass(subject, worst, mass)
    keeps_rates(subject, worst, asked.rates)
    for chance in asked.chances:
        odds, truth = posterior_odds(subject, delta=chance), float(worst.odds(chance))
        assert odds.lower * (1 - 1e-12) <= truth <= odds.upper * (1 + 1e-12), (chance, truth, odds)
    for order in (1, 2, F(15, 2)):
        try:
            found = dpc.renyi(subject, order)
        except dpc.NotProvable:
            continue
        assert encloses(found, worst.renyi(order)), ("D", order, found, worst.renyi(order))


def keeps_mass(subject: dpc.Mechanism, worst: Worst, mass: Fraction) -> None:
    """ε at δ, by what δ is there: at every upper end no more than δ, below the lower end more."""
    compared = dpc.compare(subject, delta=mass)
    try:
        found = [dpc.epsilon(subject, delta=mass), compared.best]
    except dpc.NotProvable:
        found = [compared.best]
    above = [row.value for row in compared.rows if row.value is not None] + [answer.upper for answer in found]
    assert all(value == math.inf or no_more(worst.delta(value), mass) for value in above), ("ε", mass, above)
    for answer in found:
        below = min(answer.lower, 1e6) * (1 - 1e-9)
        assert not below or no_more(mass, worst.delta(below)), ("ε", mass, answer)


def keeps_rates(subject: dpc.Mechanism, worst: Worst, rates: tuple[Any, ...]) -> None:
    """Errors and rates in either order."""
    for rate, found in zip(rates, beta(subject, rates), strict=True):
        assert encloses(found, worst.beta(rate)), ("β", rate, worst.beta(rate), found)
        assert encloses(bayes_error(subject, rate), worst.bayes_error(rate)), ("Bayes", rate)
        assert encloses(accuracy(subject, rate), 1 - worst.bayes_error(rate)), ("accuracy", rate)
    for rate in rates[-1:]:
        assert encloses(tpr(subject, rate), 1 - worst.beta(rate)), ("TPR", rate)
        assert no_more(alpha(subject, worst.beta(rate)).lower, rate)


@pytest.mark.parametrize("runs", RUNS)
def test_every_answer_holds_the_worst_of_all_facings(runs: str) -> None:
    keeps(WAYS["short"](RUNS[runs]), Worst(tuple(facings(RUNS[runs]))))


@pytest.mark.parametrize("runs", [name for name, runs in RUNS.items() if len(runs) == 2])
def test_every_answer_holds_who_chooses_after_looking(runs: str) -> None:
    """Which way a run faces may depend on the outputs before it; Rényi, rates and odds as well as δ and ε."""
    keeps(WAYS["short"](RUNS[runs]), Worst(tuple(after_looking(RUNS[runs]))))
    keeps(WAYS["in a group"](RUNS[runs]), Worst(tuple(after_looking(RUNS[runs]))), COSTS)


@pytest.mark.parametrize("runs, way", [*((runs, "short") for runs in RUNS), ("mirrored", "long")])
def test_the_worst_of_all_facings_is_reached_from_below(runs: str, way: str) -> None:
    subject, worst = WAYS[way](RUNS[runs]), Worst(tuple(facings(RUNS[runs])))
    for level in ALL.levels:
        assert no_more(worst.delta(level), dpc.delta(subject, epsilon=level).lower * (1 + 1e-5) + 1e-12), level
    for mass in (0, F(1, 1000), F(1, 25)):
        above = dpc.epsilon(subject, delta=mass).lower * (1 + 1e-5)
        assert above == math.inf or no_more(worst.delta(above), mass), (mass, above)


@pytest.mark.parametrize("way", WAYS)
def test_however_the_parts_are_written_down(way: str) -> None:
    asked = COSTS if "long" in way and way != "long" else FEW
    keeps(WAYS[way](RUNS["mirrored"]), Worst(tuple(facings(RUNS["mirrored"]))), asked)


@pytest.mark.parametrize("way", ["long", "in a group", "all drawn", "nested"])
def test_what_leaks_one_way_only(way: str) -> None:
    keeps(WAYS[way](RUNS["leaking"]), Worst(tuple(facings(RUNS["leaking"]))), COSTS)


@pytest.mark.parametrize("relation", [None, dpc.ADD_REMOVE, dpc.ZERO_OUT], ids=str)
@pytest.mark.parametrize("runs", RUNS)
def test_under_any_other_relation_all_face_as_listed(runs: str, relation: Any) -> None:
    whole, asked = together(RUNS[runs]), FEW if relation is dpc.ZERO_OUT else ALL
    keeps(all_of(RUNS[runs], lambda run: listed(run, relation)), Worst((whole, turned(whole))), asked)


@pytest.mark.parametrize("runs", ["one", "mirrored"])
def test_long_pairs_face_as_listed(runs: str) -> None:
    whole = together(RUNS[runs])
    asked = FEW if len(RUNS[runs]) == 1 else COSTS
    keeps(all_of(RUNS[runs], lambda run: long(run, None)), Worst((whole, turned(whole))), asked)


@pytest.mark.parametrize("runs", ["one", "mirrored", "leaking"])
def test_a_sample_of_fixed_size_costs_no_less_than_its_member(runs: str) -> None:
    """Where all other records give the second law; which way the whole faces is free, and so is each part."""
    inner = all_of(RUNS[runs], listed)
    subject = dpc.SampledWithoutReplacement(inner, size=2, of=5)
    reached = [drawn(F(2, 5), pair) for pair in facings(RUNS[runs])]
    worst = Worst(tuple(order for pair in reached for order in (pair, turned(pair))))
    for level in FEW.levels:
        assert no_more(worst.delta(level), dpc.delta(subject, epsilon=level).upper)
        rows = dpc.compare(subject, epsilon=level).rows
        assert all(row.value is None or no_more(worst.delta(level), row.value) for row in rows)
    for rate in FEW.rates:
        assert no_more(beta(subject, rate).lower, worst.beta(rate))
    try:
        assert no_more(worst.renyi(2), dpc.renyi(subject, 2).upper)
    except dpc.NotProvable:
        assert runs == "leaking"
