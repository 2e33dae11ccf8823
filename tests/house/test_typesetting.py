"""How pages are set: formulas that break, code in columns, pages from right to left, fonts with licences."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from docutils import nodes

DOCS = Path(__file__).parents[2] / "docs"
STATIC = DOCS / "_static"


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def mathml() -> ModuleType:
    return load("mathml")


@pytest.fixture(scope="module")
def style() -> ModuleType:
    return load("house_style")


def drawn(mathml: ModuleType, tex: str, *, as_block: bool = False) -> str:
    return str(mathml.mathml(nodes.math(tex, tex), as_block=as_block))


def letters(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup)


def test_a_displayed_formula_may_break_after_relations_outside_brackets(mathml: ModuleType) -> None:
    found = drawn(mathml, r"\delta = f(a = b) + g \le h", as_block=True)
    assert [letters(piece) for piece in found.split("<wbr>")] == ["δ=", "f(a=b)+", "g≤", "h"]
    assert found.count('displaystyle="true"') == 4


def test_a_short_formula_in_a_sentence_does_not_break(mathml: ModuleType) -> None:
    assert "<wbr>" not in drawn(mathml, r"k = 10")
    assert "<wbr>" in drawn(mathml, r"a + b + c + d + e + f + g + h = i + j")


def test_breaking_loses_nothing(mathml: ModuleType) -> None:
    tex = r"x = \sqrt{2k\ln(1/\delta')} + \sum_{i<k} y_i, \qquad z < 1"
    whole = "".join(letters(drawn(mathml, tex, as_block=True)).split())
    assert whole == "x=2kln\N{FUNCTION APPLICATION}(1/δ\N{PRIME})+∑i<kyi,z<1".replace("<", "&lt;")


def test_the_name_of_a_function_stands_off(mathml: ModuleType) -> None:
    assert "<mspace" in drawn(mathml, r"2\ln x")
    assert drawn(mathml, r"\ln(x)").count("<mspace") == 0
    assert drawn(mathml, r"k\ln(x)").count("<mspace") == 1


def test_what_cannot_be_read_is_a_warning(mathml: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[object] = []
    monkeypatch.setattr(mathml.LOGGER, "warning", lambda *words, **_: said.append(words))
    assert drawn(mathml, r"\nosuchcommand{x}") == r"<code>\nosuchcommand{x}</code>"
    assert len(said) == 1


@pytest.mark.parametrize(
    "language, text, columns",
    [
        ("text", "a    1\nb    2\nc    3", True),
        ("pycon", ">>> print(x)\na    1\nb    2\nc    3", True),
        ("python", "x = {'a':    1}\ny = 'b    2'\nz = 'c    3'", False),
        ("text", "one sentence\nand another\nand a third", False),
        ("toml", "a    = 1\nb    = 2\nc    = 3", False),
    ],
)
def test_code_in_columns_is_recognised(style: ModuleType, language: str, text: str, *, columns: bool) -> None:
    assert style.in_columns(text, language) is columns


def test_a_comma_stays_with_its_formula(style: ModuleType) -> None:
    line = nodes.paragraph("", "", nodes.Text("rate ("), nodes.math("", "q"), nodes.Text("), and more"))
    document = SimpleNamespace(findall=line.findall)
    style.keep_together(None, document, "page")
    assert [child.astext() for child in line.children] == ["rate ", "(q),", " and more"]
    assert line.children[1]["classes"] == ["together"]


def test_arabic_pages_run_from_right_to_left(style: ModuleType) -> None:
    pages = {name: {"body": "text"} for name in ("ar/index", "guide")}
    for name, context in pages.items():
        style.turn(None, name, "page.html", context, None)
    assert pages["ar/index"]["body"] == '<div lang="ar" dir="rtl">text</div>'
    assert pages["guide"]["body"] == "text"


def test_every_font_is_there_with_its_licence_and_nothing_is_fetched() -> None:
    style = (STATIC / "house.css").read_text(encoding="utf-8")
    named = re.findall(r'url\("([^"]+)"\)', style)
    assert len(named) == 3
    for name in named:
        font = STATIC / name
        assert font.stat().st_size > 10_000
        licence = font.with_name(re.sub(r"(-\d+)?\.woff2?$", ".OFL.txt", font.name))
        assert "SIL Open Font License" in licence.read_text(encoding="utf-8")
    assert "http" not in style
