"""Sharing a budget, against brute force; and running totals, against the whole at once."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from calibration.plain_costs import gaussian_delta, number
from cases import cases
from dpcompose.advice import split
from dpcompose.parameters import COUNT
from dpcompose.running_total import online

WEIGHTS = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=12)


def loss(weights: list[float], noise: list[float]) -> float:
    return math.fsum(w * s * s for w, s in zip(weights, noise, strict=True))


@cases(25)
@given(weights=st.lists(st.floats(0.01, 100), min_size=20, max_size=30), data=st.data())
def test_a_gaussian_split_meets_the_goal_and_none_is_better(weights: list[float], data: st.DataObject) -> None:
    shifts = data.draw(st.lists(st.floats(0.1, 10), min_size=len(weights), max_size=len(weights)))
    found = split(weights, epsilon=1, delta=1e-6, sensitivities=shifts)
    if found.noise != "Gaussian":
        return
    noise = [share.mechanism.noise_std for share in found.shares]
    mu = mp.sqrt(mp.fsum((number(d) / number(s)) ** 2 for d, s in zip(shifts, noise, strict=True)))
    assert gaussian_delta(mu, 1) <= number(1e-6)
    assert found.total.upper <= found.optimum.lower * (1 + 1e-9)
    assert math.isclose(loss(weights, noise), found.total.upper, rel_tol=1e-12)
    bend = [math.exp(x) for x in data.draw(st.lists(st.floats(-1, 1), min_size=len(noise), max_size=len(noise)))]
    other = [s * b for s, b in zip(noise, bend, strict=True)]
    scale = math.sqrt(math.fsum((d / s) ** 2 for d, s in zip(shifts, other, strict=True))) / float(mu)
    assert loss(weights, [s * scale for s in other]) >= found.total.lower * (1 - 1e-12)


@cases(25)
@given(weights=WEIGHTS, data=st.data())
def test_a_laplace_split_adds_up_and_none_is_better(weights: list[float], data: st.DataObject) -> None:
    found = split(weights, epsilon=2)
    assert found.noise == "Laplace"
    scales = [share.mechanism.scale for share in found.shares]
    assert sum(1 / Fraction(b) for b in scales) <= 2
    assert found.total.upper <= found.optimum.lower * (1 + 1e-9)
    bend = [math.exp(x) for x in data.draw(st.lists(st.floats(-1, 1), min_size=len(scales), max_size=len(scales)))]
    other = [s * b for s, b in zip(scales, bend, strict=True)]
    factor = math.fsum(1 / b for b in other) / 2
    assert 2 * loss(weights, [b * factor for b in other]) >= found.total.lower * (1 - 1e-12)


def test_the_better_noise_is_taken_and_the_even_split_is_worse() -> None:
    few, many = (split([1, 4, 16] * n, epsilon=1, delta=1e-6) for n in (1, 8))
    assert (few.noise, many.noise) == ("Laplace", "Gaussian")
    for found in (few, many):
        assert found.equal.lower > found.total.upper
        assert found.answer.upper <= (1 if found.noise == "Laplace" else 1e-6)
        assert float(dpc.delta(found.mechanism, epsilon=1)) <= 1e-6
        assert all(len(line) <= 80 for line in str(found).splitlines())
    assert "4 more" in str(many)


@pytest.mark.parametrize(
    "weights, asked, said",
    [
        ([], {"epsilon": 1}, "number of weights"),
        ([1, 0], {"epsilon": 1}, "positive numbers"),
        ([1, 2], {"epsilon": 1, "sensitivities": [1]}, "one for each weight"),
        ([1], {"epsilon": 1, "delta": 1}, "below 1"),
        ([-1], {"epsilon": 1}, "weights = -1"),
    ],
)
def test_splits_that_are_refused(weights: list[float], asked: dict[str, object], said: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match=said):
        split(weights, **asked)


def test_nothing_can_be_split() -> None:
    with pytest.raises(dpc.NotProvable, match="No noise"):
        split([1], epsilon=0)


def test_a_running_total_is_the_whole() -> None:
    total, parts = online(), []
    for i in range(40):
        part = [dpc.Gaussian(noise_std=20), dpc.Laplace(scale=30), 3 * dpc.Gaussian(noise_std=50)][i % 3]
        total.add(part, i)
        parts.append(part * i)
        if i % 13 == 0:
            running, anew = total.epsilon(1e-6), dpc.epsilon(sum(parts), delta=1e-6)
            assert max(running.lower, anew.lower) <= min(running.upper, anew.upper)
            assert running.enclosure.gap <= 1e-6
    assert total.delta(1).enclosure == dpc.delta(sum(parts), epsilon=1).enclosure
    assert total.counts == dict(dpc.Composition(tuple((p, 1) for p in parts)).leaves())
    assert len(total) == sum(total.counts.values())
    assert total.epsilon(1e-6) is total.epsilon(1e-6)
    assert len(str(total).splitlines()) == 3


def test_what_is_refused_is_not_added() -> None:
    total = online().add(dpc.Gaussian(noise_std=2), COUNT.high)
    for wrong, count in ((dpc.Gaussian(noise_std=2), 1), (dpc.Gaussian(noise_std=2, adjacency=dpc.REPLACE_ONE), 1)):
        with pytest.raises(dpc.DPError):
            total.add(wrong, count)
    with pytest.raises(dpc.DPError):
        total.add(dpc.Laplace(scale=1), -1)
    assert total.counts == {dpc.Gaussian(noise_std=2): COUNT.high}
    assert online().epsilon(0).upper == 0
    assert str(online()) == "nothing so far"


def test_adaptive_parts_make_the_total_adaptive() -> None:
    inner = dpc.Composition(((dpc.Gaussian(noise_std=9), 2),), adaptivity=dpc.FULLY_ADAPTIVE)
    assert online().add(dpc.Gaussian(noise_std=9)).add(inner).plan.adaptivity is dpc.FULLY_ADAPTIVE
    assert online(dpc.FULLY_ADAPTIVE).plan.adaptivity is dpc.FULLY_ADAPTIVE


def test_what_was_chosen_on_the_way_has_no_running_total() -> None:
    inner = dpc.Composition(((dpc.Gaussian(noise_std=9), 2),), adaptivity=dpc.FULLY_ADAPTIVE)
    for total in (online(dpc.FULLY_ADAPTIVE), online().add(dpc.Gaussian(noise_std=9)).add(inner)):
        with pytest.raises(dpc.NotProvable, match="ask an odometer"):
            total.epsilon(1e-6)
        with pytest.raises(dpc.NotProvable, match="ask an odometer"):
            total.delta(1)
        with pytest.raises(dpc.InvalidParameter, match="a filter with caps"):
            total.remaining(dpc.Gaussian(noise_std=9), epsilon=1, delta=1e-6)
    with pytest.raises(dpc.InvalidParameter, match="a filter with caps"):
        dpc.remaining(dpc.Gaussian(noise_std=9), inner, epsilon=1, delta=1e-6)


def test_what_remains() -> None:
    step = dpc.BlackBox(epsilon=0.01)
    total = online().add(step, 100)
    left = total.remaining(step, epsilon=1, delta=1e-6)
    assert left.value == 462  # 562 in all, by the golden vectors
    total.add(step, left.value)
    assert total.delta(1).upper <= 1e-6 < total.add(step).delta(1).lower
