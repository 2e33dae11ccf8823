"""What answers say of ordered pairs of finite distributions, from the definitions: the worst of several pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from mpmath import mp, mpf

Law = Sequence[Any]
Pair = tuple[Law, Law]
DIGITS = 40
SLACK = Fraction(1, 10**25)


def turned(pair: Pair) -> Pair:
    """The other order."""
    return pair[1], pair[0]


def together(pairs: Sequence[Pair]) -> Pair:
    """Independent runs, each outcome listed."""
    found: Pair = ([1], [1])
    for p, q in pairs:
        found = [a * b for a in found[0] for b in p], [a * b for a in found[1] for b in q]
    return found


def facings(runs: Sequence[Pair]) -> Iterator[Pair]:
    """The whole with each run facing either way; both orders are among them."""
    for ways in product((False, True), repeat=len(runs)):
        yield together([turned(run) if way else run for run, way in zip(runs, ways, strict=True)])


def after_looking(runs: Sequence[Pair]) -> Iterator[Pair]:
    """Two runs in either order, where each output of the first decides how the second faces."""
    for first, second in permutations(runs):
        for p, q in (first, turned(first)):
            for chosen in product((second, turned(second)), repeat=len(p)):
                after = [
                    [a * b for a, pair in zip(law, chosen, strict=True) for b in pair[i]]
                    for i, law in enumerate((p, q))
                ]
                yield after[0], after[1]


def drawn(rate: Any, pair: Pair) -> Pair:
    """With the record, drawn at a rate, against without it."""
    p, q = pair
    return [rate * a + (1 - rate) * b for a, b in zip(p, q, strict=True)], q


def exactly(pair: Pair) -> Pair:
    """The same numbers as fractions."""
    first, second = ([Fraction(int(x.man)) * Fraction(2) ** int(x.exp) for x in law] for law in pair)
    return first, second


def split(pair: Pair, size: int) -> Pair:
    """The same pair, its outcomes told apart by coins until there are so many."""
    count = len(pair[0])
    parts = [size // count + (i < size % count) for i in range(count)]
    first, second = ([x / n for x, n in zip(law, parts, strict=True) for _ in range(n)] for law in pair)
    return first, second


def least_miss(pair: Pair, alpha: Any) -> Any:
    """Neyman and Pearson: reject the outcomes that the second law favours most, up to a mass α under the first."""
    order = sorted(zip(*pair, strict=True), key=lambda x: (x[0] != 0, -x[1] / x[0] if x[0] else 0))
    left, missed = alpha, sum(pair[1])
    for p, q in order:
        share = 1 if p <= left else left / p
        left, missed = left - share * p, missed - share * q
        if share < 1:
            break
    return missed


@dataclass(frozen=True)
class Worst:
    """The worst of several ordered pairs, as an attacker would choose."""

    pairs: tuple[Pair, ...]

    def delta(self, epsilon: Any) -> mpf:
        """The greatest hockey stick."""
        with mp.workdps(DIGITS):
            odds = mp.exp(_real(epsilon))
            return max(
                mp.fsum(max(_real(p) - odds * _real(q), 0) for p, q in zip(*pair, strict=True)) for pair in self.pairs
            )

    def renyi(self, order: Any) -> mpf:
        """The greatest Rényi divergence."""
        with mp.workdps(DIGITS):
            return max(_renyi(pair, _real(order)) for pair in self.pairs)

    def beta(self, alpha: Any) -> Any:
        """The least type II error at a type I error."""
        return min(least_miss(pair, alpha) for pair in self.pairs)

    def bayes_error(self, prior: Any) -> Any:
        """The least probability of a wrong guess."""
        return min(
            sum(min(prior * p, (1 - prior) * q) for p, q in zip(*both, strict=True))
            for pair in self.pairs
            for both in (pair, turned(pair))
        )

    def odds(self, chance: Any) -> Any:
        """The least s ≥ 1 that the likelihood ratio exceeds with probability at most the chance."""
        found: Any = 1
        for pair in self.pairs:
            ratios = sorted({p / q for p, q in zip(*pair, strict=True) if p > q > 0} | {1})
            levels = [s for s in ratios if _beyond(pair, s) <= chance]
            found = max(found, levels[0] if levels else math.inf)
        return found


def _beyond(pair: Pair, level: Any) -> Any:
    return sum(p for p, q in zip(*pair, strict=True) if p > level * q)


def _renyi(pair: Pair, order: mpf) -> mpf:
    outcomes = [(_real(p), _real(q)) for p, q in zip(*pair, strict=True) if p]
    if any(not q for _, q in outcomes):
        return mpf("inf")
    if order == 1:
        return mp.fsum(p * mp.log(p / q) for p, q in outcomes)
    return mp.log(mp.fsum(p * (p / q) ** (order - 1) for p, q in outcomes)) / (order - 1)


def _real(x: Any) -> mpf:
    return mpf(x.numerator) / x.denominator if hasattr(x, "numerator") else mpf(x)


def encloses(answer: Any, truth: Any) -> bool:
    """Whether an enclosure holds the truth, up to what the oracle loses."""
    if truth == math.inf:
        return answer.upper == float("inf")
    with mp.workdps(DIGITS):
        value = _real(truth)
        slack = _real(SLACK) * (1 + value)
        return answer.lower - slack <= value <= answer.upper + slack


def no_more(found: Any, bound: Any) -> bool:
    """Whether one number is at most another, up to what the oracle loses."""
    with mp.workdps(DIGITS):
        return _real(found) <= _real(bound) * (1 + _real(SLACK)) + _real(SLACK)


__all__ = [
    "Pair",
    "Worst",
    "drawn",
    "encloses",
    "exactly",
    "facings",
    "least_miss",
    "no_more",
    "split",
    "together",
    "turned",
]
