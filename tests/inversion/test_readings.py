"""Whole curves, Rényi divergences, sampling of finite pairs, and the error budget."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp, mpf

from dpcompose.errors import InvalidParameter
from dpcompose.inversion import (
    Direction,
    GaussianLoss,
    LaplaceLoss,
    ListedLoss,
    Loss,
    SampledGaussianLoss,
    TwoPointLoss,
    profile,
)
from dpcompose.numerics.enclosure import Enclosure
from references import atoms, sums, two_point

COMPOSITIONS: list[list[tuple[Loss, int]]] = [
    [(GaussianLoss(0.3), 5)],
    [(SampledGaussianLoss(0.01, 1.0, Direction.REMOVE), 1000)],
    [(LaplaceLoss(0.1), 300), (GaussianLoss(0.1), 2)],
    [(TwoPointLoss(0.1), 100)],
]


@pytest.mark.parametrize("parts", COMPOSITIONS)
def test_a_curve_agrees_with_its_points(parts: list[tuple[Loss, int]]) -> None:
    composed = profile(parts, Enclosure(1e-9, 1e-9))
    epsilons = np.linspace(0.0, 12.0, 60).tolist()
    curve = composed.curve(epsilons)
    for epsilon, found in zip(epsilons, curve, strict=True):
        alone = composed.delta(epsilon)
        assert max(alone.lower, found.lower) <= min(alone.upper, found.upper)
        assert found.gap <= 1e-6
    assert all(a.upper >= b.lower for a, b in pairwise(curve))


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0, 40.0])
def test_renyi_divergences(order: float) -> None:
    a = mpf(order)
    assert mpf(0.6) * a / 2 in Between(profile([(GaussianLoss(0.3), 2)]).renyi(order))
    moment = mp.fsum(p * mp.exp((a - 1) * s) for s, p in two_point(0.5).items())
    assert 3 * mp.log(moment) / (a - 1) in Between(profile([(TwoPointLoss(0.5), 3)]).renyi(order))
    e = mpf(1)
    laplace = mp.log(a / (2 * a - 1) * mp.exp((a - 1) * e) + (a - 1) / (2 * a - 1) * mp.exp(-a * e)) / (a - 1)
    assert laplace in Between(profile([(LaplaceLoss(1.0), 1)]).renyi(order))


def test_renyi_of_the_subsampled_gaussian() -> None:
    """Integer orders expand by the binomial theorem."""
    q, s, a = mpf(0.05), mpf(1.5), 6
    moment = mp.fsum(
        mp.binomial(a, j) * (1 - q) ** (a - j) * q**j * mp.exp(j * (j - 1) / (2 * s**2)) for j in range(a + 1)
    )
    found = profile([(SampledGaussianLoss(0.05, 1.5, Direction.REMOVE), 1)]).renyi(6.0)
    assert mp.log(moment) / (a - 1) in Between(found)
    assert found.gap < 1e-11


def test_renyi_refuses_orders_up_to_one() -> None:
    with pytest.raises(InvalidParameter, match="above 1"):
        profile([(GaussianLoss(1.0), 1)]).renyi(1.0)
    assert profile([(GaussianLoss(1.0), 1)], Enclosure(0.1, 0.1)).renyi(2.0).lower == math.inf


class Between:
    """An enclosure that compares with high-precision numbers."""

    def __init__(self, found: Enclosure) -> None:
        self.found = found

    def __contains__(self, x: mpf) -> bool:
        return bool(self.found.lower <= x <= self.found.upper and self.found.gap < 1e-9)


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("rate", [0.01, 0.4, 1.0])
@mp.workdps(40)
def test_sampling_a_finite_pair(rate: float, direction: Direction) -> None:
    p, q = [0.25, 0.5, 0.125, 0.125, 0.0], [0.5, 0.125, 0.25, 0.0, 0.125]
    common = ListedLoss(np.log(np.array(p[:3]) / np.array(q[:3])), np.array(p[:3]), Enclosure(0.125, 0.125), 1e-15)
    mixed = [(1 - mpf(rate)) * mpf(b) + mpf(rate) * mpf(a) for a, b in zip(p, q, strict=True)]
    pair = (mixed, [mpf(x) for x in q]) if direction is Direction.REMOVE else ([mpf(x) for x in q], mixed)
    law: dict[mpf, mpf] = {}
    leak = mpf(0)
    for a, b in zip(*pair, strict=True):
        if a and b:
            law[mp.log(a / b)] = law.get(mp.log(a / b), mpf(0)) + a
        elif a:
            leak += a
    composed = profile([(common.sampled(rate, direction), 3)])
    for epsilon in (0.01, 0.3, 1.1):
        truth = 1 - (1 - leak) ** 3 + atoms(sums(law, law, law), epsilon)
        found = composed.delta(epsilon, 1e-6)
        assert found.lower <= truth <= found.upper
        assert found.gap < 1e-5


def test_the_budget_names_every_term() -> None:
    budget = profile([(SampledGaussianLoss(0.01, 1.0, Direction.REMOVE), 1000)]).budget(2.0)
    terms = (budget.aliasing, budget.truncation, budget.quadrature_and_rounding, budget.domain, budget.smoothing)
    assert budget.method == "line"
    assert all(0.0 <= term < 1e-9 for term in terms)
    assert budget.frequencies > 10
    smoothed = profile([(TwoPointLoss(0.1), 5), (TwoPointLoss(0.07), 3)]).budget(0.3, 1e-6)
    assert smoothed.method == "smoothed line"
    assert 0.0 <= smoothed.smoothing < 1e-3
