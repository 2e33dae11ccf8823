"""A charge: a step, its purpose and whose privacy it spends, in one value; and the protocol of budgets that take it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from dpcompose.description import Adjacency, Mechanism, Subject, common_adjacency, described
from dpcompose.errors import AdjacencyMismatch, DPError, InvalidParameter


class OverBudget(DPError):
    """The refusal of a charge that does not fit into what is left."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One step that is about to be run. A field that is None is not stated; the budget then fills in its own."""

    mechanism: Mechanism
    purpose: str = ""
    unit: str | None = None
    """Whose privacy is spent: the name of a column, or words in brackets such as (every row) and (edge)."""
    adjacency: Adjacency | None = None
    """The neighbouring relation; None means the one that the mechanism states, if any."""
    dataset: str | None = None
    """Which data is read, as a public name or fingerprint."""

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("charge", self.mechanism, "a mechanism, or a Charge around one")
        object.__setattr__(self, "unit", unit_name(self.unit))
        object.__setattr__(self, "adjacency", common_adjacency((self.adjacency, self.mechanism.adjacency)))


@dataclass(frozen=True, slots=True)
class Protects:
    """Whom a budget protects: a privacy unit, a neighbouring relation and a dataset. Other charges do not add up."""

    unit: str | None = None
    adjacency: Adjacency | None = None
    dataset: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", unit_name(self.unit))
        if not isinstance(self.adjacency, Adjacency | None):
            raise InvalidParameter("adjacency", self.adjacency, "ADD_REMOVE or REPLACE_ONE")

    def taking(self, charge: Charge) -> Protects:
        """The same, completed by what only the charge states; refuses a charge that protects somebody else."""
        for what in ("unit", "dataset"):
            mine, other = getattr(self, what), getattr(charge, what)
            if None not in (mine, other) and mine != other:
                raise DPError(
                    f"This is the budget of the {what} {mine!r}, and {charge.purpose or 'the charge'} is for the "
                    f"{what} {other!r}: what they cost does not add up."
                )
        if None not in (self.adjacency, charge.adjacency) and self.adjacency is not charge.adjacency:
            raise AdjacencyMismatch(
                f"This is a budget under {_named(self.adjacency)}, and {charge.purpose or 'the charge'} is stated "
                f"under {_named(charge.adjacency)}: what they cost does not add up."
            )
        return Protects(
            self.unit if self.unit is not None else charge.unit,
            self.adjacency or charge.adjacency,
            self.dataset if self.dataset is not None else charge.dataset,
        )


class Budget(Protocol):
    """Anything that takes charges. A release calls it before it touches the data."""

    def check(self, charge: Charge, /) -> None:
        """Refuse a charge that would not fit; nothing is charged either way."""
        ...

    def spend(self, charge: Charge, /) -> None:
        """Charge what is about to be run, or refuse and charge nothing."""
        ...


def charge_of(charge: Charge | Subject, purpose: str = "") -> Charge:
    """A charge unchanged, or a charge made from a mechanism and a purpose."""
    return charge if isinstance(charge, Charge) else Charge(described(charge), purpose)


def unit_name(unit: object) -> str | None:
    """A privacy unit in words; one that is no column, such as every row, in brackets."""
    if unit is None or (isinstance(unit, str) and unit):
        return unit
    if isinstance(unit, Enum):
        return f"({unit.value})"
    raise InvalidParameter("unit", unit, "the name of a privacy unit")


def _named(relation: Adjacency | None) -> str:
    return "no relation" if relation is None else relation.value


__all__ = ["Budget", "Charge", "OverBudget", "Protects", "charge_of", "unit_name"]
