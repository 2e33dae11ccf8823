"""Advice: amounts of noise by the definitions, spreads by sums and integrals, flips by asking on both sides."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import pytest

import dpcompose as dpc
from calibration.plain_costs import noisy_gaussian_delta, number, response_delta
from dpcompose.advice import Option, advise
from dpcompose.advice.noises import KINDS, NoisyQuery
from dpcompose.calibration import calibrate

UNIT = NoisyQuery(1, dpc.ADD_REMOVE)
NOISES = {noise.name: noise for noise in KINDS}
FINE = mp.mpf(10) ** -12


def options(**asked: float) -> dict[str, Option]:
    return {option.name: option for option in advise(**asked).options}


def test_amounts_by_the_definitions() -> None:
    found = options(queries=12, epsilon=1, delta=1e-6)
    assert set(found) == set(NOISES)
    for share, met in ((1, True), (Fraction(9998, 10_000), False)):
        noise = Fraction(found["Gaussian"].parameter) * share
        assert (noisy_gaussian_delta(12, noise, 1) <= number(1e-6)) is met
        scale = Fraction(found["geometric"].parameter) * share
        assert (response_delta(12, 1 / scale, 1) <= number(1e-6)) is met


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISES)
def test_every_amount_is_certified_and_no_smaller_one_would_do(name: str) -> None:
    found = options(queries=5, epsilon=2, delta=1e-5)[name]
    noise = found.noise
    assert found.answer.upper <= 1e-5
    less = float(found.parameter) * (1 - noise.slope * -2e-4)
    assert dpc.delta(5 * noise.member(UNIT, found.parameter), epsilon=2).lower <= 1e-5
    assert dpc.delta(5 * noise.member(UNIT, less), epsilon=2).lower > 1e-5


def whole_law(name: str, size: float) -> dict[int, object]:
    """P(|z|) of noise on whole numbers."""
    weight = (
        (lambda z: mp.exp(-z / number(size)))
        if name == "geometric"
        else (lambda z: mp.exp(-(z**2) / (2 * number(size) ** 2)))
    )
    reach = int(130 * size) + 30 if name == "geometric" else int(16 * size) + 30
    heights = {z: (1 if z == 0 else 2) * weight(z) for z in range(reach)}
    total = mp.fsum(heights.values())
    return {z: h / total for z, h in heights.items()}


@pytest.mark.parametrize("name", ["geometric", "discrete Gaussian"])
@pytest.mark.parametrize("size", [0.05, 0.3, 0.7, 0.72, 1.0, 4.5, 61.5])
def test_spread_of_whole_noise_by_summing(name: str, size: float) -> None:
    noise, law = NOISES[name], whole_law(name, size)
    deviation = mp.sqrt(mp.fsum(p * z * z for z, p in law.items()))
    found = noise.deviation(UNIT, size)
    assert number(found.lower) <= deviation * (1 + FINE)
    assert number(found.upper) >= deviation * (1 - FINE)
    assert found.gap < 1e-12
    error = int(noise.error(UNIT, size))
    assert mp.fsum(p for z, p in law.items() if z > error) <= mp.mpf(1) / 20
    slack = 1 if size > 60 else 0  # beyond, the normal law bounds the discrete one
    if error > slack:
        assert mp.fsum(p for z, p in law.items() if z > error - 1 - slack) > mp.mpf(1) / 20


def staircase_density(epsilon: float, x: object) -> object:
    """Geng and Viswanath's density at sensitivity 1, from its definition."""
    b = mp.exp(-number(epsilon))
    g = -b / (1 - b) + mp.cbrt(b - 2 * b**2 + 2 * b**4 - b**5) / (mp.cbrt(2) * (1 - b) ** 2)
    a = (1 - b) / (2 * (g + b * (1 - g)))
    j = mp.floor(x)
    return a * b**j if x - j < g else a * b ** (j + 1)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.9957, 3.0, 8.0])
def test_spread_of_a_staircase_by_integrating(epsilon: float) -> None:
    noise = NOISES["staircase"]
    b = mp.exp(-number(epsilon))
    g = -b / (1 - b) + mp.cbrt(b - 2 * b**2 + 2 * b**4 - b**5) / (mp.cbrt(2) * (1 - b) ** 2)
    steps = int(80 / epsilon) + 3
    corners = [x for j in range(steps) for x in (mp.mpf(j), j + g)] + [mp.mpf(steps)]
    pieces = [(l, r, staircase_density(epsilon, (l + r) / 2)) for l, r in pairwise(corners)]
    variance = 2 * mp.fsum(h * (r**3 - l**3) / 3 for l, r, h in pieces)
    found = noise.deviation(NoisyQuery(3, None), epsilon)
    assert abs(number(found.upper) / (3 * mp.sqrt(variance)) - 1) < FINE
    error = number(noise.error(NoisyQuery(3, None), epsilon)) / 3
    inside = 2 * mp.fsum(h * max(min(r, error) - l, 0) for l, r, h in pieces)
    assert mp.mpf(19) / 20 - FINE <= inside < mp.mpf(19) / 20 + FINE


def test_spread_of_continuous_noise() -> None:
    laplace, gaussian = NOISES["Laplace"], NOISES["Gaussian"]
    assert number(laplace.error(UNIT, 2)) >= 2 * mp.log(20) > number(laplace.error(UNIT, 2)) * (1 - FINE)
    assert abs(number(laplace.deviation(UNIT, 2).upper) - 2 * mp.sqrt(2)) < FINE
    assert abs(mp.erf(number(gaussian.error(UNIT, 2)) / mp.sqrt(8)) - mp.mpf(19) / 20) < FINE


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("deviation", [0.6, 3.0, 250.0, 1e6])
def test_a_deviation_leads_back_to_its_parameter(name: str, deviation: float) -> None:
    noise = NOISES[name]
    again = noise.deviation(UNIT, noise.having(UNIT, deviation)).upper
    assert math.isclose(again, deviation, rel_tol=0.1 if (name, deviation) == ("discrete Gaussian", 0.6) else 1e-6)


def test_the_answer_flips_where_it_says() -> None:
    advice = advise(queries=30, epsilon=1, delta=1e-6, sensitivity=0.5)
    assert {option.name for option in advice.options} == {"Laplace", "Gaussian", "staircase"}
    assert [flip.after for flip in advice.flips] == ["staircase", "Laplace", "Gaussian"]
    last = advice.flips[-1]
    for k, laplace_is_better in ((last.queries - 1, True), (last.queries, False)):
        scale = calibrate(lambda b, k=k: k * dpc.Laplace(scale=b, sensitivity=0.5), epsilon=1, delta=1e-6).value
        noise = calibrate(lambda s, k=k: k * dpc.Gaussian(noise_std=s, sensitivity=0.5), epsilon=1, delta=1e-6).value
        assert (math.sqrt(2) * scale < noise) is laplace_is_better
    assert advice.best.name == "Gaussian"


def test_without_delta_only_pure_noise_is_left() -> None:
    advice = advise(queries=4, epsilon=1)
    assert set(advice.impossible) == {"Gaussian", "discrete Gaussian"}
    assert advice.best.name == "geometric"
    assert [flip.after for flip in advice.flips] == ["geometric"]
    laplace = next(option for option in advice.options if option.name == "Laplace")
    assert 4 <= laplace.parameter < 4.001


def test_the_papers_variance_stands_beside() -> None:
    advice = advise(queries=100, epsilon=1, delta=1e-6, integer=False)
    truth = mp.sqrt(8 * 100 * mp.log(mp.e + 1 / number(1e-6)))
    assert number(advice.closed_form.lower) <= truth <= number(advice.closed_form.upper)
    assert advice.closed_form.lower > 2 * advice.best.deviation.upper


def test_the_table_and_the_curve() -> None:
    advice = advise(queries=3, epsilon=1, delta=1e-6, integer=False)
    lines = str(advice).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[3].split()[0] == advice.best.name
    assert "Best by the number of queries: staircase up to" in " ".join(lines)
    curve = advice.curve([1, 4, 16])
    assert [k for k, _ in curve["Gaussian"]] == [1, 4, 16]
    assert math.isclose(curve["Gaussian"][2][1], 4 * curve["Gaussian"][0][1], rel_tol=2e-4)
    assert float(dpc.delta(3 * advice.mechanism, epsilon=1)) <= 1e-6


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"queries": 0, "epsilon": 1, "delta": 1e-6}, "queries = 0"),
        ({"queries": 1, "epsilon": 1, "delta": 1}, "below 1"),
        ({"queries": 1, "epsilon": 1, "delta": 2}, "delta = 2"),
        ({"queries": 1, "epsilon": 1, "sensitivity": 0}, "a positive number"),
        ({"queries": 1, "epsilon": 1, "sensitivity": 0.5, "integer": True}, "a whole number"),
    ],
)
def test_refusals(asked: dict[str, float], said: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match=said):
        advise(**asked)


def test_nothing_reaches_nothing() -> None:
    with pytest.raises(dpc.NotProvable, match="No noise"):
        advise(queries=1, epsilon=0)
