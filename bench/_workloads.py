"""What is measured: each workload in numbers alone, so that every side builds it in its own words."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

EPSILONS = np.linspace(0.0, 8.0, 1000)
"""Where the curve is asked."""


class Kind(StrEnum):
    """What a step is; in brackets its numbers."""

    SAMPLED = "sampled Gaussian"  # rate, noise multiplier
    GAUSSIAN = "Gaussian"  # noise multiplier
    LAPLACE = "Laplace"  # scale
    RESPONSE = "any ε-DP step"  # ε
    PAIR = "pair of finite laws"  # outcomes, spread of the loss


class Question(StrEnum):
    """What is asked of the whole."""

    EPSILON = "ε at δ"
    CURVE = "δ at 1,000 values of ε"
    RUNNING = "ε at δ after every step"


@dataclass(frozen=True, slots=True)
class Part:
    """So many steps of one kind."""

    kind: Kind
    numbers: tuple[float, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Work:
    """A question, how tight the answer must be, and how long it may take."""

    name: str
    parts: tuple[Part, ...]
    deltas: tuple[float, ...]
    tolerance: float
    budget: float
    """Milliseconds."""
    question: Question = Question.EPSILON

    @property
    def key(self) -> str:
        """What no other workload is called."""
        return f"{self.name}: {self.question}"

    @property
    def is_heavy(self) -> bool:
        """Whether once is enough."""
        return self.budget >= 5000


def training(rate: float, noise: float, steps: int, name: str) -> Work:
    """One run of DP-SGD, down to tiny δ."""
    part = Part(Kind.SAMPLED, (rate, noise), steps)
    return Work(name, (part,), (1e-5, 1e-10, 1e-20, 1e-50), 1e-9, 10.0)


def few(rate: float, steps: int) -> Work:
    """Very few steps, where characteristic functions decay slowly."""
    part = Part(Kind.SAMPLED, (rate, 1.0), steps)
    return Work(f"DP-SGD, q = {rate:g}, σ = 1, T = {steps}", (part,), (1e-6,), 1e-6, 500.0)


def different(count: int) -> tuple[Part, ...]:
    """Many steps, each with an ε of its own."""
    draw = random.Random(0)  # noqa: S311 - data
    return tuple(Part(Kind.RESPONSE, (draw.uniform(0.005, 0.05),)) for _ in range(count))


def arriving(count: int, kinds: int) -> tuple[Part, ...]:
    """Steps one after the other, of so many kinds in turn."""
    return tuple(Part(Kind.SAMPLED, (0.01, 1.0 + (i % kinds) / 500.0)) for i in range(count))


def pair(outcomes: int, spread: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A random pair of distributions on so many outcomes."""
    draw = np.random.default_rng(0)
    p = draw.dirichlet(np.ones(outcomes))
    q = p * np.exp(draw.normal(0.0, spread, outcomes))
    return p, q / q.sum()


MIXTURE = (
    Part(Kind.SAMPLED, (0.01, 1.0), 2000),
    Part(Kind.GAUSSIAN, (1000.0,), 300),
    Part(Kind.LAPLACE, (20.0,), 200),
    Part(Kind.RESPONSE, (0.02,), 500),
)

TRAINING = (
    training(0.01, 1.0, 10**3, "q = 0.01, σ = 1, T = 10³"),
    training(256 / 60000, 1.1, 14000, "q = 256/60000, σ = 1.1, T = 14 000"),
    training(1e-3, 0.6, 10**5, "q = 10⁻³, σ = 0.6, T = 10⁵"),
    training(1e-4, 0.5, 10**6, "q = 10⁻⁴, σ = 0.5, T = 10⁶"),
    training(0.1, 5.0, 10**4, "q = 0.1, σ = 5, T = 10⁴"),
    training(0.5, 10.0, 10**3, "q = 0.5, σ = 10, T = 10³"),
)

OTHERS = (
    Work("Gaussian, σ = 1", (Part(Kind.GAUSSIAN, (1.0,)),), (1e-6, 1e-200), 1e-11, 1.0),
    Work("10³ Gaussians, σ = 30", (Part(Kind.GAUSSIAN, (30.0,), 10**3),), (1e-6, 1e-14, 1e-200), 1e-11, 1.0),
    Work("10⁶ Gaussians, σ = 1000", (Part(Kind.GAUSSIAN, (1000.0,), 10**6),), (1e-6, 1e-200), 1e-11, 1.0),
    Work("10³ Laplaces, ε₀ = 0.1", (Part(Kind.LAPLACE, (10.0,), 10**3),), (1e-6, 1e-14), 1e-9, 20.0),
    Work("10⁴ Laplaces, ε₀ = 0.01", (Part(Kind.LAPLACE, (100.0,), 10**4),), (1e-6, 1e-14), 1e-9, 20.0),
    Work("10⁴ steps, ε₀ = 0.01", (Part(Kind.RESPONSE, (0.01,), 10**4),), (1e-6,), 1e-9, 20.0),
    Work("10⁶ steps, ε₀ = 0.001", (Part(Kind.RESPONSE, (0.001,), 10**6),), (1e-6, 1e-14), 1e-9, 20.0),
    Work("10⁹ steps, ε₀ = 3·10⁻⁵", (Part(Kind.RESPONSE, (3e-5,), 10**9),), (1e-6,), 1e-9, 20.0),
    Work("10⁴ steps, each its own ε₀", different(10**4), (1e-6,), 1e-6, 100.0),
    Work("3,000 steps of four kinds", MIXTURE, (1e-6, 1e-14), 1e-7, 50.0),
    Work("a pair of 10⁵ outcomes, k = 10⁴", (Part(Kind.PAIR, (1e5, 0.01), 10**4),), (1e-6,), 1e-6, 500.0),
    Work("DP-SGD, q = 0.01, σ = 1, T = 10³", TRAINING[0].parts, (0.0,), 1e-6, 50.0, Question.CURVE),
    Work("1,000 steps of DP-SGD, 20 kinds", arriving(1000, 20), (1e-6,), 1e-6, 5e3, Question.RUNNING),
    Work("1,000 steps of DP-SGD, all different", arriving(1000, 1000), (1e-6,), 1e-6, 60e3, Question.RUNNING),
    *(few(rate, steps) for rate in (0.01, 0.1) for steps in (2, 20)),
)

ALONE = tuple(few(rate, steps) for rate in (0.01, 0.1) for steps in (1, 3, 5, 10))
"""Measured without the peers."""

QUICK = (TRAINING[0], OTHERS[0], OTHERS[3], OTHERS[5], OTHERS[9], OTHERS[11], few(0.1, 20))


WORKS = {work.key: work for work in (*TRAINING, *OTHERS, *ALONE)}
