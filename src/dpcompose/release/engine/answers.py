"""Noisy answers. The whole plan is tried on an empty table first, so after the charge nothing in the data changes its
path.

A failure of the engine itself (out of memory, killed) ends in one sentence, always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy.typing as npt

from dpcompose.release.ask.filters import Condition
from dpcompose.release.ask.noises import Drawn
from dpcompose.release.ask.quantiles import Quantile, chosen, gaps
from dpcompose.release.ask.queries import KeyAsText, NoisySums, Query
from dpcompose.release.ask.result import Estimate, Key, Quote
from dpcompose.release.engine.kinds import Joined, Kind, Label, joined_labels, labels, role_of, shown
from dpcompose.release.engine.points import counted_points
from dpcompose.release.engine.rows import Rows, present
from dpcompose.release.engine.secret import Secret
from dpcompose.release.engine.table import DataTable, attempt, compared
from dpcompose.release.engine.totals import Salt, Totals, totals
from dpcompose.release.refusals import INTERRUPTIONS, EngineFailure
from dpcompose.release.sampling import RandomSource

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A priced question about a table, checked and tried without any rows."""

    price: Quote
    table: DataTable
    kind: Kind | Joined | None
    keys: Sequence[Label] | None
    conditions: Sequence[Condition] = ()
    """The conditions, with values in the types of their columns."""

    def answer(self, salt: Salt, source: RandomSource) -> dict[Key, Estimate]:
        """Read the data, add the noise, and keep only the estimates."""
        query = self.price.query
        if isinstance(query, Quantile):
            return self._choice(query, salt, source)
        assert isinstance(query, NoisySums)  # noqa: S101 - for the type checker
        return self._sums(query, salt, source)

    def _choice(self, query: Quantile, salt: Salt, source: RandomSource) -> dict[Key, Estimate]:
        scale, level = query.scale, query.level
        counts = survived(lambda: counted_points(query, self._rows(), salt))
        index = counts.spent_in(lambda held: chosen(gaps(held, level), scale, source))
        return {None: query.estimated(index, self.price.margins["rank"])}

    def _sums(self, query: NoisySums, salt: Salt, source: RandomSource) -> dict[Key, Estimate]:
        """The noisy sums. Where the keys are known, the noise is drawn before the data is read."""
        drawn = self.price.drawn
        margins = [noise.margin(1 - (1 - query.confidence) / len(drawn)) for noise in drawn.values()]
        known: Sequence[Any] = [None] if query.by is None else self._named(query.keys or [])
        inside: Sequence[Label | None] = [None] if query.by is None else self.keys or []
        noises = [noise.draw(len(known), source) for noise in drawn.values()]
        held = survived(lambda: totals(query, self._rows(), self.keys, salt))
        if query.unseen:
            least, kind = self.price.threshold or 0, self.kind or Kind.WHOLE  # a question by keys has one
            noisy = held.spent_in(lambda exact: _passed(exact, kind, drawn, least, source))
        else:
            noisy = held.spent_in(lambda exact: dict(zip(known, _plus(exact, inside, noises), strict=True)))
        return {key: query.estimated(found, margins) for key, found in noisy.items()}

    def _named(self, keys: Sequence[Any]) -> list[Key]:
        """The keys as they were given; those given as texts, in the type of their column."""
        kind, inside = self.kind or Kind.WHOLE, self.keys or []
        pairs = zip(keys, inside, strict=True)
        return [_key(kind, label) if _is_written(key) else key for key, label in pairs]

    def _rows(self) -> Rows:
        return self.rows(empty=False)

    def rows(self, *, empty: bool) -> Rows:
        """The rows that count, each with a single key; if `empty`, of a table of the same types without rows."""
        columns = self.price.query.columns
        reals = [role for role, column in columns.items() if role == "value" or self._is_real(role, column)]
        found = present(self.table.rows(columns, empty), columns, reals)
        for i, one in enumerate(self.conditions):
            found = found.where(f"where{i} {one.sign} {one.value}")
        several = [role for role in columns if role_of(role) == "key" and role != "key"]
        if not several:
            return found
        texts = [self.table.kind(columns[role]) is Kind.TEXT for role in several]
        others = {role: role for role in ("unit", "value") if role in columns}
        return found.select({**others, "key": found.dialect.joined(several, texts)})

    def _is_real(self, role: str, column: str) -> bool:
        return role_of(role) == "where" and self.table.kind(column) is Kind.REAL


def _is_written(key: object) -> bool:
    return isinstance(key, KeyAsText) or (isinstance(key, tuple) and any(isinstance(part, KeyAsText) for part in key))


def _key(kind: Kind | Joined, label: Label) -> object:
    return kind.shown(label) if isinstance(kind, Joined) else shown(kind, label)


def _plus(held: Totals, keys: Sequence[Label | None], noises: Sequence[npt.NDArray[Any]]) -> list[list[int]]:
    """The sums of every key with noise added, also of keys without rows."""
    none = (0,) * len(noises)
    return [
        [total + int(noise[i]) for total, noise in zip(held.get(key, none), noises, strict=True)]
        for i, key in enumerate(keys)
    ]


def _passed(
    held: Totals, kind: Kind | Joined, drawn: Mapping[str, Drawn], least: int, source: RandomSource
) -> dict[Key, list[int]]:
    """The keys whose noisy count reaches the threshold, in sorted order, which reveals nothing."""
    (noise,) = drawn.values()
    present = sorted(key for key, (count,) in held.items() if count and key is not None)
    noisy = _plus(held, present, [noise.draw(len(present), source)])
    return {_key(kind, key): found for key, found in zip(present, noisy, strict=True) if found[0] >= least}


def survived(action: Callable[[], T]) -> T:
    """Run the engine after the charge. Any error is replaced by `EngineFailure`, without its cause."""
    try:
        return action()
    except INTERRUPTIONS:
        raise
    except BaseException:  # noqa: BLE001, S110 - engines raise anything
        pass
    raise EngineFailure


def prepared(price: Quote, table: DataTable) -> Prepared:
    """Check names and types, and run the whole plan on an empty table of the same types; whatever fails is refused."""
    query = price.query
    columns = query.columns
    table.check(columns)
    kind, keys = _keyed(query, table)
    ready = Prepared(price, table, kind, keys, compared(query.where, table))

    def tried() -> Secret[Any]:
        rows = ready.rows(empty=True)
        if isinstance(query, Quantile):
            return counted_points(query, rows, Salt(1, 0))
        assert isinstance(query, NoisySums)  # noqa: S101 - for the type checker
        return totals(query, rows, keys, Salt(1, 0))

    attempt(table.name, tried)
    return ready


def _keyed(query: Query, table: DataTable) -> tuple[Kind | Joined | None, Sequence[Label] | None]:
    """The kind of the keys, and the requested keys as the engine represents them."""
    if not isinstance(query, NoisySums) or query.by is None:
        return None, None
    columns = [query.by] if isinstance(query.by, str) else list(query.by)
    kinds = [table.kind(column) for column in columns]
    if isinstance(query.by, str):
        return kinds[0], None if query.keys is None else labels(kinds[0], query.by, query.keys)
    return Joined(tuple(kinds)), None if query.keys is None else joined_labels(kinds, columns, query.keys)


__all__ = ["Prepared", "prepared", "survived"]
