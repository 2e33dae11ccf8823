"""Looks: the same name, colour and dash for a theorem in every picture.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; theorems of equal colour differ in
dashes, also in print.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TypeAlias

from dpcompose.description import Mechanism
from dpcompose.numerics.enclosure import Real
from dpcompose.spec import dumps

BLACK, GREY, ORANGE, SKY, GREEN = "#000000", "#888888", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

Dash: TypeAlias = str | tuple[int, tuple[float, ...]]
SOLID: Dash = "-"
DASHED: Dash = (0, (5, 2))
DOTTED: Dash = (0, (1, 1.4))
BROKEN: Dash = (0, (6, 2, 1, 2))

_LONG_DECIMAL = re.compile(r"\d+\.\d{7,}")
_EXPONENT = re.compile(r"e\+?(-?)0*")
_MOST_CHARACTERS = 64
_LABEL = 42


@dataclass(frozen=True, slots=True)
class Look:
    """A theorem's short name, colour and dash."""

    name: str
    colour: str
    dash: Dash = SOLID


LOOKS = {
    "KOV-3.1": Look("basic composition", GREY),
    "KOV-3.2": Look("advanced composition", ORANGE),
    "SM-1.1": Look("strong composition", VERMILION),
    "KOV-3.4": Look("closed form", PURPLE),
    "KOV-3.5": Look("closed form, unequal steps", PURPLE, DASHED),
    "X-SHARP": Look("sharpened closed form", SKY),
    "MIR-C1": Look("by preserved probabilities", PURPLE, DOTTED),
    "RDP-CONV": Look("Rényi, Markov's inequality", GREEN, DASHED),
    "RDP-CKS": Look("Rényi", GREEN),
    "ZCDP-CONV": Look("zero-concentrated", GREEN, DOTTED),
    "KOV-3.3": Look("optimal composition", BLUE),
    "X-HET": Look("optimal, unequal steps", BLUE, DASHED),
    "X-FIN": Look("sum of finite losses", BLUE, BROKEN),
    "X-LAP": Look("sum of Laplace losses", BLUE, BROKEN),
    "X-GAUSS": Look("Gaussian profile", BLUE, DASHED),
    "X-LINE": Look("inverted transform", BLACK, DOTTED),
}


def look(theorem: str) -> Look:
    """The look of a theorem; one without a look of its own is thin and black."""
    return LOOKS.get(theorem, Look("", BLACK, BROKEN))


def label(*theorems: str) -> str:
    """The label of theorems with equal values, with their IDs."""
    name = look(theorems[0]).name
    listed = ", ".join(theorems)
    return textwrap.fill(f"{name} ({listed})" if name else listed, _LABEL, subsequent_indent="  ")


def subject(mechanism: Mechanism) -> str:
    """A mechanism in a title: its expression with short numbers, cut where it is long."""
    said = (
        _LONG_DECIMAL.sub(lambda found: f"{float(found[0]):.6g}", dumps(mechanism))
        .replace(" * ", " × ")
        .removeprefix("1 × ")
    )
    return said if len(said) <= _MOST_CHARACTERS else f"{said[: _MOST_CHARACTERS - 1]}…"


def number(value: Real) -> str:
    """A parameter in a title."""
    return _EXPONENT.sub(r"e\1", f"{float(value):.6g}")


__all__ = ["LOOKS", "Look", "label", "look", "number", "subject"]
