"""Who is not drawn costs nothing: any mechanism on any sample, every batch listed, in exact fractions.

The mechanism is a table: to every batch it gives any law at all, so that what is said holds of the sample alone. The
inputs have one record more or less, or one in the place of another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest

import dpcompose as dpc
from cases import scaled
from dpcompose.kernel import Side
from dpcompose.prove.claims import known

Law = tuple[Fraction, ...]
Batch = frozenset[str]
Draws = Callable[[str], Iterator[tuple[Batch, Fraction]]]
"""Every batch of an input, a word of records, with its chance."""
RATES = (Fraction(1, 2), Fraction(1, 7), Fraction(9, 10), Fraction(1, 10**6), 1 - Fraction(1, 10**6))
ANYTHING = {relation: dpc.BlackBox(epsilon=0, delta=1, adjacency=relation) for relation in dpc.Adjacency}


def poisson(rate: Fraction, limit: int | None = None) -> Draws:
    """Each record by itself; what is beyond the limit is cut, each part of that size alike."""

    def draws(records: str) -> Iterator[tuple[Batch, Fraction]]:
        for size in range(len(records) + 1):
            for batch in combinations(records, size):
                chance = rate**size * (1 - rate) ** (len(records) - size)
                if limit is None or size <= limit:
                    yield frozenset(batch), chance
                else:
                    for kept in combinations(batch, limit):
                        yield frozenset(kept), chance / comb(size, limit)

    return draws


def of_size(size: int) -> Draws:
    """So many of them, each choice alike."""
    return lambda records: ((frozenset(b), Fraction(1, comb(len(records), size))) for b in combinations(records, size))


class Table:
    """A law for every batch, drawn when it is first asked for; often one that tells all."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.outcomes = rng, rng.randint(2, 4)
        self.known: dict[Batch, Law] = {}

    def __call__(self, batch: Batch) -> Law:
        if batch not in self.known:
            weights = [self.rng.choice((0, 0, 1, 3)) for _ in range(self.outcomes)]
            weights[self.rng.randrange(self.outcomes)] += 1
            self.known[batch] = tuple(Fraction(w, sum(weights)) for w in weights)
        return self.known[batch]

    def law(self, draws: Draws, records: str) -> Law:
        total = [Fraction(0)] * self.outcomes
        for batch, chance in draws(records):
            total = [t + chance * x for t, x in zip(total, self(batch), strict=True)]
        assert sum(total) == 1
        return tuple(total)


class Presence(Table):
    """It says whether the record is in the batch, which is the worst."""

    def __init__(self) -> None:
        self.outcomes = 2

    def __call__(self, batch: Batch) -> Law:
        return (Fraction(1), Fraction(0)) if "x" in batch else (Fraction(0), Fraction(1))


def excess(p: Law, q: Law, runs: int) -> Fraction:
    """δ(0) of so many runs."""
    total = Fraction(0)
    for outcomes in product(range(len(p)), repeat=runs):
        one, other = Fraction(1), Fraction(1)
        for outcome in outcomes:
            one, other = one * p[outcome], other * q[outcome]
        total += max(one - other, Fraction(0))
    return total


def samples(rng: random.Random) -> Iterator[tuple[dpc.Mechanism, Draws, str, str, Fraction]]:
    """Each kind of sample, the two inputs, and the chance of the record to be drawn."""
    rate, others = rng.choice(RATES), "abcd"[: rng.randint(1, 4)]
    count, limit = len(others) + 1, rng.randint(0, len(others))
    added, zeroed, replaced = (ANYTHING[r] for r in (dpc.ADD_REMOVE, dpc.ZERO_OUT, dpc.REPLACE_ONE))
    yield dpc.Sampled(added, rate=rate), poisson(rate), "x" + others, others, rate
    yield dpc.Sampled(zeroed, rate=rate), poisson(rate), "x" + others, "0" + others, rate
    cut = dpc.TruncatedSample(added, rate=rate, limit=limit, of=count)
    yield cut, poisson(rate, limit), "x" + others, others, rate
    size = rng.randint(1, count)
    drawn = dpc.SampledWithoutReplacement(replaced, size=size, of=count)
    yield drawn, of_size(size), "x" + others, "y" + others, Fraction(size, count)


def worst(rng: random.Random, draws: Draws, one: str, other: str, runs: int) -> Fraction:
    """Of a few tables, in both orders."""
    tables = [Presence(), *(Table(rng) for _ in range(3))]
    laws = [(table.law(draws, one), table.law(draws, other)) for table in tables]
    return max(max(excess(p, q, runs), excess(q, p, runs)) for p, q in laws)


@pytest.mark.parametrize("block", range(scaled(20)))
def test_no_batch_of_any_sample_tells_more_than_the_chance_to_be_in_it(block: int) -> None:
    rng = random.Random(block)  # noqa: S311 - drawn again by its seed
    for sample, draws, one, other, rate in samples(rng):
        runs = rng.choice((1, 1, 2, 3))
        truth = worst(rng, draws, one, other, runs)
        assert truth <= 1 - (1 - rate) ** runs
        claims = [claim for claim in known(runs * sample).profiles() if Side.UPPER in claim.side]
        assert claims
        for claim in claims:
            found = claim.guarantee.delta(0)
            assert Fraction(found.upper) >= truth, (
                f"{claim.theorem.id} of {runs} * {sample}: {found}, and {float(truth)}"
            )


def test_the_bound_is_reached() -> None:
    for rate in RATES:
        sample = dpc.Sampled(ANYTHING[dpc.ADD_REMOVE], rate=rate)
        truth = excess(Presence().law(poisson(rate), "xab"), Presence().law(poisson(rate), "ab"), 2)
        assert truth == 1 - (1 - rate) ** 2
        assert dpc.delta(2 * sample, 0).upper <= truth * (1 + Fraction(1, 10**9))
