"""Our accountant in the place of dp_accounting's: its contract, and what goes in and out."""

from __future__ import annotations

import copy
import math
from typing import Any

import dp_accounting
import pytest
from dp_accounting import dp_event as ev
from dp_accounting import privacy_accountant_test

import dpcompose as dpc
from dpcompose.interop.dp_accounting import Accountant, from_event, to_event
from dpcompose.interop.events import UnknownEvent

ADD, REPLACE, SPECIAL = dp_accounting.NeighboringRelation
RELATIONS = (ADD, REPLACE, SPECIAL)


class TestContract(privacy_accountant_test.PrivacyAccountantTest):
    """The tests that dp_accounting has for every accountant."""

    def _make_test_accountants(self) -> list[Accountant]:
        return [Accountant(relation) for relation in RELATIONS]


def accounted(event: Any, relation: Any = ADD, count: int = 1) -> Accountant:
    return Accountant(relation).compose(event, count)


def test_nothing_is_counted_when_a_part_is_refused() -> None:
    accountant = accounted(ev.GaussianDpEvent(2.0))
    before = accountant.get_epsilon(1e-6)
    bad = ev.ComposedDpEvent([ev.GaussianDpEvent(1.0), ev.UnsupportedDpEvent()])
    with pytest.raises(dp_accounting.UnsupportedEventError, match="no theorem here"):
        accountant.compose(bad)
    assert accountant.get_epsilon(1e-6) == before
    assert accountant.ledger == ev.GaussianDpEvent(2.0)


@pytest.mark.parametrize(
    "event",
    [
        ev.GaussianDpEvent(-1.0),
        ev.GaussianDpEvent(math.nan),
        ev.GaussianDpEvent("1"),  # type: ignore[arg-type]
        ev.PoissonSampledDpEvent(1.5, ev.GaussianDpEvent(1.0)),
        ev.SelfComposedDpEvent(ev.GaussianDpEvent(1.0), -1),
        ev.RandomizedResponseDpEvent(2.0, 2),
        ev.DiscreteLaplaceDpEvent(1.0, 1.5),  # type: ignore[arg-type]
        ev.SampledWithoutReplacementDpEvent(10, 20, ev.GaussianDpEvent(1.0)),
    ],
    ids=str,
)
def test_what_means_nothing_is_not_supported(event: Any) -> None:
    for relation in RELATIONS:
        assert not Accountant(relation).supports(event)
    with pytest.raises(UnknownEvent):
        from_event(event)


def test_a_subclass_may_mean_another_thing() -> None:
    class Stronger(ev.GaussianDpEvent):
        pass

    event = ev.SelfComposedDpEvent(Stronger(1.0), 3)
    assert not Accountant().supports(event)
    with pytest.raises(UnknownEvent, match="Stronger"):
        from_event(event)


def test_deep_trees_are_refused_in_one_sentence() -> None:
    event: Any = ev.GaussianDpEvent(1.0)
    for _ in range(5000):
        event = ev.SelfComposedDpEvent(event, 1)
    assert not Accountant().supports(event)


def test_a_copy_goes_its_own_way() -> None:
    accountant = accounted(ev.LaplaceDpEvent(2.0))
    other = copy.deepcopy(accountant)
    other.compose(ev.LaplaceDpEvent(2.0))
    assert accountant.get_epsilon(0) == 0.5
    assert other.get_epsilon(0) == 1
    assert other.ledger == ev.SelfComposedDpEvent(ev.LaplaceDpEvent(2.0), 2)


@pytest.mark.parametrize("delta", [-0.1, 1.5, math.nan, "x"])
def test_a_delta_that_is_none_is_refused(delta: Any) -> None:
    with pytest.raises(ValueError, match="target_delta"):
        Accountant().get_epsilon(target_delta=delta)


def test_calibration_of_dp_accounting_works_with_it() -> None:
    noise = dp_accounting.calibrate_dp_mechanism(
        Accountant,
        lambda sigma: ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.01, ev.GaussianDpEvent(sigma)), 100),
        target_epsilon=1.0,
        target_delta=1e-5,
    )
    plan = 100 * dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=0.01)
    assert dpc.epsilon(plan, delta=1e-5).upper <= 1
    assert dpc.epsilon(100 * dpc.Sampled(dpc.Gaussian(noise_std=noise - 1e-4), rate=0.01), delta=1e-5).lower > 1


EVENTS = [
    (ev.NoOpDpEvent(), RELATIONS),
    (ev.NonPrivateDpEvent(), RELATIONS),
    (ev.GaussianDpEvent(1.3), RELATIONS),
    (ev.LaplaceDpEvent(0.7), RELATIONS),
    (ev.DiscreteLaplaceDpEvent(0.7, 3), RELATIONS),
    (ev.RandomizedResponseDpEvent(0.3, 4), (REPLACE, SPECIAL)),
    (ev.ZCDpEvent(0.3), RELATIONS),
    (ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(1.0)), RELATIONS),
    (ev.SampledWithoutReplacementDpEvent(100, 7, ev.GaussianDpEvent(1.0)), (REPLACE,)),
    (ev.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.75, 0.25]), (ADD, SPECIAL)),
    (ev.SingleEpochTreeAggregationDpEvent(3.0, 100), (REPLACE, SPECIAL)),
    (ev.SampledWithReplacementDpEvent(100, 7, ev.GaussianDpEvent(1.0)), (REPLACE,)),
    (ev.TruncatedSubsampledGaussianDpEvent(1000, 0.01, 20, 1.0), (ADD, SPECIAL)),
    (ev.RepeatAndSelectDpEvent(ev.GaussianDpEvent(3.0), 4.0, 1.0), RELATIONS),
    (ev.RepeatAndSelectDpEvent(ev.GaussianDpEvent(3.0), 4.0, math.inf), RELATIONS),
]


@pytest.mark.slow
@pytest.mark.parametrize("event, relations", EVENTS, ids=lambda case: str(case)[:40])
def test_events_come_back_as_they_went(event: Any, relations: Any) -> None:
    for relation in relations:
        whole = ev.ComposedDpEvent([ev.SelfComposedDpEvent(event, 3), ev.GaussianDpEvent(9.0)])
        one = from_event(event, relation)
        again = to_event(one)
        assert from_event(again, relation) == one
        assert type(again) is type(event)
        assert dpc.epsilon(
            from_event(to_event(from_event(whole, relation)), relation), delta=1e-5
        ).upper == pytest.approx(dpc.epsilon(from_event(whole, relation), delta=1e-5).upper)
