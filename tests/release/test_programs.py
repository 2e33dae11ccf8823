"""Programs before the bounds: what is more than columns of a table is refused by its plan, whatever its rows hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcompose import release
from release.engines import stored
from release.programs import ROWS, asked, judged

SELECTS = {
    "CAST(name AS INTEGER) AS user": "CAST",
    "user + 1 AS user": "+",
    "1 AS user": "CONSTANT",
    "error(name) AS user": "error",
    "CASE WHEN name = 'Bob' THEN error('x') ELSE 1 END AS user": "CASE",
    "lower(name) AS user": "lower",
    "list_extract([1], user) AS user": "list_extract",
    "(SELECT max(user) FROM visits) AS user": "SUBQUERY",
    "row_number() OVER () AS user": "row_number",
    "DISTINCT user": "modifiers",
    "COLUMNS('user')": "columns",
    "* REPLACE (user + 1 AS user)": "replace list",
    "count(*) AS user": "count_star",
}
CLAUSES = {
    "JOIN visits AS v ON true": "JOIN",
    "GROUP BY ALL": "GROUP BY",
    "ORDER BY user": "modifiers",
    "LIMIT 1": "modifiers",
    "USING SAMPLE 1": "sample",
    "UNION ALL SELECT * FROM visits": "SET_OPERATION_NODE",
    "QUALIFY user > 1": "qualify",
    "WHERE name > 1": "no constant of its type",
    "WHERE user IN (1, 2)": "COMPARE_IN",
    "WHERE user + 1 > 2": "CONSTANT",
    "WHERE user > hours": "no constant",
    "WHERE user > 1 OR user < 0": "CONJUNCTION_OR",
    "WHERE hours > (SELECT 1)": "no constant",
    "WHERE user IS NULL": "OPERATOR_IS_NULL",
}
CHOSEN = {
    "SELECT user FROM visits": "{None: 3}",
    "SELECT v.user FROM main.visits AS v WHERE 1 < v.user AND hours <= 9.5": None,
    "SELECT * FROM (SELECT name, hours AS h, user FROM visits WHERE name <> '2') WHERE h >= 0.5": "{None: 2}",
    "FROM visits WHERE USER > -1 AND 1e9 > hours": None,
    "SELECT name AS user, * FROM (SELECT name FROM visits)": "{None: 3}",
    "SELECT name AS user FROM visits WHERE name = '2'": "{None: 1}",
}


@pytest.fixture
def database(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """A .duckdb file with the rows."""

    def make(rows: dict[str, Any]) -> Path:
        path = tmp_path / "rows.duckdb"
        path.unlink(missing_ok=True)
        with duckdb.connect(str(path)) as connection:
            stored(connection, pa.table(rows))
            connection.execute("CREATE TABLE visits AS SELECT * FROM stored")
            connection.execute("CREATE VIEW fails AS SELECT CAST(name AS INTEGER) AS user FROM visits")
            connection.execute("CREATE VIEW nested AS SELECT * FROM fails")
            connection.execute("CREATE VIEW few AS SELECT user, name FROM visits WHERE (hours > 1)")
            connection.execute("CREATE VIEW named (a, b, user) AS SELECT * FROM visits")
            for function in ("sum", "least", "greatest", "encode"):
                connection.execute(f"CREATE MACRO main.{function}(x, y := 1) AS error('x')")
        return path

    return make


@pytest.mark.slow
@pytest.mark.parametrize("select, word", SELECTS.items())
def test_what_a_select_computes_is_refused_by_its_text(database: Any, select: str, word: str) -> None:
    kind, said = judged(lambda rows: release.Sql(f"SELECT {select} FROM visits", database(rows)))
    assert kind == "refused"
    assert word in said


@pytest.mark.slow
@pytest.mark.parametrize("clause, word", CLAUSES.items())
def test_what_a_select_mixes_or_compares_otherwise_is_refused_by_its_text(
    database: Any, clause: str, word: str
) -> None:
    kind, said = judged(lambda rows: release.Sql(f"SELECT user FROM visits {clause}", database(rows)))
    assert kind == "refused"
    assert word in said


@pytest.mark.slow
@pytest.mark.parametrize("select, truth", CHOSEN.items())
def test_what_a_select_chooses_is_what_duckdb_would_choose(database: Any, select: str, truth: str | None) -> None:
    path = database(ROWS)
    with duckdb.connect(str(path)) as connection:
        units = {row[0] for row in connection.sql(select).project('"user"').fetchall()}
    assert asked(release.Sql(select, path)) == ("answer", f"{{None: {len(units)}}}", 1)
    assert truth in {None, f"{{None: {len(units)}}}"}
    assert judged(lambda rows: release.Sql(select, database(rows)))[0] == "answer"


@pytest.mark.slow
def test_a_view_that_is_named_is_a_select_like_any_other(database: Any) -> None:
    for views, view, word in (
        (["fails"], "fails", "CAST"),
        (["nested"], "nested", "'fails' is a view"),
        (["nested", "fails"], "nested", "CAST"),
        (["named"], "named", "names its columns"),
    ):
        kind, said = judged(lambda rows: release.Database(database(rows), view, views))  # noqa: B023 - called at once
        assert kind == "refused"
        assert word in said
    assert judged(lambda rows: release.Database(database(rows), "few", ["few"])) == ("answer", "{None: 2}")


@pytest.mark.slow
def test_dates_truths_and_numbers_are_compared_as_in_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS user, DATE '2024-01-01' + i::INT AS day, i > 2 AS late, "
            "i::DECIMAL(38, 10) AS price, {'user': i} AS s FROM range(5) AS r(i)"
        )
    for where, units in (
        ("day >= DATE '2024-01-03'", 3),
        ("day < '2024-01-03'", 2),
        ("late = true", 2),
        ("late <> true AND price > 0.5", 2),
        ("price <= 1.0000000000000001", 2),
    ):
        assert asked(release.Sql(f"SELECT * FROM t WHERE {where}", path)) == ("answer", f"{{None: {units}}}", 1)
    for wrong in ("day > '2024-02-30'", "s.user > 1", "s = 1", "late > true", "price > 'x'"):
        assert asked(release.Sql(f"SELECT * FROM t WHERE {wrong}", path))[0::2] == ("refused", 0)
    assert asked(release.Sql("SELECT s.user FROM t", path))[0::2] == ("refused", 0)


@pytest.mark.slow
def test_parquet_under_a_select_a_relation_or_a_lazy_frame_is_read_as_by_its_path(tmp_path: Path) -> None:
    """The finding: one text that is no UTF-8 failed the release, after the charge."""
    path = tmp_path / "v[1].parquet"
    for mine in (b"b", b"\xff\xfe", b"\xe4", None):
        texts = pa.array([b"a", b"a", mine], pa.binary()).view(pa.string())
        pq.write_table(
            pa.table({"user": pa.array([b"1", b"2", b"3"]).view(pa.string()), "key": texts, "n": [1, 2, 3]}), path
        )
        connection = duckdb.connect()
        plain = tmp_path / "v.parquet"
        pq.write_table(pq.read_table(path), plain)
        read = {
            "path": path,
            "select": release.Sql(f"SELECT user, key FROM '{path}'", files=[path]),
            "select more": release.Sql(f"SELECT * FROM read_parquet(['{path}']) WHERE n > 0", files=[path]),
            "relation": connection.read_parquet(str(plain)),
            "columns": connection.read_parquet(str(plain)).project("key, user"),
            "query": connection.sql(f"SELECT user, key FROM '{plain}'"),
            "lazy": pl.scan_parquet(plain),
            "lazy columns": pl.scan_parquet(plain).select("key", "user"),
        }
        keys: dict[str, Any] = {"by": "key", "keys": ["a", "b"], "max_groups": 1}
        for name, data in read.items():
            assert asked(data) == ("answer", "{None: 3}", 1), name
            assert asked(data, **keys)[1] == str({"a": 2, "b": int(mine == b"b")}), name
            assert asked(data, unit="key")[1] == f"{{None: {1 + (mine is not None)}}}", name


COMPUTED: dict[str, Callable[[Any], Any]] = {
    "+": lambda c: c.table("stored").project("user + 1 AS user"),
    "CAST": lambda c: c.sql("SELECT CAST(name AS INT) AS user FROM stored"),
    "GROUP BY": lambda c: c.table("stored").aggregate("user, name"),
    "modifiers": lambda c: c.table("stored").limit(2),
    "CAST ": lambda c: c.sql("SELECT * FROM fails"),
    "range()": lambda c: c.sql("SELECT (SELECT max(user) FROM stored) AS user FROM range(3)"),
    "JOIN": lambda c: c.sql("SELECT a.user FROM stored AS a JOIN stored AS b ON true"),
    "CAST  ": lambda c: c.sql("WITH w AS (SELECT CAST(name AS INT) AS user FROM stored) SELECT * FROM w"),
    "COMPARE_IN": lambda c: c.table("stored").filter("user IN (1, 2)"),
    "huge": lambda c: c.sql("SELECT * FROM (SELECT huge AS user, huge FROM wide) WHERE huge > 0.5"),
    "'note'": lambda c: c.sql("SELECT * FROM notes WHERE note > 1"),
    "'id'": lambda c: c.sql("SELECT * FROM notes WHERE id > '1'"),
    "'hours'": lambda c: c.sql("SELECT * FROM stored WHERE hours > 0.00000000000001"),
}
CHOOSING: dict[str, Callable[[Any], Any]] = {
    "all": lambda c: c.table("stored"),
    "columns": lambda c: c.table("stored").project("name AS user, hours"),
    "schema": lambda c: c.sql("SELECT s.user FROM main.stored AS s"),
    "rows": lambda c: c.table("stored").filter("hours > 1 AND user >= 0").project("user"),
    "text": lambda c: c.sql("SELECT * FROM stored WHERE name <> '2'"),
    "view": lambda c: c.sql("SELECT * FROM few"),
    "with": lambda c: c.sql("WITH w AS (SELECT user FROM stored WHERE hours > 1.25) SELECT * FROM w"),
    "values": lambda c: c.sql("SELECT * FROM (VALUES (1, 2), (3, 4)) AS v(user, x)"),
    "counted": lambda c: c.sql("SELECT i % 10 AS user, i * 3 AS x FROM range(100) AS r(i)"),
}


@pytest.fixture
def connection() -> Any:
    """With two views and a table of large numbers."""
    connection = duckdb.connect()
    stored(connection, pa.table(ROWS))
    connection.execute("CREATE VIEW fails AS SELECT CAST(name AS INT) AS user FROM stored")
    connection.execute("CREATE VIEW few AS SELECT user, name FROM stored WHERE hours > 1")
    connection.execute("CREATE TABLE notes AS SELECT 1 AS user, '1'::JSON AS note, uuid() AS id")
    connection.execute("CREATE TABLE wide AS SELECT 1::HUGEINT AS huge")
    return connection


@pytest.mark.slow
@pytest.mark.parametrize("word", COMPUTED)
def test_a_relation_that_computes_is_refused_by_its_plan(connection: Any, word: str) -> None:
    def make(rows: dict[str, Any]) -> Any:
        stored(connection, pa.table(rows))
        return COMPUTED[word](connection)

    kind, said = judged(make)
    assert kind == "refused"
    assert word.strip() in said


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOOSING)
def test_a_relation_of_columns_and_rows_is_read_where_it_lies(connection: Any, choice: str) -> None:
    def make(rows: dict[str, Any]) -> Any:
        stored(connection, pa.table(rows))
        return CHOOSING[choice](connection)

    before = connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    units = {row[0] for row in make(ROWS).project('"user"').fetchall()}
    assert asked(make(ROWS)) == ("answer", f"{{None: {len(units)}}}", 1)
    assert judged(make)[0] == "answer"
    assert connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall() == before
    connection.execute("CREATE MACRO mine(x) AS x + 1")
    assert asked(make(ROWS))[0] == "answer"


@pytest.mark.slow
def test_a_relation_of_a_frame_is_read_where_it_lies() -> None:
    connection, table = duckdb.connect(), pa.table(ROWS)
    frame = table.to_pandas()
    connection.register("mine", table)
    for data, units in (
        (connection.from_arrow(table), 3),
        (connection.from_df(frame), 3),
        (connection.sql("SELECT * FROM frame WHERE hours > 1.25"), 2),
        (connection.from_df(frame).filter("hours > 1"), 2),
        (connection.sql("SELECT * FROM mine WHERE user > 2 AND name <> 'x'"), 1),
    ):
        assert asked(data) == ("answer", f"{{None: {units}}}", 1)
    for hidden in ("SELECT user FROM frame WHERE hours > 1", "SELECT name AS user FROM frame WHERE user > 2"):
        assert asked(connection.sql(hidden))[0::2] == ("refused", 0)  # of the column no type is seen
    raw = pa.array([b"a", b"\xff", None], pa.binary()).view(pa.string())
    assert asked(connection.from_arrow(pa.table({"user": raw}))) == ("answer", "{None: 2}", 1)


def test_a_macro_stands_in_for_no_function_of_the_engine() -> None:
    """Without `least` nothing would be clipped to the range that its noise was made for."""
    connection = duckdb.connect()
    table = stored(connection, pa.table(ROWS))
    connection.execute("CREATE MACRO least(x, y) AS x")
    kind, said, charges = asked(table)
    assert (kind, charges) == ("refused", 0)
    assert "macro" in said
