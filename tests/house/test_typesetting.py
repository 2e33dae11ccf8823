"""How pages are set: formulas that break, code in columns, pages from right to left, fonts with licences."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from docutils import nodes

from dpcompose.plots import looks

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


@pytest.mark.parametrize(
    "tex, holds",
    [
        (r"\ell = \pm\varepsilon", '<mo form="prefix">±</mo>'),
        (r"(0, -x)", '<mo form="prefix">−</mo>'),
        (r"|x| - 1", "<mo>−</mo>"),
        (r"p^{k-j}", '<mo lspace="0" rspace="0">−</mo>'),
        (r"1/n", 'lspace="0" rspace="0">/</mo>'),
        (r"\|x\|_2", 'stretchy="false">‖</mo>'),
        (r"x = \max\{a, b\}", '<mo lspace="0" rspace="0">max</mo>'),
        (r"(\sum x)", '<mo lspace="0">∑</mo>'),
        (r"8u\log_2 N", '<mspace width="0.167em"></mspace><msub><mi>log</mi>'),
        (r"|\sin x|", "|</mo><mi>sin</mi>"),
        (r"N(0,1)", "<mn>0</mn><mo>,</mo>"),
    ],
)
def test_signs_have_the_room_that_tex_gives_them(mathml: ModuleType, tex: str, holds: str) -> None:
    assert holds in drawn(mathml, tex)


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


def test_a_comma_that_stands_twice_is_moved_where_it_belongs(style: ModuleType) -> None:
    words = [nodes.literal("", "a"), nodes.Text(", "), nodes.literal("", "b"), nodes.Text(" and ")]
    line = nodes.paragraph("", "", *words, nodes.math("", "x"), nodes.Text(", "), nodes.math("", "y"))
    style.keep_together(None, SimpleNamespace(findall=line.findall), "page")
    assert line.astext() == "a, b and x, y"


def test_what_is_read_as_one_stays_on_one_line(style: ModuleType) -> None:
    line = nodes.paragraph("", "", nodes.Text("at δ = 1e-6 by "), nodes.literal("", "--delta"), nodes.Text(", or not"))
    style.keep_whole(None, SimpleNamespace(findall=line.findall), "page")
    assert line.astext() == "at δ = 1e-6 by --delta, or not"
    assert [node.astext() for node in line.findall(nodes.inline)] == ["δ = 1e-6"]
    assert line.next_node(nodes.literal)["classes"] == ["option"]


def test_a_page_is_set_after_it_is_written(style: ModuleType) -> None:
    code = '<code><span class="pre">a.b_c(1_000.5)</span></code>'
    body = f'<pre>$ x <span>--delta</span> 1</pre>{code}<img alt="x" src="i/x.svg" />'
    context = {"body": body}
    style.turn(None, "guide", "page.html", context, None)
    assert context["body"] == (
        '<pre>$ x <span><span class="option">--delta</span></span> 1</pre>'
        '<code><span class="pre">a.<wbr>b_<wbr>c(1_000.5)</span></code>'
        '<a class="picture" href="i/x.svg"><img alt="x" src="i/x.svg" /></a>'
    )


def test_every_colour_of_a_picture_can_be_told_from_a_dark_page() -> None:
    """By the matrices of the Filter Effects specification: inverted, then turned by half a circle of hues."""
    css = (STATIC / "house.css").read_text(encoding="utf-8")
    filters = re.findall(r"(body\S*) :is\(article img, [^{]*\{ filter: invert\(([\d.]+)\) hue-rotate\(180deg\)", css)
    assert [who for who, _ in filters] == ['body[data-theme="dark"]', 'body:not([data-theme="light"])']
    assert len({share for _, share in filters}) == 1
    share, page = float(filters[0][1]), rgb("#131416")
    inks = [colour for name, colour in vars(looks).items() if name.isupper() and str(colour).startswith("#")]
    assert len(inks) == 8
    for ink in inks:
        assert contrast(in_the_dark(rgb(ink), share), page) >= max(3.0, contrast(rgb(ink), rgb("#ffffff")) * 0.7)


def rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def in_the_dark(colour: tuple[float, ...], share: float) -> tuple[float, ...]:
    inverted = [share + (1 - 2 * share) * channel for channel in colour]
    grey = sum(weight * channel for weight, channel in zip((0.213, 0.715, 0.072), inverted, strict=True))
    return tuple(min(max(2 * grey - channel, 0.0), 1.0) for channel in inverted)


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """As WCAG 2 defines it."""

    def light(colour: tuple[float, ...]) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


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
