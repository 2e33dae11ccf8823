"""What once broke privacy, planted again: the law, or the loop beside it, finds each of them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import polars as pl
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.engine import answers, duck, frames, kinds, masks, parquet, sandbox, tables, text, totals
from dpcompose.release.engine.duck import DuckRows, Given
from dpcompose.release.engine.files import related
from dpcompose.release.engine.rows import PRIME
from dpcompose.release.sampling.testing import SilentBytesForTests
from release import law

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
Planted = AbstractContextManager[Any]
MOST = 800
"""So many pairs are enough to find each of them."""
SEED = 77
SOONER = {
    "quotes_across_lines-csv": 12,
    "narrow_units-arrow": 48,
    "odd_days-arrow": 26,
    "types_by_name-duckdb": 52,
    "strict_texts-parquet": 3,
    "strict_texts-parquet relation": 8,
    "strict_texts-parquet select": 41,
    "strict_texts-parquet lazy": 48,
}
"""Where the pairs come from; of a rare kind, where one of the first shows it."""


def guessed_types() -> Planted:
    """A text file's dialect and types are guessed from what it holds."""

    def guess(stack: Any, source: Any, limits: Any) -> Any:
        del limits
        connection = stack.enter_context(duckdb.connect())
        return related(repr(Path(source.path).name), DuckRows(Given(connection.read_csv(str(source.path)))))

    return mock.patch.dict(tables.OPENERS, {release.Csv: guess})


def strict_casts() -> Planted:
    """A cell that does not read as its type fails the release."""
    real = text.cast

    def strict(column: str, declared: str) -> str:
        return (
            real(column, declared).replace("TRY_CAST", "CAST").replace("regexp_full_match", "true OR regexp_full_match")
        )

    return mock.patch.object(text, "cast", strict)


def quotes_across_lines() -> Planted:
    """A quote that is not closed swallows other people's lines."""

    def batches(path: Path, dialect: Any, names: list[str], wanted: list[str]) -> Iterator[Any]:
        import pyarrow as pa

        del dialect
        places = [names.index(name) for name in wanted]
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            rows = [[row[i] for i in places] for row in list(csv.reader(file))[1:] if len(row) == len(names)]
        if rows:
            columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            yield pa.record_batch(columns, schema=text._schema(wanted))

    return mock.patch.object(text, "batches", batches)


def narrow_units() -> Planted:
    """The remainder of a unit is taken in the width of its column, where it overflows."""

    def narrow(self: Any, rows: Any) -> str:
        number = rows.dialect.digest("unit") if rows.texts else f"(unit % {PRIME} + {PRIME})"
        return f"(CAST({number} AS BIGINT) % {PRIME} * {self.a} + {self.b}) % {PRIME}"

    label = duck.label

    def as_it_is(column: str, sql_type: str) -> str:
        return column if sql_type in {"tinyint", "smallint", "integer"} else label(column, sql_type)

    return together(mock.patch.object(totals.Salt, "hash", narrow), mock.patch.object(duck, "label", as_it_is))


@contextmanager
def together(*patches: Planted) -> Iterator[None]:
    """Several of them at once."""
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def nobody_has_the_key() -> Planted:
    """Where nobody has any of the keys, an exception comes after the charge; the plan was not tried before."""
    counted = masks.counted

    def needy(rows: Any, keys: Any, groups: int, unit_hash: str) -> Any:
        found = counted(rows, keys, groups, unit_hash)
        if rows.texts and not any(n for (n,) in found.values()):
            raise KeyError("text")
        return found

    untried = mock.patch.object(answers, "attempt", return_value=None)
    return together(untried, mock.patch.object(masks, "counted", needy))


def one_for_all_rows() -> Planted:
    """A count of rows without groups answers 1, whatever the table."""
    return mock.patch.object(duck.DuckDialect, "total", lambda _, numbers: f"coalesce(max({numbers}), 0)")


def collated_texts() -> Planted:
    """Units are equal where a collation says so."""
    label = duck.label

    def collated(column: str, sql_type: str) -> str:
        found = label(column, sql_type)
        return found.replace("encode(", "encode(lower(") + ")" if found.startswith("encode(") else found

    return mock.patch.object(duck, "label", collated)


def one_object_refuses() -> Planted:
    """An object of another type, or a text that is no Unicode, fails the release."""
    return mock.patch.object(frames, "_read", lambda read, value: read(value) if value == value else None)


def odd_days() -> Planted:
    """A day that Python has no date for fails the release."""
    return mock.patch.object(
        answers,
        "shown",
        lambda kind, label: (
            kinds.EPOCH.fromordinal(719163 + label) if kind is kinds.Kind.DATE else kinds.shown(kind, label)
        ),
    )


def refused_holes() -> Planted:
    """A missing value is refused, for free."""
    prepared = answers.prepared

    def curious(price: Any, table: Any) -> Any:
        columns = price.query.columns
        all_rows = table.rows(columns, False).gathered([], {"n": "count(*)"}).fetched()
        ready = prepared(price, table)
        if all_rows != ready.rows(empty=False).gathered([], {"n": "count(*)"}).fetched():
            raise release.InvalidData("There are missing values.")
        return ready

    return mock.patch("dpcompose.release.asking.prepared", curious)


def unclipped_rows() -> Planted:
    """A unit counts as often as it has rows."""
    return mock.patch.object(
        totals, "clipped", lambda number, low, high: f"least(greatest({number}, {low}), {high + 10**6})"
    )


def unbounded_groups() -> Planted:
    """A unit keeps all its groups."""
    return mock.patch.object(totals, "_kept", lambda rows, *_: rows)


def strict_texts() -> Planted:
    """A text of a Parquet file that is no UTF-8 fails the release."""

    def native(connection: Any, files: Any, types: Any, *, empty: bool) -> Any:
        del types
        found = DuckRows(Given(connection.read_parquet([str(file) for file in files])))
        return found.where("false") if empty else found

    return mock.patch.object(parquet, "rows", native)


def types_by_name() -> Planted:
    """A type is known by its name, and JSON, which is a text, is cast to a number."""
    return mock.patch.object(duck, "_sql_type", lambda kind: str(kind).lower())


PLANTED: list[tuple[Callable[[], Planted], str]] = [
    (guessed_types, "csv"),
    (strict_casts, "csv"),
    (quotes_across_lines, "csv"),
    (narrow_units, "arrow"),
    (narrow_units, "duckdb"),
    (nobody_has_the_key, "polars"),
    (one_for_all_rows, "pandas numpy"),
    (collated_texts, "duckdb"),
    (types_by_name, "duckdb"),
    *((strict_texts, form) for form in ("parquet", "parquet relation", "parquet select", "parquet lazy")),
    (one_object_refuses, "pandas objects"),
    (odd_days, "arrow"),
    (refused_holes, "pandas nullable"),
    (unclipped_rows, "polars lazy"),
    (unbounded_groups, "pandas arrow"),
]


@pytest.mark.parametrize("planted, form", PLANTED, ids=[f"{plant.__name__}-{form}" for plant, form in PLANTED])
def test_what_is_planted_is_found(planted: Callable[[], Planted], form: str) -> None:
    with planted(), pytest.raises(law.Violation):
        for _ in law.each(SOONER.get(f"{planted.__name__}-{form}", SEED), MOST, form):
            pass


@pytest.mark.parametrize("planted", [False, True], ids=["as it is", "planted"])
def test_a_path_is_a_path_and_a_pattern_that_is_planted_is_found(tmp_path: Path, planted: bool) -> None:
    for name, units in (("v1.parquet", 1), ("v[1].parquet", 2), ("x*.parquet", 4), ("xy.parquet", 8)):
        pl.DataFrame({"user": range(units)}).write_parquet(tmp_path / name)
    broken = mock.patch.object(sandbox, "PATTERN", frozenset("") if planted else sandbox.PATTERN)
    with broken:
        found = []
        for name in ("v[1].parquet", "x*.parquet"):
            try:
                answer = release.count(tmp_path / name, unit="user", epsilon=1, source=SilentBytesForTests())
                found.append(answer.value)
            except dpc.DPError:
                found.append(None)
    assert (found == [2, 4]) is not planted
