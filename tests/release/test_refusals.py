"""Bad input: one sentence, before any charge; and the exact answer is seen nowhere, also when something fails."""

from __future__ import annotations

import logging
import pickle
import traceback
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.engine.secret import Secret
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from release.engines import Book

GOOD = pl.DataFrame({"user": [1, 2, 2, 3], "region": ["a", "b", "a", "c"], "hours": [1.0, 2.0, 3.0, 4.0]})
COUNT: dict[str, Any] = {"unit": "user", "epsilon": 1}
TABLE: dict[str, Any] = {**COUNT, "by": "region", "keys": ["a", "b"], "max_groups": 1}
SUM: dict[str, Any] = {**COUNT, "value": "hours", "lower": 0, "upper": 5, "grid": 0.5}


class Untouched:
    """A frame that nobody may look at."""

    def __getattr__(self, name: str) -> object:
        pytest.fail(f"the data was touched: {name}")


BEFORE_THE_DATA = [
    ("count", {"epsilon": 1}, "unit"),
    ("count", {**COUNT, "unit": ""}, "unit"),
    ("count", {"unit": "user"}, "epsilon"),
    ("count", {**COUNT, "epsilon": 0}, "positive"),
    ("count", {**COUNT, "epsilon": float("nan")}, "epsilon"),
    ("count", {**COUNT, "epsilon": -1}, "epsilon"),
    ("count", {**COUNT, "delta": 2}, "delta"),
    ("count", {**COUNT, "max_rows": 0}, "max_rows"),
    ("count", {**COUNT, "max_rows": 1.5}, "max_rows"),
    ("count", {**COUNT, "max_groups": 2}, "without `by`"),
    ("count", {**COUNT, "keys": ["a"]}, "without `by`"),
    ("count", {**COUNT, "confidence": 1}, "confidence"),
    ("count", {**COUNT, "adjacency": "add"}, "adjacency"),
    ("count", {**COUNT, "missing": "drop"}, "missing"),
    ("count", {**COUNT, "noise": "laplace"}, "noise"),
    ("count", {**COUNT, "by": "region", "keys": ["a"]}, "unbounded"),
    ("count", {**COUNT, "by": "region", "max_groups": 1}, "keys come from the data"),
    ("count", {**TABLE, "keys": []}, "keys"),
    ("count", {**TABLE, "keys": ["a", "a"]}, "once"),
    ("count", {**TABLE, "keys": ["a", None]}, "texts"),
    ("count", {**TABLE, "keys": [["a"]]}, "texts"),
    ("count", {**TABLE, "keys": [float("nan")]}, "texts"),
    ("count", {**TABLE, "keys": "ab"}, "list"),
    ("count", {**TABLE, "noise": release.GAUSSIAN}, "Gaussian"),
    ("count", {"unit": release.EVERY_ROW, "epsilon": 1, "max_rows": 2}, "a column"),
    ("sum", {**SUM, "value": ""}, "column"),
    ("sum", {**SUM, "upper": 0}, "above lower"),
    ("sum", {**SUM, "upper": float("inf")}, "upper"),
    ("sum", {**SUM, "grid": 0}, "grid"),
    ("sum", {**SUM, "grid": 1e-12}, "coarser"),
    ("sum", {**SUM, "max_rows": 10**9}, "coarser"),
    ("sum", {**SUM, "by": "region", "max_groups": 1}, "list of keys"),
    ("quantile", {**SUM, "q": 1.5}, "q"),
    ("quantile", {**SUM, "q": 0.5, "grid": 1e-7}, "coarser"),
    ("quantile", {**SUM, "q": 0.5, "by": "region"}, "option"),
    ("average", COUNT, "statistic"),
]


@pytest.mark.parametrize("statistic, options, said", BEFORE_THE_DATA)
def test_what_is_declared_wrongly_is_refused_before_the_data_is_seen(
    statistic: str, options: dict[str, Any], said: str
) -> None:
    book = Book()
    with pytest.raises(dpc.InvalidParameter, match=said) as refusal:
        release.run(statistic, Untouched(), budget=book, **options)
    assert one_sentence(str(refusal.value))
    assert not book.charges


def one_sentence(text: str) -> bool:
    return "\n" not in text and text.endswith(".") and len(text) < 300


WRONG_COLUMNS = [
    ("count", {**COUNT, "unit": "nobody"}, "no column 'nobody'"),
    ("count", {**COUNT, "unit": "hours"}, "holds numbers; a unit is"),
    ("count", {**TABLE, "by": "hours"}, "holds numbers; a key is"),
    ("count", {**TABLE, "keys": [1]}, "not of the type of the column 'region'"),
    ("count", {**TABLE, "by": "user", "keys": ["a"]}, "not of the type of the column 'user'"),
    ("count", {**TABLE, "by": "user", "keys": [True]}, "not of the type of the column 'user'"),
    ("count", {**TABLE, "by": "user", "keys": [2**64]}, "not of the type of the column 'user'"),
    ("sum", {**SUM, "value": "region"}, "a value is a number"),
    ("sum", {**SUM, "value": "none"}, "no column 'none'"),
]


@pytest.mark.parametrize("statistic, options, said", WRONG_COLUMNS)
@pytest.mark.parametrize(
    "data", [GOOD, GOOD.lazy(), GOOD.to_pandas().astype({"region": "string"})], ids=["polars", "lazy", "pandas"]
)
def test_columns_are_checked_before_the_charge(statistic: str, options: dict[str, Any], said: str, data: Any) -> None:
    book = Book()
    with pytest.raises(release.InvalidData, match=said) as refusal:
        release.run(statistic, data, budget=book, **options)
    assert one_sentence(str(refusal.value))
    assert not book.charges


def bad_files(folder: Path) -> dict[str, Any]:
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    (folder / "broken.duckdb").write_bytes(b"nothing of a database")
    (folder / "late.csv").write_text("user,hours\n" + "1,2\n" * 30000 + "secret-person,none\n")
    (folder / "rows.txt").write_text("user\n1\n")
    return {
        "no such file": folder / "absent.csv",
        "must end in": folder / "rows.txt",
        "cannot be read by its engine": folder / "broken.parquet",
        "engine": folder / "broken.duckdb",
        "late.csv": folder / "late.csv",
        "exactly one SELECT": release.Sql("SELECT 1 AS user; DROP TABLE x"),
        "SELECT\\.": release.Sql("CREATE TABLE x AS SELECT 1 AS user"),
        "is no table": {"user": [1]},
    }


def test_what_cannot_be_read_is_refused_without_a_charge_and_without_quoting(tmp_path: Path) -> None:
    for said, data in bad_files(tmp_path).items():
        book = Book()
        with pytest.raises(release.InvalidData, match=said) as refusal:
            release.run("sum", data, budget=book, **SUM)
        whole = "".join(traceback.TracebackException.from_exception(refusal.value, capture_locals=True).format())
        assert "secret-person" not in whole
        assert one_sentence(str(refusal.value))
        assert not book.charges


def test_what_does_not_fit_is_refused_before_the_data_is_opened() -> None:
    allowance = release.Allowance(epsilon=1)
    with pytest.raises(release.OverBudget):
        release.count(Untouched(), budget=allowance, unit="user", epsilon=1.5)
    assert allowance.charge.upper == 0


def test_charges_that_just_fill_a_budget_fit() -> None:
    allowance = release.Allowance(epsilon=Fraction(9, 10))
    for _ in range(3):
        release.count(GOOD, budget=allowance, unit="user", epsilon=Fraction(3, 10))
    with pytest.raises(release.OverBudget):
        release.count(GOOD, budget=allowance, unit="user", epsilon=Fraction(1, 10**9))


def test_a_refused_charge_leaves_the_data_alone() -> None:
    class Closed(Book):
        def spend(self, charge: release.Charge, /) -> None:
            raise release.OverBudget(f"{charge}")

    class Silent:
        for_tests = True  # no start-up test, which would draw

        def bytes(self, count: int, /) -> bytes:
            pytest.fail(f"{count} bytes of noise were drawn")

    with pytest.raises(release.OverBudget):
        release.count(GOOD, budget=Closed(), source=Silent(), **COUNT)


def test_the_charge_is_what_the_release_says_it_is() -> None:
    book = Book()
    found = release.mean(GOOD, "hours", lower=0, upper=5, unit="user", epsilon=1, budget=book)
    assert [charge.mechanism for charge in book.charges] == [found.mechanism]
    assert found.charge.upper == dpc.epsilon(found.mechanism, delta=0).upper


MANY = 77_773


def crowd() -> pd.DataFrame:
    return pd.DataFrame({"user": range(MANY), "region": ["secret-town"] * MANY, "hours": [1.0] * MANY})


def test_the_exact_answer_is_shown_nowhere(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    source = RepeatableBytesForTests(1)
    found = release.count(crowd(), unit="user", epsilon=1e-3, source=source)
    assert found.value != MANY
    said = [repr(found), str(found), str(found.document()), str(found.rows()), caplog.text, *capsys.readouterr()]
    assert not [text for text in said if str(MANY) in text]


class Failing:
    """Good for so many reads, then broken."""

    def __init__(self, good: int) -> None:
        self._good, self._source = good, RepeatableBytesForTests(1)

    def bytes(self, count: int, /) -> bytes:
        self._good -= 1
        if self._good < 0:
            raise OSError("no more randomness")
        return self._source.bytes(count)


@pytest.mark.parametrize("good", range(4))
@pytest.mark.parametrize("statistic", ["count", "table", "quantile"])
def test_a_failure_shows_no_exact_answer(statistic: str, good: int, tmp_path: Path) -> None:
    crowd().to_parquet(tmp_path / "crowd.parquet")
    options: dict[str, Any] = {
        "count": {**COUNT, "confidence": 0.9},
        "table": {**COUNT, "by": "region", "max_groups": 1, "delta": 1e-9},
        "quantile": {**SUM, "q": 0.5},
    }[statistic]
    name = "count" if statistic == "table" else statistic
    whole = ""
    try:
        release.run(name, tmp_path / "crowd.parquet", source=Failing(good), **options)
    except (dpc.DPError, OSError) as error:
        whole = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert str(MANY) not in whole
    assert "secret-town" not in whole
    assert whole or good > 1


def test_a_secret_has_no_text_and_opens_once() -> None:
    secret = Secret(12345)
    assert "12345" not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError, match="never stored"):
        pickle.dumps(secret)
    assert secret.spent_in(lambda held: held + 1) == 12346
    with pytest.raises(dpc.DPError, match="no answer"):
        secret.spent_in(str)


def test_a_release_reads_like_one() -> None:
    found = release.count(GOOD, source=RepeatableBytesForTests(2), **TABLE)
    lines = str(found).splitlines()
    assert lines[0] == "count by 'region', hiding one 'user' (at most 1 row each) added or removed in at most 1 group"
    assert lines[1].startswith("  costs  ε ≤ 1 at δ = 0, because KOV-3.3")
    assert [line.split()[0] for line in lines[3:]] == ["a", "b"]
    assert pickle.loads(pickle.dumps(found.estimates)) == found.estimates  # noqa: S301 - our own
    with pytest.raises(dpc.InvalidParameter, match="a single number"):
        _ = found.value


@pytest.mark.parametrize("opened", ["file", "relation", "frame"])
def test_nan_is_found_where_the_statistics_of_a_file_leave_it_out(tmp_path: Path, opened: str) -> None:
    import duckdb

    path = str(tmp_path / "rows.parquet")
    frame = pl.DataFrame({"user": range(9), "hours": [float("nan"), *(1.0 + i for i in range(8))]})
    frame.write_parquet(path, statistics=True)  # says that all hours are between 1 and 8
    with duckdb.connect() as connection:
        data = {"file": path, "relation": connection.read_parquet(path), "frame": frame}[opened]
        much = {**SUM, "epsilon": 10**6, "upper": 8}
        found = release.run("sum", data, **much)
    assert found.value == sum(range(1, 9))


@pytest.mark.parametrize("kind", ["file", "polars", "lazy", "pandas", "arrow"])
def test_infinite_and_huge_values_are_not_missing_but_clipped(tmp_path: Path, kind: str) -> None:
    frame = pl.DataFrame({"user": range(5), "hours": [1e300, -1e300, float("inf"), float("-inf"), 2.0]})
    frame.write_parquet(tmp_path / "rows.parquet")
    data = {"file": tmp_path / "rows.parquet", "polars": frame, "lazy": frame.lazy(), "pandas": frame.to_pandas()}
    found = release.sum(
        data.get(kind, frame.to_arrow()),
        "hours",
        lower=-1,
        upper=3,
        grid=1,
        unit="user",
        epsilon=10**6,
    )
    assert found.value == 3 - 1 + 3 - 1 + 2
