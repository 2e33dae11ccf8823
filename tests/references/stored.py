"""What is stored of a work, and how its reference is computed again from that alone."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import closed_sums as closed
import inverse_transform as lines
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


def sampled(n: Numbers, order: str, epsilon: Fraction, away: float = 1.5) -> tuple[arb, str]:
    """One or two Gaussians on samples by closed forms, more on a line; and which."""
    rate, noise, count = Fraction(n["rate"]), Fraction(n["noise_std"]), int(n["count"])

    def one(side: int) -> arb:
        if count == 1:
            return closed.sharp(lambda: closed.sampled_once(rate, noise, side, epsilon), 5000)
        if count == 2:
            return closed.sharp(lambda: closed.sampled_twice(rate, noise, side, epsilon), 500)
        return lines.delta(Work(rate, noise, count, side, epsilon), away)

    how = {1: "closed form", 2: "integral"}.get(count, "line")
    if order != "both":
        return one(1 if order == "remove" else -1), how
    removed = one(1)
    with ctx.workprec(300):
        bound = lines.at_most(Work(rate, noise, count, -1, epsilon))
        if bound < NEGLIGIBLE * removed:
            return removed, how
        return closed.larger(removed, one(-1)), how


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


def computed(kind: str, numbers: Numbers, order: str, epsilon: float, away: float = 1.5) -> tuple[arb, str]:
    """A ball around δ(ε), and how it was found."""
    if kind == "sampled":
        return sampled(numbers, order, Fraction(epsilon), away)
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
