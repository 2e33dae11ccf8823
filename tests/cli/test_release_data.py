"""`dpcompose release` and its files: declared types, kept answers, keys that move no cursor, patterns on view."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

SURE = ["--epsilon", "1000000"]  # so little noise that an answer is exact


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pl.DataFrame({"user": range(300)}).write_parquet(tmp_path / "visits.parquet")
    (tmp_path / "plan.toml").write_text("[budget]\nepsilon = 1\ndelta = 1e-6\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(text: str) -> dict[str, float]:
    return {row["key"]: float(row["value"]) for row in csv.DictReader(io.StringIO(text))}


def test_schema_writes_a_declaration_from_the_header_alone(run, folder: Path) -> None:
    (folder / "odd.csv").write_text('user,"a ""b"", c",day\n1,2,3\n', encoding="utf-8")
    code, out, err = run("release", "schema", "odd.csv")
    assert (code, err) == (0, "")
    assert tomllib.loads(out) == {"user": "text", 'a "b", c': "text", "day": "text"}
    (folder / "types.toml").write_text(out.replace('"user" = "text"', '"user" = "int"'), encoding="utf-8")
    code, out, _ = run("release", "count", "odd.csv", "--unit", "user", "--types", "@types.toml", *SURE, "--csv")
    assert (code, rows(out)) == (0, {"": 1})
    code, _, err = run("release", "schema", "visits.parquet")
    assert code == 2
    assert "other data has types of its own" in err


@pytest.mark.slow
def test_an_answer_is_kept_before_it_is_shown_and_a_refusal_leaves_no_file(run, folder: Path) -> None:
    asked = ["release", "count", "visits.parquet", "--unit", "user", "--epsilon", "0.5", "--budget-plan", "plan.toml"]
    reader, writer = os.pipe()
    os.close(reader)  # whoever was to read the answer is gone
    command = [sys.executable, "-c", "from dpcompose.cli import main; main()", *asked, "--keep", "answer.json"]
    with os.fdopen(writer, "wb") as out:
        gone = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, cwd=folder, check=False)
    assert (gone.returncode, gone.stderr) == (141, b"")
    kept = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    assert kept["schema"] == "dpc.release/1"
    assert len(tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))["spent"]) == 1
    code, out, err = run(*asked, "--keep", "answer.json")  # never overwritten: it was paid for
    assert (code, out) == (2, "")
    assert "a file that can be made" in err
    assert run(*asked, "--keep", "more.json", "--unit", "nobody")[0] == 2
    assert not (folder / "more.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["full", "closed"])
def test_an_answer_that_cannot_be_written_is_kept_and_told_in_a_sentence(folder: Path, place: str) -> None:
    asked = "release count visits.parquet --unit user --epsilon 0.5 --keep answer.json"
    to = {"full": "/dev/full", "closed": "&-"}[place]
    command = f"{shlex.quote(sys.executable)} -m dpcompose {asked} >{to}"
    found = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
    assert found.returncode == 74
    assert re.fullmatch(r"dpcompose: The answer could not be written: [^\n]+\.\n", found.stderr)
    assert json.loads((folder / "answer.json").read_text(encoding="utf-8"))["schema"] == "dpc.release/1"


def test_keys_move_no_cursor_and_a_file_of_keys_is_not_repeated(run, folder: Path) -> None:
    odd = "\x1b[2J\x9b\u202e"
    pl.DataFrame({"user": range(9), "k": [odd] * 9}).write_parquet(folder / "odd.parquet")
    asked = ["release", "histogram", "odd.parquet", "--unit", "user", "--by", "k", "--max-groups", "1", *SURE]
    for form in ([], ["--json"], ["--csv"]):
        code, out, _ = run(*asked, "--delta", "1e-6", *form)
        assert code == 0
        assert not [c for c in out if not c.isprintable() and c != "\n"]
    assert json.loads(run(*asked, "--delta", "1e-6", "--json")[1])["rows"][0]["key"] == odd
    (folder / "secret.txt").write_text("root-password\nroot-password\n", encoding="utf-8")
    (folder / "other.txt").write_text("root-password\n7\n", encoding="utf-8")
    for name, by in (("secret.txt", "k"), ("other.txt", "user")):
        code, out, err = run("release", "count", "odd.parquet", "--every-row", "--by", by, "--keys", f"@{name}", *SURE)
        assert (code, out) == (2, "")
        assert "password" not in err


def test_files_are_listed_where_a_pattern_was_given(run, folder: Path) -> None:
    (folder / "more.parquet").write_bytes((folder / "visits.parquet").read_bytes())
    code, out, _ = run("release", "count", "*.parquet", "--glob", "--every-row", *SURE)
    assert code == 0
    assert "It read the files more.parquet, visits.parquet." in out
    assert run("release", "count", "*.parquet", "--every-row", *SURE)[0] == 2


def test_a_plan_of_one_dataset_refuses_another(run, folder: Path) -> None:
    asked = ["release", "count", "visits.parquet", "--unit", "user", "--epsilon", "0.1", "--budget-plan", "plan.toml"]
    assert run(*asked, "--dataset", "visits 2026")[0] == 0
    before = (folder / "plan.toml").read_text(encoding="utf-8")
    assert "visits 2026" in before
    for more in ([], ["--dry-run"]):
        code, out, err = run(*asked, "--dataset", "visits 2027", *more)
        assert (code, out) == (2, "")
        assert "visits 202" in err
    assert (folder / "plan.toml").read_text(encoding="utf-8") == before
