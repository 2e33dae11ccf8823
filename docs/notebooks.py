"""The notebooks of `examples/`, one for each reader: run by Jupyter, kept with their outputs, shown as pages.

`python docs/notebooks.py` runs them all again and keeps what they show. A test runs them, too, and compares.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from writing import HERE, ROOT, paragraphs

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = ROOT / "examples"
TARGET = HERE / "generated" / "notebooks"
READERS = ("ml_engineer", "analyst", "planner", "platform_owner", "auditor", "student")
NOISY = "noisy"
"""The tag of a cell whose output is random by design, and is compared by its kind only."""
SHOWN = ("image/svg+xml", "text/html", "text/plain")
"""What is shown of an output, the best first."""
HANGS = 600
"""Seconds after which a kernel hangs; a machine that is busy is only slow."""
REPEATABLE = {"MATPLOTLIBRC": str(HERE / "matplotlibrc"), "SOURCE_DATE_EPOCH": "0"}
METADATA = re.compile(r" *<metadata>.*?</metadata>\n", re.DOTALL)
EMPTY = re.compile(r"^\s*\n", re.MULTILINE)
INDOORS = re.compile(r"\]\(\.\./docs/")


# ------------------------------------------------------------------------------------------- running


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is kept."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def executed(path: Path) -> dict[str, Any]:
    """A notebook with the outputs of a fresh kernel."""
    import nbformat  # only who runs notebooks needs Jupyter
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(path.parent)}}
    with environment(REPEATABLE):
        NotebookClient(
            notebook,
            timeout=HANGS,
            startup_timeout=HANGS,
            resources=place,
            extra_arguments=["--log-level=40"],
            coalesce_streams=True,
        ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            if "image/svg+xml" in output.get("data", {}):
                output["data"]["image/svg+xml"] = METADATA.sub("", output["data"]["image/svg+xml"])
    notebook.metadata.language_info = {"name": "python"}
    found: dict[str, Any] = json.loads(nbformat.writes(notebook))
    return found


@contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """Variables that hold for whatever is started inside."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def refresh() -> None:
    """Run every notebook and keep what it shows."""
    for reader in READERS:
        path = FOLDER / f"{reader}.ipynb"
        path.write_text(json.dumps(executed(path), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


# ----------------------------------------------------------------------------------------- comparing


def differences(kept: dict[str, Any], fresh: dict[str, Any]) -> list[str]:
    """Where two runs of a notebook say different things; pictures and noisy outputs are compared by their kind."""
    both = zip(kept["cells"], fresh["cells"], strict=True)
    return [f"{a['id']}: {said(a)} became {said(b)}" for a, b in both if said(a) != said(b)]


def said(cell: dict[str, Any]) -> list[str]:
    """What a cell put out, as far as it is the same in every run."""
    noisy = NOISY in cell["metadata"].get("tags", ())
    return [kind if noisy or not kind.startswith("text/plain") else text for kind, text in outputs(cell)]


def outputs(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The outputs of a cell, each by its best kind; neighbouring prints are one."""
    printed = ""
    for output in cell.get("outputs", ()):
        if output["output_type"] == "stream":
            printed += "".join(output["text"])
            continue
        if printed:
            yield "text/plain", printed
            printed = ""
        data = output.get("data", {"text/plain": f"{output.get('ename')}: {output.get('evalue')}"})
        kind = next(kind for kind in SHOWN if kind in data)
        yield kind, "".join(data[kind])
    if printed:
        yield "text/plain", printed


# ------------------------------------------------------------------------------------------- showing


def pages() -> Iterator[tuple[Path, str]]:
    """Every page and picture, by where it lies."""
    for reader in READERS:
        blocks = []
        for number, cell in enumerate(read(FOLDER / f"{reader}.ipynb")["cells"]):
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                blocks.append(INDOORS.sub("](../../", source))
                continue
            blocks.append(f"```python\n{without_magic(source)}\n```")
            for kind, text in outputs(cell):
                name = f"{reader}-{number}.svg"
                blocks.append(block(kind, text, name))
                if kind == "image/svg+xml":
                    yield TARGET / name, text
        blocks.insert(1, f"*This page is the notebook `examples/{reader}.ipynb`, with the outputs it is kept with.*")
        yield TARGET / f"{reader}.md", paragraphs(blocks)


def without_magic(source: str) -> str:
    """Code without the words that only Jupyter reads."""
    return "\n".join(line for line in source.splitlines() if not line.startswith("%"))


def block(kind: str, text: str, name: str) -> str:
    """One output, as the page shows it."""
    if kind == "image/svg+xml":
        return f"![What the code above draws.]({name})"
    if kind == "text/html":
        return f'<div class="cell-output"><div class="scroll">\n{EMPTY.sub("", text)}\n</div></div>'
    return f":::{{container}} cell-output\n```text\n{text.rstrip()}\n```\n:::"


def write_pages(_app: object = None) -> None:
    """Write what changed."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for path, text in pages():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    refresh()
