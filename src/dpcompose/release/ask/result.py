"""The result of a release: query, mechanism, charge, and the noisy answer with its error bar, in one object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from dpcompose import spec
from dpcompose.description import Composition, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import Exponential, Geometric, NameAndShame
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import short
from dpcompose.prove.answer import Answer
from dpcompose.release.ask.noises import Drawn
from dpcompose.shown import NotebookResult

if TYPE_CHECKING:
    from dpcompose.release.ask.queries import Query

Key: TypeAlias = object
"""The value of a grouping column; None where there are no groups."""


@dataclass(frozen=True, slots=True)
class Estimate(NotebookResult):
    """A noisy number, and an interval that contains the exact one (of the bounded data) with the stated confidence."""

    value: int | Fraction
    lower: int | Fraction
    upper: int | Fraction
    confidence: Real
    note: str = ""

    def __float__(self) -> float:
        return float(self.value)

    @property
    def error(self) -> float:
        """The distance from the value to the farther end of the interval."""
        return float(max(self.upper - self.value, self.value - self.lower))

    def __str__(self) -> str:
        low, high = rounded(Fraction(self.lower), ROUND_FLOOR), rounded(Fraction(self.upper), ROUND_CEILING)
        said = f"{rounded(Fraction(self.value), ROUND_HALF_EVEN)}  [{low}, {high}]"
        return f"{said}  {self.note}".rstrip()


@dataclass(frozen=True, slots=True)
class Quote(NotebookResult):
    """What a query would cost, item by item, and how accurate it would be; computed without any data."""

    query: Query
    items: Mapping[str, Mechanism] = field(hash=False)
    mechanism: Mechanism
    charge: Answer
    margins: Mapping[str, Fraction] = field(hash=False)
    """The margin of each item's noise, in the units of the data (for a rank: in rows)."""
    threshold: int | None = None
    """The least noisy count that is shown with its key, where keys come from the data."""
    drawn: Mapping[str, Drawn] = field(default_factory=dict, hash=False, repr=False)
    """The noise of each sum."""

    def __repr__(self) -> str:
        return f"<Quote {charged(self.charge, self.query.delta, self.mechanism)}: {self.query}>"

    def __str__(self) -> str:
        lines = [f"{self.query}", f"  costs       {charged(self.charge, self.query.delta, self.mechanism)}"]
        lines += [f"  {name:<10}  {spec.dumps(item)}" for name, item in self.items.items()]
        shown = ((name, rounded(margin, ROUND_CEILING)) for name, margin in self.margins.items())
        lines += [f"  {name:<10}  noise at most ±{m} ({_sure(self.query)})" for name, m in shown]
        return "\n".join([*lines, *([] if self.threshold is None else [f"  shown       from {self.threshold} on"])])

    def document(self) -> dict[str, object]:
        """Everything as plain values, for JSON."""
        items = {name: spec.dumps(item) for name, item in self.items.items()}
        margins = {name: float(rounded(margin, ROUND_CEILING, 12)) for name, margin in self.margins.items()}
        return {
            **_priced(self.query, self.mechanism, self.charge),
            "items": items,
            "noise_at_most": margins,
            "confidence": float(self.query.confidence),
            "threshold": self.threshold,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Release(NotebookResult):
    """A noisy answer that may be published, and what it cost. It does not contain the exact answer."""

    query: Query
    mechanism: Mechanism
    charge: Answer
    estimates: Mapping[Key, Estimate] = field(hash=False)
    files: tuple[str, ...] = ()
    """The files that were read, if a pattern was given."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimates", dict(self.estimates))

    @property
    def estimate(self) -> Estimate:
        """The only estimate; refused for a table, which has one for each key."""
        if set(self.estimates) != {None}:
            raise InvalidParameter("release", "a table", "a single number; use `estimates` or `values`")
        return self.estimates[None]

    @property
    def value(self) -> int | Fraction:
        """The only noisy number."""
        return self.estimate.value

    @property
    def values(self) -> dict[Key, int | Fraction]:
        """The noisy numbers by key."""
        return {key: estimate.value for key, estimate in self.estimates.items()}

    def __float__(self) -> float:
        return float(self.estimate)

    def __str__(self) -> str:
        names = {key: printable(key_text(key)) for key in self.estimates if key is not None}
        width = max(map(len, names.values()), default=0)
        lines = [
            f"{self.query}",
            f"  costs  {charged(self.charge, self.query.delta, self.mechanism)}",
            f"  noisy  [{_sure(self.query)}]",
        ]
        named = (("" if key is None else f"{names[key]:<{width}}  ", found) for key, found in self.estimates.items())
        return "\n".join([*lines, *(f"  {name}{found}" for name, found in named)])

    def __repr__(self) -> str:
        shown = ", ".join(f"{key!r}: {found}" for key, found in list(self.estimates.items())[:10])
        more = ", …" if len(self.estimates) > 10 else ""
        return f"Release({self.query}; {spec.dumps(self.mechanism)}; {{{shown}{more}}})"

    def rows(self) -> list[dict[str, object]]:
        """A dictionary for each number, for frames and files."""
        return [
            {
                "key": key,
                "value": _plain(found.value),
                "lower": _plain(found.lower),
                "upper": _plain(found.upper),
                "confidence": float(found.confidence),
                "note": found.note,
            }
            for key, found in self.estimates.items()
        ]

    def document(self) -> dict[str, object]:
        """Everything as plain values, for JSON."""
        return {
            **_priced(self.query, self.mechanism, self.charge),
            "rows": [{**row, "key": _key(row["key"])} for row in self.rows()],
            **({"files": list(self.files)} if self.files else {}),
        }


def printable(text: str, keep: str = "") -> str:
    """A text from the data or a file, made safe for a terminal: control and invisible characters are escaped."""
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def key_text(key: Key) -> str:
    """A key in words; several parts are separated by commas."""
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def charged(charge: Answer, delta: Real, whole: Mechanism | None = None) -> str:
    """The charge in words, rounded up: exact where the costs of the parts add up exactly."""
    added = None if whole is None else _added(whole)
    most = rounded(charge.upper, ROUND_CEILING)
    if added is not None and added[1] <= delta and Fraction(most) > added[0]:
        most = rounded(added[0], ROUND_CEILING)
    return f"ε ≤ {most} at δ = {short(delta)}, because {charge.because}"


def _added(whole: Mechanism) -> tuple[Fraction, Fraction] | None:
    """ε and δ by basic composition, exactly; None where a part has no such cost (Gaussian noise)."""
    epsilon, delta = Fraction(0), Fraction(0)
    for part, count in whole.leaves() if isinstance(whole, Composition) else ((whole, 1),):
        if isinstance(part, Geometric) and part.scale:
            epsilon += count * Fraction(part.sensitivity) / Fraction(part.scale)
        elif isinstance(part, Exponential):
            epsilon += count * Fraction(part.epsilon)
        elif isinstance(part, NameAndShame):
            delta += count * Fraction(part.delta)
        else:
            return None
    return epsilon, delta


def _priced(query: Query, mechanism: Mechanism, charge: Answer) -> dict[str, object]:
    return {
        "query": str(query),
        "mechanism": spec.dumps(mechanism),
        "charge": {"epsilon_at_most": charge.upper, "delta": float(query.delta)},
        "because": charge.because,
    }


def _sure(query: Query) -> str:
    return f"{float(query.confidence):.4g} sure, each"


def _plain(number: int | Fraction) -> int | float:
    return number if isinstance(number, int) else float(number)


def _key(key: object) -> object:
    if isinstance(key, tuple):
        return [_key(part) for part in key]
    return key if isinstance(key, str | int | bool | None) else str(key)


__all__ = ["Estimate", "Key", "Quote", "Release", "charged", "key_text", "printable"]
