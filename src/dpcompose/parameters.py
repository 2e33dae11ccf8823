"""Parameters, declared once: the declaration checks values, and feeds schema, docs, forms and tests."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args, get_type_hints

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real

LEAST = Fraction(math.ulp(0.0))
"""The least positive number a parameter may take: the least positive float."""

MOST_EXPONENT = 5000
"""Decimals beyond 10^±5000 are refused before they are built."""


@dataclass(frozen=True, slots=True)
class Param:
    """One real parameter of a mechanism: its symbol, its range (ends included) and what is typical."""

    symbol: str
    low: Real
    high: Real
    unit: str = ""
    typical: tuple[float, float] = (0.1, 10.0)

    @property
    def allowed(self) -> str:
        """The range, in words."""
        return f"a number from {show(self.low)} to {show(self.high)}"

    def check(self, name: str, value: object) -> Real:
        """The value as an exact number, or a refusal that names the parameter."""
        if type(value) is float and 0.0 < value <= self.high and self.low <= value:
            return value  # by far the most frequent
        number = exact(name, value, self.allowed)
        if not self.low <= number <= self.high:
            raise InvalidParameter(name, value, self.allowed)
        if number and -LEAST < number < LEAST:
            raise InvalidParameter(name, value, f"{self.allowed}, and none closer to 0 than {short(LEAST)}")
        return number


@dataclass(frozen=True, slots=True)
class Whole(Param):
    """One integer parameter."""

    @property
    def allowed(self) -> str:
        """The range, in words."""
        return f"a whole number from {show(self.low)} to {show(self.high)}"

    def check(self, name: str, value: object) -> Real:
        """The value as an int, or a refusal that names the parameter."""
        if type(value) is int and self.low <= value <= self.high:
            return value
        number = exact(name, value, self.allowed)
        if not self.low <= number <= self.high or int(number) != number:
            raise InvalidParameter(name, value, self.allowed)
        return int(number)


def listed(name: str, given: Any, most: int, entries: str) -> Any:
    """A list with from 1 to so many entries, as it is, or a refusal that names the parameter; a text is no list."""
    try:
        count = 0 if isinstance(given, str | bytes) else len(given)
    except TypeError:
        count = 0
    if not 0 < count <= most:
        raise InvalidParameter(name, given, f"a list of 1 to {most} {entries}")
    return given


def exact(name: str, value: object, allowed: str = "a finite number") -> Real:
    """Any Python number as an exact one; a float is the binary fraction it stores."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= MOST_EXPONENT:
        return Fraction(value)  # beyond that a fraction would have more digits than memory
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidParameter(name, value, allowed)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    number = float(value)
    if not math.isfinite(number):
        raise InvalidParameter(name, value, allowed)
    return number


COUNT = Whole("k", 0, 10**12, "runs", typical=(0, 1000))
EPSILON = Param("ε", 0, int(1e300), "nats", typical=(0.01, 5))
DELTA = Param("δ", 0, 1, "probability", typical=(1e-9, 0.5))


def show(number: Real) -> str:
    """A bound of a range, short."""
    plain = -(10**6) < number < 10**6 and (number == 0 or Fraction(number).denominator < 10**6)
    return str(number) if plain else short(number)


def short(number: Real, digits: int = 6) -> str:
    """A number in at most so many digits, as people write them: 1e-6, 0.05 or 1e9."""
    shown, sign, power = f"{float(number):.{digits}g}".partition("e")
    return f"{shown}e{int(power)}" if sign else shown


_DECLARED: dict[type[Any], Mapping[str, Param]] = {}
_OPTIONAL: dict[type[Any], frozenset[str]] = {}


def declared(owner: type[Any]) -> Mapping[str, Param]:
    """The parameters a dataclass declares as `Annotated[Real, Param(...)]`, in order."""
    if owner not in _DECLARED:
        _read(owner)
    return _DECLARED[owner]


def optional(owner: type[Any]) -> frozenset[str]:
    """Those of them that may be None, declared as `Annotated[Real | None, Param(...)]`."""
    if owner not in _DECLARED:
        _read(owner)
    return _OPTIONAL[owner]


def _read(owner: type[Any]) -> None:
    hints = get_type_hints(owner, include_extras=True)
    inside = {f.name: _annotations(hints[f.name]) for f in fields(owner)}
    found = {name: [hint for hint in hints if isinstance(hint, Param)] for name, hints in inside.items()}
    _OPTIONAL[owner] = frozenset(name for name, hints in inside.items() if found[name] and type(None) in hints)
    _DECLARED[owner] = {name: params[0] for name, params in found.items() if params}


def _annotations(hint: object) -> list[object]:
    """Everything written inside a type hint, however deep."""
    inner = get_args(hint)
    return [hint, *(x for arg in inner for x in _annotations(arg))] if inner else [hint]
