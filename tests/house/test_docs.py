"""The documents and the docstrings, run: what an example prints is what it says it prints."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if not {"generated", "_build"} & set(path.parts))
DOCUMENTS = [*PAGES, *ROOT.glob("README.md")]
SOURCE = ROOT / "src"
SHOWING = sorted(path for path in SOURCE.rglob("*.py") if ">>>" in path.read_text(encoding="utf-8"))
FENCE = re.compile(r"^```(?:python|pycon)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(?P<kind>[a-z]+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
WIDEST = 88
"""So many letters of code fit in the column of a page."""
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(text: str) -> list[tuple[int, str]]:
    """The Python blocks of a document, each with the line it starts on."""
    return [(text.count("\n", 0, m.start()) + 1, m["code"]) for m in FENCE.finditer(text)]


def failures(text: str, name: str) -> str:
    """Run the blocks one after the other in one namespace; a report of what differs."""
    names: dict[str, object] = {}
    said: list[str] = []
    runner, parser = doctest.DocTestRunner(optionflags=FLAGS), doctest.DocTestParser()
    for line, code in blocks(text):
        if ">>>" in code:
            test = parser.get_doctest(code, names, name, name, line)
            runner.run(test, out=said.append, clear_globs=False)
            names.update(test.globs)
        else:
            exec(compile("\n" * line + code, name, "exec"), names)  # noqa: S102 - our own documents
    return "".join(said)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_says_what_happens(path: Path) -> None:
    assert not failures(path.read_text(encoding="utf-8"), path.name)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_code_fits_its_column(path: Path) -> None:
    assert not too_wide(path.read_text(encoding="utf-8"))


def too_wide(text: str) -> list[str]:
    """The lines of code that would be cut off."""
    return [line for found in BLOCK.finditer(text) for line in found["code"].splitlines() if len(line) > WIDEST]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_states_and_does_not_say_true(path: Path) -> None:
    outputs = [line for _, code in blocks(path.read_text(encoding="utf-8")) for line in code.splitlines()]
    assert not {"True", "False"} & set(outputs)


def test_what_is_too_wide_is_seen() -> None:
    assert too_wide(f"```python\nx = {'1' * WIDEST}\n```\n")
    assert not too_wide(f"```python\nx = 1\n```\n\n{'word ' * WIDEST}\n")


def module_of(path: Path) -> str:
    """The name under which a file is imported."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", SHOWING, ids=module_of)
def test_a_docstring_says_what_happens(path: Path) -> None:
    run = doctest.testmod(importlib.import_module(module_of(path)), optionflags=FLAGS, verbose=False)
    assert run.attempted
    assert not run.failed


def test_the_packages_show_how_they_are_used() -> None:
    assert len(SHOWING) >= 5


def test_the_guide_is_more_than_prose() -> None:
    assert len(blocks((ROOT / "docs" / "guide.md").read_text(encoding="utf-8"))) >= 8


def test_a_wrong_output_would_be_seen() -> None:
    assert failures("```python\n>>> 1 + 1\n3\n```\n", "wrong")
    assert not failures("```python\n>>> 1 + 1\n2\n```\n", "right")
    assert not failures("```python\nx = 1\n```\n\n```python\n>>> x\n1\n```\n", "carried on")
    with pytest.raises(ZeroDivisionError):
        failures("```python\n1 / 0\n```\n", "broken")
