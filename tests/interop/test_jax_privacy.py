"""JAX Privacy builds events and asks an accountant: ours, in both of the places where it takes one."""

from __future__ import annotations

import numpy as np
import pytest
from dp_accounting import NeighboringRelation

import dpcompose as dpc
from dpcompose.interop.dp_accounting import Accountant
from late import Late

pytestmark = pytest.mark.slow

accounting, events = Late("jax_privacy.accounting"), Late("jax_privacy.experimental.accounting")
plans = Late("jax_privacy.experimental.execution_plan")


def test_a_training_is_accounted_for() -> None:
    class Certified(accounting.DpAccountantConfig):  # type: ignore[misc]
        """Our accountant, for whoever asks for a configuration."""

        def create_accountant(self) -> Accountant:
            return Accountant()

    ours = accounting.analysis.DpsgdTrainingAccountant(dp_accountant_config=Certified())
    params = accounting.analysis.DpParams(noise_multipliers=1.1, num_samples=10_000, delta=1e-5, batch_size=100)
    plan = 300 * dpc.Sampled(dpc.Gaussian(noise_std=1.1), rate=0.01)
    assert ours.compute_epsilon(300, params) == dpc.epsilon(plan, delta=1e-5).upper
    noise = accounting.calibrate.calibrate_noise_multiplier(
        target_epsilon=1.0, accountant=ours, batch_sizes=100, num_updates=300, num_samples=10_000, target_delta=1e-5
    )
    assert noise == pytest.approx(
        dpc.noise_multiplier(target_epsilon=1, target_delta=1e-5, sample_rate=0.01, steps=300), abs=0.05
    )


def test_a_banded_plan_is_calibrated_under_its_own_relation() -> None:
    """Its default relation blanks a record; b bands make n/b samples of every group."""
    config = plans.BandMFExecutionPlanConfig(
        iterations=64,
        strategy=np.array([1.0, 0.5]),
        epsilon=1.0,
        delta=1e-6,
        sampling_prob=0.1,
        accountant=Accountant(NeighboringRelation.REPLACE_SPECIAL),
    )
    accountant = Accountant(NeighboringRelation.REPLACE_SPECIAL).compose(config.plan.dp_event)
    assert accountant.get_epsilon(target_delta=1e-6) <= 1
    assert accountant.epsilon(1e-6).lower > 0.99
    assert accountant.mechanism.adjacency is dpc.ZERO_OUT


def test_its_events_are_known() -> None:
    assert Accountant().supports(events.dpsgd_event(1.0, 10, sampling_prob=0.1))
