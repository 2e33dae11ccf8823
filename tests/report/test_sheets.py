"""Regions, judgements, calibrated values and audits: in text, in JSON, and in a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from dpcompose import audit, regions, report, spec
from dpcompose.calibration import calibrate
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.prove.answer import delta, epsilon
from dpcompose.prove.compare import compare
from dpcompose.report.rates import equal_rates

HALF = Fraction(1, 2)
ONE = spec.loads("BlackBox(epsilon=1)")
CURVED = spec.loads("Gaussian(noise_std=1)")
LOOSE = spec.loads("BlackBox(rho=0.5)")
LINE = spec.loads("9 * Sampled(Gaussian(noise_std=2), rate=0.1)")
MAKERS = {
    "region": lambda: regions.region(ONE),
    "curved region": lambda: regions.region(CURVED, tolerance=1e-2),
    "both regions": lambda: regions.region(ONE) & regions.region(CURVED, tolerance=1e-2),
    "holds": lambda: regions.judge(ONE, 1, 0),
    "refuted": lambda: regions.judge(ONE, HALF, 0),
    "undecided": lambda: regions.judge(LOOSE, 1.5, 0.1),
    "witness": lambda: regions.witness(ONE, HALF, 0),
    "noise": lambda: calibrate(spec.family("Laplace(scale=?)"), epsilon=1, delta=0),
    "count": lambda: calibrate(spec.family("? * Laplace(scale=2)"), epsilon=2, delta=0),
    "everything goes": lambda: calibrate(spec.family("Laplace(scale=?)"), advantage=1),
    "numerics": lambda: report.numerics(epsilon(LINE, 1e-6)),
    "audit": lambda: audit.from_counts(
        true_positives=99, false_negatives=1, false_positives=1, true_negatives=99, delta=0
    ).against((1, 0)),
    "answer": lambda: delta(ONE, 0),
    "answers": lambda: delta(ONE, [0, HALF]),
    "comparison": lambda: compare(ONE, delta=HALF),
}
NOTEBOOK = set(MAKERS) - {"numerics"}


@pytest.fixture(params=MAKERS, scope="module")
def result(request: pytest.FixtureRequest) -> object:
    return MAKERS[request.param]()


class Cells(HTMLParser):
    """Collects cells, and checks that every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs is not None
        self.tables += tag == "table"
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_text_fits_eighty_columns(result: object) -> None:
    lines = report.text(result).splitlines()
    assert lines
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)


def test_json_is_json_and_names_its_schema(result: object) -> None:
    found = json.loads(report.to_json(result, asked="x"))
    assert list(found)[:2] == ["schema", "asked"]
    assert found["schema"].startswith("dpc.")


def test_html_is_balanced(result: object) -> None:
    checked = Cells()
    checked.feed(report.html(result))
    assert not checked.open


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NOTEBOOK))
def test_a_notebook_shows_the_same_page(name: str) -> None:
    found = MAKERS[name]()
    checked = Cells()
    checked.feed(found._repr_html_())
    assert found._repr_html_().endswith(report.html(found))  # a picture may stand above it
    assert checked.tables


def test_a_notebook_needs_no_further_import() -> None:
    code = (
        "import dpcompose as dpc, sys\n"
        "found = dpc.epsilon(dpc.Gaussian(noise_std=2), delta=1e-6)\n"
        "assert 'dpcompose.report' not in sys.modules\n"
        "print(found._repr_html_())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ε ∈ [2.25408, 2.25409]" in ran.stdout


def test_equal_rates_lie_on_the_boundary() -> None:
    for mechanism in (ONE, CURVED, spec.loads("3 * DiscretePair(p=[0.5, 0.5], q=[0.1, 0.9])")):
        region = regions.region(mechanism, tolerance=1e-3)
        found = equal_rates(region)
        assert isinstance(found, Enclosure)
        assert region.contains(found.upper + 1e-12, found.upper + 1e-12) is True
        assert region.contains(found.lower - 1e-12, found.lower - 1e-12) is False


def test_the_verdict_is_the_first_word() -> None:
    for name in ("holds", "refuted", "undecided"):
        assert report.text(MAKERS[name]()).startswith(name.upper())


def test_a_calibrated_value_is_printed_exactly() -> None:
    found = MAKERS["noise"]()
    assert f"? = {spec.written(found.value)} meets ε ≤ 1 at δ = 0" in report.text(found).replace("\n  ", " ")
    assert Fraction(json.loads(report.to_json(found))["value"]) == found.value
    assert "No value is shown to miss it." in report.text(MAKERS["everything goes"]())


def test_numerics_of_a_line_and_of_a_closed_form() -> None:
    first, second = report.numerics(epsilon(LINE, 1e-6)).lines
    assert first.frequencies > 0
    assert 0 < first.aliasing < 1e-6
    assert isinstance(second, str) or second.tilt > 0
    assert not report.numerics(epsilon(CURVED, 1e-6)).lines
    assert not report.numerics(epsilon(CURVED, 0)).lines
