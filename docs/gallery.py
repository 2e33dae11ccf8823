"""Paint the pictures of the gallery and of the course while the pages are built: each block of code is run.

A block that leaves a figure under the name `picture` is followed by a line `% picture name: what it shows`. Here that
line becomes the picture, with those words for those who cannot see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose import plots

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = Path(__file__).with_name("gallery.md")
FOLDER = PAGE.with_suffix("")
BLOCK = re.compile(
    r"^```python\n(?P<code>(?!>>>).*?)^```$(?:\s+^% picture (?P<name>[\w-]+): [^\n]+$)?", re.MULTILINE | re.DOTALL
)
MARK = re.compile(r"^% picture (?P<name>[\w-]+): (?P<words>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Painted:
    """A picture, and everything its block could see."""

    name: str
    picture: Any
    names: dict[str, Any]


def pages() -> dict[str, Path]:
    """The pages with pictures that are painted anew, by name: the gallery and, beside it, the course."""
    found = (PAGE, PAGE.with_name("composition.md"))
    return {page.stem: page for page in found if page.exists()}


def painted(text: str) -> Iterator[Painted]:
    """Run the blocks one after the other in one namespace; give the picture of each block that has one."""
    names: dict[str, Any] = {}
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("code"))
        exec(compile("\n" * line + found["code"], str(PAGE), "exec"), names)  # noqa: S102 - our own page
        if found["name"]:
            yield Painted(found["name"], names["picture"], names)


def paint_all(_app: object = None) -> None:
    """Write every picture of every page."""
    FOLDER.mkdir(exist_ok=True)
    for page in pages().values():
        for each in painted(page.read_text(encoding="utf-8")):
            plots.save(each.picture, FOLDER / f"{each.name}.svg")


def shown(_app: object, name: str, source: list[str]) -> None:
    """Put the pictures where the page says they belong."""
    if name in pages():
        source[0] = MARK.sub(rf"![\g<words>]({FOLDER.name}/\g<name>.svg)", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Paint before Sphinx reads, and show while it reads."""
    app.connect("builder-inited", paint_all)
    app.connect("source-read", shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
