"""The inputs of cards: exact numbers, lists of them, and groups, read from text or from any Python number."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any, TypeAlias

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import COUNT, DELTA, EPSILON, Param, Whole, exact

MOST_ENTRIES = 10**5
MOST_CHARACTERS = 1000
MOST_EXPONENT = 5000
MOST_BITS = 2**16
"""Numbers beyond these are refused before they are built."""

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE](?P<exponent>[+-]?\d{1,6}))?", re.ASCII)
_FRACTION = re.compile(r"[+-]?\d+/0*[1-9]\d*", re.ASCII)


class Input(ABC):
    """One input of a card: its meaning, its range, and how it is read."""

    symbol: str

    @property
    @abstractmethod
    def allowed(self) -> str:
        """The accepted values, in words."""

    @abstractmethod
    def check(self, name: str, value: object) -> Any:
        """The exact value, or a refusal that names the input."""


@dataclass(frozen=True, slots=True)
class OneNumber(Input):
    """One number within the range of its `Param`; a text is a decimal or a fraction, read exactly."""

    param: Param

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The letter in the papers."""
        return self.param.symbol

    @property
    def allowed(self) -> str:
        """The range, in words."""
        return self.param.allowed

    def check(self, name: str, value: object) -> Fraction | int:
        """An int where the parameter is whole, else a Fraction."""
        found = self.param.check(name, number(name, value, self.allowed))
        return found if isinstance(found, int) else Fraction(found)


@dataclass(frozen=True, slots=True)
class NumberList(Input):
    """A list of numbers of one kind."""

    entry: OneNumber

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The letter of one entry, with an index."""
        return f"{self.entry.symbol}_i"

    @property
    def allowed(self) -> str:
        """The range of each entry, in words."""
        return f"a list of at most {MOST_ENTRIES} entries, each {self.entry.allowed}"

    def check(self, name: str, value: object) -> tuple[Fraction | int, ...]:
        """Every entry, exactly."""
        entries = listed(name, value, self.allowed)
        read = cache(partial(self.entry.check, name))  # long lists of text repeat themselves
        found = tuple(
            read(x) if isinstance(x, str) else self.entry.check(f"{name}[{i}]", x) for i, x in enumerate(entries)
        )
        moderate(name, list(set(found)))
        return found


@dataclass(frozen=True, slots=True)
class CountedNumbers(Input):
    """Pairs of a number and its count."""

    entry: OneNumber
    symbol: str = "(ε_i, k_i)"

    @property
    def allowed(self) -> str:
        """The parts of a pair, in words."""
        return f"a list of pairs [number, count], each number {self.entry.allowed}, each count {COUNT.allowed}"

    def check(self, name: str, value: object) -> tuple[tuple[Fraction | int, int], ...]:
        """Every pair, exactly."""
        pairs = [listed(f"{name}[{i}]", p, self.allowed) for i, p in enumerate(listed(name, value, self.allowed))]
        if any(len(pair) != 2 for pair in pairs):
            raise InvalidParameter(name, value, self.allowed)
        found = tuple(
            (self.entry.check(f"{name}[{i}][0]", x), int(OneNumber(COUNT).check(f"{name}[{i}][1]", n)))
            for i, (x, n) in enumerate(pairs)
        )
        moderate(name, [x for x, _ in found])
        if sum(n for _, n in found) > COUNT.high:
            raise InvalidParameter(name, value, f"counts that add up to at most {COUNT.high:g}")
        return found


def number(name: str, value: object, allowed: str) -> Real:
    """Any number, exactly. Numbers with more digits than `MOST_BITS` or `MOST_EXPONENT` allow are refused unbuilt."""
    if isinstance(value, str):
        return _parsed(name, value, allowed)
    if isinstance(value, Decimal) and (not value.is_finite() or abs(value.adjusted()) > MOST_EXPONENT):
        raise InvalidParameter(name, value, allowed)
    found = exact(name, value, allowed)
    top, bottom = found.as_integer_ratio()
    if max(top.bit_length(), bottom.bit_length()) > MOST_BITS:
        raise InvalidParameter(name, f"a number of more than {MOST_BITS} bits", allowed)
    return found


def _parsed(name: str, text: str, allowed: str) -> Fraction:
    """The number in `12`, `0.1`, `1e-9` or `3/5`."""
    written = text.strip() if len(text) <= MOST_CHARACTERS else ""
    decimal = _DECIMAL.fullmatch(written)
    if decimal is None and _FRACTION.fullmatch(written) is None:
        raise InvalidParameter(name, text, f"{allowed}, written like 0.1, 1e-9 or 3/5")
    if decimal is not None and abs(int(decimal["exponent"] or 0)) > MOST_EXPONENT:
        raise InvalidParameter(name, text, allowed)
    return Fraction(written)


def listed(name: str, value: object, allowed: str) -> Sequence[object]:
    """A list, tuple or array of bounded length."""
    if isinstance(value, str | bytes) or not hasattr(value, "__len__") or not hasattr(value, "__getitem__"):
        raise InvalidParameter(name, value, allowed)
    if len(value) > MOST_ENTRIES:
        raise InvalidParameter(name, f"{len(value)} entries", allowed)
    if hasattr(value, "keys"):
        raise InvalidParameter(name, value, allowed)
    return [value[i] for i in range(len(value))]


def moderate(name: str, entries: Sequence[Fraction | int]) -> None:
    """Refuse a list whose exact sum would need too much memory."""
    common = 1
    for x in entries:
        common = math.lcm(common, x.denominator)
        if common.bit_length() > MOST_BITS:
            raise InvalidParameter(name, "fractions", f"a common denominator of at most {MOST_BITS} bits")


def whole(symbol: str, low: int, high: int, unit: str = "") -> OneNumber:
    """An integer input."""
    return OneNumber(Whole(symbol, low, high, unit))


def real(symbol: str, low: Real, high: Real, unit: str = "") -> OneNumber:
    """A real input."""
    return OneNumber(Param(symbol, low, high, unit))


POSITIVE_COUNT = whole("k", 1, 10**9, "runs")
SIZE = 10**150

Count: TypeAlias = Annotated[int, OneNumber(COUNT)]
Times: TypeAlias = Annotated[int, POSITIVE_COUNT]
Epsilon: TypeAlias = Annotated[Fraction, OneNumber(EPSILON)]
Delta: TypeAlias = Annotated[Fraction, OneNumber(DELTA)]
Probability: TypeAlias = Annotated[Fraction, real("Q", 0, 1, "probability")]
Order: TypeAlias = Annotated[Fraction, real("α", 1, 10**9, "order")]
Divergence: TypeAlias = Annotated[Fraction, real("ε_α", 0, 10**300, "nats")]
Noise: TypeAlias = Annotated[Fraction, real("σ", 0, SIZE, "query units")]
Shift: TypeAlias = Annotated[Fraction, real("Δ", 0, SIZE, "query units")]
Scale: TypeAlias = Annotated[Fraction, real("b/Δ", 0, SIZE, "sensitivities")]
Place: TypeAlias = Annotated[Fraction, real("x", -(10**300), 10**300)]
Epsilons: TypeAlias = Annotated[tuple[Fraction, ...], NumberList(OneNumber(EPSILON))]
Deltas: TypeAlias = Annotated[tuple[Fraction, ...], NumberList(OneNumber(DELTA))]
Noises: TypeAlias = Annotated[tuple[Fraction, ...], NumberList(real("σ", 0, SIZE, "query units"))]
Scales: TypeAlias = Annotated[tuple[Fraction, ...], NumberList(real("b/Δ", 0, SIZE, "sensitivities"))]
Masses: TypeAlias = Annotated[tuple[Fraction, ...], NumberList(real("P", 0, 1, "probability"))]
Groups: TypeAlias = Annotated[tuple[tuple[Fraction, int], ...], CountedNumbers(OneNumber(EPSILON))]
