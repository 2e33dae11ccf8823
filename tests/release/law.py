"""The law of releases: with one unit's rows changed nothing changes but what the noise was made to cover.

A pair of tables is released on an engine, with noise that is silent. The outcome must be of the same kind, in the same
words, with the same labels where labels are given; the exact sums may differ in as many cells, and by as much, as the
mechanism was told. `Violation` says which of these fails.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.ask.quantiles import Quantile, gaps
from dpcompose.release.asking import answers as answers_to
from dpcompose.release.engine import answers, databases, files, sandbox, tables
from dpcompose.release.engine.secret import Secret
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from release import forms, lines, nasty, oracle, several
from release.engines import Book
from release.groups import MANY, group

RANGE: dict[str, Any] = {"value": "value", "lower": -3, "upper": 10, "grid": Fraction(1, 4)}
CSV = Path(tempfile.mkdtemp(prefix="dpcompose-test-")) / "rows.csv"


class Violation(AssertionError):
    """Something but the noise depends on one unit's rows."""


class SaltedSilence:
    """Salts that look random, two words for each question, and noise that is 0."""

    for_tests = True

    def __init__(self, seed: int, questions: int) -> None:
        self._salts, self._left = RepeatableBytesForTests(seed), 2 * questions

    def bytes(self, count: int, /) -> bytes:
        self._left -= 1
        return self._salts.bytes(count) if self._left >= 0 else b"\xff" * count


@lru_cache(maxsize=4096)
def _mechanisms(statistic: str, shape: tuple[tuple[str, Any], ...]) -> Any:
    options = {name: list(range(value)) if name == "keys" else value for name, value in shape}
    return release.quote(statistic, **options)


def priced(statistic: str, options: dict[str, Any]) -> Any:
    """The price of a question, which does not depend on what its keys are."""
    shape = tuple((name, len(value) if name == "keys" else value) for name, value in options.items())
    return replace(_mechanisms(statistic, shape), query=release.query(statistic, **options))


def question(
    chance: Random, keys: list[Any] | None, *, every_row: bool, replaced: bool, unseen: bool = False
) -> several.Asked:
    """A statistic with bounds of every kind, now and then by two columns or with a condition, and its price."""
    statistic = chance.choice(["count", "count", "count", "sum", "mean", "variance", "quantile"])
    options: dict[str, Any] = {"unit": release.EVERY_ROW if every_row else "unit", "epsilon": 1}
    options["adjacency"] = dpc.REPLACE_ONE if replaced else dpc.ADD_REMOVE
    if not every_row:
        options["max_rows"] = chance.choice([1, 1, 2])
    if statistic != "count":
        options |= RANGE
    if statistic == "quantile":
        options["q"] = chance.choice([0, Fraction(1, 3), Fraction(1, 2), 1])
        return several.asked(chance, statistic, options, priced)
    if unseen and statistic != "count":
        return several.asked(chance, statistic, options, priced)
    if (keys is not None or unseen) and chance.random() < 0.8:
        options["by"] = "key"
        if not every_row:
            options["max_groups"] = chance.choice([1, 2])
        if unseen or (statistic == "count" and chance.random() < 0.3):
            options |= {"epsilon": 8, "delta": Fraction(1, 2)}  # so that a key of a few units is shown
        else:
            options["keys"] = keys
    return several.asked(chance, statistic, options, priced)


def questions(chance: Random, keys: list[Any] | None, **known: Any) -> list[several.Asked]:
    """One question, and now and then two more about the same units, for one charge."""
    return [question(chance, keys, **known) for _ in range(chance.choice([1, 1, 1, 1, 1, 1, 1, 3]))]


@dataclass
class Outcome:
    """What the world sees of a release, and (for the law only) what it was computed from."""

    kind: str
    words: str
    labels: list[Any] = field(default_factory=list)
    charges: int = 0
    exact: Any = None
    salt: tuple[int, int] = (1, 0)


@contextmanager
def watched() -> Iterator[list[Any]]:
    """The exact sums on their way to the noise, and the salt that they were bounded with."""
    seen: list[Any] = []

    def spy(function: Any) -> Any:
        def watch(*given: Any) -> Any:
            held = function(*given).spent_in(lambda found: found)
            seen.append((held, (given[-1].a, given[-1].b)))
            return Secret(held)

        return watch

    with ExitStack() as stack:
        for name in ("totals", "counted_points"):
            stack.enter_context(mock.patch.object(answers, name, spy(getattr(answers, name))))
        yield seen


@contextmanager
def shared_engine() -> Iterator[None]:
    """One embedded engine for many releases that read no file by it, or always the same one, which is written anew: to
    start one takes longer than a small release.
    """
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(sandbox.LOCKED, {"threads": "1"}))
        kept = cache(lambda paths: stack.enter_context(sandbox.engine(files=paths)))

        @contextmanager
        def again(limits: Any, paths: Any = (), database: Any = None) -> Iterator[Any]:
            if database or any(path.name != forms.ROWS for path in paths):
                with sandbox.engine(limits, paths, database) as own:
                    yield own
            else:
                yield kept(tuple(paths))

        for module in (tables, files, databases):
            stack.enter_context(mock.patch.object(module, "engine", again))
        yield


def each(seed: int, pairs: int, form: str) -> Iterator[str]:
    """Pairs on one form of tables, each of which obeys the law; what became of them."""
    chance = Random(f"{form} {seed}")  # noqa: S311 - tables for tests
    with shared_engine():
        for number in range(pairs):
            yield _one(chance, number, form)


def on_spark(session: Any, seed: int, groups: int) -> Iterator[Found]:
    """The same on Spark, where a release takes seconds."""
    chance = Random(seed)  # noqa: S311 - tables for tests
    for number in range(groups):
        yield together(chance, number, "spark", lambda table: forms.on_spark(session, table), size=4)


def _one(chance: Random, number: int, form: str) -> str:
    """One pair."""
    return together(chance, number, form, forms.FORMS.get(form), size=2).kind


@dataclass(frozen=True)
class Found:
    """How many tables were released, how many pairs of them are neighbours, and what became of them."""

    kind: str
    tables: int
    pairs: int


def dozens(seed: int, groups: int, form: str) -> Iterator[Found]:
    """Groups of tables on one form, of which all neighbours obey the law."""
    chance = Random(f"{form} {seed}")  # noqa: S311 - tables for tests
    with shared_engine():
        for number in range(groups):
            yield together(chance, number, form, forms.FORMS.get(form), size=MANY)


def together(chance: Random, number: int, form: str, build: Any, *, size: int) -> Found:
    """Release every table of a group, and compare those that are neighbours."""
    if form == "csv":
        text = lines.group(chance, size)
        asked = questions(chance, text.keys or None, every_row=False, replaced=text.replaced)
        prices = [one.price for one in asked]
        seen = [released(prices, text.written(rows, CSV), number, {}) for rows in text.tables]
        return judged(prices, seen, text.edges)
    every_row = chance.random() < 0.2
    objects = form == "pandas objects"
    more = (lambda rows, who: forms.strayed(chance, rows, who)) if objects else (lambda rows, _: rows)
    found = group(
        chance,
        every_row=every_row,
        labels=nasty.labels(form),
        holes=form != "pandas numpy",
        size=size,
        more=more,
    )
    keys = nasty.listable(found.columns[1], found.keys)
    asked = questions(chance, keys, every_row=every_row, replaced=found.replaced, unseen=keys is None)
    prices, seen = [one.price for one in asked], []
    for rows in found.tables:
        if objects:
            frame, types = forms.objects(found.columns, rows)
            seen.append(released(prices, frame, number, {"types": types}))
            continue
        table = nasty.table(found.columns, rows)
        read = nasty.rows(table)
        seen.append(released(prices, build(several.widened(table, read)), number, {}))
        for one, outcome in zip(asked, seen[-1], strict=True):
            agree(one.single, outcome, one.rows(read))
    return judged(prices, seen, found.edges)


def judged(prices: list[Any], seen: list[list[Outcome]], edges: list[tuple[int, int]]) -> Found:
    """Hold all neighbours against each other."""
    for here, there in edges:
        for price, one, other in zip(prices, seen[here], seen[there], strict=True):
            compare(price, one, other)
    return Found(seen[0][0].kind, len(seen), len(edges))


def outcome(price: Any, data: Any, seed: int, door: Mapping[str, Any]) -> Outcome:
    """Release it."""
    (found,) = released([price], data, seed, door)
    return found


def released(prices: list[Any], data: Any, seed: int, door: Mapping[str, Any]) -> list[Outcome]:
    """Several answers for one charge; what engines warn of is among their words."""
    book = Book()
    loud = any(isinstance(price.query, Quantile) for price in prices)
    source: Any = RepeatableBytesForTests(seed) if loud else SaltedSilence(seed, len(prices))
    with watched() as seen, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # when a file is closed is up to the collector of garbage
        try:
            answered = answers_to(prices, data, budget=book, source=source, **door)
        except dpc.DPError as refusal:
            return [Outcome(type(refusal).__name__, str(refusal), charges=len(book.charges)) for _ in prices]
    said = sorted({str(warning.message) for warning in warned})
    return [
        _outcome(price, found, f"{said}", len(book.charges), held)
        for price, found, held in zip(prices, answered, seen[-len(prices) :], strict=True)
    ]


def _outcome(price: Any, found: Any, said: str, charges: int, held: tuple[Any, tuple[int, int]]) -> Outcome:
    given = getattr(price.query, "keys", None) is not None or getattr(price.query, "by", None) is None
    labels = [(type(key).__name__, key) for key in found.values] if given else []
    notes = [estimate.note for estimate in found.estimates.values()] if given else []
    return Outcome("answer", f"{price.query} {notes} {said}", labels, charges, *held)


def agree(price: Any, seen: Outcome, rows: list[tuple[Any, Any, Any]]) -> None:
    """Raise `Violation` where an engine sums something else than a loop over the rows."""
    if seen.kind != "answer":
        return
    meant = oracle.truth(price.query, rows, seen.salt)
    found = (
        seen.exact.tolist() if isinstance(price.query, Quantile) else {k: v for k, v in seen.exact.items() if any(v)}
    )
    meant = meant if isinstance(meant, list) else {k: v for k, v in meant.items() if any(v)}
    if found != meant:
        raise Violation(f"an engine sums {found!r:.200}, a loop {meant!r:.200} ({price.query})")


def compare(price: Any, here: Outcome, there: Outcome) -> None:
    """Raise `Violation` where the law is broken."""
    for part in ("kind", "words", "labels", "charges"):
        if getattr(here, part) != getattr(there, part):
            raise Violation(f"{part}: {getattr(here, part)!r:.200} and {getattr(there, part)!r:.200} ({price.query})")
    if here.exact is None:
        return
    query = price.query
    if isinstance(query, Quantile):
        moved = max(abs(gaps(here.exact, query.level) - gaps(there.exact, query.level)))
        if moved > query.scale * query.epsilon / 2:
            raise Violation(f"a gap moves by {moved}")
        return
    none = (0,) * len(query.tallies)
    distances = [
        [abs(a - b) for a, b in zip(here.exact.get(key, none), there.exact.get(key, none), strict=True)]
        for key in here.exact.keys() | there.exact.keys()
    ]
    cells = sum(any(distance) for distance in distances)
    if cells > query.cells:
        raise Violation(f"{cells} cells move, and {query.cells} are declared ({query})")
    allowed = [noise.mechanism.sensitivity for noise in price.drawn.values()]
    for distance in distances:
        if any(a > b for a, b in zip(distance, allowed, strict=True)):
            raise Violation(f"a cell moves by {distance}, and {allowed} are declared ({query})")
