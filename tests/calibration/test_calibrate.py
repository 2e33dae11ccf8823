"""Calibrated values, checked by definitions in mpmath: the value meets its target, and a millionth less does not."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from calibration.plain_costs import (
    gaussian_delta,
    noisy_gaussian_delta,
    number,
    one_sampled_gaussian_delta,
    response_delta,
)
from cases import cases
from dpcompose.calibration import CLOSE, Calibrated, calibrate, remaining
from dpcompose.parameters import COUNT

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "vectors.json").read_text(encoding="utf-8"))


def vectors(prefix: str) -> list[dict[str, dict[str, str]]]:
    found = [v for v in VECTORS if v["id"].startswith(prefix)]
    assert found
    return found


def close(found: Calibrated) -> bool:
    """Whether the two values of the certificate are as near as is promised."""
    assert found.beyond is not None
    assert found.target.met(found.answer)
    assert found.beyond_answer is not None
    assert found.target.missed(found.beyond_answer)
    return abs(Fraction(found.beyond) - Fraction(found.value)) <= Fraction(found.value) * Fraction(CLOSE)


@pytest.mark.parametrize("vector", vectors("GAUSS-SIGMA"), ids=lambda v: v["id"])
def test_least_gaussian_noise_is_the_golden_one(vector: dict[str, dict[str, str]]) -> None:
    given_, sigma = vector["inputs"], Fraction(vector["outputs"]["sigma_min"])
    k, shift = int(given_["k"]), Fraction(given_["Delta"])
    found = calibrate(
        lambda s: k * dpc.Gaussian(noise_std=s, sensitivity=shift),
        epsilon=Fraction(given_["eps"]),
        delta=Fraction(given_["delta"]),
    )
    assert close(found)
    assert found.beyond < sigma <= Fraction(found.value) * (1 + Fraction(1, 10**40))


@pytest.mark.parametrize("vector", vectors("CAL-EXACT"), ids=lambda v: v["id"])
def test_largest_step_is_the_golden_one(vector: dict[str, dict[str, str]]) -> None:
    given_, most = vector["inputs"], Fraction(vector["outputs"]["eps0_max"])
    k, own = int(given_["k"]), Fraction(given_["delta0"])
    found = calibrate(
        lambda e: k * dpc.BlackBox(epsilon=e, delta=own),
        epsilon=Fraction(given_["eps"]),
        delta=Fraction(given_["delta"]),
    )
    assert close(found)
    assert Fraction(found.value) * (1 - Fraction(1, 10**40)) <= most < found.beyond


@pytest.mark.parametrize("vector", vectors("KMAX"), ids=lambda v: v["id"])
def test_most_runs_are_the_golden_ones(vector: dict[str, dict[str, str]]) -> None:
    given_ = vector["inputs"]
    step, goal = Fraction(given_["eps0"]), {n: Fraction(given_[s]) for n, s in (("epsilon", "eps"), ("delta", "delta"))}
    found = calibrate(lambda k: k * dpc.BlackBox(epsilon=step), **goal)
    assert found.value == int(vector["outputs"]["k_max_exact"])
    assert found.beyond == found.value + 1
    assert remaining(3 * dpc.BlackBox(epsilon=step), dpc.BlackBox(epsilon=step), **goal).value == found.value - 3


@cases(40)
@given(
    count=st.integers(1, 2000),
    epsilon=st.floats(0.01, 20),
    exponent=st.floats(-200, -0.1),
)
def test_gaussian_noise_meets_and_misses_by_the_formula(count: int, epsilon: float, exponent: float) -> None:
    delta = 10.0**exponent
    found = calibrate(lambda s: count * dpc.Gaussian(noise_std=s), epsilon=epsilon, delta=delta)
    assert close(found)
    with mp.workdps(50 + int(-exponent)):
        assert noisy_gaussian_delta(count, found.value, epsilon) <= number(delta)
        assert noisy_gaussian_delta(count, found.beyond, epsilon) > number(delta)


@cases(30)
@given(
    count=st.integers(1, 60),
    epsilon=st.floats(0.05, 5),
    exponent=st.floats(-12, -0.5),
    own=st.sampled_from([0, Fraction(1, 10**15)]),
)
def test_steps_of_anything_meet_and_miss_term_by_term(
    count: int, epsilon: float, exponent: float, own: Fraction
) -> None:
    delta = 10.0**exponent
    found = calibrate(lambda e: count * dpc.BlackBox(epsilon=e, delta=own), epsilon=epsilon, delta=delta)
    assert close(found)
    assert response_delta(count, found.value, epsilon, own) <= number(delta)
    assert response_delta(count, found.beyond, epsilon, own) > number(delta)


@pytest.mark.parametrize("rate, epsilon, delta", [(0.01, 1, 1e-6), (0.2, 0.5, 1e-5), (0.5, 3, 1e-9), (0.9, 0.1, 0.3)])
def test_a_sampled_gaussian_meets_and_misses_by_the_definition(rate: float, epsilon: float, delta: float) -> None:
    found = calibrate(lambda s: dpc.Sampled(dpc.Gaussian(noise_std=s), rate=rate), epsilon=epsilon, delta=delta)
    assert close(found)
    assert one_sampled_gaussian_delta(rate, found.value, epsilon) <= number(delta)
    assert one_sampled_gaussian_delta(rate, found.beyond, epsilon) > number(delta)


def test_noise_for_private_training() -> None:
    found = calibrate(lambda s: 1000 * dpc.Sampled(dpc.Gaussian(noise_std=s), rate=0.01), epsilon=1, delta=1e-6)
    assert close(found)
    assert 1.56266 < found.value < 1.56267
    assert dpc.epsilon(found.mechanism, delta=1e-6).lower <= 1


def test_the_rate_of_private_training() -> None:
    found = calibrate(lambda q: 300 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=q), epsilon=1, delta=1e-6)
    assert close(found)
    assert found.value < found.beyond < 1


def test_at_no_delta_losses_add_up() -> None:
    found = calibrate(lambda b: 10 * dpc.Laplace(scale=b), epsilon=1, delta=0)
    assert close(found)
    assert 10 / Fraction(found.value) <= 1 < 10 / Fraction(found.beyond)


@pytest.mark.parametrize("advantage", [1e-9, 0.1, 0.5, 0.999])
def test_advantage_by_the_normal_law(advantage: float) -> None:
    found = calibrate(lambda s: 4 * dpc.Gaussian(noise_std=s), advantage=advantage)
    assert close(found)
    for value, met in ((found.value, True), (found.beyond, False)):
        truth = 2 * mp.ncdf(mp.sqrt(4) / number(value) / 2) - 1
        assert (truth <= number(advantage)) is met


@pytest.mark.parametrize("tpr, fpr", [(0.05, 0.01), (0.5, 0.1), (1e-3, 1e-5), (0.9, 0.5)])
def test_rates_by_the_normal_law(tpr: float, fpr: float) -> None:
    found = calibrate(lambda s: dpc.Gaussian(noise_std=s), tpr=tpr, fpr=fpr)
    assert close(found)
    threshold = mp.sqrt(2) * mp.erfinv(1 - 2 * number(fpr))
    for value, met in ((found.value, True), (found.beyond, False)):
        assert (mp.ncdf(1 / number(value) - threshold) <= number(tpr)) is met


@pytest.mark.parametrize("error, prior", [(0.4, None), (0.04, 0.05), (0.01, 0.95), (0.25, Fraction(1, 3))])
def test_bayes_error_by_the_normal_law(error: float, prior: float | None) -> None:
    found = calibrate(lambda s: dpc.Gaussian(noise_std=s), bayes_error=error, prior=prior)
    assert close(found)
    share = number(prior or Fraction(1, 2))
    least = min(share, 1 - share)
    level = mp.log((1 - least) / least)
    for value, met in ((found.value, True), (found.beyond, False)):
        mu = 1 / number(value)
        delta = mp.ncdf(-level / mu + mu / 2) - mp.exp(level) * mp.ncdf(-level / mu - mu / 2)
        assert (least * (1 - delta) >= number(error)) is met


def test_a_falling_whole_parameter() -> None:
    found = calibrate(lambda n: 3 * dpc.Gaussian(noise_std=Fraction(n, 1)), epsilon=1, delta=1e-6)
    assert found.value == found.beyond + 1
    assert noisy_gaussian_delta(3, found.value, 1) <= number(1e-6) < noisy_gaussian_delta(3, found.beyond, 1)


def test_a_cost_that_jumps() -> None:
    found = calibrate(lambda s: dpc.Gaussian(noise_std=1 if s < 3 else 10), epsilon=1, delta=1e-6)
    assert found.beyond < 3 <= found.value < 3 * (1 + 2e-6)


def test_a_target_that_theorems_leave_open_still_gets_a_safe_value() -> None:
    found = calibrate(lambda r: 30 * dpc.BlackBox(rho=r), epsilon=1, delta=1e-6)
    assert found.answer.upper <= 1e-6 < found.beyond_answer.lower
    assert gaussian_delta(mp.sqrt(2 * 30 * number(found.value)), 1) <= number(1e-6)
    assert gaussian_delta(mp.sqrt(2 * 30 * number(found.beyond)), 1) > number(1e-6)


def test_counts_that_never_end_and_counts_that_never_start() -> None:
    assert calibrate(lambda k: k * dpc.BlackBox(epsilon=0), epsilon=1, delta=0).value == COUNT.high
    assert calibrate(lambda k: k * dpc.Gaussian(noise_std=1), epsilon=1, delta=1).value == COUNT.high
    none = calibrate(lambda k: k * dpc.Gaussian(noise_std=1), epsilon=1, delta=1e-6)
    assert (none.value, none.beyond) == (0, 1)


def test_the_range_may_end_before_the_target() -> None:
    assert calibrate(lambda s: dpc.Gaussian(noise_std=s), epsilon=1, delta=1e-6, within=(100, 1000)).value == 100
    with pytest.raises(dpc.NotProvable, match="No value from"):
        calibrate(lambda s: dpc.Gaussian(noise_std=s), epsilon=1, delta=1e-6, within=(0, 1))
    assert calibrate(lambda k: k * dpc.Laplace(scale=20), epsilon=1, delta=0, within=(2, 10)).value == 10


def test_far_away_values_are_found() -> None:
    found = calibrate(lambda s: dpc.Gaussian(noise_std=s, sensitivity=10**60), epsilon=1, delta=1e-6)
    assert close(found)
    assert gaussian_delta(mp.mpf(10) ** 60 / number(found.value), 1) <= number(1e-6)


@pytest.mark.parametrize(
    "family, target, said",
    [
        (lambda s: dpc.Gaussian(noise_std=s), {"epsilon": 1}, "expected epsilon and delta, or advantage"),
        (lambda s: dpc.Gaussian(noise_std=s), {"epsilon": 1, "delta": 0.1, "advantage": 0.1}, "expected epsilon and"),
        (lambda s: dpc.Gaussian(noise_std=s), {"tpr": 0.1}, "or tpr and fpr"),
        (lambda s: dpc.Gaussian(noise_std=s), {}, "target = 'nothing'"),
        (lambda s: dpc.Gaussian(noise_std=s), {"epsilon": -1, "delta": 0.1}, "epsilon = -1"),
        (lambda s: dpc.Gaussian(noise_std=s), {"bayes_error": 0.6}, "at most 0.5"),
        (lambda s: dpc.Gaussian(noise_std=s), {"epsilon": 1, "delta": 0.1, "within": (2, 1)}, "within"),
        (lambda s: dpc.Gaussian(noise_std=s), {"epsilon": 1, "delta": 0.1, "within": 3}, "within = 3"),
        (lambda _: dpc.Gaussian(noise_std=5), {"epsilon": 1, "delta": 0.1}, "a cost that changes with the parameter"),
        (lambda _: None, {"epsilon": 1, "delta": 0.1}, "a function of one number that gives mechanisms"),
        (lambda s: dpc.Gaussian(noise_std=-s), {"epsilon": 1, "delta": 0.1}, "a function of one number"),
    ],
)
def test_refusals_say_what_would_be_accepted(family: object, target: dict[str, float], said: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match=said):
        calibrate(family, **target)


@pytest.mark.parametrize("goal", [{"epsilon": 1, "delta": 0}, {"epsilon": 0, "delta": 0}])
def test_gaussian_noise_never_meets_no_delta(goal: dict[str, float]) -> None:
    with pytest.raises(dpc.NotProvable, match="shown to meet"):
        calibrate(lambda s: dpc.Gaussian(noise_std=s), **goal)


def test_a_plan_beyond_the_goal_leaves_nothing() -> None:
    with pytest.raises(dpc.NotProvable, match="shown to meet"):
        remaining(dpc.Gaussian(noise_std=1), dpc.Gaussian(noise_std=9), epsilon=1, delta=1e-6)


def test_what_is_printed_is_the_certificate() -> None:
    found = calibrate(lambda s: dpc.Gaussian(noise_std=s), epsilon=1, delta=1e-6)
    assert str(found).startswith(f"{found.value} meets δ ≤ 1e-6 at ε = 1: δ ∈ [")
    assert f"{found.beyond} does not" in str(found)
    assert float(found) == found.value
