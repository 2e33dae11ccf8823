"""Everyday works: a random mix of all kinds, with CPU time and gap by quantile.

    python bench/everyday.py --works 400 --seed 1
    python bench/everyday.py --slowest 10

A work has one to four kinds, counts to 10³ (sampled ones to 10⁵), and δ from 3·10⁻⁵ to 10⁻¹². Nothing is remembered
from one work to the next but what the library itself keeps. CPU time, since a machine may be shared; the aims are
printed beside the quantiles.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import dpcompose as dpc
from dpcompose import spec

AIMS = {50: 10.0, 95: 100.0, 99: 1000.0, 100: 3000.0}
"""Milliseconds by percentile."""
GAP_AIM = 1e-5
Draw = Callable[[random.Random], dpc.Mechanism]


def _spread(rng: random.Random, low: float, high: float) -> float:
    """Log-uniform, to three digits, as people write numbers."""
    return float(f"{math.exp(rng.uniform(math.log(low), math.log(high))):.3g}")


def _finite(rng: random.Random) -> dpc.Mechanism:
    tops, bottoms = ([rng.randint(1, 9) for _ in range(4)] for _ in range(2))
    return dpc.DiscretePair(p=[t / sum(tops) for t in tops], q=[b / sum(bottoms) for b in bottoms])


PLAIN: dict[str, Draw] = {
    "BlackBox": lambda r: dpc.BlackBox(epsilon=_spread(r, 0.003, 0.5), delta=r.choice([0, 1e-9, 1e-12])),
    "RandomizedResponse": lambda r: dpc.RandomizedResponse(epsilon=_spread(r, 0.01, 2), categories=r.choice([2, 4])),
    "Gaussian": lambda r: dpc.Gaussian(noise_std=_spread(r, 1, 300)),
    "Laplace": lambda r: dpc.Laplace(scale=_spread(r, 1, 300)),
    "Geometric": lambda r: dpc.Geometric(scale=_spread(r, 1, 100), sensitivity=r.choice([1, 1, 2, 5])),
    "DiscreteGaussian": lambda r: dpc.DiscreteGaussian(noise_std=_spread(r, 1, 100), sensitivity=r.choice([1, 1, 2])),
    "Staircase": lambda r: dpc.Staircase(epsilon=_spread(r, 0.01, 1)),
    "Exponential": lambda r: dpc.Exponential(epsilon=_spread(r, 0.01, 1)),
    "DiscretePair": _finite,
}
SAMPLED: dict[str, Draw] = {
    "Sampled Gaussian": lambda r: dpc.Sampled(dpc.Gaussian(noise_std=_spread(r, 0.6, 10)), rate=_spread(r, 1e-4, 0.1)),
    "Sampled Laplace": lambda r: dpc.Sampled(dpc.Laplace(scale=_spread(r, 0.6, 10)), rate=_spread(r, 1e-4, 0.1)),
    "Sampled BlackBox": lambda r: dpc.Sampled(dpc.BlackBox(epsilon=_spread(r, 0.1, 2)), rate=_spread(r, 1e-4, 0.1)),
}


@dataclass(frozen=True)
class Work:
    """A composition, where it is asked, and what came of it."""

    plan: dpc.Composition
    delta: float
    milliseconds: float
    gap: float

    @property
    def has_exponential(self) -> bool:
        """Whether a class without a known worst member is in it."""
        return any(isinstance(part, dpc.Exponential) for part, _ in self.plan.parts)


def drawn(rng: random.Random) -> tuple[dpc.Composition, float]:
    """A plan and a δ."""
    plan = dpc.Composition()
    for name in rng.sample([*PLAIN, *SAMPLED], rng.randint(1, 4)):
        most = 10**3 if name in PLAIN else 10**5
        plan = plan + round(_spread(rng, 1, most)) * (PLAIN | SAMPLED)[name](rng)
    return plan, _spread(rng, 1e-12, 3e-5)


def asked(plan: dpc.Composition, delta: float) -> Work:
    """ε at δ, timed."""
    began = time.process_time()
    answer = dpc.epsilon(plan, delta=delta)
    return Work(plan, delta, 1e3 * (time.process_time() - began), answer.enclosure.gap)


def quantile(values: list[float], percent: int) -> float:
    """The least value that so many per cent do not exceed."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100) - 1, 0)]


def main() -> None:
    """Ask all, print quantiles, and the slowest and the widest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slowest", type=int, default=5)
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311 - a seed makes works, no secrets
    for draw in (PLAIN | SAMPLED).values():  # to load code is no answer: what a kind needs comes with its first work
        asked(3 * draw(random.Random(0)) + dpc.Gaussian(noise_std=1), 1e-6)  # noqa: S311 - works, no secrets
    works = [asked(*drawn(rng)) for _ in range(options.works)]
    times = [work.milliseconds for work in works]
    print(f"{options.works} works, seed {options.seed}: CPU time of one ε")
    for percent, aim in AIMS.items():
        found = quantile(times, percent)
        print(f"  {percent:3d} %  {found:8.1f} ms   aim {aim:6.0f} ms   {'met' if found <= aim else 'MISSED'}")
    gaps = [work.gap for work in works if not work.has_exponential]
    print(f"gap without Exponential: 50 % {quantile(gaps, 50):.1e}, 95 % {quantile(gaps, 95):.1e} (aim {GAP_AIM:.0e})")
    print(f"gap with it: 95 % {quantile([work.gap for work in works if work.has_exponential], 95):.1e}")
    for what, key in (("slowest", lambda w: w.milliseconds), ("widest", lambda w: 0 if w.has_exponential else w.gap)):
        print(f"{what}:")
        for work in sorted(works, key=key, reverse=True)[: options.slowest]:
            print(f"  {work.milliseconds:8.1f} ms  gap {work.gap:.1e}  δ = {work.delta:g}  {spec.dumps(work.plan)}")


if __name__ == "__main__":
    main()
