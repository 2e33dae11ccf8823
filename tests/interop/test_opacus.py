"""Our accountant in Opacus: its interface, every edge of a history, and a real training."""

from __future__ import annotations

import math
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dpcompose as dpc
from late import Late

pytestmark = pytest.mark.slow

opacus, accountants, utils = Late("opacus"), Late("opacus.accountants"), Late("opacus.accountants.utils")
ours = Late("dpcompose.interop.opacus")

ROOT = Path(__file__).parents[2]
QUIET = [
    "ignore:Secure RNG turned off:UserWarning",
    "ignore:Full backward hook is firing:UserWarning",
    "ignore:Optimal order is the:UserWarning",
]


@pytest.fixture(autouse=True)
def registered() -> None:
    ours.register()
    ours.register()  # once or often, it is the same


def accountant(history: Any) -> Any:
    found = accountants.create_accountant("dpcompose")
    found.history = history
    return found


def test_a_fresh_one_costs_nothing() -> None:
    fresh = accountants.create_accountant("dpcompose")
    assert type(fresh) is ours.Accountant
    assert fresh.get_epsilon(delta=1e-5) == 0
    assert fresh.get_epsilon(delta=0) == 0
    assert len(fresh) == 0
    assert fresh.mechanism() == "dpcompose"


def test_steps_are_counted_one_by_one() -> None:
    one = accountants.create_accountant("dpcompose")
    for _ in range(3):
        one.step(noise_multiplier=1, sample_rate=0.01)
    one.step(noise_multiplier=1.5, sample_rate=0.01)
    assert one.history == [(1, 0.01, 3), (1.5, 0.01, 1)]
    assert len(one) == 4
    plan = 3 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01) + dpc.Sampled(dpc.Gaussian(noise_std=1.5), rate=0.01)
    assert one.get_epsilon(delta=1e-5) == dpc.epsilon(plan, delta=1e-5).upper
    assert one.get_epsilon(1e-5, alphas=[2, 3], poisson=True, eps_error=0.1) == one.get_epsilon(delta=1e-5)


def test_the_state_goes_round() -> None:
    one = accountant([(1.1, 0.02, 100), (0.9, 0.01, 5)])
    other = accountants.create_accountant("dpcompose")
    other.load_state_dict(one.state_dict())
    assert other.history == one.history
    assert other.get_epsilon(delta=1e-6) == one.get_epsilon(delta=1e-6)
    with pytest.raises(ValueError, match="cannot be loaded"):
        accountants.create_accountant("rdp").load_state_dict(one.state_dict())


def test_edges_of_a_history() -> None:
    assert accountant([(0, 0.01, 10)]).get_epsilon(delta=1e-5) == math.inf
    assert accountant([(0.0, 0.01, 1)]).get_epsilon(delta=0.0100001) == 0  # the record is drawn with that chance
    assert accountant([(2, 0.1, 10)]).get_epsilon(delta=0) == math.inf
    assert accountant([(2, 0, 10)]).get_epsilon(delta=1e-5) == 0
    whole = accountant([(2, 1, 10)]).get_epsilon(delta=1e-5)
    assert accountant([(2, 1.0000001, 10)]).get_epsilon(delta=1e-5) == whole
    assert accountant([(2, 5, 10)]).get_epsilon(delta=1e-5) == whole
    assert accountant([[2, 1, 4], (2, 1, 6)]).get_epsilon(delta=1e-5) == whole
    assert whole == dpc.epsilon(10 * dpc.Gaussian(noise_std=2), delta=1e-5).upper


@pytest.mark.parametrize(
    "history",
    [5, "abc", [(1, 0.1)], [(1, 0.1, -1)], [("1", 0.1, 3)], [(1, "q", 3)], [(1, 0.1, 1.5)], [(-1, 0.1, 3)], [7]],
)
def test_what_is_no_history_is_refused_in_one_sentence(history: Any) -> None:
    with pytest.raises(dpc.InvalidParameter, match="is not allowed"):
        accountant(history).get_epsilon(delta=1e-5)


@pytest.mark.filterwarnings(*QUIET)
def test_noise_is_found_on_the_safe_side() -> None:
    wanted = {"target_epsilon": 2.0, "target_delta": 1e-5, "sample_rate": 0.01}
    noise = utils.get_noise_multiplier(**wanted, steps=500, accountant="dpcompose", epsilon_tolerance=1e-3)
    least = dpc.noise_multiplier(**wanted, steps=500)
    assert least * (1 - 1e-6) <= noise <= least * 1.01
    assert accountant([(noise, 0.01, 500)]).get_epsilon(delta=1e-5) <= 2
    theirs = utils.get_noise_multiplier(**wanted, epochs=5, accountant="prv", epsilon_tolerance=1e-3)
    assert least < theirs


@pytest.mark.filterwarnings(*QUIET)
def test_an_engine_takes_it_by_name() -> None:
    assert type(opacus.PrivacyEngine(accountant="dpcompose").accountant) is ours.Accountant


@pytest.mark.filterwarnings(*QUIET)
def test_a_real_training_is_certified_beside_what_opacus_says(capsys: pytest.CaptureFixture[str]) -> None:
    example = SimpleNamespace(**runpy.run_path(str(ROOT / "examples" / "opacus_training.py")))
    run = example.train()
    assert run.accuracy > 0.8
    ((noise, rate, steps),) = run.history
    assert (noise, steps) == (example.NOISE, example.EPOCHS * example.RECORDS // example.BATCH)
    exact = dpc.epsilon(
        steps * dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=rate), delta=example.DELTA, rigor="ball"
    )
    assert run.epsilon.lower <= exact.upper
    assert exact.lower <= run.epsilon.upper
    assert run.epsilon.lower <= run.beside["prv"] <= run.epsilon.upper * 1.02
    assert run.epsilon.upper < run.beside["rdp"]
    example.main()
    said = capsys.readouterr().out
    assert "Poisson sampling" in said
    assert "added or removed" in said
