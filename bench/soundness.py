"""The long run: many random works against cheap independent checks. Prints a table by kind; violations must be 0.

    nice python bench/soundness.py --works 50000 --seed 1

A work is a composition and a question: of many runs, δ at an ε; of a few, in every wrapper and under every relation,
whatever can be asked. Batches of some hundred are drawn from the seed and their number alone; each finished batch is a
line of `out/soundness-<seed>.jsonl`, and a second run goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
from _other_line import OtherLine
from _readings import readings
from _wrapped_works import SHAPES
from flint import arb, ctx, fmpq, fmpz

import dpcompose as dpc
from dpcompose.errors import Declined
from dpcompose.inversion import Direction, GaussianLoss, LaplaceLoss, SampledGaussianLoss, TwoPointLoss, profile
from dpcompose.numerics.enclosure import Enclosure

LEVELS = 40
CHEAP, WRAPPED = 4, 3
BALLS_EVERY = 5
SIDES = {1: Direction.REMOVE, -1: Direction.ADD}


@dataclass
class Tally:
    """What became of a batch: works and checks by kind, gaps, and every violation in full."""

    works: Counter[str] = field(default_factory=Counter)
    shapes: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    gaps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    violations: list[str] = field(default_factory=list)

    def saw(self, kind: str, found: Enclosure) -> None:
        """Count a work and its width."""
        self.works[kind] += 1
        self.gaps[kind].append(found.gap)

    def check(self, kind: str, what: str, *, holds: bool) -> None:
        """Count a check, and keep what fails."""
        self.checks[kind] += 1
        if not holds:
            self.violations.append(f"{kind}: {what}")


def spread(rng: random.Random, low: float, high: float) -> float:
    """Log-uniform."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def exactly(x: Fraction | float) -> arb:
    """The ball around a number."""
    return arb(fmpq(*Fraction(x).as_integer_ratio()))


def upper_tail(z: arb) -> arb:
    r"""$1-\Phi(z)$."""
    return (z / arb(2).sqrt()).erfc() / 2


def meets(found: Enclosure, truth: arb) -> bool:
    """Whether an enclosure and a ball have a number in common."""
    return bool(arb(found.lower) <= truth.upper()) and bool(arb(found.upper) >= truth.lower())


def normal_delta(mu_squared: Fraction, epsilon: Fraction | float) -> arb:
    """The closed form, in balls."""
    mu, e = exactly(mu_squared).sqrt(), exactly(epsilon)
    return upper_tail(e / mu - mu / 2) - e.exp() * upper_tail(e / mu + mu / 2)


def gaussians(rng: random.Random, tally: Tally) -> None:
    """Up to four kinds of Gaussians at once: closed form against the library and against the line."""
    parts = [(Fraction(f"{spread(rng, 0.2, 100):.3g}"), round(spread(rng, 1, 1e7))) for _ in range(rng.randint(1, 4))]
    mu_squared = sum((count / noise**2 for noise, count in parts), Fraction(0))
    mu = math.sqrt(mu_squared)
    composed = profile([(GaussianLoss(1 / noise**2), count) for noise, count in parts])
    first, *others = (count * dpc.Gaussian(noise_std=noise) for noise, count in parts)
    whole = sum(others, first)
    for _ in range(LEVELS):
        epsilon = max(mu * mu / 2 + mu * rng.uniform(-1.0, 20.0), 1e-3 * mu)
        with ctx.workprec(400):
            truth = normal_delta(mu_squared, epsilon)
            found, on_line = dpc.delta(whole, epsilon).enclosure, composed.delta(epsilon)
            tally.saw("Gaussian, closed form", found)
            said = f"{parts} at {epsilon!r}: {found!r}, {on_line!r}, {truth}"
            tally.check("Gaussian, closed form", said, holds=meets(found, truth) and meets(on_line, truth))


def responses(rng: random.Random, tally: Tally) -> None:
    """Equal black boxes: the binomial sum against the library and the lattice line."""
    count, step = round(spread(rng, 1, 400)), Fraction(f"{spread(rng, 0.005, 2):.3g}")
    leak = Fraction(f"{spread(rng, 1e-12, 1e-4):.2e}") if rng.random() < 0.5 else Fraction(0)
    whole = count * dpc.BlackBox(epsilon=step, delta=leak)
    with ctx.workprec(400):
        p = 1 / (1 + (-exactly(step)).exp())
        masses = [arb(fmpz.bin_uiui(count, j)) * p**j * (1 - p) ** (count - j) for j in range(count + 1)]
        kept = (1 - exactly(leak)) ** count
        for _ in range(LEVELS):
            epsilon = float(step) * count * rng.uniform(0.0, 1.02)
            rests = ((m, Fraction(epsilon) - (2 * j - count) * step) for j, m in enumerate(masses))
            finite = sum((m * -exactly(rest).expm1() for m, rest in rests if rest < 0), arb(0))
            found = dpc.delta(whole, epsilon).enclosure
            tally.saw("black boxes, binomial sum", found)
            said = f"{count} × ({step}, {leak}) at {epsilon!r}: {found!r}"
            tally.check("black boxes, binomial sum", said, holds=meets(found, 1 - kept + kept * finite))


def mixtures(rng: random.Random, tally: Tally) -> None:
    """A Gaussian beside responses, and Laplace steps twice: on the line, and by a sum."""
    noise, step = Fraction(f"{spread(rng, 0.5, 20):.3g}"), Fraction(f"{spread(rng, 0.02, 1):.3g}")
    count = rng.randint(1, 25)
    composed = profile([(GaussianLoss(1 / noise**2), 1), (TwoPointLoss(step), count)])
    with ctx.workprec(300):
        p = 1 / (1 + (-exactly(step)).exp())
        masses = [arb(fmpz.bin_uiui(count, j)) * p**j * (1 - p) ** (count - j) for j in range(count + 1)]
        for _ in range(3):
            epsilon = rng.uniform(0.05, 1.2) * float(step) * count + 1e-3
            levels = (Fraction(epsilon) - (2 * j - count) * step for j in range(count + 1))
            truth = sum((m * normal_delta(1 / noise**2, e) for m, e in zip(masses, levels, strict=True)), arb(0))
            found = composed.delta(epsilon, 1e-6)
            tally.saw("Gaussian and responses, sum", found)
            said = f"{noise} {step} {count} at {epsilon!r}: {found!r}"
            tally.check("Gaussian and responses, sum", said, holds=meets(found, truth))
    scale, steps = Fraction(f"{spread(rng, 0.5, 50):.3g}"), rng.randint(21, 60)
    on_line, whole = profile([(LaplaceLoss(1 / scale), steps)]), steps * dpc.Laplace(scale=scale)
    for _ in range(2):
        epsilon = rng.uniform(0.02, 0.9) * steps / float(scale)
        found, line = dpc.delta(whole, epsilon).enclosure, on_line.delta(epsilon, 1e-6)
        tally.saw("Laplace, exact sum and line", found)
        holds = max(found.lower, line.lower) <= min(found.upper, line.upper)
        tally.check("Laplace, exact sum and line", f"{whole} at {epsilon!r}: {found!r}, {line!r}", holds=holds)


def sampled(rng: random.Random, tally: Tally, number: int) -> None:
    """Sampled Gaussians in one order: another line, monotony in ε, one step more, the inverse; now and then balls."""
    rate, noise = Fraction(f"{spread(rng, 1e-6, 1):.3g}"), Fraction(f"{spread(rng, 0.3, 100):.3g}")
    count, side = round(spread(rng, 30, 1e7)), rng.choice((1, 1, -1))
    rate = min(rate, Fraction("0.99"))
    composed = profile([(SampledGaussianLoss(rate, noise, SIDES[side]), count)])
    chosen = line_for(rng, float(rate), float(noise), count, side)
    if chosen is None:
        tally.undecided["sampled Gaussian, other line"] += 1
        return
    line, levels = chosen
    named = f"{count} × q={rate} σ={noise} side={side}"
    found = composed.curve(levels.tolist(), 1e-6)
    values, bars = line.read(levels)
    for epsilon, enclosure, value, bar in zip(levels, found, values, bars, strict=True):
        tally.saw("sampled Gaussian, other line", enclosure)
        if not math.isfinite(bar) or value < 1e-290:
            tally.undecided["sampled Gaussian, other line"] += 1
            continue
        holds = enclosure.lower <= value * (1 + bar) and enclosure.upper >= value * (1 - bar)
        said = f"{named} at {epsilon!r}: {enclosure!r}, other line {value!r} ± {bar:.1e}"
        tally.check("sampled Gaussian, other line", said, holds=holds)
    for before, after in pairwise(found):
        tally.check("… falls as ε grows", f"{named}: {before!r}, {after!r}", holds=after.lower <= before.upper)
    middle = float(levels[LEVELS // 2])
    alone, longer = composed.delta(middle), profile([(SampledGaussianLoss(rate, noise, SIDES[side]), count + 1)])
    both = max(alone.lower, found[LEVELS // 2].lower) <= min(alone.upper, found[LEVELS // 2].upper)
    tally.check("… two lines of the engine", f"{named} at {middle!r}: {alone!r}", holds=both)
    more = longer.delta(middle)
    said = f"{named} at {middle!r}: {alone!r}, {more!r}"
    tally.check("… grows with the steps", said, holds=more.upper >= alone.lower)
    if alone.lower > 0.0:
        back = composed.epsilon(alone.lower)
        tally.check("… inverse", f"{named} at {alone.lower!r}: {back!r}", holds=back.upper >= middle)
    if number % BALLS_EVERY == 0:
        in_balls(named, composed.delta_in_balls, middle, alone, tally)


def wrapped(rng: random.Random, tally: Tally) -> None:
    """A few runs in every wrapper, under every relation: each reading against all pairs, written out."""
    work = rng.choice(SHAPES)(rng)
    for kind, place, answer, holds in readings(work, rng):
        tally.shapes[work.shape] += 1
        if answer is None:
            tally.works[kind] += 1
        else:
            tally.saw(kind, answer.enclosure)
        tally.check(kind, f"{work.shape} {place}: {answer}, {work.subject!r}", holds=holds)


def in_balls(named: str, ask: Callable[[float], Enclosure], epsilon: float, found: Enclosure, tally: Tally) -> None:
    """The same work in ball arithmetic."""
    try:
        balls = ask(epsilon)
    except Declined:
        tally.undecided["… ball tier"] += 1
        return
    holds = max(found.lower, balls.lower) <= min(found.upper, balls.upper)
    tally.check("… ball tier", f"{named} at {epsilon!r}: {found!r}, balls {balls!r}", holds=holds)


def line_for(
    rng: random.Random, rate: float, noise: float, count: int, side: int
) -> tuple[OtherLine, np.ndarray] | None:
    """A tilt at which δ is between 1e-60 and 0.3, and ε around its saddle; None where plain floats give up."""
    for _ in range(30):
        line = OtherLine(rate, noise, count, side, spread(rng, 1e-4, 1e5 / count**0.25))
        with np.errstate(all="ignore"):
            (mean, deviation), value = line.moments, line.law[2]
        t = line.tilt
        if not (math.isfinite(mean) and deviation > 0 and 0.3 < t * deviation < 16):
            continue
        centre = mean - 1.0 / t - 1.0 / (1.0 + t)
        log_delta = count * value - t * centre - math.log(t * (1.0 + t) * deviation * 2.5)
        levels = centre + np.sort([rng.uniform(-2.5, 2.5) for _ in range(LEVELS)]) * max(deviation, 0.0)
        if levels[0] > 0 and -140 < log_delta < -1:
            return line, levels
    return None


def batch(seed: int, number: int) -> Tally:
    """Some hundred works."""
    rng, tally = random.Random(f"{seed} {number}"), Tally()  # noqa: S311 - a draw, no secret
    for _ in range(CHEAP):
        gaussians(rng, tally)
        responses(rng, tally)
    mixtures(rng, tally)
    sampled(rng, tally, number)
    for _ in range(WRAPPED):
        wrapped(rng, tally)
    return tally


def finished(path: Path) -> Iterator[dict[str, object]]:
    """The batches of earlier runs."""
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def main() -> None:
    """Work until enough has been checked, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    path = Path("out") / f"soundness-{asked.seed}.jsonl"
    path.parent.mkdir(exist_ok=True)
    done = list(finished(path))
    began, total = time.process_time(), sum(sum(b["works"].values()) for b in done)
    with path.open("a", encoding="utf-8") as out:
        for number in range(len(done), 10**9):
            if total >= asked.works:
                break
            tally = batch(asked.seed, number)
            done.append({name: getattr(tally, name) for name in Tally.__dataclass_fields__})
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
            total += sum(tally.works.values())
            for violation in tally.violations:
                print("VIOLATION", violation, flush=True)
    report(done, time.process_time() - began)


def report(done: list[dict], seconds: float) -> None:
    """The table."""
    works, checks, undecided = (Counter[str]() for _ in range(3))
    gaps: dict[str, list[float]] = defaultdict(list)
    violations = [v for b in done for v in b["violations"]]
    for b in done:
        works.update(b["works"])
        checks.update(b["checks"])
        undecided.update(b["undecided"])
        for kind, some in b["gaps"].items():
            gaps[kind] += some
    head = ("kind", "works", "checks", "undecided", "violations", "gap: median", "99 %", "worst")
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for kind in checks:
        wrong = sum(v.startswith(f"{kind}:") for v in violations)
        quantiles = np.quantile(gaps[kind], [0.5, 0.99, 1.0]) if kind in gaps else ()
        shown = " | ".join(f"{x:.1e}" for x in quantiles) or " | |"
        print(f"| {kind} | {works[kind]} | {checks[kind]} | {undecided[kind]} | {wrong} | {shown} |")
    shapes = sum((Counter(b["shapes"]) for b in done), Counter[str]())
    print(f"by shape: {dict(shapes.most_common())}")
    print(f"{works.total()} works, {checks.total()} checks, {len(violations)} violations; {seconds:.0f} s of CPU now")


if __name__ == "__main__":
    main()
