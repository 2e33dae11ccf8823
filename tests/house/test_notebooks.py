"""The notebooks, run by a kernel of Jupyter: what they show is what they are kept with."""

from __future__ import annotations

import copy
import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"
READERS = ("ml_engineer", "analyst", "planner", "platform_owner", "auditor", "student")


@pytest.fixture(scope="module")
def notebooks() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("notebooks")
    finally:
        sys.path.remove(str(DOCS))


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_notebook_shows_what_happens(notebooks: ModuleType, reader: str) -> None:
    path = notebooks.FOLDER / f"{reader}.ipynb"
    assert not notebooks.differences(notebooks.read(path), notebooks.executed(path))


def test_every_reader_has_a_notebook_and_every_notebook_a_reader(notebooks: ModuleType) -> None:
    assert set(notebooks.READERS) == set(READERS) == {path.stem for path in notebooks.FOLDER.glob("*.ipynb")}


@pytest.mark.parametrize("reader", READERS)
def test_code_fits_its_column(notebooks: ModuleType, reader: str) -> None:
    cells = notebooks.read(notebooks.FOLDER / f"{reader}.ipynb")["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in "".join(cell["source"]).splitlines()]
    assert lines
    assert not [line for line in lines if len(line) > 88]


def test_another_output_would_be_seen(notebooks: ModuleType) -> None:
    kept = notebooks.read(notebooks.FOLDER / "student.ipynb")
    other = copy.deepcopy(kept)
    printed = [out for cell in other["cells"] for out in cell.get("outputs", ()) if out["output_type"] == "stream"]
    printed[0]["text"] = ["something else\n"]
    assert len(notebooks.differences(kept, other)) == 1
    assert not notebooks.differences(kept, kept)


def test_noise_may_differ_and_must_be_there(notebooks: ModuleType) -> None:
    kept = notebooks.read(notebooks.FOLDER / "analyst.ipynb")
    noisy = [number for number, cell in enumerate(kept["cells"]) if "noisy" in cell["metadata"].get("tags", ())]
    assert noisy
    other = copy.deepcopy(kept)
    other["cells"][noisy[0]]["outputs"][0]["text"] = ["other noise\n"]
    assert not notebooks.differences(kept, other)
    other["cells"][noisy[0]]["outputs"] = []
    assert notebooks.differences(kept, other)


def test_the_pages_link_to_pages(notebooks: ModuleType) -> None:
    pages = {path.name: text for path, text in notebooks.pages()}
    assert {f"{reader}.md" for reader in READERS} <= set(pages)
    assert not [name for name, text in pages.items() if "../docs/" in text]
