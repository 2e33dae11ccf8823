"""Files: what is stated is what is read, and the embedded engine sees nothing else."""

from __future__ import annotations

import threading
import time
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.engine import sandbox
from dpcompose.release.engine.sandbox import engine
from dpcompose.release.sampling.testing import SilentBytesForTests
from release.engines import Book

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
SILENT: dict[str, Any] = {"epsilon": 1, "source": SilentBytesForTests()}


def counted(data: Any, unit: Any = "user", **options: Any) -> Any:
    return release.count(data, unit=unit, **options, **SILENT).value


def test_the_engine_reads_its_files_loads_nothing_and_cannot_be_talked_out_of_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside.parquet", tmp_path / "outside.parquet"
    for path in (inside, outside):
        pl.DataFrame({"user": [1]}).write_parquet(path)
    with engine(files=[inside]) as connection:
        assert connection.execute(f"SELECT count(*) FROM '{inside}'").fetchall() == [(1,)]
        for said in (
            f"SELECT * FROM '{outside}'",
            "SELECT * FROM read_text('/etc/hostname')",
            "SELECT * FROM glob('/*')",
            f"COPY (SELECT 1) TO '{tmp_path / 'new.csv'}'",
            f"ATTACH '{tmp_path / 'new.duckdb'}'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '1TB'",
            "SET autoload_known_extensions = true",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(said)


@pytest.mark.slow
def test_views_are_programs_and_are_refused_unless_they_are_named(tmp_path: Path) -> None:
    base, secret = tmp_path / "rows.duckdb", tmp_path / "secret.csv"
    secret.write_text("user\nsomebody\n")
    with duckdb.connect(str(base)) as connection:
        connection.execute("CREATE TABLE visits AS SELECT range AS user FROM range(7)")
        connection.execute("CREATE VIEW few AS SELECT * FROM visits WHERE user < 3")
        connection.execute(f"CREATE VIEW reads AS SELECT * FROM read_csv('{secret}')")
    for data in (
        release.Database(base, "few"),
        release.Database(base, "reads"),
        release.Sql("SELECT * FROM few", base),
        release.Sql("SELECT v.* FROM FEW JOIN visits AS v ON true", base),
        release.Sql("SELECT * FROM visits WHERE EXISTS (SELECT 1 FROM main.few)", base),
        release.Sql(f"SELECT * FROM read_csv('{secret}')", base),
        release.Sql("SELECT * FROM read_text('/etc/hostname')", base, views=["few"]),
        release.Database(base, "reads", views=["reads"]),  # known, and still shut in
    ):
        book = Book()
        with pytest.raises(release.InvalidData) as refusal:
            release.count(data, unit="user", budget=book, **SILENT)
        assert "somebody" not in str(refusal.value)
        assert not book.charges
    assert counted(release.Database(base, "few", views=["few"])) == 3
    assert counted(release.Sql("SELECT * FROM few", base, views=["few"])) == 3
    assert counted(base, table="visits") == 7


def test_sql_reads_the_files_that_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"user": range(5)}).write_parquet(path)
    said = f"SELECT * FROM '{path}'"
    assert counted(release.Sql(said, files=[path])) == 5
    with pytest.raises(release.InvalidData, match="not listed in `files`"):
        counted(release.Sql(said))


def test_folders_are_no_columns_and_patterns_are_said_and_shown(tmp_path: Path) -> None:
    (tmp_path / "user=7").mkdir()
    for path, units in (
        (tmp_path / "user=7" / "a.parquet", 3),
        (tmp_path / "b1.parquet", 2),
        (tmp_path / "b2.parquet", 4),
    ):
        pl.DataFrame({"user": range(units)}).write_parquet(path)
    assert counted(tmp_path / "user=7" / "a.parquet") == 3
    with pytest.raises(release.InvalidData, match="no such file"):
        counted(tmp_path / "b*.parquet")
    found = release.count(release.Parquet(tmp_path / "b*.parquet", glob=True), unit="user", **SILENT)
    assert (found.value, found.files) == (4, ("b1.parquet", "b2.parquet"))
    assert found.document()["files"] == ["b1.parquet", "b2.parquet"]
    pl.DataFrame({"user": ["text"]}).write_parquet(tmp_path / "b3.parquet")
    with pytest.raises(release.InvalidData, match="do not have the same columns"):
        release.count(release.Parquet(tmp_path / "b*.parquet", glob=True), unit="user", **SILENT)
    for name, units in (("c1.csv", 2), ("c2.csv", 3), ("c[1].csv", 9)):
        (tmp_path / name).write_text("user,x\n" + "".join(f"{i},1\n" for i in range(units)))
    assert counted(tmp_path / "c[1].csv") == 9
    assert counted(release.Csv(tmp_path / "c?.csv", glob=True)) == 3


def test_a_dialect_is_what_it_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"7;'a;b';1\r\n7;'it''s';2\n8;c;x\n9;d\n\n10;'open;3\n11;e;4;5\n\xff;f;6\n12;;7")
    data = release.Csv(path, {"u": "int", "v": "float"}, ["u", "k", "v"], ";", "'")
    assert counted(data, "u") == 3  # 7, 8 and 12; the others are no rows
    by_key: dict[str, Any] = {"unit": "u", "by": "k", "max_groups": 2}
    assert release.count(data, keys=["a;b", "it's", "c", "e"], **by_key, **SILENT).values == {
        "a;b": 1,
        "it's": 1,
        "c": 1,
        "e": 0,
    }
    total = release.sum(data, "v", lower=0, upper=9, grid=1, unit="u", max_rows=3, **SILENT)
    assert total.value == 1 + 2 + 7
    plain = release.Csv(path, {"u": "int"}, ["u", "k", "v"], ";", None)
    assert counted(plain, "u") == 4  # 7 in one of its lines, 8, 10 and 12


@pytest.mark.slow
def test_one_line_changes_no_other(tmp_path: Path) -> None:
    """The findings: one date in another order, one spelling of a number, one quote, one word among numbers."""
    days = [f"0{1 + i % 9}/0{1 + i % 7}/2024" for i in range(200)]
    path = tmp_path / "rows.csv"
    for more in ("", "x,02/13/2024,seven\n", 'x,",\n', "x,2024-02-13,7\n"):
        path.write_text(
            "user,day,n\n" + "".join(f"u{i},{day},{'0' * (i % 60)}7\n" for i, day in enumerate(days)) + more
        )
        data = release.Csv(path, {"day": "date", "n": "int"})
        none = release.count(data, unit="user", by="day", keys=[date(2024, 2, 1)], max_groups=1, **SILENT)
        assert list(none.values.values()) == [0]
        assert counted(data, "n") == 1  # sixty spellings of one number are one unit
        texts = release.Csv(path)
        assert counted(texts, "n") in {60, 61}


def test_a_file_without_a_header_shows_nobody(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("somebody,secret-illness,7\nother,none,8\n")
    with pytest.raises(release.InvalidData) as refusal:
        counted(path)
    assert str(refusal.value) == "'rows.csv' has no column 'user'."


@pytest.mark.slow
def test_limits_end_a_release_in_the_same_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock starts with the charge here: how long it takes until then depends on the machine."""
    charged = threading.Event()
    stopped = sandbox._stopped

    class Noting(Book):
        def spend(self, charge: Any, /) -> None:
            super().spend(charge)
            charged.set()

    def after_the_charge(*limit: Any) -> None:
        charged.wait(60)
        stopped(*limit)

    monkeypatch.setattr(sandbox, "_stopped", after_the_charge)
    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT hash(i) % 9999999 AS user, i % 70 AS region FROM range(20000000) AS r(i)"
        )
    book, began, soon = Noting(), time.process_time(), release.Limits(seconds=0.1)
    with pytest.raises(release.EngineFailure) as failure:
        release.count(path, unit="user", by="region", keys=range(70), max_groups=3, budget=book, limits=soon, **SILENT)
    assert time.process_time() - began < 60, "a limit for a hang only"
    assert str(failure.value) == "The engine failed after the charge, which stays; no answer was made."
    assert failure.value.__context__ is None
    assert len(book.charges) == 1
    for wrong in ({"memory": "lots"}, {"seconds": -1}, {"memory": "4"}):
        with pytest.raises(dpc.InvalidParameter):
            release.Limits(**wrong)  # type: ignore[arg-type]
