"""Every mechanism that a peer can account for, beside the best peer's number, which is computed here or kept.

Our interval must hold an independent truth where `oracles` has none of its own: its lower end is the cost of a member,
so no sound peer lies below it. A peer that does is named, with the sentence that says why.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting import dp_event as ev

import dpcompose as dpc
from dpcompose.interop.dp_accounting import from_event
from late import Late
from peers import kept

pytestmark = pytest.mark.slow

dp, sensitivity = Late("opendp.prelude"), Late("jax_privacy.matrix_factorization.sensitivity")
mechanism_zoo, transformer_zoo = Late("autodp.mechanism_zoo"), Late("autodp.transformer_zoo")

ADD, REPLACE, SPECIAL = dp_accounting.NeighboringRelation
PLD, RDP = dp_accounting.pld.PLDAccountant, dp_accounting.rdp.RdpAccountant
DELTA = 1e-6
CUT = ev.TruncatedSubsampledGaussianDpEvent(10_000, 0.01, 130, 1.0)
MIXED = ev.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.9, 0.09, 0.01])
SAMPLED = ev.PoissonSampledDpEvent(0.01, ev.GaussianDpEvent(1.0))
TRAINING = ev.SelfComposedDpEvent(SAMPLED, 100)


@dataclass(frozen=True)
class Case:
    """An event so many times, under a relation; the best peer, and how far above it we may lie."""

    event: Any
    peer: Any
    relation: Any = ADD
    count: int = 1
    above: float = 0.0

    @property
    def question(self) -> str:
        """In words."""
        return f"{self.count} * {self.event}, {self.relation.name}, {DELTA}: {self.peer.__name__}"

    def ask(self) -> float:
        """The peer's ε."""
        accountant = self.peer(neighboring_relation=self.relation)
        return float(accountant.compose(self.event, self.count).get_epsilon(DELTA))


CASES = {
    "a truncated sample": Case(CUT, PLD),
    "a truncated sample with blanks": Case(CUT, PLD, SPECIAL),
    "twenty truncated samples": Case(CUT, PLD, ADD, 20),
    "a mixture of Gaussians": Case(MIXED, PLD),
    "a hundred mixtures": Case(MIXED, PLD, ADD, 100, above=1e-4),
    "a sample of which a record is replaced": Case(SAMPLED, PLD, REPLACE, above=1e-9),
    "twenty of them": Case(SAMPLED, PLD, REPLACE, 20, above=1e-4),
    "a tree of one epoch": Case(ev.SingleEpochTreeAggregationDpEvent(5.0, 100), RDP, SPECIAL),
    "the best of a geometric number": Case(ev.RepeatAndSelectDpEvent(ev.GaussianDpEvent(5.0), 10.0, 1.0), RDP),
    "the best of a logarithmic number": Case(ev.RepeatAndSelectDpEvent(ev.GaussianDpEvent(5.0), 10.0, 0.0), RDP),
    "the best of a Poisson number": Case(ev.RepeatAndSelectDpEvent(ev.GaussianDpEvent(5.0), 10.0, math.inf), RDP),
    "the best of several trainings": Case(ev.RepeatAndSelectDpEvent(TRAINING, 10.0, 1.0), RDP),
    "discrete Laplace noise": Case(ev.DiscreteLaplaceDpEvent(0.5, 2), PLD, ADD, 10, above=1e-9),
    "one randomized response": Case(ev.RandomizedResponseDpEvent(0.25, 4), PLD, REPLACE),
    "Laplace noise on samples": Case(ev.PoissonSampledDpEvent(0.1, ev.LaplaceDpEvent(1.0)), PLD, ADD, 20, above=1e-6),
    "zero-concentrated steps": Case(ev.ZCDpEvent(0.1), RDP, ADD, 10),
}


def said(case: Case) -> tuple[dpc.Answer, float]:
    ours = dpc.epsilon(case.count * from_event(case.event, case.relation), delta=DELTA)
    return ours, kept.said(case.question, case.ask)


@pytest.mark.parametrize("name", CASES)
def test_no_looser_than_the_best_peer_and_none_below_the_truth(name: str) -> None:
    case = CASES[name]
    ours, peer = said(case)
    assert ours.lower * (1 - 1e-9) <= peer
    assert ours.upper <= peer * (1 + case.above)


def test_a_replaced_record_of_a_batch_moves_a_sum_twice_as_far() -> None:
    """dp_accounting's Rényi accountant counts a norm bound once: 0.26, where one Gaussian's closed form gives 0.364."""
    drawn = ev.SampledWithoutReplacementDpEvent(1000, 10, ev.GaussianDpEvent(2.0))
    ours, peer = said(Case(drawn, RDP, REPLACE))
    assert peer < 0.27
    assert ours.lower == pytest.approx(0.3639478, rel=1e-6)
    assert ours.upper == pytest.approx(0.3639478, rel=1e-6)
    # stated as a distance of 2, as the peer's number means it, ours is below the peer's
    once = dpc.SampledWithoutReplacement(dpc.Gaussian(noise_std=2, adjacency=dpc.REPLACE_ONE), size=10, of=1000)
    assert dpc.epsilon(once, delta=DELTA).upper <= peer


def test_no_peer_accounts_for_draws_with_replacement() -> None:
    drawn = ev.SampledWithReplacementDpEvent(1000, 10, ev.GaussianDpEvent(2.0))
    for peer in (PLD, RDP):
        assert not any(peer(neighboring_relation=relation).supports(drawn) for relation in (ADD, REPLACE, SPECIAL))
    assert 0.36 < dpc.epsilon(from_event(drawn, REPLACE), delta=DELTA).upper < 1.2


def test_a_banded_matrix_beside_jax_privacy() -> None:
    """Its sensitivity is in single precision, and the noise that it asks for is read off a grid."""
    n, bands = 12, (1.0, 0.5, 0.25)
    strategy = sum(value * np.eye(n, k=-k) for k, value in enumerate(bands))
    moved = sensitivity.get_sensitivity_banded(np.asarray(strategy), min_sep=4, max_participations=3)
    peer = PLD().compose(ev.GaussianDpEvent(3 / float(moved))).get_epsilon(DELTA)
    ours = dpc.epsilon(
        dpc.BandedMatrix(noise_std=3, coefficients=bands, steps=n, separation=4, participations=3), delta=DELTA
    )
    assert ours.lower * (1 - 1e-6) <= peer
    assert ours.upper <= peer * (1 + 1e-6)


@pytest.mark.parametrize("count", [1, 20])
def test_thresholds_beside_autodp(count: int) -> None:
    """Its noise on the threshold has the scale b, on queries 2b; at the best of all orders it says what ours says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step = mechanism_zoo.LaplaceSVT_Mechanism(params={"b": 4.0, "k": 100, "c": 1})
        peer = float(transformer_zoo.Composition()([step], [count]).get_approxDP(DELTA))
    ours = dpc.epsilon(count * dpc.AboveThreshold(epsilon=0.5), delta=DELTA)
    assert ours.lower < ours.upper <= peer * (1 + 1e-6)


@pytest.mark.parametrize("selection", [dpc.PermuteAndFlip, dpc.ReportNoisyMax])
def test_selections_beside_opendp(selection: Any) -> None:
    """Its noisy maximum is permute-and-flip, told by exponential noise; it adds up, and we compose."""
    dp.enable_features("contrib")
    scores = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    once = dp.m.make_noisy_max(*scores, dp.max_divergence(), scale=4.0)
    peer = dp.c.make_composition([once] * 20).map(1)
    assert selection(epsilon=once.map(1)) == selection(epsilon=0.5)
    ours = dpc.epsilon(20 * selection(epsilon=0.5), delta=DELTA)
    assert 0 < ours.lower < ours.upper < peer


@pytest.mark.parametrize("people, local", [(10_000, 1.0), (100_000, 2.0)])
def test_shuffled_reports_beside_the_closed_form(people: int, local: float) -> None:
    r"""No peer that installs accounts for them; ln(1 + 16·tanh(ε₀/2)·√(e^{ε₀}ln(4/δ)/n)) is the published form."""
    x = math.exp(local)
    assert people > 16 * x * math.log(4 / DELTA)  # where it holds
    closed = math.log1p(16 * (x - 1) / (x + 1) * math.sqrt(x * math.log(4 / DELTA) / people))
    reports = dpc.RandomizedResponse(epsilon=local, adjacency=dpc.REPLACE_ONE)
    ours = dpc.epsilon(dpc.Shuffled(reports, of=people), delta=DELTA)
    assert 0 < ours.lower <= ours.upper <= closed / 4
