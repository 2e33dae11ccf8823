"""Regions, growth, profiles, refutations, audits, risks and calibration from the command line."""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from dpcompose.app.questions import round_steps
from dpcompose.app.reading import counts, epsilons

ONE = "BlackBox(epsilon=1)"
THIRTY = "30 * BlackBox(epsilon=0.1, delta=0.001)"
E = math.e


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Members score 1 nearly always, non-members nearly never: ε is about ln 99."""
    rows = [f"{int(i % 100 > 0)},1\n{int(i % 100 == 0)},0" for i in range(4000)]
    path = tmp_path / "scores.csv"
    path.write_text("score,member\n" + "\n".join(rows))
    return path


def test_the_region_of_one_response_is_a_triangle(run, told) -> None:
    found = told("region", ONE)
    middle = 1 / (1 + E)
    assert found["schema"] == "dpc.region/1"
    assert found["mechanism"] == ONE
    assert [v["fnr"]["lower"] for v in found["vertices"]] == pytest.approx([0, middle, 1], rel=1e-12)
    assert found["corner"]["lower"] <= middle * (1 + 1e-15)
    assert found["corner"]["upper"] == pytest.approx(middle, rel=1e-12)
    advantage = (E - 1) / (E + 1)
    assert found["total_variation"]["lower"] <= advantage <= found["total_variation"]["upper"] * (1 + 1e-15)
    assert found["area"]["upper"] == pytest.approx(1 - 2 * middle, rel=1e-12)
    out = run("region", ONE)[1]
    assert "corner  ∈ [0.268941, 0.268942]" in out
    assert "Vertices below the diagonal" in out


def test_a_curved_region_lies_between_polygons(run, told) -> None:
    found = told("region", "Gaussian(noise_std=1)")
    area = {name: abs(shoelace(found[name])) for name in ("inner", "outer")}
    assert found["vertices"] == []
    assert found["area"]["lower"] == pytest.approx(area["inner"], abs=1e-9)
    assert area["inner"] < area["outer"] < area["inner"] + 2e-3
    out = run("region", "Gaussian(noise_std=1)")[1]
    assert "Outer polygon" in out
    assert re.search(r"16 of \d+; JSON has all", out)


def shoelace(points: list[list[float]]) -> float:
    turns = zip(points, points[1:] + points[:1], strict=True)
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in turns) / 2


def test_a_region_without_privacy_and_one_without_loss(told) -> None:
    nothing, everything = told("region", "Composition()"), told("region", "Gaussian(noise_std=0)")
    assert (nothing["area"]["upper"], nothing["corner"]) == (0, {"lower": 0.5, "upper": 0.5})
    assert (everything["area"]["lower"], everything["corner"]) == (1, {"lower": 0, "upper": 0})


def test_growth(run, told) -> None:
    found = told("growth", "BlackBox(epsilon=0.1, delta=0.001)", "--delta", "0.05", "--counts", "1,30")
    assert (found["counts"], found["delta"]) == ([1, 30], "0.05")
    assert 0.846302 < found["truth"][1]["lower"] <= found["truth"][1]["upper"] < 0.846303
    own = {row["theorem"]: row["upper"] for row in found["theorems"]}
    assert own["KOV-3.1"][1] == pytest.approx(3)
    assert all(v is None or v >= found["truth"][1]["lower"] for _, v in own.values())
    out = run("growth", "BlackBox(epsilon=0.1, delta=0.001)", "--delta", "0.05", "--counts", "1,30")[1]
    assert re.search(r"^  KOV-3\.3 +0\S* +0\.846303$", out, re.MULTILINE)
    assert re.search(r"^  ε at least +0\S* +0\.846302$", out, re.MULTILINE)


def test_growth_in_many_places_names_the_tightest(run) -> None:
    out = run("growth", "BlackBox(epsilon=0.1)", "--delta", "0.01", "--counts", "1:40:20")[1]
    rows = [line.split() for line in out.splitlines() if re.match(r"  \d", line)]
    assert [int(row[0]) for row in rows] == list(counts("1:40:20"))
    assert all(Decimal(low) <= Decimal(high) for _, low, high, _ in rows)
    assert {row[3] for row in rows} <= {"KOV-3.3", "X-LINE", "RDP-CKS", "KOV-3.1"}


@pytest.mark.parametrize(
    "text, meant",
    [("1,10, 100", (1, 10, 100)), ("1:8:4", (1, 2, 4, 8)), ("0:4:3", (0, 1, 2, 4)), ("5:6", (5, 6)), ("7", (7,))],
)
def test_counts(text: str, meant: tuple[int, ...]) -> None:
    assert counts(text) == meant


@pytest.mark.parametrize(
    "text, meant",
    [("0,1/2,1e0", (0, Fraction(1, 2), 1)), ("0:1:3", (0, Fraction(1, 2), 1)), ("1:1.1:2", (1, Fraction(11, 10)))],
)
def test_epsilons(text: str, meant: tuple[Fraction, ...]) -> None:
    assert epsilons(text) == meant


@pytest.mark.parametrize("end", [1e-9, 0.07, 0.8, 1.0, 2.99, 3.0, 8.0, 123.4, 7e8])
def test_round_steps_reach_the_end_in_few_steps(end: float) -> None:
    found = round_steps(end, 8)
    step = found[1]
    assert found[0] == 0
    assert found[-2] < end <= found[-1]
    assert 3 < len(found) <= 9
    assert str(Decimal(step.numerator) / step.denominator).strip("0.E+-")[0] in "125"
    assert {b - a for a, b in itertools.pairwise(found)} == {step}


def test_profile(told, run) -> None:
    found = told("profile", ONE, "--epsilons", "0,1/2,1")
    assert found["epsilons"] == [0, "0.5", 1]
    exact = [(E - 1) / (E + 1), (E - math.sqrt(E)) / (1 + E), 0]
    for enclosure, truth in zip(found["truth"], exact, strict=True):
        assert enclosure["lower"] <= truth * (1 + 1e-15)
        assert truth <= enclosure["upper"] * (1 + 1e-15)
    assert "ε =" in run("profile", THIRTY)[1]


def test_check_was_called_refute(run) -> None:
    asked = (ONE, "--epsilon", "1/2", "--delta", "0.1")
    assert run("refute", *asked) == run("check", *asked)


def test_check_shows_the_event(run, told) -> None:
    code, out, _ = run("check", ONE, "--epsilon", "1/2", "--delta", "0.1")
    assert code == 1
    assert "REFUTED: this is not (0.5, 0.1)-DP" in out
    found = told("refute", ONE, "--epsilon", "1/2", "--delta", "0.1")
    event = found["witness"]
    p, q = E / (1 + E), 1 / (1 + E)
    assert found["verdict"] == "refuted"
    assert event["p"]["lower"] <= p * (1 + 1e-15)
    assert event["q"]["upper"] >= q * (1 - 1e-15)
    assert event["excess"]["lower"] == pytest.approx(p - math.sqrt(E) * q - 0.1, rel=1e-9)
    assert event["excess"]["lower"] > 0


@pytest.mark.parametrize("epsilon", ["1", "1000", "1e20", "1e300"])
def test_the_event_that_refutes_any_epsilon_is_the_leak(told, epsilon: str) -> None:
    event = told("refute", "BlackBox(epsilon=1, delta=0.5)", "--epsilon", epsilon, "--delta", "0.4")["witness"]
    assert event["q"]["upper"] == 0
    assert event["p"]["lower"] <= 0.5 <= event["p"]["upper"]
    assert event["excess"]["lower"] == pytest.approx(0.1)


def test_refute_says_why_a_claim_holds_or_that_nobody_knows(run) -> None:
    code, out, _ = run("refute", "Gaussian(noise_std=2)", "--epsilon", "3", "--delta", "1e-6")
    assert (code, "HOLDS: this is (3, 0.000001)-DP." in out, "X-GAUSS" in out) == (0, True, True)
    code, out, _ = run("refute", "BlackBox(rho=0.5)", "--epsilon", "1.5", "--delta", "0.1")
    assert (code, "UNDECIDED" in out) == (4, True)
    code, out, _ = run("refute", "BlackBox(rho=0.5)", "--epsilon", "1.5", "--delta", "0.1", "--json")
    assert (code, json.loads(out)["verdict"]) == (4, "undecided")


def test_beta(told) -> None:
    found = told("beta", ONE, "--alpha", "0.1")
    truth = 1 - 0.1 * E
    assert found["lower"] <= truth <= found["upper"] * (1 + 1e-15)
    assert found["safe"] == found["lower"]


def test_risk(run, told) -> None:
    found = {row["reading"]: row["answer"] for row in told("risk", ONE, "--fpr", "0.1", "--delta", "0")["readings"]}
    exact = {
        "advantage": (E - 1) / (E + 1),
        "TPR at FPR": 0.1 * E,
        "Bayes error": 1 / (1 + E),
        "accuracy": E / (1 + E),
        "posterior odds": E,
    }
    assert list(found) == list(exact)
    for name, truth in exact.items():
        assert found[name]["lower"] <= truth * (1 + 1e-15), name
        assert truth <= found[name]["upper"] * (1 + 1e-15), name
        assert found[name]["upper"] - found[name]["lower"] < 1e-5, name
    assert re.search(r"^  Bayes error +∈ \[0\.268941, 0\.268942\] +KOV-3\.3", run("risk", ONE)[1], re.MULTILINE)


def test_calibrate_noise(run, told) -> None:
    found = told("calibrate", "100 * Gaussian(noise_std=?)", "--epsilon", "1", "--delta", "1e-6")
    value, missed = Fraction(found["value"]), Fraction(found["misses"]["value"])
    assert found["mechanism_found"] == f"100 * Gaussian(noise_std={found['value']})"
    assert len(found["value"]) <= 9
    assert found["answer"]["upper"] <= 1e-6 < found["misses"]["answer"]["lower"]
    assert 0 < value - missed < Fraction(2, 10**6) * value
    again = told("delta", found["mechanism_found"], "--epsilon", "1")
    assert again["upper"] <= 1e-6
    out = run("calibrate", "100 * Gaussian(noise_std=?)", "--epsilon", "1", "--delta", "1e-6")[1]
    assert f"? = {found['value']} meets" in out
    assert re.search(r"^  misses it  \? ≈ 42\.2467", out, re.MULTILINE)


def test_calibrate_a_count_and_risks(told) -> None:
    found = told("calibrate", "? * Laplace(scale=2)", "--epsilon", "3", "--delta", "1e-6")
    assert (found["value"], found["misses"]["value"]) == (6, 7)
    found = told("calibrate", "Gaussian(noise_std=?)", "--advantage", "0.1")
    assert found["answer"]["upper"] <= 0.1 < found["misses"]["answer"]["lower"]


def test_calibrate_from_a_document(told, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('kind = "laplace"\nscale = 2\ncount = "?"\n')
    assert (
        told("calibrate", str(plan), "--epsilon", "3", "--delta", "1e-6")["mechanism_found"] == "6 * Laplace(scale=2)"
    )


def test_audit(run, told, scores: Path) -> None:
    code, out, _ = run("audit", str(scores), "--delta", "1e-5")
    assert (code, out.startswith("ε ≥ ")) == (0, True)
    found = told("audit", str(scores), "--delta", "1e-5", "--claim", ONE)
    assert 3 < found["epsilon_at_least"] < math.log(99)
    assert (found["schema"], found["confidence"], found["claim"]["violated"]) == ("dpc.audit/1", 0.95, True)
    assert run("audit", str(scores), "--delta", "1e-5", "--claim", ONE)[0] == 1
    assert run("audit", str(scores), "--delta", "1e-5", "--claim", "BlackBox(epsilon=9)")[0] == 0


def test_an_audit_says_how_it_split_the_scores_and_names_its_event(run, told, scores: Path) -> None:
    """The ε is that of the two limits on the event's probabilities, counted on what it was not chosen on."""
    out = " ".join(run("audit", str(scores), "--delta", "1e-5")[1].split())
    chosen, members, others = (
        re.search(pattern, out)
        for pattern in (
            r"the event was chosen on (\d+) \+ (\d+) outputs and counted on the other ones event (\S.*?) members",
            r" members (\d+) of (\d+), so its probability is at least (\S+)",
            r" non-members (\d+) of (\d+), so its probability is at most (\S+)",
        )
    )
    assert chosen
    assert members
    assert others
    rows = scores.read_text(encoding="utf-8").splitlines()[1:]
    assert int(chosen[1]) + int(chosen[2]) + int(members[2]) + int(others[2]) == len(rows)
    likely, unlikely = float(members[3]), float(others[3])
    shown = float(out.partition("ε ≥ ")[2].split()[0])
    assert shown == pytest.approx(math.log((likely - 1e-5) / unlikely), rel=1e-4)
    witness = told("audit", str(scores), "--delta", "1e-5")["witness"]
    assert chosen[3] in (witness["event"], f"not ({witness['event']})")
    assert witness["chosen_on"] == [int(chosen[1]), int(chosen[2])]


def test_explain_numerics(run) -> None:
    line = "99 * Sampled(Gaussian(noise_std=2), rate=0.1)"
    code, out, _ = run("explain", line, "--delta", "1e-6", "--numerics")
    assert code == 0
    for name in ("t", "W", "frequencies", "aliasing", "truncation", "quadrature and rounding", "domain", "smoothing"):
        assert len(re.findall(rf"^  {name}  +\d", out, re.MULTILINE)) == 2, name
    out = run("explain", line, "--delta", "1e-6", "--numerics", "--json")[1]
    found = json.loads(out)
    assert (found["schema"], found["numerics"]["method"]) == ("dpc.answer/1", "saddle line")
    for each in found["numerics"]["lines"]:
        assert each["tilt"] > 0
        assert each["period"] > 0
        assert 0 < each["aliasing"] + each["truncation"] + each["quadrature_and_rounding"] + each["domain"] < 1e-6
    assert "closed form, evaluated in balls" in run("explain", ONE, "--epsilon", "0.5", "--numerics")[1]


@pytest.mark.parametrize("name", ["x.svg", "x.png"])
@pytest.mark.parametrize(
    "arguments",
    [("region", ONE), ("growth", ONE, "--delta", "0.1", "--counts", "1,2"), ("profile", ONE, "--epsilons", "0,1")],
    ids=lambda arguments: arguments[0],
)
def test_pictures(run, tmp_path: Path, arguments: tuple[str, ...], name: str) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / name
    code, out, err = run(*arguments, "--out", str(target))
    assert (code, err) == (0, f"dpcompose: wrote {target}\n")
    assert out
    assert target.read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")
    assert list(tmp_path.iterdir()) == [target]


def test_a_picture_without_matplotlib_is_refused_kindly(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.startswith(("matplotlib", "dpcompose.plots."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for painter in ("bars", "canvas", "curves", "squares"):
        monkeypatch.delattr(f"dpcompose.plots.{painter}", raising=False)
    code, out, err = run("region", ONE, "--out", str(tmp_path / "x.svg"))
    assert (code, out) == (2, "")
    assert "pip install 'dpcompose[plot]'" in err
    assert not list(tmp_path.iterdir())


def test_cards_as_json(told) -> None:
    every = told("formula")
    assert every["schema"] == "dpc.cards/1"
    (card,) = told("formula", "MIR-P4")["cards"]
    assert card in every["cards"]
    assert set(card["inputs"]) == {"n", "eps", "Q"}
