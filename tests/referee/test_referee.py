"""The referee: its works against independent computations, its verdicts against accountants that err on purpose."""

from __future__ import annotations

import math
import re
import time
from fractions import Fraction
from pathlib import Path

import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose import referee
from dpcompose.cli import run
from oracles.definitions import hockey_stick, leaky_responses, product, real

WORKS = referee.works()
GAUSSIANS = {
    "gaussian": 1,
    "gaussian-tiny-delta": 1,
    "gaussian-weak": Fraction(1, 10**12),
    "gaussian-1000": Fraction(1000, 2500),
    "gaussian-mixed": Fraction(50, 100) + Fraction(20, 49) + Fraction(1, 4),
    "gaussian-replaced": 4,
    "training-whole": 4,
    "gaussian-loud": 10**4,
    "gaussian-half": Fraction(100, 9),
    "gaussian-kinds": sum((Fraction(1, s * s) for s in range(11, 41)), Fraction(0)),
    "gaussian-billion": Fraction(10**9, 20_000**2),
    "tree": Fraction(7, 25),
    "shuffled-epochs": Fraction(3, 16),
}
"""μ² of what is one Gaussian in the end."""
RESPONSES = {
    "pure-2x20": (2, 0, 20),
    "pure-2x40": (2, 0, 40),
    "pure-3x20": (3, 0, 20),
    "pure-4x10": (4, 0, 10),
    "approximate": (Fraction(1, 10), Fraction(1, 1000), 30),
    "pure-small": (Fraction(0.001), 0, 10_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_every_interval_is_found_again(name: str) -> None:
    work = WORKS[name]
    assert 0 <= work.lower <= work.upper
    found = dpc.epsilon(work.mechanism, delta=work.delta, rigor="ball" if work.tier == "ball" else "float")
    assert found.lower <= work.upper
    assert work.lower <= found.upper
    if math.isfinite(work.upper) and work.upper > 0:
        assert work.upper - work.lower <= 2e-6 * work.upper


@pytest.mark.parametrize("name", GAUSSIANS)
def test_gaussians_by_their_closed_form(name: str) -> None:
    work, mu = WORKS[name], mp.sqrt(real(GAUSSIANS[name]))

    def profile(e: float) -> mpf:
        return mp.ncdf(mu / 2 - mpf(e) / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - mpf(e) / mu)

    assert profile(work.upper) <= mpf(work.delta)
    assert work.lower == 0 or profile(work.lower) >= mpf(work.delta)


@pytest.mark.slow
@pytest.mark.parametrize("name", RESPONSES)
def test_black_boxes_by_their_exact_sum(name: str) -> None:
    work = WORKS[name]
    assert leaky_responses([RESPONSES[name]], Fraction(work.upper)) <= mpf(work.delta)
    assert leaky_responses([RESPONSES[name]], Fraction(work.lower)) >= mpf(work.delta)


@pytest.mark.parametrize(
    "name, count, lie", [("response-1", 1, 0.25), ("response-10", 10, 0.25), ("response-rare-10", 10, 0.046875)]
)
def test_responses_by_listing_every_transcript(name: str, count: int, lie: float) -> None:
    work = WORKS[name]
    p, q = product([1 - mpf(lie), mpf(lie)], [mpf(lie), 1 - mpf(lie)], count)
    assert hockey_stick(p, q, Fraction(work.upper)) <= mpf(work.delta)
    assert hockey_stick(p, q, Fraction(work.lower)) >= mpf(work.delta)


@pytest.mark.parametrize("name, rate, mu", [("sampled-once", 0.1, 0.5), ("drawn-once", 0.01, 2)])
def test_one_sample_bends_the_closed_form(name: str, rate: float, mu: float) -> None:
    work, q = WORKS[name], mpf(rate)

    def profile(e: float) -> mpf:
        level = mp.log1p(mp.expm1(mpf(e)) / q)
        return q * (mp.ncdf(mu / 2 - level / mu) - mp.exp(level) * mp.ncdf(-mu / 2 - level / mu))

    assert profile(work.upper) <= mpf(work.delta) * (1 + mpf(10) ** -12)
    assert profile(work.lower) >= mpf(work.delta) * (1 - mpf(10) ** -12)


@pytest.mark.slow
def test_ours_never_fails_and_is_never_below() -> None:
    sheet = referee.judge(referee.named("dpcompose"), list(WORKS.values()), patience=HANGS)
    assert len(sheet.answered) == len(WORKS)
    assert sheet.worst is None
    assert not sheet.failures
    assert not sheet.contradictions
    assert sheet.median_gap is not None
    assert sheet.median_gap < 1e-6


HANGS = 900
"""Seconds after which an accountant hangs: a machine that is busy takes longer than one that is not."""


class Fixed(referee.Adapter):
    """Says the same of everything, after a while."""

    name, package = "fixed", "dpcompose"

    def __init__(self, said: object, wait: float = 0.0) -> None:
        self.said, self.wait = said, wait

    def epsilon(self, mechanism: dpc.Mechanism, delta: float) -> float:  # noqa: ARG002 - it does not listen
        time.sleep(self.wait)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said  # type: ignore[return-value]


@pytest.mark.parametrize("said", [math.nan, -0.5, math.inf, ValueError("no"), "text"])
def test_what_is_no_answer_is_a_failure(said: object) -> None:
    (cell,) = referee.judge(Fixed(said), [WORKS["gaussian"]]).cells
    assert cell.failed
    assert cell.gap is None


def test_less_than_the_truth_is_unsound_and_more_is_loose() -> None:
    truth = WORKS["gaussian"]
    low, high = (referee.judge(Fixed(said), [truth]) for said in (truth.lower * 0.99, truth.upper * 1.5))
    assert low.worst is not None
    assert low.worst.violation == pytest.approx(0.01)
    assert high.worst is None
    assert high.median_gap == pytest.approx(0.5)
    finite = referee.judge(Fixed(500.0), [WORKS["gaussian-no-noise"]])
    assert finite.worst is not None


def test_an_accountant_that_does_not_count_contradicts_itself_or_the_truth() -> None:
    sheet = referee.judge(Fixed(3.0), [WORKS["response-1"], WORKS["response-10"], WORKS["response-100"]])
    assert {cell.work.id for cell in sheet.cells if cell.unsound} == {"response-10", "response-100"}


def test_waiting_ends() -> None:
    began = time.monotonic()
    (cell,) = referee.judge(Fixed(1.0, wait=30), [WORKS["gaussian"]], patience=0.2).cells
    assert time.monotonic() - began < 20
    assert "TimeoutError" in cell.fault


@pytest.mark.slow
@pytest.mark.parametrize(
    "accountant, work, said",
    [
        ("dp_accounting PLD", "response-10", "1.09869 where ε ∈ [10.9859, 10.986]"),
        ("dp_accounting RDP", "gaussian-replaced", "4.72851 where ε ∈ [9.99725, 9.99726]"),
        ("dp_accounting PLD", "laplace-pure", "inf where ε ∈ [1, 1]"),
        ("prv-accountant", "pure-2x20", "where ε ∈ [39.9999, 40]"),
        ("Opacus RDP", "training-faint", "-0.0085469 where ε ∈ [0, 0]"),
        ("dp_accounting PLD", "response-rare-10", "where ε ∈ [30"),
        ("dp_accounting RDP", "drawn-once", "1.24128 where ε ∈ [4.28542, 4.28543]"),
        ("riskcal", "nothing", "IndexError"),
    ],
)
def test_a_finding_is_shown_by_one_command(
    accountant: str, work: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["referee", "--accountant", accountant, "--work", work]) == 0
    assert said in capsys.readouterr().out


FINDING = re.compile(r"^- (?P<accountant>.+?) on (?P<work>[a-z0-9-]+) \(.*\): (?P<said>\S+) where ε", re.MULTILINE)
PAGE = (Path(__file__).parents[2] / "docs" / "referee.md").read_text(encoding="utf-8")


def test_every_finding_of_the_page_is_below_an_interval_in_balls() -> None:
    """What the page says lies below the truth does so by the work's interval, which is one of balls."""
    found = [line.groupdict() for line in FINDING.finditer(PAGE)]
    below = [line for line in found if is_below(line["said"], WORKS[line["work"]])]
    assert len(below) >= 19
    assert {WORKS[line["work"]].tier for line in below} == {"ball"}
    assert {line["accountant"] for line in found} <= {adapter.name for adapter in referee.ADAPTERS}
    assert f"version {referee.VERSION}, {len(WORKS)} works" in PAGE


def is_below(said: str, work: referee.Work) -> bool:
    return said[0].isdigit() and float(said) <= work.lower


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Opacus PRV", "OpenDP", "Opacus GDP", "autodp", "riskcal"])
def test_other_accountants_answer_through_their_adapters(name: str) -> None:
    (cell,) = referee.judge(referee.named(name), [WORKS["gaussian-1000"]]).cells
    assert cell.offered
    assert not cell.failed
    assert not cell.unsound


def test_names_that_do_not_exist_are_refused() -> None:
    assert run(["referee", "--accountant", "nobody"]) == 2
    assert run(["referee", "--work", "nothing-at-all"]) == 2


def test_a_sound_answer_that_is_faster_is_counted_with_how_tight_it_is() -> None:
    works = [WORKS["gaussian"], WORKS["laplace-10"]]
    ours = referee.Sheet(referee.named("dpcompose"), tuple(referee.Cell(w, w.upper, 1.0) for w in works))
    quick = tuple(referee.Cell(w, said, 0.5) for w, said in zip(works, (works[0].upper, 11.0), strict=True))
    told = referee.told([ours, referee.Sheet(Fixed(0.0), quick)])
    assert "0.5; faster on 2, 1 of them as tight" in told
    low = referee.Sheet(Fixed(0.0), (referee.Cell(works[0], 1.0, 0.1),))
    assert not low.faster(ours)


def test_autodp_is_sound_where_it_answers() -> None:
    works = [WORKS[name] for name in ("gaussian-mixed", "laplace-10", "pure-2x20", "response-10", "training-schedule")]
    sheet = referee.judge(referee.named("autodp"), works)
    assert len(sheet.answered) == len(works)
    assert sheet.worst is None
    assert not sheet.failures


def test_budgets_of_diffprivlib_are_above_the_truth() -> None:
    sheet = referee.judge(referee.named("diffprivlib"), [WORKS["approximate"], WORKS["laplace-10"], WORKS["gaussian"]])
    assert [cell.offered for cell in sheet.cells] == [True, True, False]
    assert sheet.worst is None
    assert not sheet.failures
