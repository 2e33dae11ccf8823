"""Results in every form: the same numbers, rounded outward, with the same reasons."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from dpcompose import formulas, report, spec
from dpcompose.errors import InvalidParameter
from dpcompose.kernel import STANDARD
from dpcompose.prove.answer import Answer, Answers, delta, epsilon
from dpcompose.prove.compare import Comparison, compare
from dpcompose.report.words import relative

PLANS = {
    "black boxes": "30 * BlackBox(epsilon=0.1, delta=0.001)",
    "a mixture": "Laplace(scale=2) + BlackBox(rho=0.1) + 10 * Gaussian(noise_std=2)",
    "pairs": "3 * DiscretePair(p=[0.5, 0.5], q=[0.1, 0.9])",
    "nothing": "Composition()",
    "adaptive": "Composition([(BlackBox(rho=0.01), 9)], adaptivity=FULLY_ADAPTIVE, filter=ZCDP)",
    "long": " + ".join(f"BlackBox(epsilon=0.{i}, delta=1e-9)" for i in range(1, 30)),
}
TENTH = Fraction(1, 10)


@pytest.fixture(params=PLANS, scope="module")
def comparison(request: pytest.FixtureRequest) -> Comparison:
    return compare(spec.load(PLANS[request.param]), delta=Fraction(1, 20))


@pytest.fixture(scope="module")
def answer() -> Answer:
    return epsilon(spec.load(PLANS["black boxes"]), Fraction(1, 20))


def lines_fit(text: str) -> bool:
    return all(len(line) <= 80 and line == line.rstrip() for line in text.splitlines())


def test_text_fits_eighty_columns(comparison: Comparison) -> None:
    assert lines_fit(report.text(comparison))
    assert lines_fit(report.explain(comparison))
    assert lines_fit(report.text(list(STANDARD.theorems.values())))
    assert all(lines_fit(report.text([theorem])) for theorem in STANDARD.theorems.values())


def test_cards_fit_eighty_columns() -> None:
    every = [formulas.formula(name) for name in formulas.cards()]
    assert lines_fit(report.cards(every))
    assert all(lines_fit(report.card(card)) for card in every)


def test_every_theorem_has_its_line_and_the_tightest_is_marked(comparison: Comparison) -> None:
    lines = report.text(comparison).splitlines()
    for row in comparison.rows:
        assert any(re.match(rf"[* ] {re.escape(row.theorem)}\s", line) for line in lines)
    marked = [line for line in lines if line.startswith("* ")]
    assert marked if comparison.tightest else not marked
    if comparison.tightest:
        assert marked[0].split()[1] == comparison.tightest.theorem


def test_printed_ends_never_promise_more_than_the_exact_ones(comparison: Comparison) -> None:
    best = comparison.best
    low, high = re.findall(r"∈ \[(\S+), (\S+)\]", report.text(best))[0]
    assert Fraction(low) <= best.enclosure.least
    assert Fraction(high) >= best.enclosure.most
    for row in comparison.rows:
        if row.enclosure is not None and math.isfinite(row.enclosure.upper):
            (line,) = [x for x in report.text(comparison).splitlines() if x[2:].startswith(f"{row.theorem} ")]
            assert Fraction(line[2:].split()[1]) >= row.enclosure.most


@pytest.mark.parametrize("value, best, shown", [(1.0, 1.0, "1"), (3.0, 1.5, "2"), (1.0, 3.0, "0.3334"), (1.0, 0.0, "")])
def test_relative(value: float, best: float, shown: str) -> None:
    assert relative(value, best) == shown


def test_an_infinite_number_is_said_as_one() -> None:
    found = epsilon(spec.load("Gaussian(noise_std=1)"), 0)
    assert "∈ [inf, inf]" in report.text(found)
    assert json.loads(report.to_json(found))["upper"] == "inf"
    assert relative(math.inf, 1.0) == "inf"
    assert relative(2.0, math.inf) == ""


def test_json_keeps_the_exact_floats(answer: Answer) -> None:
    found = json.loads(report.to_json(answer, mechanism="m", delta="0.05"))
    assert list(found)[:3] == ["schema", "mechanism", "delta"]
    assert (found["schema"], found["lower"], found["upper"]) == ("dpc.answer/1", answer.lower, answer.upper)
    assert found["safe"] == answer.safe
    names = {found["upper_by"]["name"]} | {premise["name"] for premise in found["upper_by"]["premises"]}
    assert names <= set(found["theorems"])
    assert "$" in found["theorems"][found["upper_by"]["name"]]["statement"]


def test_json_of_a_comparison_says_all_it_knows(comparison: Comparison) -> None:
    found = json.loads(report.to_json(comparison))
    assert [row["theorem"] for row in found["rows"]] == [row.theorem for row in comparison.rows]
    assert sum(row["tightest"] for row in found["rows"]) == (comparison.tightest is not None)
    assert all((row["upper"] is None) == bool(row["reason"]) for row in found["rows"])
    assert spec.load(found["mechanism"]) == comparison.subject
    assert Fraction(found["at"]) == comparison.at


def test_several_answers_together() -> None:
    found = epsilon(spec.load("Gaussian(noise_std=1)"), [TENTH, Fraction(1, 100)])
    assert isinstance(found, Answers)
    assert [a["upper"] for a in json.loads(report.to_json(found))["answers"]] == list(found.upper)
    assert report.text(found).count("because") == 2


def test_json_of_theorems_and_of_a_card() -> None:
    every = list(STANDARD.theorems.values())
    found = json.loads(report.to_json(every))
    assert [t["name"] for t in found["theorems"]] == [t.proof.__name__ for t in every]
    outputs = formulas.formula("MIR-P4")(n=100, eps="0.1", Q="1e-9")
    told = json.loads(report.to_json(outputs))["outputs"]
    assert set(told) == set(outputs)
    assert told["bound_sharp"]["lower"] <= told["bound_sharp"]["upper"]
    assert "bound_sharp    ∈ [3.79137e-7, 3.79138e-7]" in report.text(outputs)


class Balance(HTMLParser):
    """Checks that every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs is not None
        self.seen.add(tag)
        if tag not in {"br", "meta"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_whole_and_brings_nothing_from_elsewhere(comparison: Comparison, answer: Answer) -> None:
    for result in (comparison, answer, list(STANDARD.theorems.values()), {"x<y": answer.enclosure}):
        page = report.page(result)
        checked = Balance()
        checked.feed(page)
        assert not checked.open
        assert "script" not in checked.seen
        assert "http" not in page
        assert "x<y" not in page
    assert 'data-latex="' in report.html(answer)


def test_a_page_shows_what_the_text_shows(comparison: Comparison) -> None:
    page = report.html(comparison)
    assert all(f"<td>{row.theorem}</td>" in page for row in comparison.rows)
    assert page.count('class="tightest"') == (comparison.tightest is not None)


def test_bibtex_has_every_source_once(comparison: Comparison) -> None:
    keys = re.findall(r"@misc\{(\w+),", report.bibtex(comparison))
    assert len(set(keys)) == len(keys)
    behind = {c.theorem.source.key for row in comparison.rows if row.claim for _, c in row.claim.lineage()}
    assert behind <= set(keys)
    every = list(STANDARD.theorems.values())
    assert {t.source.key for t in every} == set(re.findall(r"@misc\{(\w+),", report.bibtex(every)))


def test_an_explanation_names_and_states_everything_behind_the_number(answer: Answer) -> None:
    told = report.explain(answer)
    assert answer.upper_by is not None
    for _, claim in answer.upper_by.lineage():
        assert f"{claim.theorem.id}: " in told
        assert str(claim.theorem.source) in told
        assert claim.theorem.source.title.split()[0] in told
    assert told.count("Every (ε,δ)-DP mechanism is a post-processing") == 1
    assert report.explain(answer.upper_by) in told


def test_a_very_long_proof_is_cut_and_says_so() -> None:
    told = report.explain(delta(spec.load(PLANS["long"]), 1))
    assert re.search(r"… and \d+ more of this kind", told)


def test_a_frame_and_csv_have_a_row_a_theorem(comparison: Comparison) -> None:
    frame = report.frame(comparison)
    assert list(frame["theorem"]) == [row.theorem for row in comparison.rows]
    uppers = [None if math.isnan(x) else x for x in frame["upper"].astype(float)]
    assert uppers == [row.value for row in comparison.rows]
    lines = report.to_csv(comparison).splitlines()
    assert len(lines) == len(comparison.rows) + 1
    assert lines[0].startswith("theorem,lower,upper,relative,tightest")


def test_only_a_comparison_is_a_table() -> None:
    for table in (report.to_csv, report.frame):
        with pytest.raises(InvalidParameter, match=r"^comparison = 3 is"):
            table(3)


def test_what_rests_on_nothing_cannot_be_cited() -> None:
    with pytest.raises(InvalidParameter, match="nothing else rests on claims"):
        report.bibtex(3)
