"""The laws bite: faults of numerics that once were in the library, planted again, are caught."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any
from unittest.mock import PropertyMock, patch

import pytest

import dpcompose as dpc
from dpcompose.inversion import entry
from dpcompose.inversion.losses import gaussian
from dpcompose.inversion.losses import randomized_response as two_point
from dpcompose.inversion.profiles import Profile
from dpcompose.kernel import STANDARD
from dpcompose.notions import Renyi
from dpcompose.prove.claims import known
from dpcompose.theorems.renyi.below_one import FromBelow
from oracles.leaky_samples import Case, exact_delta, sampled
from wild import made, not_below

SINGLE = Case(20, Fraction(3, 10), Fraction(1, 10), 8, 10, Fraction(1, 2))


@contextmanager
def any_float_will_do() -> Iterator[None]:
    """Parameters enter floats whatever becomes of them."""

    def rounded(x: Any) -> tuple[float, float]:
        return float(x), 0.0 if float(x) == x else 2.0**-53

    with ExitStack() as planted:
        planted.enter_context(patch.object(entry, "as_leak", singledispatch(lambda _: None)))
        for module in (gaussian, two_point):
            planted.enter_context(patch.object(module, "nearest", rounded))
        yield


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


def test_a_greatest_loss_that_is_rounded_up() -> None:
    """Caught by: at the greatest loss only the leak is left, also in the engine's own words."""
    whole = 30 * dpc.BlackBox(epsilon=0.125, delta=Fraction(1, 1000))
    leak = 1 - Fraction(999, 1000) ** 30
    (line,) = [claim.guarantee for claim in known(whole).profiles() if claim.theorem.id == "X-LINE"]
    assert line.delta(3.75).upper <= leak * (1 + 1e-12)
    with (
        patch.object(Profile, "supremum", PropertyMock(return_value=3.75 * (1 + 1e-14))),
        patch.object(Profile, "_at_most", lambda profile, _: profile.total_variation),
    ):
        assert line.delta(3.75).upper > 0.5
