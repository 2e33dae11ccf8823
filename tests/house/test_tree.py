"""The tree that is kept: what no file may say, and how long a file may be."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dpcompose"
PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE)
A_FEW, A_GLANCE = 3, 10
"""Files that need no order of reading, and the lines in which a package says what it is."""

# Written in pieces, so that this file does not say them either.
HOSTS = ["pypi" + ".org", "python" + "hosted.org", "conda" + ".anaconda.org", "repo." + "anaconda.com"]
FORBIDDEN = {
    "the host of a package registry": re.compile("|".join(map(re.escape, HOSTS)), re.IGNORECASE),
    "a path of one machine": re.compile(r"(?<![\w.~-])/(?:" + "wo" + "rk|ro" + "ot|ho" + r"me)/\w"),
    "an unfinished thought": re.compile(r"\b(?:TO" + "DO|FIX" + "ME|XX" + r"X)\b"),
}


@cache
def tracked() -> dict[str, str]:
    """Every text that git keeps, by its path."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: git keeps nothing here")
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    texts = {}
    for path in paths:
        if path.is_file():  # a removal may not be committed yet
            data = path.read_bytes()
            if b"\0" not in data:
                texts[str(path.relative_to(ROOT))] = data.decode()
    return texts


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_names(what: str) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in tracked().items()
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert not found, f"{what}:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "what, said",
    [
        ("the host of a package registry", "see https://" + HOSTS[0] + "/simple"),
        ("a path of one machine", "open('/wo" + "rk/main/x')"),
        ("an unfinished thought", "# TO" + "DO: later"),
    ],
)
def test_the_patterns_find_what_they_forbid(what: str, said: str) -> None:
    assert FORBIDDEN[what].search(said)
    assert not any(p.search("a framework/main for homework, methodology.") for p in FORBIDDEN.values())


def test_a_file_fits_in_the_head() -> None:
    lengths = {name: text.count("\n") for name, text in tracked().items() if name.endswith(".py")}
    lengths |= {str(p.relative_to(ROOT)): p.read_text().count("\n") for p in (ROOT / "src").rglob("*.py")}
    assert lengths
    limits = {"src/dpcompose/kernel.py": 250}
    too_long = {name: n for name, n in lengths.items() if n > limits.get(name, 300)}
    assert not too_long


def test_the_commands_that_the_documents_name_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"demo", "check", "test", "bench", "docs", "lint", "clean"} <= targets
    documents = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "decisions").glob("*.md"),
    ]
    named = {
        (path.name, target)
        for path in documents
        for target in re.findall(r"(?:`|^\s*\$?\s*)make ([a-z]+)", path.read_text(), re.MULTILINE)
    }
    assert named, "no document says how to start"
    assert not {(document, target) for document, target in named if target not in targets}


def test_the_outside_check_is_the_inside_check() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111, "not executable"
    assert script.read_text().splitlines()[-1] == "make test"
    assert re.search(r"^ +- run: make test$", (ROOT / ".github" / "workflows" / "test.yml").read_text(), re.MULTILINE)


def test_what_runs_before_a_commit_is_part_of_the_check() -> None:
    """Every hook calls a tool that the Makefile calls too, or the Makefile itself."""
    makefile = (ROOT / "Makefile").read_text().replace("$(BIN)", ".venv/bin")
    entries = re.findall(r"entry: (\S+(?: -m \w+)?)", (ROOT / ".pre-commit-config.yaml").read_text())
    assert len(entries) >= 5
    assert not [entry for entry in entries if entry != "make" and f"\t{entry}" not in makefile]


def test_the_version_is_said_once() -> None:
    said = {
        name: re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)
        for name, pattern in {
            "pyproject.toml": r'^version = "(.+)"$',
            "src/dpcompose/__init__.py": r'^__version__ = "(.+)"$',
            "CITATION.cff": r"^version: (.+)$",
        }.items()
    }
    assert len({found and found[1] for found in said.values()}) == 1, said


def test_every_pin_is_a_name_and_a_version() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert len(lines) > 10
    assert not [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_package_says_what_lives_here_and_where_to_begin(package: Path) -> None:
    """At a glance; and, where there are more than a few files, in which order to read them."""
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert said.strip()
    assert len(said.splitlines()) <= A_GLANCE
    files, rooms = package.glob("*.py"), package.glob("*/__init__.py")
    inside = {path.stem for path in files} - {"__init__", "__main__"} | {path.parent.name for path in rooms}
    named = set(re.findall(r"`(\w+)`", said))
    assert len(inside) < A_FEW or len(inside & named) * 2 >= len(inside), sorted(inside - named)
