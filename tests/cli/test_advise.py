"""`dpcompose advise`: which noise, how much of it, from when on another one; and who gets how much."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import dpcompose as dpc
from dpcompose import advice, plots

ASKED = ["advise", "--queries", "12", "--epsilon", "1", "--delta", "1e-6"]
KINDS = {"geometric", "discrete Gaussian", "Laplace", "Gaussian", "staircase"}


def test_every_noise_is_shown_with_its_amount_and_the_closed_form_beside(run) -> None:
    code, out, err = run(*ASKED)
    assert (code, err) == (0, "")
    assert all(f"\n{kind} " in out for kind in KINDS)
    variance = 8 * 12 * math.log(math.e + 1e6)
    shown = float(out.partition("variance ")[2].partition(".\n")[0])
    assert variance <= shown <= variance * (1 + 1e-5)  # six digits, rounded up
    assert "Best by the number of queries: geometric up to 8, then discrete Gaussian." in out


def test_the_document_says_the_same_and_every_amount_keeps_the_promise(told) -> None:
    found = told(*ASKED)
    assert found["schema"] == "dpc.advice/1"
    assert {option["noise"] for option in found["options"]} == KINDS
    assert found["closed_form"]["variance"] == pytest.approx(8 * 12 * math.log(math.e + 1e6), rel=1e-12)
    scale = next(o["parameter"]["scale"] for o in found["options"] if o["noise"] == "Laplace")
    assert dpc.delta(12 * dpc.Laplace(scale=scale), epsilon=1).upper <= 1e-6
    assert found["flips"] == [
        {"from_queries": 1, "best": "geometric"},
        {"from_queries": 9, "best": "discrete Gaussian"},
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "noise, form",
    [
        ("Laplace", "Laplace(scale=?)"),
        ("Gaussian", "Gaussian(noise_std=?)"),
        ("geometric", "Geometric(scale=?)"),
        ("discrete Gaussian", "DiscreteGaussian(noise_std=?)"),
    ],
)
@pytest.mark.parametrize("queries, promised", [(1, "--epsilon 0.5 --delta 1e-5"), (100, "--epsilon 1 --delta 1e-6")])
def test_advice_and_calibration_say_the_same(run, noise: str, form: str, queries: int, promised: str) -> None:
    """Digit by digit, of the same question."""
    advised = run("advise", "--queries", str(queries), *promised.split())[1]
    found = re.search(rf"^{noise} +\w+ = (\S+) ", advised, re.MULTILINE)
    calibrated = re.search(
        r"^\? = (\S+) meets", run("calibrate", f"{queries} * {form}", *promised.split())[1], re.MULTILINE
    )
    assert found
    assert calibrated
    assert found[1] == calibrated[1]


def test_real_answers_have_no_whole_noise(told) -> None:
    found = told(*ASKED, "--real")
    assert {option["noise"] for option in found["options"]} == {"Laplace", "Gaussian", "staircase"}
    assert found["best"] == "Gaussian"


def test_without_delta_a_gaussian_never_gets_there(run, told) -> None:
    asked = ["advise", "--queries", "3", "--epsilon", "1", "--sensitivity", "2"]
    assert "discrete Gaussian  never reaches it" in run(*asked)[1]
    found = told(*asked)
    assert (found["closed_form"], found["impossible"]) == (None, ["discrete Gaussian", "Gaussian"])


@pytest.mark.slow
def test_where_hardly_any_noise_is_needed_the_usual_one_is_best_for_long(told) -> None:
    found = told("advise", "--queries", "10", "--epsilon", "1e6", "--delta", "0.5")
    assert found["best"] == found["flips"][0]["best"] == "geometric"
    assert found["options"][0]["within_19_of_20"] == 0


def test_a_budget_is_split_by_weight(run, told) -> None:
    asked = ["advise", "--weights", "1,4,16", "--sensitivities", "1,1/2,1", "--epsilon", "1", "--delta", "1e-6"]
    code, out, _ = run(*asked)
    assert code == 0
    assert "Weighted variance with" in out
    found = told(*asked)
    assert len(found["shares"]) == 3
    sums = found["weighted_variance"]
    assert sums["optimum_at_least"] <= sums["total"] < sums["equal"]
    assert sums["total"] <= sums["optimum_at_least"] * (1 + 1e-6)


@pytest.mark.slow
def test_the_picture_shows_every_noise_and_where_the_best_one_changes(run, tmp_path: Path) -> None:
    place = tmp_path / "noise.png"
    code, out, _ = run(*ASKED, "--plot", str(place))
    assert code == 0
    assert "then discrete Gaussian" in out
    assert place.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_lines_of_the_picture_cross_where_the_advice_says() -> None:
    found = plots.noises(advice.advise(queries=5, epsilon=1, delta=1e-6, sensitivity=2.5))
    gaussian, laplace = (dict(found.lines[name]) for name in ("Gaussian", "Laplace"))
    at = found.advice.flips[-1].queries
    assert gaussian[at] < laplace[at]
    assert laplace[1] < gaussian[1]
    assert dict(found.closed_form)[5] == found.advice.closed_form.upper
    (axes,) = plots.plot(found).axes
    assert {"Gaussian", "Laplace", "staircase", "closed form (KOV-4.2)"} <= {line.get_label() for line in axes.lines}


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--queries", "0", "--epsilon", "1"], "queries = 0 is not allowed"),
        (["--queries", "1.5", "--epsilon", "1"], "queries = 1.5 is not allowed"),
        (["--queries", "x", "--epsilon", "1"], "queries = x is not allowed"),
        (["--queries", "2", "--epsilon", "-1"], "epsilon = -1 is not allowed"),
        (["--queries", "2", "--epsilon", "1", "--delta", "1"], "delta = 1 is not allowed"),
        (["--queries", "2", "--epsilon", "0"], "No noise is shown"),
        (["--queries", "2", "--epsilon", "1", "--sensitivity", "0"], "sensitivity = 0 is not allowed"),
        (["--queries", "2", "--epsilon", "1", "--sensitivity", "2.5", "--integer"], "a whole number up to 1e9"),
        (["--queries", "2", "--epsilon", "1", "--plot", "x.gif"], "a file name that ends in"),
        (["--queries", "2", "--epsilon", "1", "--plot", "no/such/x.png"], "there is no such folder"),
        (["--queries", "2"], "advise needs --epsilon, such as --epsilon 1."),
        (["--epsilon", "1"], "exactly one of the two"),
        (["--epsilon", "1", "--queries", "2", "--weights", "1,2"], "exactly one of the two"),
        (["--epsilon", "1", "--weights", "1,,2"], "weights = "),
        (["--epsilon", "1", "--weights", "1,0"], "positive numbers"),
        (["--epsilon", "1", "--weights", "1,2", "--sensitivities", "1"], "one for each weight"),
        (["--epsilon", "1", "--weights", "1,2", "--plot", "x.png"], "a split has no picture"),
        (["--epsilon", "1", "--weights", "1," * 20_000], "at most 10000"),
    ],
)
def test_a_refusal_is_one_sentence(run, arguments: list[str], said: str) -> None:
    code, out, err = run("advise", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
