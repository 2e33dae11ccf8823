"""Many different members of every kind, alone and on a sample, are answered within patience: each is read at fewer
places, and what is said of all of them agrees with what is said of a few.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

import dpcompose as dpc
from cases import cases
from dpcompose.numerics import effort
from strategies import MECHANISMS, named, some

pytestmark = pytest.mark.slow
MEMBERS, SEVERAL, FEW = 70, 20, 2
"""More than are reasoned about one by one at once, more than are read in full, and no more than that."""


def answered(plan: dpc.Composition) -> tuple[dpc.Answer | None, float]:
    """ε, or nothing where no theorem bounds it, and how many steps it took."""
    with effort.question():
        try:
            found = dpc.epsilon(plan, delta=1e-3)
        except dpc.NotProvable:
            found = None
        return found, effort.taken()


@pytest.mark.parametrize("cls", MECHANISMS, ids=named)
@cases(2)
@given(data=st.data())
def test_many_members_of_a_kind(cls: type[dpc.Mechanism], data: st.DataObject) -> None:
    members = data.draw(st.lists(some(cls), min_size=SEVERAL, max_size=SEVERAL, unique=True))
    adjacency = members[0].adjacency
    alike = [m for m in members if m.adjacency == adjacency]
    few, _ = answered(sum(alike[:FEW], dpc.Composition()))
    many, steps = answered(sum(alike, dpc.Composition()))
    assert steps <= effort.EXHAUSTED + len(alike) * effort.SPARE
    if few is not None and many is not None:
        assert few.lower <= many.upper


MIXED = {
    "two shifts": lambda i: dpc.MixtureOfGaussians(
        noise_std=5 + i / 7, sensitivities=(0, 1), probabilities=(0.75, 0.25)
    ),
    "three shifts": lambda i: dpc.MixtureOfGaussians(
        noise_std=9 + i / 7, sensitivities=(0, 1, 2), probabilities=(0.5, 0.25, 0.25)
    ),
    "sampled compositions": lambda i: dpc.Sampled(dpc.Gaussian(noise_std=5 + i / 7) + dpc.Laplace(scale=9), rate=0.01),
    "sampled Laplaces": lambda i: dpc.Sampled(dpc.Laplace(scale=2 + i / 7), rate=0.01),
    "selections": lambda i: dpc.Exponential(epsilon=0.01 + i / 700),
    "sums of samples": lambda i: dpc.SampledSum(
        dpc.Gaussian(noise_std=5 + i / 7, adjacency=dpc.REPLACE_ONE), rate=0.01, contribution=1
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_many_members_cost_no_less_than_the_best_and_no_more_than_the_worst_of_them(name: str) -> None:
    """The members differ by less and less noise: k times the last and k times the first enclose all k together."""
    count = MEMBERS
    members = [MIXED[name](i) for i in range(count)]
    ends = sorted((dpc.epsilon(count * one, delta=1e-6) for one in (members[0], members[-1])), key=lambda a: a.upper)
    whole = dpc.epsilon(sum(members, dpc.Composition()), delta=1e-6)
    assert ends[0].lower <= whole.upper
    assert whole.lower <= ends[1].upper
    assert whole.upper <= 1.5 * ends[1].upper  # no end is given up


@pytest.mark.parametrize("count,epsilon", [(7, 0.3), (10, 0.1), (20, 0.0), (20, 0.3)])
def test_several_different_steps_with_atoms_are_known_closely(count: int, epsilon: float) -> None:
    """A lattice as fine as asked for may be out of reach; one that is not has its say."""
    members = [dpc.Sampled(dpc.Laplace(scale=1 + i / 10), rate=0.1) for i in range(count)]
    whole = dpc.delta(sum(members, dpc.Composition()), epsilon)
    ends = [dpc.delta(count * one, epsilon) for one in (members[-1], members[0])]
    assert ends[0].lower <= whole.upper
    assert whole.lower <= ends[1].upper
    assert whole.upper - whole.lower <= 1e-3 * whole.upper


OFTEN = {
    "nearly the same": [(0.01 * (1 + i * 1e-5), 10**6) for i in range(13)],
    "more orders than floats tell": [(0.01 * (1 + 0.01 * i), 300) for i in range(300)],
    "hundreds of often": [(0.01 * (1 + 0.01 * i), 2000) for i in range(100)],
    "thousands of seldom": [(0.01 * (1 + 0.01 * i), 50) for i in range(1200)],
    "as many as are followed": [(1e-5 * (1 + 0.01 * i), 10**7) for i in range(50)],
}


@pytest.mark.parametrize("adaptivity", [dpc.ADAPTIVE, dpc.FIXED])
@pytest.mark.parametrize("name", OFTEN)
def test_many_kinds_of_many_runs_cost_what_normal_losses_cost(name: str, adaptivity: dpc.Adaptivity) -> None:
    """The worst members are about randomized responses of half the range, and so many of them about Gaussian."""
    runs, delta = OFTEN[name], 1e-6
    plan = dpc.Composition(tuple((dpc.Exponential(epsilon=e), n) for e, n in runs), adaptivity=adaptivity)
    found = dpc.epsilon(plan, delta)
    mu = math.sqrt(sum(e * e * n for e, n in runs)) / 2
    normal = brentq(lambda e: norm.cdf(mu / 2 - e / mu) - math.exp(e) * norm.cdf(-mu / 2 - e / mu) - delta, 0, 300)
    assert 0.94 * normal <= found.lower <= 1.001 * normal
    assert 0.999 * normal <= found.upper <= 1.06 * normal
