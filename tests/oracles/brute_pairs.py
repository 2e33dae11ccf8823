"""Every work as pairs of finite laws, by brute force: what a claim about it must enclose.

Nothing of the library is used. A law with a density is cut into cells: *merged*, each cell is one outcome, which costs
no more than the truth; *split*, its mass goes to the two ends of the cell's range of ratios, which costs no less. A
finite law is both at once. All is in floats; `SLACK` is far above what they lose and far below what a wrong theorem
would say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import laplace, norm

Laws = tuple[np.ndarray, np.ndarray]
SLACK, LEAST = 1e-9, 1e-12
CELLS = 300


@dataclass(frozen=True)
class Work:
    """The pairs that the neighbours may give, from below and from above."""

    low: tuple[Laws, ...]
    high: tuple[Laws, ...]

    def delta(self, epsilon: float) -> tuple[float, float]:
        low, high = (max(hockey(pair, epsilon) for pair in side) for side in (self.low, self.high))
        return low * (1 - SLACK) - LEAST, high * (1 + SLACK) + LEAST

    def renyi(self, order: float) -> tuple[float, float]:
        low, high = (max(renyi(pair, order) for pair in side) for side in (self.low, self.high))
        return low * (1 - SLACK) - LEAST, high * (1 + SLACK) + LEAST


def hockey(pair: Laws, epsilon: float) -> float:
    if epsilon > 700:
        return float(pair[0][pair[1] == 0].sum())
    return float(np.maximum(pair[0] - math.exp(epsilon) * pair[1], 0.0).sum())


def renyi(pair: Laws, order: float) -> float:
    p, q = pair
    if np.any((p > 0) & (q == 0)):
        return math.inf
    p, q = p[p > 0], q[p > 0]
    if order == 1:
        return float((p * np.log(p / q)).sum())
    return max(math.log(float((p**order * q ** (1 - order)).sum())), 0.0) / (order - 1)


# ------------------------------------------------------------------------------------------ single runs


def listed(p: Any, q: Any) -> tuple[Laws, Laws]:
    pair = gathered((np.array([float(x) for x in p]), np.array([float(x) for x in q])))
    return pair, pair


def gathered(pair: Laws) -> Laws:
    """Outcomes of one ratio put together, as far as floats can tell them apart."""
    p, q = pair
    with np.errstate(divide="ignore", invalid="ignore"):
        keys = np.where(q == 0, np.inf, np.round(np.log(p / np.where(q == 0, 1, q)), 12))
    _, places = np.unique(keys, return_inverse=True)
    return np.bincount(places, p), np.bincount(places, q)


def leaky(epsilon: float, delta: float) -> tuple[Laws, Laws]:
    top = (1 - delta) / (1 + math.exp(-epsilon))
    low = (1 - delta) - top
    return listed([delta, top, low, 0], [0, low, top, delta])


def between(law: Any, edges: np.ndarray) -> np.ndarray:
    """The masses between edges, each from the nearer tail."""
    return np.where(edges[1:] <= law.mean(), np.diff(law.cdf(edges)), -np.diff(law.sf(edges)))


def cells(first: Any, second: Any, edges: np.ndarray, ratios: np.ndarray) -> tuple[Laws, Laws]:
    """Masses between edges; `ratios` are the likelihood ratios at the edges."""
    p, q = between(first, edges), between(second, edges)
    low, high = np.minimum(ratios[:-1], ratios[1:]), np.maximum(ratios[:-1], ratios[1:])
    flat = high - low <= 1e-13 * high
    share = np.clip(np.where(flat, 0.0, (p - low * q) / np.where(flat, 1.0, high - low)), 0.0, q)
    split = np.concatenate([q - share, share]), np.concatenate([low, high])
    return gathered((p, q)), gathered((split[0] * split[1], split[0]))


def gaussian(mu: float) -> tuple[Laws, Laws]:
    edges = np.concatenate([[-np.inf], np.linspace(-9, 9 + mu, CELLS), [np.inf]])
    inner = np.clip(edges, -12, 12 + mu)
    return cells(norm(mu), norm(), edges, np.exp(mu * inner - mu * mu / 2))


def laplacian(step: float) -> tuple[Laws, Laws]:
    edges = np.concatenate([[-np.inf], np.linspace(0, step, CELLS), [np.inf]])
    inner = np.clip(edges, 0, step)
    return cells(laplace(step), laplace(), edges, np.exp(2 * inner - step))


def integers(height: Any, shift: int, reach: int) -> tuple[Laws, Laws]:
    x = np.arange(-reach, reach + shift + 1)
    p, q = height(x - shift), height(x)
    return listed(p / p.sum(), q / q.sum())


# ------------------------------------------------------------------------------------------ from pairs to works


def times(first: Laws, second: Laws) -> Laws:
    return gathered((np.outer(first[0], second[0]).ravel(), np.outer(first[1], second[1]).ravel()))


def turned(pair: Laws) -> Laws:
    return pair[1], pair[0]


def sampled(pair: Laws, rate: float) -> tuple[Laws, Laws]:
    """The record in the first input, and in the second."""
    p, q = pair
    return ((1 - rate) * q + rate * p, q), (p, (1 - rate) * p + rate * q)


Faces = tuple[tuple[Laws, ...], tuple[Laws, ...]]
"""From below and above, each with the record in the first input and in the second."""


def plain(pair: tuple[Laws, Laws]) -> Faces:
    return (pair[0], pair[0]), (pair[1], pair[1])


def on_a_sample(pair: tuple[Laws, Laws], rate: float) -> Faces:
    low, high = (sampled(side, rate) for side in pair)
    return low, high


def run(parts: list[Faces]) -> Work:
    """A composition in one order throughout, the record in either input."""
    low, high = ([reduce(times, [part[side][place] for part in parts]) for place in range(2)] for side in range(2))
    return Work(*(tuple(pair for one in side for pair in (one, turned(one))) for side in (low, high)))


def run_facing(parts: list[Faces]) -> Work:
    """A composition under replace one: every part faces either way."""
    sides = []
    for side in range(2):
        choices = [[pair for one in part[side] for pair in (one, turned(one))] for part in parts]
        sides.append(tuple(reduce(times, chosen) for chosen in product(*choices)))
    return Work(*sides)
