"""Files of neighbours into each other: nothing is lost on the cheap side, nothing is imported, nothing is executed."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.cli import run
from dpcompose.interop import neighbours
from dpcompose.interop.convert import FORMS, convert, read, write
from dpcompose.interop.writing import NotSayable, above, below

HISTORY = "[[1.1, 0.01, 100], [2, 0.5, 3]]"
noises = st.floats(0.01, 100)
rates = st.floats(1e-9, 1)
counts = st.integers(1, 10**6)
histories = st.lists(st.tuples(noises, rates, counts), min_size=1, max_size=4)


def whole(plan: dpc.Mechanism) -> tuple[tuple[dpc.Mechanism, int], ...]:
    return dpc.Composition(((plan, 1),)).leaves()


@given(histories)
def test_a_history_survives_the_round(history: list[tuple[float, float, int]]) -> None:
    text = json.dumps(history)
    plan = read(text)
    for form in FORMS:
        assert dict(whole(read(write(plan, form)))) == dict(whole(plan))


@given(st.fractions(0, 100))
def test_rounding_goes_one_way_and_no_further(number: Fraction) -> None:
    low, high = below(number), above(number)
    assert Fraction(low) <= number <= Fraction(high)
    assert low == high or high == pytest.approx(low, rel=1e-15, abs=5e-324)


@pytest.mark.parametrize(
    "plan",
    [
        dpc.Gaussian(noise_std=Fraction(1, 3), sensitivity=Fraction(7, 11)),
        dpc.Laplace(scale=Fraction(10, 3), sensitivity=Fraction(1, 7)),
        dpc.Geometric(scale=Fraction(5, 3), sensitivity=3),
        dpc.Geometric(scale=Fraction(5, 3), sensitivity=3, adjacency=dpc.REPLACE_ONE),
        dpc.RandomizedResponse(epsilon=Fraction(7, 5), categories=3, adjacency=dpc.REPLACE_ONE),
        dpc.BlackBox(rho=Fraction(1, 3)),
        dpc.BlackBox(mu=Fraction(1, 3)),
        7 * dpc.Sampled(dpc.Gaussian(noise_std=Fraction(4, 3)), rate=Fraction(1, 3)),
    ],
    ids=repr,
)
def test_what_floats_cannot_say_is_said_at_no_less_cost(plan: Any) -> None:
    relation = plan.adjacency or dpc.ADD_REMOVE
    again = read(write(plan, "dp_accounting"), relation)
    for delta in (1e-3, 1e-9):
        before, after = dpc.epsilon(plan, delta=delta), dpc.epsilon(again, delta=delta)
        assert after.upper >= before.lower
        assert after.upper <= before.upper * 1.5 + 1e-9


@pytest.mark.parametrize(
    "text",
    [
        '{"class_name": "os.system", "command": "x"}',
        '{"module_name": "os", "class_name": "system"}',
        '{"module_name": "os", "class_name": "GaussianDpEvent", "noise_multiplier": 1}',
        '{"class_name": "GaussianDpEvent", "__init__": 1}',
        '{"class_name": "ComposedDpEvent", "events": [{"class_name": "Evil"}]}',
        '{"class_name": "ComposedDpEvent", "events": "abc"}',
        '{"class_name": 5}',
        '{"history": 5}',
        "[[1, 2]]",
        "[1]",
        "[",
        '{"a":',
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(dpc.DPError) as refusal:
        convert(text)
    assert "\n" not in str(refusal.value)


def test_what_a_neighbour_cannot_say_is_refused() -> None:
    for form in ("dp_accounting", "opacus"):
        with pytest.raises(NotSayable):
            convert("Staircase(epsilon=1)", form)
    with pytest.raises(NotSayable, match="replaced"):
        convert("Gaussian(noise_std=1, adjacency=REPLACE_ONE)", "opacus")
    with pytest.raises(dpc.InvalidParameter, match=r"^to = .pickle. is"):
        convert(HISTORY, "pickle")


def test_reading_a_ledger_brings_no_neighbour() -> None:
    code = (
        "import sys, dpcompose as dpc\n"
        f"dpc.interop.convert({HISTORY!r}, 'dp_accounting')\n"
        "print(sorted({'torch', 'opacus', 'dp_accounting', 'opendp'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_the_command_converts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", HISTORY, "--to", "dp_accounting"]) == 0
    ledger = tmp_path / "ledger.json"
    ledger.write_text(capsys.readouterr().out)
    assert run(["convert", str(ledger), "--to", "opacus"]) == 0
    assert json.loads(capsys.readouterr().out)["history"] == json.loads(HISTORY)
    ledger.write_text('{"class_name": "GaussianDpEvent", "noise_multiplier": 1}')
    assert run(["convert", str(ledger), "--to", "expression", "--adjacency", "replace-one"]) == 0
    assert "sensitivity=2" in capsys.readouterr().out
    assert run(["convert", HISTORY, "--adjacency", "both"]) == 2


@pytest.mark.parametrize("found", ["0.5.9", "0.7.0", "1.0", "0.60.1"])
def test_a_version_that_is_not_known_is_refused(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "version", lambda _: found)
    with pytest.raises(neighbours.NeighbourMissing, match=rf"dp-accounting {found} is installed"):
        neighbours.required("dp_accounting", "dp-accounting")


def test_a_neighbour_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(neighbours, "version", missing)
    with pytest.raises(neighbours.NeighbourMissing, match="opacus is not installed: pip install"):
        neighbours.required("opacus.accountants", "opacus")
    assert neighbours.fits("0.6.0", "0.6")
    assert neighbours.fits("0.6.1+cpu", "0.6")
