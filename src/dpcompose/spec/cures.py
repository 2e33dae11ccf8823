"""Suggestions for what people type by mistake: the end of a refusal that says how it is written here.

A suggestion never changes how a document is read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation

ARABIC = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹٫", "01234567890123456789.")
"""Arabic-Indic and Persian digits, and their decimal point: digits like any other."""
MOST = 40
TIMES = "×·∗✕⋅"
MINUS = "−–—‐"
QUOTES = "“”„‘’«»"
RAISED = re.compile("[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
AS_TYPED = str.maketrans(dict.fromkeys(MINUS, "-") | {"⁄": "/"})
SIGNS: Mapping[str, str] = {
    **dict.fromkeys(TIMES, "times is written *"),
    **dict.fromkeys(MINUS, "minus is written -"),
    **dict.fromkeys(QUOTES, "these quotes belong to no expression; leave them out"),
    **dict.fromkeys("'\"", "numbers and names stand without quotes"),
    ";": "parameters are separated by commas",
    ".": "a count stands before *, and a sum is made by +",
    "%": "a percentage is written as a decimal: 1% is 0.01",
    "^": "a power is written out, ten to the minus six as 1e-6",
    "_": "digits stand without underscores",
    "٬": "digits stand without separators",
    "&": "mechanisms one after the other are joined by +",
    "|": "mechanisms one after the other are joined by +",
}
PLAIN = re.compile(r"-?[0-9.]+(?:[eE][+-]?[0-9]+)?(?:/[0-9]+)?")
PERCENT = re.compile(r"([0-9.]+(?:[eE]-?[0-9]+)?) ?([%‰])")
DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){2,}")
UNTOLD = re.compile(r"[0-9.]+ ?/ ?[A-Za-z]\w*")
GROUPED = re.compile(r"(-?[0-9]{1,3})((?:[,'٬ ][0-9]{3})+)(\.[0-9]+)?")
COMMA = re.compile(r"(-?[0-9]*),([0-9]+(?:[eE]-?[0-9]+)?)")
UNDERSCORES = re.compile(r"-?[0-9][0-9_]*_[0-9_]*[0-9](?:\.[0-9]+)?")
POWER = re.compile(rf"(?:(-?[0-9.]+) ?[*xX{TIMES}] ?)?10 ?(?:\^|\*\*) ?\(?(-?[0-9]{{1,3}})\)?")
SQUARE = re.compile(r"(-?[0-9]{1,6}) ?(?:\^|\*\*) ?([0-9]{1,2})")
WORD = re.compile(r"[^\s,()\[\]{}=+*/:;]")
NUMERAL = re.compile(r"[0-9.,_^*eE%'-]")
DANGLING = re.compile(r"-?[0-9.]+[eE][+-]?")


def number(text: str) -> str:
    """How to write a number that was typed in another notation; empty for text that is no number at all."""
    if len(text) > MOST:
        return ""
    if text.strip() == "?":
        return "`dpcompose calibrate` looks for the number of a ?"
    said = _typed(text)
    for pattern, write in FORMS:
        found = pattern.fullmatch(said)
        if found:
            return f"{text.strip()} is written {write(found)}"
    plain = re.sub(r"\s", "", said).removeprefix("+").rstrip(".")
    return f"{text.strip()} is written {plain}" if plain != text.strip() and PLAIN.fullmatch(plain) else ""


def _typed(text: str) -> str:
    """The number as it would be typed on a keyboard, without quotes and without a name before it."""
    raised = RAISED.sub(lambda found: f"^{found[0]}", text.strip().strip("'\"" + QUOTES).translate(ARABIC))
    return re.sub(r"^\w*\s*[=:]\s*", "", unicodedata.normalize("NFKC", raised).translate(AS_TYPED))


def _percent(found: re.Match[str]) -> str:
    try:
        return f"{Decimal(found[1]) / (100 if found[2] == '%' else 1000):f}"
    except InvalidOperation:
        return "as a decimal: 1% is 0.01"


def _comma(found: re.Match[str]) -> str:
    return f"{found[1] or '0'}.{found[2]}, with a point"


def _grouped(found: re.Match[str]) -> str:
    plain = found[1] + re.sub(r"[^0-9]", "", found[2]) + (found[3] or "")
    alone = found[2].count(",") == 1 and len(found[2]) == 4 and not found[3]
    return f"{plain}, or {found[1]}.{found[2][1:]} if the comma is a decimal point" if alone else plain


def _power(found: re.Match[str]) -> str:
    return f"{found[1] or '1'}e{found[2]}"


def _comma_or_grouped(found: re.Match[str]) -> str:
    """`0,001` has a decimal comma, although three digits follow it as in a thousand."""
    return f"{found[0].replace(',', '.')}, with a point" if found[1].lstrip("-") == "0" else _grouped(found)


FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (PERCENT, _percent),
    (GROUPED, _comma_or_grouped),
    (COMMA, _comma),
    (UNDERSCORES, lambda found: found[0].replace("_", "")),
    (DOTTED, lambda found: found[0].replace(".", "")),
    (UNTOLD, lambda _: "with a number below, such as 1/60000"),
    (POWER, _power),
    (SQUARE, lambda found: str(int(found[1]) ** int(found[2]))),
    (DANGLING, lambda found: f"with digits after the e, such as {found[0].rstrip('+-')}-6"),
)


def inside(text: str, position: int) -> tuple[int, str]:
    """Where the word at a position begins, and a suggestion for it: for its number, else for the character."""
    start, word = around(text, position, WORD)
    glued = re.fullmatch(r"([0-9]+)([A-Za-z]\w*)", word)
    if glued and not DANGLING.fullmatch(word):
        return start, f"write {glued[1]} * {glued[2]}"
    cure = number(word)
    return (start, cure) if cure else (position, SIGNS.get(text[position : position + 1], ""))


def across(text: str, position: int) -> str:
    """A suggestion for a number that operators or a gap cut in two: `0,5`, `1,000`, `2**3` or `1 000`."""
    start, word = around(text, position, NUMERAL)
    before = re.search(r"[0-9]{1,3}(?: [0-9]{3})* $", text[:start])
    behind = re.match(r"(?: [0-9]{3}\b)*", text[start + len(word) :])
    return number(f"{before[0]}{word}{behind[0]}" if before and behind else word)


def around(text: str, position: int, kind: re.Pattern[str]) -> tuple[int, str]:
    """The run of characters of a kind around a position, and where it begins."""
    start, end = position, position
    while start and kind.match(text[start - 1]):
        start -= 1
    while end < len(text) and kind.match(text[end]) and end - start <= MOST:
        end += 1
    return start, text[start:end]


def ended(cure: str) -> str:
    """A suggestion as the end of a sentence."""
    return f"; {cure}" if cure else ""


__all__ = ["ARABIC", "TIMES", "across", "ended", "inside", "number"]
