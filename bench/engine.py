"""The engine alone: certified ε, the relative gap and the time of each kind of composition.

    python bench/engine.py

Times are CPU time of this process, the least of three runs, both orders of the pair where they differ.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import numpy as np

from dpcompose.inversion import (
    Direction,
    DiscreteGaussianLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    SampledGaussianLoss,
    TwoPointLoss,
    geometric_loss,
    profile,
)

Parts = Sequence[tuple[Loss, int]]


def training(rate: float, noise: float, steps: int) -> list[Parts]:
    """One training run, in both directions."""
    return [[(SampledGaussianLoss(rate, noise, direction), steps)] for direction in Direction]


def finite(atoms: int, spread: float) -> FiniteLoss:
    """A random pair of distributions on so many outcomes."""
    draw = np.random.default_rng(0)
    p = draw.dirichlet(np.ones(atoms))
    q = p * np.exp(draw.normal(0.0, spread, atoms))
    q /= q.sum()
    return FiniteLoss(np.log(p / q), p, loss_error=1e-15, weight_error=1e-15)


def responses(count: int) -> list[tuple[Loss, int]]:
    """Many randomized responses, all different."""
    draw = random.Random(0)  # noqa: S311 - data
    return [(TwoPointLoss(draw.uniform(0.005, 0.05)), 1) for _ in range(count)]


def mixture() -> list[Parts]:
    """Four kinds at once."""
    others: list[tuple[Loss, int]] = [(GaussianLoss(0.001), 300), (LaplaceLoss(0.05), 200), (TwoPointLoss(0.02), 500)]
    return [[(SampledGaussianLoss(0.01, 1.0, d), 2000), *others] for d in Direction]


WORKS: list[tuple[str, Callable[[], list[Parts]], float, float]] = [
    ("DP-SGD q=.01 sigma=1 k=1e3", lambda: training(0.01, 1.0, 1000), 1e-5, 1e-9),
    ("DP-SGD q=256/6e4 sigma=1.1 k=14e3", lambda: training(256 / 60000, 1.1, 14000), 1e-10, 1e-9),
    ("DP-SGD q=1e-3 sigma=.6 k=1e5", lambda: training(0.001, 0.6, 100_000), 1e-20, 1e-9),
    ("DP-SGD q=1e-4 sigma=.5 k=1e6", lambda: training(0.0001, 0.5, 1_000_000), 1e-50, 1e-9),
    ("DP-SGD q=.004 sigma=1.1 k=1e7", lambda: training(256 / 60000, 1.1, 10_000_000), 1e-10, 1e-9),
    ("DP-SGD q=.1 sigma=1 k=10", lambda: training(0.1, 1.0, 10), 1e-6, 1e-6),
    ("DP-SGD q=.01 sigma=1 k=10", lambda: training(0.01, 1.0, 10), 1e-6, 1e-6),
    ("DP-SGD, one jump decides", lambda: training(1.162e-4, 1.2497, 16500), 6.7e-23, 1e-9),
    ("Gaussian mu=1", lambda: [[(GaussianLoss(1.0), 1)]], 1e-10, 1e-9),
    ("Laplace .1, k=1e3", lambda: [[(LaplaceLoss(0.1), 1000)]], 1e-6, 1e-9),
    ("Laplace .01, k=1e4", lambda: [[(LaplaceLoss(0.01), 10_000)]], 1e-6, 1e-9),
    ("randomized response .001, k=1e6", lambda: [[(TwoPointLoss(0.001), 1_000_000)]], 1e-6, 1e-9),
    ("10000 different responses", lambda: [responses(10_000)], 1e-6, 1e-6),
    ("mixture of four kinds", mixture, 1e-6, 1e-7),
    ("geometric, sensitivity 3, k=1e3", lambda: [[(geometric_loss(20.0, 3), 1000)]], 1e-6, 1e-9),
    ("discrete Gaussian 30, k=1e3", lambda: [[(DiscreteGaussianLoss(30.0), 1000)]], 1e-6, 1e-9),
    ("finite pair, 1e5 atoms, k=1e4", lambda: [[(finite(100_000, 0.01), 10_000)]], 1e-6, 1e-6),
]


def main() -> None:
    """Print the table."""
    print(f"{'composition':36s} {'δ':>8s} {'ε':>16s} {'gap':>9s} {'ms':>8s}")
    for name, make, delta, tolerance in WORKS:
        orders = make()
        times, upper, lower = [], 0.0, 0.0
        for _ in range(3):
            began = time.process_time()
            found = [profile(parts).epsilon(delta, tolerance) for parts in orders]
            times.append(time.process_time() - began)
            upper, lower = max(e.upper for e in found), max(e.lower for e in found)
        print(f"{name:36s} {delta:8.0e} {upper:16.10f} {(upper - lower) / upper:9.1e} {1e3 * min(times):8.1f}")
    composed, epsilons = profile(training(0.01, 1.0, 1000)[0]), np.linspace(0.0, 8.0, 1000).tolist()
    began = time.process_time()
    curve = composed.curve(epsilons)
    spent = 1e3 * (time.process_time() - began)
    print(f"{'δ at 1000 ε (DP-SGD, one order)':36s} {'':8s} {'':16s} {max(c.gap for c in curve):9.1e} {spent:8.1f}")


if __name__ == "__main__":
    main()
