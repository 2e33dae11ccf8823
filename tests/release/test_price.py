"""What a release costs, and how accurate it says it is, against exact sums and against enumeration."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import mpmath
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.notions import ZCDP
from dpcompose.release.ask import noises, quantiles, queries
from dpcompose.release.ask.noises import GAUSSIAN, GEOMETRIC, MovedCells
from dpcompose.release.charge import Plan, plan_file
from dpcompose.release.sampling.testing import RepeatableBytesForTests, SilentBytesForTests

mpmath.mp.dps = 40
TABLE: dict[str, Any] = {"unit": "u", "by": "k", "keys": list("abcdef"), "max_groups": 2}
VALUED: dict[str, Any] = {"value": "x", "lower": -2, "upper": 10, "grid": 0.5}


def test_a_count_has_geometric_noise_of_scale_one_over_epsilon() -> None:
    price = release.quote("count", unit="u", epsilon=Fraction(1, 3))
    assert price.mechanism == dpc.Geometric(scale=3, sensitivity=1)
    assert price.charge.upper == pytest.approx(1 / 3, rel=1e-12)
    assert price.charge.upper >= Fraction(1, 3)


def test_replacing_a_unit_moves_a_number_twice_as_far_and_twice_as_many_cells() -> None:
    one = release.quote("count", unit="u", max_rows=3, epsilon=1, adjacency=dpc.REPLACE_ONE)
    assert one.mechanism == dpc.Geometric(scale=6, sensitivity=6, adjacency=dpc.REPLACE_ONE)
    cells = release.quote("count", epsilon=1, adjacency=dpc.REPLACE_ONE, **TABLE)
    assert cells.mechanism == 4 * dpc.Geometric(scale=4, sensitivity=1, adjacency=dpc.REPLACE_ONE)
    signed = release.quote("sum", epsilon=1, adjacency=dpc.REPLACE_ONE, **TABLE, **VALUED)
    assert signed.mechanism == 4 * dpc.Geometric(scale=96, sensitivity=24, adjacency=dpc.REPLACE_ONE)


def test_a_sum_moves_by_the_larger_end_of_its_range() -> None:
    assert release.quote("sum", unit="u", max_rows=2, epsilon=1, **VALUED).mechanism == dpc.Geometric(
        scale=40, sensitivity=40
    )
    high = release.quote("sum", unit="u", epsilon=1, value="x", lower=8, upper=10, grid=1).mechanism
    assert high == dpc.Geometric(scale=10, sensitivity=10)


@pytest.mark.parametrize("statistic, parts", [("count", 1), ("sum", 1), ("mean", 2), ("variance", 3), ("quantile", 1)])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_items_add_up_to_no_more_than_was_allowed(statistic: str, parts: int, delta: float) -> None:
    options = {} if statistic == "count" else VALUED
    options = {**options, "q": 0.5} if statistic == "quantile" else options
    price = release.quote(statistic, unit="u", epsilon=0.7, delta=delta, **options)
    assert len(price.items) == parts
    assert price.charge.upper <= np.nextafter(0.7, 1)
    assert dpc.epsilon(price.mechanism, delta=delta).upper == pytest.approx(price.charge.upper, rel=1e-6)
    if not delta and statistic in {"count", "sum"}:
        assert price.charge.lower > 0.699


@pytest.mark.parametrize("noise", [GEOMETRIC, GAUSSIAN], ids=repr)
@pytest.mark.parametrize("cells, shift", [(1, 1), (2, 1), (3, 5), (40, 1), (5, 300)])
def test_fitted_noise_meets_its_target_and_less_would_not(noise: Any, cells: int, shift: int) -> None:
    drawn = noise.fitted(MovedCells(cells, shift, dpc.ADD_REMOVE), 1, 1e-6)
    whole = cells * drawn.mechanism
    charge = dpc.epsilon(whole, delta=1e-6, tolerance=1e-7)
    assert charge.upper <= 1
    assert charge.upper >= (0.9 if shift == 1 else 0.3)


@pytest.mark.parametrize("scale", [Fraction(1, 3), 1, 7.5, 10**6])
def test_geometric_tails_and_margins_against_sums(scale: Any) -> None:
    drawn = noises.DrawnGeometric(dpc.Geometric(scale=scale))
    r = mpmath.exp(-1 / mpmath.mpf(Fraction(scale).numerator) * Fraction(scale).denominator)
    for distance in (1, 2, 30):
        truth = r**distance / (1 + r)
        assert truth <= drawn.tail(distance) * (1 + mpmath.mpf(10) ** -30)
        assert drawn.tail(distance) <= truth * (1 + 1e-12)
    margin = drawn.margin(0.95)
    assert 2 * r ** (margin + 1) / (1 + r) <= 1 - mpmath.mpf(0.95) < 2 * r**margin / (1 + r) or not margin


@pytest.mark.parametrize("deviation", [0.4, 1.0, 6.5, 100.0])
def test_gaussian_tails_are_upper_bounds(deviation: float) -> None:
    drawn = noises.DrawnGaussian(dpc.DiscreteGaussian(noise_std=deviation))
    heights = [
        mpmath.exp(-(mpmath.mpf(z) ** 2) / (2 * mpmath.mpf(deviation) ** 2)) for z in range(int(40 * deviation) + 3)
    ]
    total = heights[0] + 2 * mpmath.fsum(heights[1:])
    for distance in (1, 2, 5, int(3 * deviation) + 1):
        assert drawn.tail(distance) >= mpmath.fsum(heights[distance:]) / total


@pytest.mark.parametrize("noise", [GEOMETRIC, GAUSSIAN], ids=repr)
@pytest.mark.parametrize("rows, groups", [(1, 1), (3, 2)])
def test_keys_from_the_data_cost_what_a_lonely_key_reveals(noise: Any, rows: int, groups: int) -> None:
    options: dict[str, Any] = {"unit": "u", "by": "k", "max_rows": rows, "max_groups": groups, "noise": noise}
    question: Any = release.query("count", epsilon=1, delta=1e-5, **options)
    price = question.quote()
    (drawn,) = question.drawn.values()
    found = question.threshold(drawn)
    assert price.items["keys"] in {found.mechanism, groups * found.mechanism}
    # A unit alone with all its keys, at its most rows: next door nothing is ever shown.
    shown = 1 - (1 - drawn.tail(found.least - rows)) ** groups
    assert dpc.delta(price.mechanism, epsilon=50).upper >= shown * (1 - 1e-9)
    assert shown <= 1e-5
    assert drawn.tail(found.least - rows - 1) * groups > 1e-5 / 2.01, "a lower threshold would do"
    assert price.charge.upper <= 1


def test_the_exponential_mechanism_is_drawn_exactly() -> None:
    gap, scale, size = np.array([0, 1, 1, 3, 7, 40]), Fraction(5, 2), 6000
    source = RepeatableBytesForTests(11)
    found = np.bincount([quantiles.chosen(gap + 2, scale, source) for _ in range(size)], minlength=len(gap))
    weights = np.exp(-gap / float(scale))
    expected = size * weights / weights.sum()
    seen = expected > 1
    assert float(((found - expected)[seen] ** 2 / expected[seen]).sum()) < 18.5  # P(χ²₄ > 18.5) = 0.001


def test_gaps_are_zero_at_the_quantile() -> None:
    counts = np.array([3, 0, 4, 0, 3])
    assert quantiles.gaps(counts, Fraction(1, 2)).tolist() == [4, 4, 0, 4, 4]
    assert quantiles.gaps(counts, Fraction(0)).tolist() == [0, 3, 3, 7, 7]
    assert quantiles.gaps(counts, Fraction(1)).tolist() == [7, 7, 3, 3, 0]
    assert quantiles.gaps(np.zeros(3, dtype=np.int64), Fraction(1, 2)).tolist() == [0, 0, 0]


def test_a_quantile_at_a_large_epsilon_is_the_quantile() -> None:
    frame = pl.DataFrame({"u": range(999), "x": [i / 10 for i in range(999)]})
    found = release.quantile(frame, "x", 0.5, lower=0, upper=100, grid=0.1, unit="u", epsilon=200)
    assert float(found) == pytest.approx(49.9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_error_bars_hold_the_truth(seed: int) -> None:
    frame = pl.DataFrame({"u": range(2000), "x": [(i * 37 % 101) / 10 for i in range(2000)]})
    for statistic in ("count", "sum", "mean", "variance"):
        options = {} if statistic == "count" else VALUED
        source = RepeatableBytesForTests(seed)
        noisy = release.run(statistic, frame, unit="u", epsilon=0.2, confidence=0.999, source=source, **options)
        silent = release.run(statistic, frame, unit="u", epsilon=0.2, source=SilentBytesForTests(), **options)
        assert noisy.estimate.lower <= silent.value <= noisy.estimate.upper
        assert noisy.estimate.lower <= noisy.value <= noisy.estimate.upper


def test_an_allowance_is_never_overspent() -> None:
    frame = pl.DataFrame({"u": [1, 2, 3]})
    allowance = release.Allowance(epsilon=1, delta=1e-6)

    def ask(times: int) -> None:
        for _ in range(times):
            release.count(frame, unit="u", epsilon=0.25, budget=allowance)

    with pytest.raises(release.OverBudget, match="the total would be"):
        ask(50)
    assert 0.99 < allowance.charge.upper <= 1
    runs = sum(count for _, count in allowance.spent.leaves())
    assert runs == 4
    with pytest.raises(release.OverBudget, match="the plan"):
        release.Allowance(epsilon=1, plan=3 * dpc.Laplace(scale=1))
    gaussian: dict[str, Any] = {"unit": "u", "epsilon": 0.5, "delta": 1e-7, "noise": GAUSSIAN}
    with pytest.raises(release.OverBudget, match="another filter"):
        release.count(frame, budget=release.Allowance(epsilon=1), **gaussian)
    book = release.Allowance(epsilon=1, delta=1e-6, filter=ZCDP)
    release.count(frame, budget=book, **gaussian)
    assert [0 < spent <= cap for spent, cap in book.used.values()] == [True, False]
    with pytest.raises(dpc.DPError, match="whoever stops after looking"):
        _ = book.charge


def test_a_release_computes_its_price_once_and_reads_each_state_of_its_book_once(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text("[budget]\nepsilon = 3\ndelta = 1e-6\n", encoding="utf-8")
    visits = pa.table({"user": [1, 2, 3], "region": ["a", "b", "a"]})
    options: dict[str, Any] = {"unit": "user", "by": "region", "keys": ["a", "b"], "max_groups": 1, "epsilon": 1}
    plan_file._read.cache_clear()
    for spent in (1, 2):
        with (
            mock.patch.object(queries, "epsilon", wraps=queries.epsilon) as proved,
            mock.patch.object(plan_file, "_parsed", wraps=plan_file._parsed) as read,
        ):
            release.run("count", visits, **options, budget=Plan(path, "user"))
        assert proved.call_count == 1
        states = [text for _, text in (call.args for call in read.call_args_list)]
        assert len(states) == len(set(states)) == (2 if spent == 1 else 1)  # what was written last is known already
        assert path.read_text(encoding="utf-8").count("[[spent]]") == spent
