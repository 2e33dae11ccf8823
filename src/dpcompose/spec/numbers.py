"""Numbers in documents are exact: 0.1 is one tenth, and 1/3 is a third."""

from __future__ import annotations

import re
from fractions import Fraction

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import Param
from dpcompose.spec.cures import ARABIC, ended
from dpcompose.spec.cures import number as cure

MOST_DIGITS = 1000
MOST_EXPONENT = 400
PLAIN = range(-7, 16)
"""Powers of ten that are written out; beyond them an exponent is clearer."""

DECIMAL = re.compile(r"(-?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
LIMITS = f"a number of at most {MOST_DIGITS} digits with an exponent from -{MOST_EXPONENT} to {MOST_EXPONENT}"


class AsWritten(str):
    """A piece of a document, which a refusal shows as it is written there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def number(name: str, text: str, allowed: str = "a decimal such as 0.1 or 1e-6, or a fraction such as 1/3") -> Real:
    """Read `0.1`, `1e-6` or `1/3` exactly; a refusal names the parameter, and suggests a correction if it can."""
    top, slash, bottom = text.strip().translate(ARABIC).partition("/")
    if not slash:
        return _decimal(name, top, allowed, text)
    parts = [_decimal(name, side.strip(), allowed, text) for side in (top, bottom)]
    if not all(isinstance(part, int) for part in parts) or parts[1] == 0:
        raise InvalidParameter(name, AsWritten(text), "a fraction of two whole numbers, the lower one not 0")
    return _simplest(Fraction(*parts))  # type: ignore[arg-type]


def _decimal(name: str, text: str, allowed: str, whole: str) -> Real:
    """Read one side of a fraction, or a whole number without one; a refusal shows the entire text."""
    if len(text) > MOST_DIGITS:
        raise InvalidParameter(name, AsWritten(text), LIMITS)
    found = DECIMAL.fullmatch(text)
    if not found or not (found[2] or found[3]):
        raise InvalidParameter(name, AsWritten(whole.strip() or "nothing"), f"{allowed}{ended(cure(whole))}")
    sign, whole, decimals, exponent = found.groups(default="")
    power = int(exponent or 0)
    if abs(power) > MOST_EXPONENT:
        raise InvalidParameter(name, AsWritten(text), LIMITS)
    power -= len(decimals)
    digits = int(f"{sign}{whole}{decimals}")
    return digits * 10**power if power >= 0 else _simplest(Fraction(digits, 10**-power))


def _simplest(value: Fraction) -> Real:
    return int(value) if value.denominator == 1 else value


def within(name: str, text: str, param: Param) -> Real:
    """Read a number and check it against a declared parameter; a refusal shows the text as written."""
    value = number(name, text, param.allowed)
    try:
        return param.check(name, value)
    except InvalidParameter as refusal:
        raise InvalidParameter(name, AsWritten(text), refusal.allowed) from None


def written(value: Real) -> str:
    """The shortest exact text of a number: a decimal where one exists, else a fraction."""
    exactly = Fraction(value)
    decimal = _as_decimal(exactly)
    if decimal is not None and len(decimal) <= MOST_DIGITS:
        return decimal
    if max(exactly.numerator.bit_length(), exactly.denominator.bit_length()) > 3 * MOST_DIGITS:
        shown = AsWritten(f"about {float(value):g}, exactly")
        raise InvalidParameter("number", shown, f"at most {MOST_DIGITS} digits in a document")
    return f"{exactly.numerator}/{exactly.denominator}"


def _as_decimal(value: Fraction) -> str | None:
    """The decimal expansion, if it ends within a few digits; else None."""
    rest, twos = _without(value.denominator, 2)
    rest, fives = _without(rest, 5)
    places = max(twos, fives)
    if rest != 1 or places > MOST_DIGITS + MOST_EXPONENT:
        return None
    shifted = abs(value.numerator) * 2 ** (places - twos) * 5 ** (places - fives)
    if shifted.bit_length() > 3 * MOST_DIGITS:
        return None
    digits = str(shifted)
    adjusted = len(digits) - 1 - places  # the power of ten of the first digit
    sign = "-" if value < 0 else ""
    if adjusted not in PLAIN and value:
        kept = digits.rstrip("0")
        point = f".{kept[1:]}" if len(kept) > 1 else ""
        return f"{sign}{kept[0]}{point}e{adjusted}" if abs(adjusted) <= MOST_EXPONENT else None
    if not places:
        return sign + digits
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def _without(number: int, prime: int) -> tuple[int, int]:
    """Divide a number by a prime as often as possible; returns the rest and how often."""
    power = 0
    while number and not number % prime and power <= MOST_DIGITS + MOST_EXPONENT:
        number, power = number // prime, power + 1
    return number, power
