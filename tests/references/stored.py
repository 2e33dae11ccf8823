"""What is stored of a work, and how its reference is computed again from that alone."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import closed_sums as closed
import inverse_transform as lines
import lattice_power as lattices
from flint import arb, ctx
from line_choice import Work

FILE = Path(__file__).parent / "works.jsonl"
DIGITS = 20
NEGLIGIBLE = 1e-16
Numbers = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reference:
    """A work as `dpcompose.spec` reads it, ε as a float, and an interval that holds δ.

    `order` says which order of the neighbours is meant: both (the larger δ counts), remove or add.
    """

    kind: str
    how: str
    work: str
    order: str
    numbers: dict[str, Any]
    epsilon: str
    lower: str
    upper: str

    @property
    def level(self) -> float:
        """ε."""
        return float.fromhex(self.epsilon)

    @property
    def delta(self) -> tuple[Fraction, Fraction]:
        """The interval, exactly as written."""
        return Fraction(self.lower), Fraction(self.upper)


def read() -> list[Reference]:
    """All stored works."""
    return [Reference(**json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines()]


def line_of(reference: Reference) -> str:
    """As one line of the file."""
    return json.dumps(asdict(reference), ensure_ascii=False)


def decimals(found: arb) -> tuple[str, str]:
    """Both ends as decimals, rounded outwards."""
    return _rounded(found.lower(), math.floor), _rounded(found.upper(), math.ceil)


def _rounded(end: arb, direction: Callable[[Fraction], int]) -> str:
    mantissa, exponent = (int(x) for x in end.man_exp())
    value = Fraction(mantissa) * Fraction(2) ** exponent
    if value <= 0:
        return "0"
    shift = DIGITS - 1 - math.floor(math.log10(mantissa) + exponent * math.log10(2))
    return f"{direction(value * Fraction(10) ** shift)}e{-shift}"


def widest(how: str) -> Fraction:
    """The relative width that a reference may have."""
    return Fraction(lattices.WIDEST) if how == "lattice" else Fraction(1, 10**12)


def usual(count: int) -> str:
    """How so many Gaussians on samples are computed if nothing else is said."""
    return {1: "closed form", 2: "integral"}.get(count, "line")


def one_order(work: Work, how: str, away: float, narrow: float) -> arb:
    """Gaussians on samples, one order of the neighbours: closed forms, a line or two polylines."""
    if how == "closed form":
        return closed.sharp(lambda: closed.sampled_once(work.rate, work.noise_std, work.side, work.epsilon), 5000)
    if how == "integral":
        return closed.sharp(lambda: closed.sampled_twice(work.rate, work.noise_std, work.side, work.epsilon), 500)
    return lines.delta(work, away) if how == "line" else lattices.delta(work, narrow=narrow)


def sampled(
    n: Numbers, order: str, epsilon: Fraction, *, how: str = "", away: float = 1.5, narrow: float = lattices.NARROW
) -> tuple[arb, str]:
    """δ for one order or both; and how it was found."""
    count = int(n["count"])
    how = how or usual(count)
    one = Work(Fraction(n["rate"]), Fraction(n["noise_std"]), count, -1 if order == "add" else 1, epsilon)
    found = one_order(one, how, away, narrow)
    if order != "both":
        return found, how
    other = replace(one, side=-1)
    with ctx.workprec(500):
        bound = lattices.at_most(other, found) if how == "lattice" else lines.at_most(other)
        if bound < (found.lower() if how == "lattice" else NEGLIGIBLE * found):
            return found, how
        return closed.larger(found, one_order(other, how, away, narrow)), how


def _fractions(texts: list[str]) -> list[Fraction]:
    return [Fraction(text) for text in texts]


FORMULAS: dict[str, Callable[[Numbers, Fraction], arb]] = {
    "gaussian": lambda n, e: closed.gaussian(int(n["count"]) / Fraction(n["noise_std"]) ** 2, e),
    "response": lambda n, e: closed.responses(int(n["count"]), Fraction(n["step"]), Fraction(0), e),
    "black box": lambda n, e: closed.responses(int(n["count"]), Fraction(n["step"]), Fraction(n["leak"]), e),
    "laplace": lambda n, e: closed.laplace(int(n["count"]), 1 / Fraction(n["scale"]), e),
    "pair": lambda n, e: closed.pair(_fractions(n["p"]), _fractions(n["q"]), int(n["count"]), e),
    "list": lambda n, e: closed.listed([(Fraction(a), Fraction(b)) for a, b in n["boxes"]], e),
    "mixture": lambda n, e: closed.mixture(1 / Fraction(n["noise_std"]) ** 2, int(n["count"]), Fraction(n["step"]), e),
}
"""Kinds with a formula."""


def computed(
    kind: str,
    numbers: Numbers,
    order: str,
    epsilon: float,
    *,
    how: str = "",
    away: float = 1.5,
    narrow: float = lattices.NARROW,
) -> tuple[arb, str]:
    """A ball around δ(ε), and how it was found: the line so far `away` from the saddle, polylines so `narrow`."""
    if kind == "sampled":
        return sampled(numbers, order, Fraction(epsilon), how=how, away=away, narrow=narrow)
    return closed.sharp(lambda: FORMULAS[kind](numbers, Fraction(epsilon))), "closed form"


EXPRESSIONS: dict[str, Callable[[Numbers], str]] = {
    "sampled": lambda n: f"{n['count']} * Sampled(Gaussian(noise_std={n['noise_std']}), rate={n['rate']})",
    "gaussian": lambda n: f"{n['count']} * Gaussian(noise_std={n['noise_std']})",
    "response": lambda n: f"{n['count']} * RandomizedResponse(epsilon={n['step']})",
    "black box": lambda n: f"{n['count']} * BlackBox(epsilon={n['step']}, delta={n['leak']})",
    "laplace": lambda n: f"{n['count']} * Laplace(scale={n['scale']})",
    "pair": lambda n: f"{n['count']} * DiscretePair(p=[{', '.join(n['p'])}], q=[{', '.join(n['q'])}])",
    "list": lambda n: " + ".join(f"BlackBox(epsilon={a}, delta={b})" for a, b in n["boxes"]),
    "mixture": lambda n: (
        f"Gaussian(noise_std={n['noise_std']}) + {n['count']} * RandomizedResponse(epsilon={n['step']})"
    ),
}


def expression(kind: str, numbers: Numbers) -> str:
    """The work in the language of `dpcompose.spec`."""
    return EXPRESSIONS[kind](numbers)
