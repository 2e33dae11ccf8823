"""Draws works across the whole box and writes their references to works.jsonl, as they come.

    nice python tests/references/compute.py [--minutes 30] [--seed 1] [--first 0] [--method line]

The box of sampled Gaussians is cut into cells: noise 0.2 … 0.5 … 2 … 10 … 100, decades of the rate from 1e-6 to 1,
counts 1, 2, 3 … 19, 20 … 100 and decades up to 1e7, and ten decades of δ each from 0.5 to 1e-100. Every cell is tried;
one with no such work (its δ(0) is smaller) or beyond the reach of the reference stays empty and is counted at the end.
A second run with the same seed goes on where the first one stopped. With `--method lattice` it tries the cells that are
still empty between two polylines (`lattice_power`), those of up to 10⁴ steps and little noise first.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import lattice_power as lattices
import numpy as np
from line_choice import OutOfReach, Work, trimmed
from scipy.stats import binom
from step_law import Tilted
from stored import FILE, Reference, computed, decimals, expression, line_of, read, sampled, widest

NOISES = ((0.2, 0.5), (0.5, 2.0), (2.0, 10.0), (10.0, 100.0))
RATES = tuple((10.0**-d, 10.0 ** (1 - d)) for d in range(6, 0, -1))
COUNTS = ((1, 1), (2, 2), (3, 19), (20, 99), *((10**d, 10 ** (d + 1)) for d in range(2, 7)))
DECADES = tuple((-10.0 * d - 10.0, max(-10.0 * d, -100.0) if d else math.log10(0.5)) for d in range(10))
OTHERS = {"gaussian": 200, "response": 120, "black box": 130, "laplace": 150, "pair": 80, "list": 80, "mixture": 80}
MANY = 10**4
Numbers = dict[str, Any]


class Candidate(NamedTuple):
    """A work to try; an ε of 0 stands for an empty cell."""

    kind: str
    order: str
    numbers: Numbers
    level: float
    how: str = ""

    @property
    def work(self) -> str:
        """In the language of `dpcompose.spec`."""
        return expression(self.kind, self.numbers)


def draws(*words: object) -> random.Random:
    """The random numbers that belong to these words."""
    return random.Random(" ".join(map(str, words)))  # noqa: S311 - a draw, no secret


def spread(rng: random.Random, low: float, high: float) -> float:
    """Log-uniform."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def plain(x: float) -> str:
    """Three digits, without an exponent."""
    return f"{float(f'{x:.3g}'):.12f}".rstrip("0").rstrip(".")


def cells() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Every cell of the box, for both orders together; and one in four for an added record alone."""
    for number, cell in enumerate(product(NOISES, RATES, COUNTS, DECADES)):
        yield "both", cell
        if number % 4 == 0:
            yield "add", cell


def sampled_numbers(rng: random.Random, cell: tuple[Any, ...]) -> tuple[Numbers, float]:
    """A point of a cell, and ln δ."""
    noise, rate, count, decade = cell
    numbers = {
        "noise_std": plain(spread(rng, *noise)),
        "rate": plain(min(spread(rng, *rate), 0.999)),
        "count": round(spread(rng, *count)),
    }
    return numbers, rng.uniform(*decade) * math.log(10.0)


def sampled_level(numbers: Numbers, order: str, log_delta: float) -> float:
    """ε at which the saddle point expects that δ; not positive where there is none."""
    side, count = -1 if order == "add" else 1, numbers["count"]
    rate, noise = Fraction(numbers["rate"]), Fraction(numbers["noise_std"])
    if count <= 2:  # a saddle says little of so few steps
        return other_level(lambda e: float(sampled({**numbers, "count": 1}, order, Fraction(e))[0].mid()), log_delta)
    step = trimmed(Work(rate, noise, count, side, Fraction(1)), log_delta).step
    low, high, epsilon = -16.0, 18.0, 0.0
    for _ in range(50):
        t = math.exp(0.5 * (low + high))
        try:
            value, mean, variance = Tilted(step, t, 40.0).cumulants
        except OverflowError:
            high = math.log(t)
            continue
        epsilon = count * mean - 1.0 / t - 1.0 / (1.0 + t)
        spread_ = count * variance + t**-2 + (1.0 + t) ** -2
        estimate = count * value - t * epsilon - math.log(t * (1.0 + t)) - 0.5 * math.log(2.0 * math.pi * spread_)
        low, high = (math.log(t), high) if estimate > log_delta else (low, math.log(t))
    return epsilon


def steps(rng: random.Random, most: float) -> Numbers:
    """Equal responses."""
    return {"step": plain(spread(rng, 1e-3, 3.0)), "count": round(spread(rng, 1, most))}


def leak(rng: random.Random, low: float, high: float) -> str:
    """A δ of a black box."""
    return f"{spread(rng, low, high):.2e}"


def pair(rng: random.Random) -> Numbers:
    """Two laws on two to four outcomes."""
    parts = [[rng.randint(1, 30) for _ in range(rng.randint(2, 4))]]
    parts.append([rng.randint(1, 30) for _ in parts[0]])
    p, q = ([f"{x}/{sum(part)}" for x in part] for part in parts)
    return {"p": p, "q": q, "count": rng.randint(1, 8)}


DRAWN: dict[str, Callable[[random.Random], Numbers]] = {
    "gaussian": lambda r: {"noise_std": plain(spread(r, 0.2, 100.0)), "count": round(spread(r, 1, 1e7))},
    "response": lambda r: steps(r, 1e6),
    "black box": lambda r: {"leak": leak(r, 1e-12, 1e-3), **steps(r, 1e5)},
    "laplace": lambda r: {"scale": plain(spread(r, 0.2, 100.0)), "count": r.randint(1, 20)},
    "pair": pair,
    "list": lambda r: {"boxes": [[plain(spread(r, 0.01, 2.0)), leak(r, 1e-15, 1e-4)] for _ in range(r.randint(2, 11))]},
    "mixture": lambda r: {
        "noise_std": plain(spread(r, 0.3, 30.0)),
        "step": plain(spread(r, 0.01, 1.0)),
        "count": r.randint(1, 30),
    },
}
"""A work of each kind with a formula."""


def rough_delta(kind: str, numbers: Numbers) -> Callable[[float], float]:
    """δ in a hurry, to choose ε by: equal responses through the binomial law in floats, the rest by their formula."""
    if kind not in {"response", "black box"}:
        return lambda epsilon: float(computed(kind, numbers, "both", epsilon)[0].mid())
    count, step, leak = numbers["count"], float(numbers["step"]), float(numbers.get("leak", 0.0))
    often = 1.0 / (1.0 + math.exp(-step))

    def rough(epsilon: float) -> float:
        last = math.floor((epsilon / step + count) / 2.0)
        leaked = -math.expm1(count * math.log1p(-leak))
        there, here = float(binom.logsf(last, count, often)), float(binom.logsf(last, count, 1.0 - often))
        return leaked - math.exp(there) * math.expm1(min(epsilon + here - there, 0.0)) if there > -700.0 else leaked

    return rough


def other_level(delta: Callable[[float], float], log_delta: float) -> float:
    """ε at which a formula gives about that δ, by bisection; not positive where there is none."""
    low, high = 0.0, 1.0
    if delta(0.0) < math.exp(log_delta):
        return 0.0
    while delta(high) > math.exp(log_delta):
        high *= 4.0
        if high > 1e12:
            return 0.0
    for _ in range(25):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if delta(middle) > math.exp(log_delta) else (low, middle)
    return low


def candidates(seed: int, first: int, known: set[tuple[str, str]]) -> Iterator[Candidate]:
    """Every work to try."""
    for kind, count in OTHERS.items():
        for index in range(count):
            rng = draws(seed, kind, index)
            numbers, aim = DRAWN[kind](rng), rng.uniform(-100.0, math.log10(0.5)) * math.log(10.0)
            if (expression(kind, numbers), "both") in known:
                continue
            for _ in range(8):  # a finite loss, or a leak, keeps δ away from most sizes
                try:
                    level = other_level(rough_delta(kind, numbers), aim)
                except ArithmeticError:
                    level = 0.0
                if level > 0.0:
                    break
                aim /= 3.0
            yield Candidate(kind, "both", numbers, level)
    everything = list(cells())
    draws(seed).shuffle(everything)  # so that a run cut short has still been everywhere
    for order, cell in everything[first:]:
        rng = draws(seed, order, cell)
        for _ in range(4):
            numbers, aim = sampled_numbers(rng, cell)
            level = sampled_level(numbers, order, aim)
            if level > 0.0:
                break
        yield Candidate("sampled", order, numbers, level)


def left_over(seed: int, first: int, known: set[tuple[str, str]]) -> Iterator[Candidate]:
    """A work for every cell that is still empty, for the lattice."""
    everything = list(cells())
    draws(seed).shuffle(everything)
    everything.sort(key=lambda pair: (pair[1][2][0] >= MANY, pair[1][0][0] >= 2.0))  # the quick ones first
    for order, cell in everything[first:]:
        rng = draws(seed, order, cell)
        points = [sampled_numbers(rng, cell) for _ in range(4)]
        if any((expression("sampled", numbers), order) in known for numbers, _ in points):
            continue
        for numbers, aim in points:
            level = lattice_level(numbers, order, aim)
            if level > 0.0:
                break
        yield Candidate("sampled", order, numbers, level, "lattice")


def lattice_level(numbers: Numbers, order: str, log_delta: float) -> float:
    """ε at which a rough lattice, or a saddle of many steps, expects that δ."""
    guess = sampled_level(numbers, order, log_delta)
    if numbers["count"] > MANY:
        return guess
    rate, noise, side = Fraction(numbers["rate"]), Fraction(numbers["noise_std"]), -1 if order == "add" else 1
    return lattices.level(Work(rate, noise, numbers["count"], side, Fraction(1)), log_delta, guess)


METHODS = {"line": candidates, "lattice": left_over}


def main() -> None:
    """Compute until all is done or the time is up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first cell to try, when going on")
    parser.add_argument("--method", choices=METHODS, default="line")
    asked = parser.parse_args()
    known = {(r.work, r.order) for r in read()} if FILE.exists() else set()
    began, outcome = time.monotonic(), Counter[str]()
    with FILE.open("a", encoding="utf-8") as out:
        for candidate in METHODS[asked.method](asked.seed, asked.first, known):
            if (candidate.work, candidate.order) in known:
                continue
            outcome[verdict(candidate, out.write)] += 1
            out.flush()
            if time.monotonic() - began > 60.0 * asked.minutes:
                outcome["stopped early"] += 1
                break
    print(dict(outcome), f"{time.monotonic() - began:.0f} s")  # noqa: T201 - a script reports


def verdict(candidate: Candidate, write: Callable[[str], object]) -> str:
    """Compute and write one work; what became of it."""
    kind, order, numbers, level, how = candidate
    epsilon = float(np.float32(level))
    if not epsilon > 0.0:
        return f"{kind}: δ(0) is smaller"
    try:
        found, how = computed(kind, numbers, order, epsilon, how=how)
    except (OutOfReach, ArithmeticError, ValueError) as reason:
        return f"{kind}: out of reach ({type(reason).__name__})"
    lower, upper = decimals(found)
    if not found > 1e-101 or not found < 0.6 or Fraction(upper) > Fraction(lower) * (1 + widest(how)):
        return f"{kind}: not sharp, or outside the box"
    write(line_of(Reference(kind, how, candidate.work, order, numbers, epsilon.hex(), lower, upper)) + "\n")
    return kind


if __name__ == "__main__":
    main()
