"""What a notebook shows: one line for a repr, the command line's words for a plan, and a page for every result."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dpcompose as dpc
from dpcompose import advice, audit, curves, filters, ledger, release, report, spec
from dpcompose.release import sketches
from dpcompose.release.ask.result import charged

PLAN = 30 * dpc.BlackBox(epsilon=0.1, delta=0.001)
ROWS = pd.DataFrame({"user": [1, 1, 2], "region": pd.array(["n", "s", "n"], dtype="string")})


AUDIT = audit.from_counts(true_positives=812, false_negatives=188, false_positives=95, true_negatives=905, delta=1e-5)


GOAL: dict[str, Any] = {"eta": 0.9, "nu": 0.1, "epsilon": 1, "delta": 1e-6}


class Tags(HTMLParser):
    """Every tag that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the parser's
        if tag not in {"br", "meta", "path", "use", "rect", "line", "image", "circle"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and tag in {"path", "use", "rect", "line", "image", "circle"}:
            return
        assert self.open.pop() == tag


def account(folder: Path) -> Any:
    book = ledger.open(f"sqlite:///{folder / 'book.db'}")
    found = book.create("city", epsilon=1, delta=1e-6, unit="user")
    found.spend(dpc.Laplace(scale=20), key="a")
    return found


def plan_file(folder: Path) -> Any:
    (folder / "plan.toml").write_text('[budget]\nepsilon = 1\ndelta = 1e-6\nunit = "user"\n')
    return release.Plan(folder / "plan.toml", "user")


def counted() -> Any:
    return release.count(ROWS, unit="user", by="region", keys=["n", "s"], max_groups=2, epsilon=0.2)


def cut() -> Any:
    return sketches.cut_sketch(pd.DataFrame({"source": [0], "target": [1], "weight": [1.0]}), vertices=40, **GOAL)


RESULTS: dict[str, Any] = {
    "plan": lambda _: PLAN,
    "mechanism": lambda _: dpc.Gaussian(noise_std=0.1),
    "nothing": lambda _: dpc.Composition(),
    "answer": lambda _: dpc.epsilon(PLAN, 0.05),
    "enclosure": lambda _: dpc.epsilon(PLAN, 0.05).enclosure,
    "comparison": lambda _: dpc.compare(PLAN, delta=0.05),
    "region": lambda _: dpc.region(PLAN),
    "profile": lambda _: dpc.profile(PLAN, [0, 0.5, 1]),
    "growth": lambda _: dpc.growth(dpc.Gaussian(noise_std=20), [1, 10], delta=1e-6),
    "calibrated": lambda _: dpc.calibrate(lambda s: dpc.Laplace(scale=s), epsilon=1, delta=0),
    "advice": lambda _: dpc.advise(queries=3, epsilon=1, delta=1e-6),
    "online": lambda _: dpc.online().add(dpc.Gaussian(noise_std=20), 5),
    "judgement": lambda _: dpc.judge(PLAN, 1, 0.05),
    "release": lambda _: counted(),
    "quote": lambda _: release.quote("count", unit="user", epsilon=0.2),
    "allowance": lambda _: release.Allowance(epsilon=1, delta=1e-6),
    "plan file": plan_file,
    "account": account,
    "price": lambda folder: account(folder).quote(dpc.Laplace(scale=20)),
    "grant": lambda folder: account(folder).reserve(dpc.Laplace(scale=20), key="b"),
    "answers": lambda _: dpc.epsilon(PLAN, [0.05, 0.1]),
    "witness": lambda _: dpc.witness(PLAN, 0.1, 0.001),
    "odometer": lambda _: dpc.odometer(delta=1e-6).add(dpc.Gaussian(noise_std=20)),
    "running": lambda _: dpc.odometer(delta=1e-6).add(dpc.Gaussian(noise_std=20)).epsilon,
    "filter": lambda _: filters.filter_of("zcdp", epsilon=1, delta=1e-6),
    "audit": lambda _: AUDIT,
    "verdict": lambda _: AUDIT.verdict((1.0, 1e-5)),
    "training": lambda _: dpc.dp_sgd(noise_multiplier=1, sample_rate=0.01, steps=100, target_delta=1e-5),
    "split": lambda _: advice.split(weights=[1, 4], epsilon=1, delta=1e-6),
    "card": lambda _: dpc.formula("MIR-P4"),
    "outputs": lambda _: dpc.formula("MIR-P4")(n=100, eps="0.1", Q="1e-9"),
    "cut sketch": lambda _: cut(),
    "covariance price": lambda _: sketches.covariance_price(**GOAL),
}
LINES: dict[str, Any] = {
    "trade-off": lambda _: curves.tradeoff(PLAN),
    "family": lambda _: curves.family(dpc.Gaussian(noise_std=9), (1, 2)),
    "boundaries": lambda _: curves.boundaries(PLAN, (0, 1, 2)),
    "boundary": lambda _: curves.boundaries(PLAN, (0, 1, 2)).each[0],
    "tangents": lambda _: curves.tangents(PLAN, (0, 1)),
    "orders": lambda _: curves.renyi_curve(dpc.Gaussian(noise_std=9), 1e-5),
    "losses": lambda _: curves.losses(PLAN),
    "bins": lambda _: curves.losses(dpc.Gaussian(noise_std=9)),
    "statement": lambda folder: account(folder).statement(),
    "map": lambda _: dpc.simulate((0.5, 0.5), (0.4, 0.6), epsilon=1),
}
"""Results that a notebook shows by their line alone."""


@pytest.fixture(params=RESULTS)
def result(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return RESULTS[request.param](tmp_path)


def test_every_result_has_a_page_and_a_line(result: Any) -> None:
    page, line = result._repr_html_(), repr(result)
    assert "\n" not in line
    assert len(line) <= 300
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert 'class="dpcompose"' in page
    assert len(re.sub(r"<style>.*?</style>|<[^>]+>", "", page, flags=re.DOTALL).strip()) > 20


@pytest.mark.parametrize("name", LINES)
def test_other_results_have_a_line(name: str, tmp_path: Path) -> None:
    line = repr(LINES[name](tmp_path))
    assert line.startswith("<")
    assert line.endswith(">")
    assert "\n" not in line
    assert len(line) <= 100


def test_pages_take_the_colours_of_their_reader(result: Any) -> None:
    style = re.findall(r"<style>(.*?)</style>", result._repr_html_(), re.DOTALL)[-1]
    assert not re.search(r"(?<![-\w])(color|background): *#", style)


@pytest.mark.parametrize("name", ["region", "profile", "growth"])
def test_curves_are_pictures_too(name: str, tmp_path: Path) -> None:
    page = RESULTS[name](tmp_path)._repr_html_()
    assert "<svg" in page
    assert "</svg>" in page
    assert page.index("<svg") < page.index("<table")


def test_a_plan_reads_as_on_the_command_line() -> None:
    assert str(PLAN) == "30 * BlackBox(epsilon=0.1, delta=0.001)"
    assert spec.loads(repr(PLAN)) == PLAN
    assert str(dpc.Gaussian(noise_std=0.1)) == "Gaussian(noise_std=0.1)"
    assert spec.dumps(dpc.Gaussian(noise_std=0.1)).startswith("Gaussian(noise_std=0.1000000000000000055511")
    assert str(dpc.Geometric(scale=Fraction(100000001, 10000000))) == "Geometric(scale=10.0000001)"
    assert str(dpc.Laplace(scale=Fraction(10**17, 3 * 10**16 + 1))) == "Laplace(scale=3.333333333…)"
    assert str(dpc.Sampled(dpc.Gaussian(noise_std=2.0), rate=0.01)) == "Sampled(Gaussian(noise_std=2), rate=0.01)"


@pytest.mark.parametrize("text", ["0.1", "1/3", "1e-6", "12345.678", "1e-300"])
def test_what_was_written_exactly_is_shown_as_it_was_written(text: str) -> None:
    shown = str(spec.loads(f"Laplace(scale={text})"))
    assert spec.loads(shown) == spec.loads(f"Laplace(scale={text})")


def test_a_very_long_plan_is_cut_in_its_table_only() -> None:
    many = dpc.Composition(tuple((dpc.Laplace(scale=k), k) for k in range(1, 200)))
    assert len(str(many)) > 2000
    assert "and 149 more" in report.text(many)


def test_asking_for_a_fifth_costs_a_fifth() -> None:
    price = release.quote("count", unit="user", epsilon=0.2)
    assert "ε ≤ 0.2 at δ = 0," in str(price)
    halves = release.quote("mean", unit="user", value="x", lower=0, upper=1, epsilon=0.3)
    assert "ε ≤ 0.3 at δ = 0," in str(halves)
    found = release.quote("histogram", unit="user", by="region", max_groups=2, epsilon=0.7, delta=1e-6)
    assert "ε ≤ 0.7 at" in str(found) or "ε ≤ 0.69" in str(found)


def test_a_charge_in_print_is_never_below_the_charge() -> None:
    for epsilon in (0.1, 0.2, 0.3, 0.7, Fraction(1, 3), 1.1):
        price = release.quote("count", unit="user", epsilon=epsilon)
        said = Fraction(re.search(r"ε ≤ ([0-9.e-]+)", charged(price.charge, 0, price.mechanism))[1])
        exact = sum(n * Fraction(m.sensitivity) / Fraction(m.scale) for m, n in (1 * price.mechanism).leaves())
        assert said >= exact
