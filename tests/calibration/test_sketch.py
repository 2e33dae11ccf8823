"""A search that starts where floats say it will end: quicker, and as certain wherever it starts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

import dpcompose as dpc
from dpcompose.calibration import CLOSE, Target, calibrate_to, target
from dpcompose.calibration.sketch import delta_sketch, start


def training(noise: float) -> dpc.Mechanism:
    return 1000 * dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=0.01)


def sampling(rate: float) -> dpc.Mechanism:
    return 300 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=rate)


def asked(wanted: Target) -> tuple[Target, list[float]]:
    """The same target, and a list that grows whenever something is certified."""
    gaps: list[float] = []

    def ask(mechanism: dpc.Mechanism, gap: float) -> dpc.Answer:
        gaps.append(gap)
        return wanted.ask(mechanism, gap)

    return replace(wanted, ask=ask), gaps


@pytest.mark.slow
@pytest.mark.parametrize("family, most", [(training, 5), (sampling, 12)])
@pytest.mark.parametrize("epsilon, delta", [(1, 1e-6), (0.3, 1e-9), (4, 1e-5)])
def test_a_few_certified_answers_are_enough(
    family: Callable[[float], dpc.Mechanism], most: int, epsilon: float, delta: float
) -> None:
    wanted, gaps = asked(target(epsilon=epsilon, delta=delta))
    found = calibrate_to(family, wanted)
    assert len(gaps) <= most
    assert found.beyond is not None
    assert found.answer.upper <= delta < found.beyond_answer.lower  # type: ignore[union-attr]
    assert abs(math.log(float(found.value) / float(found.beyond))) <= CLOSE


@pytest.mark.parametrize("epsilon", [0.5, 2, 6])
def test_a_sketch_is_within_a_seventh(epsilon: float) -> None:
    guess = delta_sketch(epsilon, 1e-6)(training(1.0))
    assert guess == pytest.approx(dpc.delta(training(1.0), epsilon=epsilon).upper, rel=0.15)


def raising(_: dpc.Mechanism) -> float:
    raise ZeroDivisionError


WRONG = {
    "raises": raising,
    "knows nothing": lambda _: None,
    "is not a number": lambda _: math.nan,
    "is always the same": lambda _: 1e-6,
    "is far too small": lambda m: delta_sketch(1, 1e-6)(m) * 1e-30,
    "is far too large": lambda m: min(delta_sketch(1, 1e-6)(m) * 1e4, 0.9),
    "goes the wrong way": lambda m: 1e-12 / delta_sketch(1, 1e-6)(m),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_sketch_that_is_wrong_costs_time_only(name: str) -> None:
    wanted = replace(target(epsilon=1, delta=1e-6), sketch=WRONG[name])  # type: ignore[arg-type]
    found = calibrate_to(training, wanted)
    assert found.answer.upper <= 1e-6 < found.beyond_answer.lower  # type: ignore[union-attr]
    assert float(found.value) == pytest.approx(1.56266632, rel=2e-6)


def test_secants_find_a_root_or_say_that_they_do_not() -> None:
    found = start(lambda x: x**3, 8.0, 1.0, 3.0)
    assert found is not None
    assert found.place == pytest.approx(2, abs=1e-3)
    assert found.slope == pytest.approx(12, rel=1e-2)
    assert start(lambda _: 1.0, 2.0, 0.0, 1.0) is None
    assert start(lambda _: None, 2.0, 0.0, 1.0) is None
    assert start(math.sqrt, 2.0, -9.0, 1.0) is None
    assert start(lambda x: math.copysign(1.0, x) * 3, 2.0, 1.0, 1.0) is None
