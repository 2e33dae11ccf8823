"""Several keys, conditions and several questions at once: the law of releases holds for them as for one."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import dpcompose as dpc
from cases import by_day
from dpcompose import release
from dpcompose.errors import DPError, InvalidParameter
from dpcompose.release.asking import answers, charge_for
from dpcompose.release.engine.kinds import Joined, Kind
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from release import forms, law, nasty, several
from release.engines import Book
from release.groups import group


@pytest.mark.slow
@pytest.mark.parametrize("form", ["arrow", "polars", "pandas arrow", "duckdb", "parquet"])
def test_two_keys_and_a_condition_obey_the_law_and_the_loop(form: str) -> None:
    chance, answered, groups = Random(form), 0, by_day(30, Fraction(2, 5))  # noqa: S311 - tables for tests
    with law.shared_engine():
        for number in range(groups):
            found = group(chance, every_row=False, labels=nasty.labels(form), size=3)
            keys = nasty.listable(found.columns[1], found.keys)
            options = {"unit": "unit", "epsilon": 1, "by": "key", "max_groups": chance.choice([1, 2])}
            options |= {"adjacency": dpc.REPLACE_ONE if found.replaced else dpc.ADD_REMOVE}
            options |= {"keys": keys} if keys else {"epsilon": 8, "delta": 0.5}
            asked = several.asked(chance, "count", options, law.priced, two=True)
            seen = []
            for rows in found.tables:
                table = nasty.table(found.columns, rows)
                read = nasty.rows(table)
                seen.append(law.released([asked.price], forms.FORMS[form](several.widened(table, read)), number, {}))
                law.agree(asked.single, seen[-1][0], asked.rows(read))
            answered += law.judged([asked.price], seen, found.edges).kind == "answer"
    assert answered > groups * 2 / 3


def test_a_planted_condition_that_looks_at_another_row_would_be_seen() -> None:
    """The law sees a second key that depends on how many rows there are, and not on its own row alone."""
    frame = pa.table({"unit": [1, 2, 3], "key": ["a", "a", "a"], "extra": [0, 0, 0]})
    other = pa.table({"unit": [1, 2], "key": ["a", "a"], "extra": [1, 1]})  # a unit less, and everybody's key moves
    price = release.quote("count", unit="unit", by=["key", "extra"], keys=[("a", 0), ("a", 1)], max_groups=1, epsilon=1)
    with law.shared_engine(), pytest.raises(law.Violation):
        law.compare(price, *(law.outcome(price, table, 1, {}) for table in (frame, other)))


PEOPLE = pd.DataFrame(
    {
        "user": [1, 1, 2, 3, 3, 3, 4],
        "city": pd.array(["n", "s", "n", "s", "s", "w", "n"], dtype="string"),
        "day": pd.array([date(2024, 1, d) for d in (1, 2, 1, 3, 3, 3, 2)], dtype=pd.ArrowDtype(pa.date32())),
        "adult": [True, True, False, True, True, True, True],
        "hours": [2.0, 1.5, 4.0, 0.5, 1.0, 9.0, 3.0],
    }
)
SURE = {"unit": "user", "epsilon": 200}


@pytest.mark.parametrize(
    "where, count",
    [
        ("hours < 3.5", 3),
        ("hours >= 9", 1),
        ("city = n", 3),
        ("city != 'n'", 2),
        ("adult = true", 3),
        ("day > 2024-01-01", 3),
        (["city = s", "hours < 1.25"], 1),
        ("user == 4", 1),
    ],
)
def test_conditions_compare_in_the_type_of_their_column(where: object, count: int) -> None:
    assert release.count(PEOPLE, **SURE, where=where).value == count


def test_keys_found_in_the_data_come_back_in_their_types() -> None:
    found = release.count(PEOPLE, unit="user", by=["city", "day"], max_groups=3, epsilon=400, delta=0.999)
    assert set(found.values) <= {(c, d) for c, d in zip(PEOPLE["city"], PEOPLE["day"], strict=True)}
    assert all(isinstance(city, str) and isinstance(day, date) for city, day in found.values)
    assert found.document()["rows"][0]["key"][0] in {"n", "s", "w"}


def test_labels_of_several_columns_are_joined_without_collisions() -> None:
    whole = Joined((Kind.TEXT, Kind.WHOLE, Kind.TEXT))
    texts, numbers = (b"", b":", b"a", b"3A", b"a:"), (-1, 0, 10)
    parts = [(a, n, b) for a in texts for n in numbers for b in texts]
    labels = {whole.label(part) for part in parts}
    assert len(labels) == len(parts)
    assert [whole.shown(whole.label(p)) for p in parts] == [(a.decode(), n, b.decode()) for a, n, b in parts]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"by": ["city", "city"]}, "each column once"),
        ({"by": []}, "at most 8 names"),
        ({"by": ["city", "day"], "keys": ["n"], "max_groups": 1}, "tuples of 2 values"),
        ({"by": ["city", "day"], "keys": [("n", 3)], "max_groups": 1}, "not of the type of the column 'day'"),
        ({"by": ["city", "no"], "keys": [("n", "3")], "max_groups": 1}, "has no column 'no'"),
        ({"where": "hours"}, "age >= 18"),
        ({"where": "city > a"}, "have no order here"),
        ({"where": "hours > x"}, "needs a number"),
        ({"where": "adult = 1"}, "which holds truth values"),
        ({"where": ["a = 1"] * 21}, "at most 20 conditions"),
        ({"where": "no = 1"}, "has no column 'no'"),
    ],
)
def test_a_refusal_comes_before_the_charge(options: dict[str, Any], said: str) -> None:
    book = Book()
    with pytest.raises(DPError, match=said.replace("(", r"\(")):
        release.count(PEOPLE, unit="user", epsilon=1, delta=0.1, budget=book, **options)
    assert not book.charges


def test_several_questions_are_one_charge_of_all_their_mechanisms() -> None:
    values = {"value": "hours", "lower": 0, "upper": 10}
    prices = [release.quote("count", unit="user", epsilon=1), release.quote("median", unit="user", epsilon=1, **values)]
    book = Book()
    found = answers(prices, PEOPLE, budget=book, source=RepeatableBytesForTests(1))
    (charge,) = book.charges
    assert charge.mechanism == prices[0].mechanism + prices[1].mechanism
    assert [one.query.statistic for one in found] == ["count", "quantile"]
    other = release.quote("count", unit=release.EVERY_ROW, epsilon=1)
    with pytest.raises(InvalidParameter, match="one privacy unit"):
        charge_for([prices[0], other])


def test_the_second_of_several_questions_is_refused_before_the_charge() -> None:
    book = Book()
    prices = [release.quote("count", unit="user", epsilon=1), release.quote("count", unit="nobody", epsilon=1)]
    with pytest.raises(DPError):
        answers(prices, PEOPLE, budget=book)
    assert not book.charges
