"""Noisy answers: the whole plan is tried on an empty table; after the charge nothing in the data can change its path.

What an engine does for reasons of its own (it has no memory left, or is killed) ends in one sentence, always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy.typing as npt

from dpcompose.release.ask.noises import Drawn
from dpcompose.release.ask.quantiles import Quantile, chosen, gaps
from dpcompose.release.ask.queries import NoisySums, Written
from dpcompose.release.ask.result import Estimate, Key, Quote
from dpcompose.release.engine.kinds import Kind, Label, labels, shown
from dpcompose.release.engine.points import counted_points
from dpcompose.release.engine.rows import Rows, present
from dpcompose.release.engine.secret import Secret
from dpcompose.release.engine.tables import Columns, Table, attempt
from dpcompose.release.engine.totals import Salt, Totals, totals
from dpcompose.release.refusals import EngineFailure
from dpcompose.release.sampling import Source

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A priced question about a table whose columns are checked, and on which it was tried without any rows."""

    price: Quote
    table: Table
    kind: Kind | None
    keys: Sequence[Label] | None

    def answer(self, source: Source) -> dict[Key, Estimate]:
        """Touch the data, add the noise, forget the data."""
        query = self.price.query
        if isinstance(query, Quantile):
            return self._choice(query, source)
        assert isinstance(query, NoisySums)  # noqa: S101 - for the type checker
        return self._sums(query, source)

    def _choice(self, query: Quantile, source: Source) -> dict[Key, Estimate]:
        salt, scale, level = Salt.drawn(source), query.scale, query.level
        counts = survived(lambda: counted_points(query, self._rows(), salt))
        index = counts.spent_in(lambda held: chosen(gaps(held, level), scale, source))
        return {None: query.estimated(index, self.price.margins["rank"])}

    def _sums(self, query: NoisySums, source: Source) -> dict[Key, Estimate]:
        """Where the keys are known the noise is drawn before the data is touched."""
        drawn, salt = self.price.drawn, Salt.drawn(source)
        margins = [noise.margin(1 - (1 - query.confidence) / len(drawn)) for noise in drawn.values()]
        known: Sequence[Any] = [None] if query.by is None else self._named(query.keys or [])
        inside: Sequence[Label | None] = [None] if query.by is None else self.keys or []
        noises = [noise.draw(len(known), source) for noise in drawn.values()]
        held = survived(lambda: totals(query, self._rows(), self.keys, salt))
        if query.unseen:
            least, kind = self.price.threshold or 0, self.kind or Kind.WHOLE
            noisy = held.spent_in(lambda exact: _passed(exact, kind, drawn, least, source))
        else:
            noisy = held.spent_in(lambda exact: dict(zip(known, _plus(exact, inside, noises), strict=True)))
        return {key: query.estimated(found, margins) for key, found in noisy.items()}

    def _named(self, keys: Sequence[Any]) -> list[Key]:
        """The keys as they were given; those that came as texts, in the type of their column."""
        kind, inside = self.kind or Kind.WHOLE, self.keys or []
        pairs = zip(keys, inside, strict=True)
        return [shown(kind, label) if isinstance(key, Written) else key for key, label in pairs]

    def _rows(self) -> Rows:
        return _present(self.table, self.price.query.columns, empty=False)


def _present(table: Table, columns: Columns, *, empty: bool) -> Rows:
    return present(table.rows(columns, empty), columns)


def _plus(held: Totals, keys: Sequence[Label | None], noises: Sequence[npt.NDArray[Any]]) -> list[list[int]]:
    """Every key gets noise, also those that no row has."""
    none = (0,) * len(noises)
    return [
        [total + int(noise[i]) for total, noise in zip(held.get(key, none), noises, strict=True)]
        for i, key in enumerate(keys)
    ]


def _passed(held: Totals, kind: Kind, drawn: Mapping[str, Drawn], least: int, source: Source) -> dict[Key, list[int]]:
    """The keys whose noisy count reaches the threshold, in the order of the keys, which says nothing of the data."""
    (noise,) = drawn.values()
    present = sorted(key for key, (count,) in held.items() if count and key is not None)
    noisy = _plus(held, present, [noise.draw(len(present), source)])
    return {shown(kind, key): found for key, found in zip(present, noisy, strict=True) if found[0] >= least}


def survived(action: Callable[[], T]) -> T:
    """What the engine finds after the charge. Why it did not find it is dropped, with all that hangs on it."""
    try:
        return action()
    except Exception:  # noqa: BLE001, S110 - engines raise anything
        pass
    raise EngineFailure


def prepared(price: Quote, table: Table) -> Prepared:
    """Check names and types, and run the whole plan on an empty table of the same types; refuse what fails there."""
    query = price.query
    columns = query.columns
    table.check(columns)
    kind = table.kind(columns["key"]) if "key" in columns else None
    given = query.keys if isinstance(query, NoisySums) and kind is not None else None
    keys = None if given is None or kind is None else labels(kind, columns["key"], given)

    def tried() -> Secret[Any]:
        rows = _present(table, columns, empty=True)
        if isinstance(query, Quantile):
            return counted_points(query, rows, Salt(1, 0))
        assert isinstance(query, NoisySums)  # noqa: S101 - for the type checker
        return totals(query, rows, keys, Salt(1, 0))

    attempt(table.name, tried)
    return Prepared(price, table, kind, keys)


__all__ = ["Prepared", "prepared", "survived"]
