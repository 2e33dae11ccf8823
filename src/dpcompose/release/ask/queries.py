"""Queries: what may be asked of a table, with its price, which is known before any data is touched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, ClassVar

from dpcompose.description import Adjacency, Composition, Mechanism
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.filters.numbers import meant
from dpcompose.mechanisms import NameAndShame
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.parameters import DELTA, EPSILON, Param, short
from dpcompose.prove.answer import Answer, epsilon
from dpcompose.release.ask.contributions import DROP, CentredSum, ContributionBounds, EveryRow, Missing, bounded
from dpcompose.release.ask.filters import Condition, conditions
from dpcompose.release.ask.noises import GEOMETRIC, Drawn, MovedCells, Noise
from dpcompose.release.ask.result import Estimate, Quote
from dpcompose.release.ask.thresholds import Threshold, threshold

CONFIDENCE = Param("confidence", Fraction(1, 2), 1 - Fraction(1, 10**9), "probability", typical=(0.9, 0.99))
MOST_KEYS = 10**6
MOST_COLUMNS = 8
MOST_SHIFT = 10**9
FINE, ROUGH = 2.0**-22, 0.5
"""The relative gaps to which a price is computed. Its upper end is charged, so a wide gap is still sound."""


class KeyAsText(str):
    """A key as text, from a command line; it is read in the type of its column once that is known."""

    __slots__ = ()


class KeyFromFile(KeyAsText):
    """A key from a file. Refusals never repeat it, since the file may be any that the process can read."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(ABC):
    """A question about the rows of a table, and the protection to be given."""

    unit: str | EveryRow
    epsilon: Real
    delta: Real = 0
    max_rows: int = 1
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    missing: Missing = DROP
    confidence: Real = Fraction(19, 20)
    where: tuple[Condition, ...] = ()
    """Conditions on rows; each looks at one row only."""

    statistic: ClassVar[str]

    def __post_init__(self) -> None:
        """Convert numbers to the exact decimals that were written, or refuse them: three counts at 0.1 fit into 0.3."""
        for name, param in (("epsilon", EPSILON), ("delta", DELTA), ("confidence", CONFIDENCE)):
            number = param.check(name, getattr(self, name))
            object.__setattr__(self, name, meant(number) if isinstance(number, float) else number)
        object.__setattr__(self, "where", conditions(self.where))

    def checked(self, groups: object = None, by: str | None = None) -> ContributionBounds:
        """Check what all queries have in common, and return what a unit may contribute."""
        if not self.epsilon:
            raise InvalidParameter("epsilon", self.epsilon, "a positive number, as at ε = 0 an answer says nothing")
        if not isinstance(self.missing, Missing):
            raise InvalidParameter("missing", self.missing, "DROP, as to refuse would say that a value is missing")
        return bounded(self.unit, self.max_rows, groups, by, self.adjacency)[1]

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, str]:
        """The columns that the query reads, by role (unit, key, value); several keys are key0, key1, …"""

    @property
    def filtered(self) -> dict[str, str]:
        """The columns of the conditions, by role."""
        return {f"where{i}": one.column for i, one in enumerate(self.where)}

    @abstractmethod
    def quote(self) -> Quote:
        """The price, or a refusal; it depends on nothing but the query."""

    def units(self) -> str:
        """The unit and its bounds, in words."""
        most = f"at most {self.max_rows} row{'s' if self.max_rows > 1 else ''} each"
        who = "row" if isinstance(self.unit, EveryRow) else f"{self.unit!r} ({most})"
        return f"one {who} {'added or removed' if self.adjacency is Adjacency.ADD_REMOVE else 'replaced'}"

    def which(self) -> str:
        """The conditions on rows, in words."""
        return f" where {' and '.join(map(str, self.where))}" if self.where else ""


def within(mechanism: Mechanism, epsilon_: Real, delta: Real) -> Answer:
    """What the mechanism costs at δ; it is a defect if the parts exceed what the whole was given, and is refused."""
    most = Enclosure.exactly(epsilon_).upper
    charge = epsilon(
        mechanism, delta, FINE if delta else ROUGH
    )  # at δ = 0 noise is fitted to the sum, which then meets ε exactly
    if charge.upper > most:
        charge = epsilon(mechanism, delta, FINE)
    if charge.upper > most:
        raise NotProvable(f"The noise is not shown to meet ε = {short(epsilon_)} at δ = {short(delta)}")
    return charge


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisySums(Query):
    """A question that is answered from a few noisy sums, for the whole table or for each group."""

    by: str | tuple[str, ...] | None = None
    """The column of keys, or several columns: each combination of values is a group."""
    keys: Sequence[Any] | None = field(default=None, hash=False)
    max_groups: int | None = None
    noise: Noise = GEOMETRIC

    @property
    @abstractmethod
    def tallies(self) -> Mapping[str, CentredSum]:
        """The sums that are needed, by name."""

    @abstractmethod
    def estimated(self, noisy: Sequence[int], margins: Sequence[int]) -> Estimate:
        """The answer that follows from the noisy sums."""

    def __post_init__(self) -> None:
        """A single column of keys is stored as itself, several as a tuple."""
        Query.__post_init__(self)
        object.__setattr__(self, "by", _columns(self.by))

    def read(self) -> dict[str, str]:
        """The columns of unit, keys and conditions, where there are any."""
        named = {} if isinstance(self.unit, EveryRow) else {"unit": self.unit}
        if self.by is None:
            return {**named, **self.filtered}
        keyed = {"key": self.by} if isinstance(self.by, str) else {f"key{i}": c for i, c in enumerate(self.by)}
        return {**named, **keyed, **self.filtered}

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of unit and key; subclasses add to them."""
        return self.read()

    @property
    def bounds(self) -> ContributionBounds:
        """What a unit may contribute; undeclared or inconsistent bounds are refused."""
        if not isinstance(self.noise, Noise):
            raise InvalidParameter("noise", self.noise, "GEOMETRIC or GAUSSIAN")
        if self.by is None and self.keys is not None:
            raise InvalidParameter("keys", self.keys, "nothing without `by`")
        if self.keys is not None:
            _check_keys(self.keys, 1 if isinstance(self.by, str) else len(self.by or ()))
        return self.checked(self.max_groups, None if self.by is None else named_by(self.by))

    @property
    def drawn(self) -> dict[str, Drawn]:
        """The noise of each sum; every sum gets an equal share of ε and δ."""
        bounds, tallies, cells = self.bounds, self.tallies, self.cells
        share, leak = Fraction(self.epsilon) / len(tallies), Fraction(self.delta) / len(tallies)
        beside = cells * NameAndShame(delta=self._leak / cells) if self.unseen else Composition()
        return {
            name: self.noise.fitted(MovedCells(cells, self._shift(bounds, tally), self.adjacency), share, leak, beside)
            for name, tally in tallies.items()
        }

    @property
    def cells(self) -> int:
        """The number of groups that differ between neighbours."""
        return self.bounds.cells(None if self.keys is None else len(self.keys))

    @property
    def unseen(self) -> bool:
        """Whether the keys are to be found in the data."""
        return self.by is not None and self.keys is None

    @property
    def _leak(self) -> Fraction:
        """The δ for the threshold: all of it if the noise needs none, else half."""
        return Fraction(self.delta) / (1 if self.noise is GEOMETRIC else 2)

    def threshold(self, drawn: Drawn) -> Threshold:
        """The least noisy count that may be shown with its key, when keys come from the data."""
        return threshold(drawn, self.cells, self.bounds.rows, self._leak)

    def quote(self) -> Quote:
        """One item for each sum, and one for what keys found in the data may reveal."""
        drawn, cells, least = self.drawn, self.cells, None
        runs = {name: noise.mechanism for name, noise in drawn.items()}
        if self.unseen:
            found = self.threshold(*drawn.values())
            runs["keys"], least = found.mechanism, found.least
        items = {name: cells * one if cells > 1 else one for name, one in runs.items()}
        whole = reduce(add, items.values())
        margins = {name: noise.margin(self.confidence) * self.step(name) for name, noise in drawn.items()}
        return Quote(self, items, whole, within(whole, self.epsilon, self.delta), margins, least, drawn)

    def step(self, name: str) -> Fraction:  # noqa: ARG002 - a count has steps of one
        """The size of one step of the noise, in the units of the data."""
        return Fraction(1)

    def _shift(self, bounds: ContributionBounds, tally: CentredSum) -> int:
        shift = bounds.sensitivity(tally)
        if shift > MOST_SHIFT:
            raise InvalidParameter(
                "grid",
                shift,
                f"a coarser grid or fewer rows: one unit may move a sum by {short(MOST_SHIFT)} steps at most",
            )
        return shift

    def _asked(self, what: str) -> str:
        groups = "" if self.by is None else f" by {named_by(self.by)}"
        plural = "" if self.max_groups == 1 else "s"
        most = "" if self.max_groups is None else f" in at most {self.max_groups} group{plural}"
        return f"{what}{groups}{self.which()}, hiding {self.units()}{most}"


def named_by(by: str | tuple[str, ...]) -> str:
    """The columns of the keys, in words."""
    return repr(by) if isinstance(by, str) else " and ".join(map(repr, by))


def _columns(by: object) -> str | tuple[str, ...] | None:
    """One column, or a tuple of different columns."""
    if by is None or isinstance(by, str):
        return by
    if (
        not isinstance(by, Sequence)
        or not 1 <= len(by) <= MOST_COLUMNS
        or not all(isinstance(c, str) and c for c in by)
    ):
        raise InvalidParameter("by", by, f"the name of a column, or a list of at most {MOST_COLUMNS} names")
    if len(set(by)) != len(by):
        raise InvalidParameter("by", by, "each column once")
    return by[0] if len(by) == 1 else tuple(by)


def _check_keys(keys: Sequence[Any], width: int) -> None:
    if isinstance(keys, str) or not isinstance(keys, Sequence) or not 1 <= len(keys) <= MOST_KEYS:
        raise InvalidParameter("keys", _named(keys), f"a list of 1 to {short(MOST_KEYS)} keys")
    if width > 1 and not all(isinstance(key, tuple) and len(key) == width for key in keys):
        raise InvalidParameter("keys", _named(keys), f"tuples of {width} values, one for each column of `by`")
    parts = keys if width == 1 else [part for key in keys for part in key]
    if not all(isinstance(part, str | int | date) for part in parts):
        raise InvalidParameter("keys", _named(keys), "texts, whole numbers, truth values or dates")
    if len(set(keys)) != len(keys):
        raise InvalidParameter("keys", _named(keys), "each key once")


def _named(keys: Any) -> object:
    """The keys, as a refusal shows them."""
    listed = isinstance(keys, Sequence) and any(isinstance(key, KeyFromFile) for key in keys)
    return f"{len(keys)} lines of a file" if listed else keys


__all__ = ["KeyAsText", "KeyFromFile", "NoisySums", "Query", "named_by", "within"]
