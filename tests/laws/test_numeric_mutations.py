"""The laws bite: faults of numerics that once were in the library, planted again, are caught."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any
from unittest.mock import PropertyMock, patch

import pytest
from flint import arb

import dpcompose as dpc
from dpcompose.exact import finite
from dpcompose.inversion import entry, profiles
from dpcompose.inversion.losses import gaussian
from dpcompose.inversion.losses import randomized_response as two_point
from dpcompose.inversion.profiles import LossProfile
from dpcompose.kernel import STANDARD
from dpcompose.notions import Renyi
from dpcompose.prove.claims import known
from dpcompose.regions import orders
from dpcompose.theorems.loss.dots import DottedLaw, law_through
from dpcompose.theorems.renyi.below_one import FromBelow
from laws import test_every_reading as readings
from laws import test_leaks as leaks
from oracles.leaky_samples import Case, exact_delta, sampled
from wild import made, not_below

SINGLE = Case(20, Fraction(3, 10), Fraction(1, 10), 8, 10, Fraction(1, 2))


@contextmanager
def any_float_will_do() -> Iterator[None]:
    """Parameters enter floats whatever becomes of them, and nothing is added for what is lost below them."""

    def rounded(x: Any) -> tuple[float, float]:
        return float(x), 0.0 if float(x) == x else 2.0**-53

    with ExitStack() as planted:
        planted.enter_context(patch.object(entry, "as_leak", singledispatch(lambda _: None)))
        planted.enter_context(patch.object(profiles, "FAINT", 0.0))
        for module in (gaussian, two_point):
            planted.enter_context(patch.object(module, "nearest", rounded))
        yield


@pytest.mark.slow
@pytest.mark.parametrize(
    "part, beside",
    [
        ("Gaussian(noise_std=1e150, sensitivity=1e-12)", "BlackBox(epsilon=1e-200)"),
        ("1000000000 * Exponential(epsilon=5e-324)", "BlackBox(epsilon=0)"),
    ],
)
def test_a_square_that_vanishes_lowers_a_bound(part: str, beside: str) -> None:
    """Caught by: adding a part never lowers a bound, whichever theorem says it."""
    whole = made(f"{part} + {beside}")
    not_below(made(part), whole, 0)
    with any_float_will_do(), pytest.raises((AssertionError, dpc.Contradiction)):
        not_below(made(part), whole, 0)


def one_factor_for_all(g: Renyi) -> FromBelow:
    """As if the second input leaked as much as the first."""
    return FromBelow(g.curve, g.delta, g.delta)


def test_a_leak_on_one_side_taken_for_two() -> None:
    """Caught by: no lower end of a leaky sample exceeds the pair that it speaks of."""
    box = dpc.BlackBox(epsilon=SINGLE.step, delta=SINGLE.leak)
    whole = SINGLE.count * dpc.SampledWithoutReplacement(box, size=SINGLE.size, of=SINGLE.of)
    truth = exact_delta(sampled(SINGLE), SINGLE.count, SINGLE.level)

    def greatest() -> float:
        found = [c.guarantee.delta(SINGLE.level) for c in known(whole).profiles() if c.theorem.id == "RDP-BELOW"]
        return max(e.lower for e in found)

    assert greatest() <= truth
    wrong = replace(STANDARD.theorems["renyi_from_below"], proof=one_factor_for_all)
    with patch.dict(STANDARD.theorems, {"renyi_from_below": wrong}), patch.object(STANDARD, "_found", {}):
        assert greatest() > truth


def not_surely_less_is_all(parts: Any) -> arb:
    """As if a leak that these bits do not tell from 1 were 1."""
    leaks = [(law.leak(), count) for law, count in parts]
    return -sum((n * (-a).log1p() if a < 1 else arb("-inf") for a, n in leaks if n), arb(0)).expm1()


def test_a_leak_next_to_everything_taken_for_everything() -> None:
    """Caught by: a pair that keeps anything at all leaves something to guess."""
    leaks.test_next_to_everything_is_not_everything(200, 1)
    with patch.object(finite, "_leak", not_surely_less_is_all), pytest.raises(AssertionError):
        leaks.test_next_to_everything_is_not_everything(200, 1)


def test_losses_beyond_all_measure_taken_for_a_leak() -> None:
    """Caught by: where some ε holds at δ, no more than δ leaks, read off the errors."""
    whole = 3 * dpc.Laplace(scale=1e-300)
    mass = dpc.epsilon(whole, readings.DELTA)
    readings.leaks_no_more_than_delta(whole, mass)
    with patch.object(orders, "is_moderate", lambda _: True), pytest.raises(AssertionError):
        readings.leaks_no_more_than_delta(whole, mass)


def first_of_equals(bounds: Sequence[tuple[float, float]]) -> DottedLaw:
    """Of levels that no float tells apart the first is kept, and the last bound leaks."""
    kept = list({math.exp(level): (level, height) for level, height in reversed(bounds)}.values())
    return DottedLaw(law_through(kept[::-1]).ratios, Fraction(bounds[-1][1]))


def test_mass_lost_between_levels_that_no_float_tells_apart() -> None:
    """Caught by: whatever is drawn through bounds keeps all its mass."""
    with patch.object(leaks, "law_through", first_of_equals), pytest.raises(AssertionError):
        leaks.test_whatever_is_drawn_through_bounds_keeps_all_its_mass()


def test_a_greatest_loss_that_is_rounded_up() -> None:
    """Caught by: at the greatest loss only the leak is left, also in the engine's own words."""
    whole = 30 * dpc.BlackBox(epsilon=0.125, delta=Fraction(1, 1000))
    leak = 1 - Fraction(999, 1000) ** 30
    (line,) = [claim.guarantee for claim in known(whole).profiles() if claim.theorem.id == "X-LINE"]
    assert line.delta(3.75).upper <= leak * (1 + 1e-12)
    with (
        patch.object(LossProfile, "supremum", PropertyMock(return_value=3.75 * (1 + 1e-14))),
        patch.object(LossProfile, "_at_most", lambda profile, _: profile.total_variation),
    ):
        assert line.delta(3.75).upper > 0.5
