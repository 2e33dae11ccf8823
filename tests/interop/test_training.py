"""Training in the words of those who train."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import dpcompose as dpc
from late import Late

pytestmark = pytest.mark.slow

torch, data, opacus = Late("torch"), Late("torch.utils.data"), Late("opacus.data_loader")

PLAN: dict[str, Any] = {"dataset_size": 60_000, "batch_size": 256, "epochs": 2}


def test_the_least_noise_meets_the_target_and_hardly_less_does_not() -> None:
    noise = dpc.noise_multiplier(target_epsilon=2, target_delta=1e-5, **PLAN)
    met = dpc.dp_sgd(noise_multiplier=noise, target_delta=1e-5, **PLAN)
    assert met.epsilon.upper <= 2
    assert dpc.dp_sgd(noise_multiplier=noise * (1 - 2e-6), target_delta=1e-5, **PLAN).epsilon.lower > 2
    assert met.steps == math.ceil(2 * 60_000 / 256)
    assert met.sample_rate == Fraction(256, 60_000)
    assert float(met) == met.epsilon.upper


def test_words_for_the_same_plan_agree() -> None:
    one = dpc.dp_sgd(noise_multiplier=1.1, target_delta=1e-5, sample_rate=0.01, epochs=3)
    other = dpc.dp_sgd(noise_multiplier=1.1, target_delta=1e-5, sample_rate=0.01, steps=300)
    assert one.mechanism == other.mechanism == 300 * dpc.Sampled(dpc.Gaussian(noise_std=1.1), rate=0.01)
    assert one.epsilon.enclosure == dpc.epsilon(one.mechanism, delta=1e-5).enclosure


def test_the_statement_says_what_is_assumed() -> None:
    said = str(dpc.dp_sgd(noise_multiplier=1.1, target_delta=1e-3, **PLAN))
    for words in ("Poisson sampling", "added or removed", "fixed in advance", "not below 1/n", "X-LINE"):
        assert words in said
    assert "1/n" not in str(dpc.dp_sgd(noise_multiplier=1.1, target_delta=1e-6, **PLAN))


def test_shuffled_batches_are_not_amplified() -> None:
    shuffled = dpc.dp_sgd(noise_multiplier=1.1, target_delta=1e-5, sampling="shuffle", **PLAN)
    assert shuffled.mechanism == 3 * dpc.Gaussian(noise_std=1.1, adjacency=dpc.ZERO_OUT)  # two epochs, and one begun
    assert "blank in one" in str(shuffled)
    assert shuffled.epsilon.lower > dpc.dp_sgd(noise_multiplier=1.1, target_delta=1e-5, **PLAN).epsilon.upper


def test_a_loader_that_shuffles_is_noticed() -> None:
    loader = data.DataLoader(data.TensorDataset(torch.arange(8)), batch_size=2, shuffle=True)
    with pytest.warns(dpc.SamplingMismatch, match="does not draw every record by itself"):
        found = dpc.dp_sgd(noise_multiplier=1, target_delta=1e-3, dataset_size=8, batch_size=2, epochs=1, loader=loader)
    assert found.sampling == "shuffle"


def test_a_loader_of_opacus_draws_by_itself() -> None:
    loader = opacus.DPDataLoader.from_data_loader(data.DataLoader(data.TensorDataset(torch.arange(8)), batch_size=2))
    found = dpc.dp_sgd(noise_multiplier=1, target_delta=1e-3, sample_rate=0.25, epochs=1, loader=loader)
    assert found.sampling == "poisson"


@pytest.mark.parametrize(
    "given, said",
    [
        ({"sample_rate": 0.1}, "exactly one of them"),
        ({"sample_rate": 0.1, "steps": 1, "epochs": 1}, "exactly one of them"),
        ({"steps": 1}, "either sample_rate, or dataset_size and batch_size"),
        ({"steps": 1, "batch_size": 1}, "either sample_rate"),
        ({"steps": 1, "sample_rate": 0.1, "batch_size": 1, "dataset_size": 2}, "either sample_rate"),
        ({"steps": 1, "dataset_size": 5, "batch_size": 9}, "batch_size = 9 .* at most dataset_size, which is 5"),
        ({"steps": -1, "sample_rate": 0.1}, "steps"),
        ({"epochs": 1, "sample_rate": 0}, "more than 0"),
        ({"steps": 1, "sample_rate": 0.1, "sampling": "magic"}, "'poisson' or 'shuffle'"),
    ],
)
def test_what_cannot_be_a_plan_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match=said):
        dpc.dp_sgd(noise_multiplier=1, target_delta=1e-5, **given)
    with pytest.raises(dpc.InvalidParameter, match=said):
        dpc.noise_multiplier(target_epsilon=1, target_delta=1e-5, **given)


def test_a_refusal_names_the_words_that_were_used() -> None:
    plan: dict[str, Any] = {"sample_rate": 0.1, "steps": 10}
    with pytest.raises(dpc.InvalidParameter, match=r"^noise_multiplier = '1' "):
        dpc.dp_sgd(noise_multiplier="1", target_delta=1e-5, **plan)  # type: ignore[arg-type]
    with pytest.raises(dpc.InvalidParameter, match=r"^target_epsilon = -1 "):
        dpc.noise_multiplier(target_epsilon=-1, target_delta=1e-5, **plan)
    with pytest.raises(dpc.InvalidParameter, match=r"^target_delta = 2 "):
        dpc.noise_multiplier(target_epsilon=1, target_delta=2, **plan)
    with pytest.raises(dpc.InvalidParameter, match=r"^target_delta = 0 .* no Gaussian noise has a finite ε"):
        dpc.noise_multiplier(target_epsilon=1, target_delta=0, **plan)
