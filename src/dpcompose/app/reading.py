"""Reading a request: mechanisms, exact numbers, and places along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from dpcompose import spec
from dpcompose.description import ADD_REMOVE, Adjacency, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import COUNT, DELTA, EPSILON, Param, Whole
from dpcompose.spec.limits import guard

Document: TypeAlias = str | Mechanism
"""The text of a document, the name of a file that holds one, or the mechanism itself."""
Exact: TypeAlias = str | Real
"""A number, or its text: `0.1`, `1e-6` or `1/3`, meant exactly."""
Read: TypeAlias = Callable[[int], str]
"""Reads at most this many characters of the input."""
LONGEST = spec.MOST_CHARACTERS
"""The most characters that a document may have."""
RELATIONS = {relation.value.replace("_", "-"): relation for relation in Adjacency}
FEW_PLACES = 10
MOST_PLACES = 2000
PLACES = Whole("places", 2, MOST_PLACES)
DIGITS = Whole("digits", 1, 17)
"""The number of digits to print: a float has no more than 17."""


def load(source: Document, read: Read | None = None) -> Mechanism:
    """The mechanism of a document; `-` reads the document by `read`, up to the length that a document may have."""
    if isinstance(source, Mechanism):
        return source
    if source == "-" and read is not None:
        return spec.loads(read(LONGEST + 1))
    return spec.load(source)


def mechanism_in(text: str) -> Mechanism:
    """The mechanism of the text of a document, which is never taken for the name of a file."""
    return spec.loads(text)


def load_family(source: str, read: Read | None = None) -> spec.Family:
    """The family of a document with a question mark."""
    if source == "-" and read is not None:
        return spec.family_in(read(LONGEST + 1))
    return spec.family(source)


def bounded(text: str) -> str:
    """The text itself, if it is no longer, and nests no deeper, than a document may."""
    return guard(text)


def relation(text: str | None) -> Adjacency:
    """The neighbouring relation of a name such as `add-remove`; by default a record more or less."""
    if text is None:
        return ADD_REMOVE
    if text not in RELATIONS:
        raise InvalidParameter("adjacency", text, " or ".join(RELATIONS))
    return RELATIONS[text]


def exactly(name: str, value: Exact, param: Param) -> Real:
    """A number, or the number in a text, checked against the range of a parameter."""
    return spec.within(name, value, param) if isinstance(value, str) else param.check(name, value)


def digits(wanted: Exact | None) -> int | None:
    """The number of digits to print, checked before anything is computed; None if it was not given."""
    return None if wanted is None else int(exactly("digits", wanted, DIGITS))


def asked_for(**limit: Exact) -> Real:
    """The one limit that is given, a δ or an ε, checked against its range."""
    ((name, value),) = limit.items()
    return exactly(name, value, DELTA if name == "delta" else EPSILON)


def asked(delta: Exact | None, epsilon: Exact | None) -> dict[str, Real]:
    """The one of δ and ε that a question gives; both, or neither, are refused."""
    given = {name: value for name, value in (("delta", delta), ("epsilon", epsilon)) if value is not None}
    if len(given) != 1:
        shown = spec.AsWritten(" and ".join(map(str, given.values())) or "nothing")
        cure = "exactly one of the two: --delta to ask for ε, or --epsilon to ask for δ"
        raise InvalidParameter("delta, epsilon", shown, cure)
    return {name: asked_for(**{name: value}) for name, value in given.items()}


def counts(text: str) -> tuple[int, ...]:
    """The counts in `1,10,100`; in `1:1000`, round numbers from 1 to 1000; in `1:1000:50`, 50 at equal ratios."""
    if ":" not in text:
        return tuple(int(count) for count in _listed("counts", text, COUNT))
    first, last, places = _range("counts", text, COUNT)
    low, high = max(int(first), 1), int(last)
    if text.count(":") == 1:
        tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        inner = [digit * 10**power for power in tens for digit in (1, 2, 5)]
        return tuple(sorted({int(first), *(k for k in inner if low < k < high), high}))
    steps = [round(low * math.exp(math.log(high / low) * i / max(places - 1, 1))) for i in range(places)]
    return tuple(sorted({int(first), *steps, high}))


def epsilons(text: str) -> tuple[Real, ...]:
    """The values in `0,0.5,1`; in `0:5`, a few round values from 0 to 5; in `0:5:50`, 50 at equal distances."""
    if ":" not in text:
        return _listed("epsilons", text, EPSILON)
    first, last, places = _range("epsilons", text, EPSILON)
    low, high = Fraction(first), Fraction(last)
    if text.count(":") == 1:
        step = round_step(high - low, FEW_PLACES)
        inner = (step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1))
        return tuple(sorted({low, *inner, high}))
    return tuple(sorted({low + (high - low) * i / max(places - 1, 1) for i in range(places)} | {high}))


def round_step(width: Real, most: int) -> Fraction:
    """The least step of 1, 2 or 5 times a power of ten that crosses a width in at most this many steps."""
    power = Fraction(10) ** math.floor(math.log10(width / most))
    return next(power * digit for digit in (1, 2, 5, 10, 20) if power * digit * most >= width)


def _listed(name: str, text: str, param: Param) -> tuple[Real, ...]:
    given = text.split(",", maxsplit=MOST_PLACES)
    if len(given) > MOST_PLACES:
        raise InvalidParameter(f"the length of {name}", "more", f"at most {MOST_PLACES} places")
    return tuple(spec.within(name, one, param) for one in given)


def _range(name: str, text: str, param: Param) -> tuple[Real, Real, int]:
    """The ends of `first:last` or `first:last:number`, and the number of places."""
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise InvalidParameter(name, spec.AsWritten(text), "a list such as 1,10,100 or a range such as 1:1000")
    first, last = (spec.within(name, end, param) for end in parts[:2])
    if not first < last:
        raise InvalidParameter(name, spec.AsWritten(text), "a range that ends after it begins, such as 1:10")
    places = spec.within(name, parts[2], PLACES) if len(parts) == 3 else FEW_PLACES
    return first, last, int(places)
