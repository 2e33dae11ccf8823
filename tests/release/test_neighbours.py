"""Neighbours as a law: with one unit's rows changed nothing changes but what the noise covers, on every engine.

`bench/neighbours.py` draws as many more pairs as there is time for.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

from cases import by_day, scaled
from release import law
from release.engines import NEEDS_SPARK, spark

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
PAIRS = {
    "arrow": 300,
    "polars": 200,
    "polars lazy": 200,
    "pandas arrow": 200,
    "pandas nullable": 200,
    "pandas numpy": 200,
    "pandas objects": 200,
    "duckdb": 200,
    "parquet": 100,
    "parquet relation": 100,
    "parquet select": 100,
    "parquet lazy": 100,
    "csv": 300,
}
"""Three in ten of them by day, 720, and 72,000 at night; the groups of tables below are more than 3,700 others."""
PART, DAILY = 100, Fraction(3, 10)


@pytest.mark.slow
@pytest.mark.parametrize("form, part", [(form, part) for form, pairs in PAIRS.items() for part in range(pairs // PART)])
def test_nothing_but_the_noise_depends_on_the_rows_of_one_unit(form: str, part: int) -> None:
    kinds = Counter(law.each(part, by_day(PART, DAILY), form))
    assert kinds["answer"] >= 0.8 * kinds.total()  # the rest is refused, by names and types alone
    assert set(kinds) <= {"answer", "InvalidData"}


@pytest.mark.slow
@NEEDS_SPARK
def test_spark_obeys_the_law_and_sums_what_a_loop_sums() -> None:
    found = list(law.on_spark(spark(), 1, scaled(5)))
    assert sum(one.kind == "answer" for one in found) >= 0.8 * len(found)
    assert sum(one.pairs for one in found) >= 4 * len(found)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["arrow", "csv", "duckdb"])
def test_tables_come_by_the_dozen_and_so_do_their_neighbours(form: str) -> None:
    found = list(law.dozens(3, scaled(3), form))
    assert min(one.tables for one in found) > 12
    assert sum(one.pairs for one in found) > 2_000 * (len(found) // 3)


def test_what_a_unit_keeps_is_drawn_for_all_questions_before_any_data_is_seen() -> None:
    asked = {"unit": "unit", "epsilon": 1}
    prices = [
        law.priced("count", {**asked, "by": "key", "max_groups": 1, "epsilon": 8, "delta": Fraction(1, 2)}),
        law.priced("quantile", {**asked, **law.RANGE, "q": Fraction(1, 2)}),
        law.priced("count", asked),
    ]
    few, many = (pa.table({"unit": range(n), "key": range(n), "value": map(float, range(n))}) for n in (1, 9))
    here, there = ([one.salt for one in law.released(prices, data, 7, {})] for data in (few, many))
    assert here == there
    assert len(set(here)) == len(prices)


def test_a_refusal_a_word_a_label_or_a_charge_in_one_of_two_tables_alone_breaks_the_law() -> None:
    price = law.priced("count", {"unit": "unit", "epsilon": 1})
    said = law.Outcome("answer", "words", ["a"], 1, {None: (3,)})
    law.compare(price, said, law.Outcome("answer", "words", ["a"], 1, {None: (4,)}))
    for other in (
        law.Outcome("InvalidData", "words", ["a"], 1),
        law.Outcome("answer", "other words", ["a"], 1, {None: (3,)}),
        law.Outcome("answer", "words", ["A"], 1, {None: (3,)}),
        law.Outcome("answer", "words", ["a"], 0, {None: (3,)}),
        law.Outcome("answer", "words", ["a"], 1, {None: (5,)}),
        law.Outcome("answer", "words", ["a"], 1, {None: (4,), b"a": (1,)}),
    ):
        with pytest.raises(law.Violation):
            law.compare(price, said, other)
