"""Faults of books, threads, random sources and files, planted again: the test that was written for each finds it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.filters.charge import Charge, Protects, charge_of
from dpcompose.numerics import precision
from dpcompose.release.charge import plan_file
from dpcompose.release.sketches import graphs, making, store
from oracles import test_precision
from release import test_budgets, test_health, test_sketches_refusals, test_sketches_spark
from shared import restored

pytestmark = pytest.mark.slow

Planted = AbstractContextManager[Any]
FOUND = (AssertionError, pytest.fail.Exception, dpc.DPError, TypeError, ValueError)
"""How a test says so; what it expects to be refused may also fail further on."""


def nobody_in_particular() -> Planted:
    """A budget takes charges for whatever unit."""
    return mock.patch.object(Protects, "taking", lambda self, _: self)


def the_last_of_two_names() -> Planted:
    """Of a name that stands twice the first is forgotten, as JSON readers do."""
    return mock.patch.object(plan_file, "_once", dict)


def look_then_write() -> Planted:
    """The check and the charge are two steps: all eight threads have looked before one of them writes."""
    looked, once = threading.Barrier(8), threading.local()

    def spend(self: Any, charge: Charge, purpose: str = "", /) -> None:
        asked = charge_of(charge, purpose)
        after = self._after(asked)
        if not hasattr(once, "met"):
            once.met = looked.wait(60)
        self._total, self.protects = after
        self._run.append((asked.mechanism, 1))

    return mock.patch.object(release.Allowance, "spend", spend)


def precision_of_all_threads() -> Planted:
    """Whoever sets the working precision sets it for everybody, and loses the processor meanwhile."""

    def enter(self: Any) -> None:
        self._before = precision._flint.prec
        precision._flint.prec = self._bits
        time.sleep(1e-4)

    def leave(self: Any, *_: object) -> None:
        precision._flint.prec = self._before

    return mock.patch.multiple(precision.WorkingPrecision, __enter__=enter, __exit__=leave)


def the_data_first() -> Planted:
    """A sketch reads its data before it asks the budget."""
    real = making.Draft.made

    def made(self: Any, budget: Any, source: Any, into: Any) -> Any:
        self.look()
        return real(self, budget, source, into)

    return mock.patch.object(making.Draft, "made", made)


def an_unwatched_source() -> Planted:
    """Nobody looks at what a random source gives."""
    return mock.patch.object(making, "watched", lambda source: source)


@contextmanager
def for_everybody_to_read() -> Iterator[None]:
    """A file with the rights that files usually have."""
    real, before = os.open, os.umask(0o022)
    try:
        with mock.patch.object(store.os, "open", lambda path, flags, _: real(path, flags, 0o644)):
            yield
    finally:
        os.umask(before)


def picky_sketches() -> Planted:
    """A sketch refuses what is no weight: one row decides whether an answer comes."""
    real = graphs.reals

    def picky(values: object, what: str) -> Any:
        found = real(values, what)
        if not (found >= 0).all():
            raise release.InvalidData(f"{what} are not all at least 0.")
        return found

    return mock.patch.object(graphs, "reals", picky)


def refused_before_the_graph(tmp_path: Path) -> None:
    """What does not fit is refused before the graph is read."""
    del tmp_path
    small = release.Allowance(epsilon=0.5)
    goal: dict[str, Any] = {"eta": 0.5, "nu": 0.1, "epsilon": 1, "delta": 1e-6}
    with pytest.raises(release.OverBudget):
        release.cut_sketch(lambda: pytest.fail("the graph was read"), vertices=9, **goal, budget=small)


PLANTED: list[tuple[Callable[[], Planted], Callable[[Path], None]]] = [
    (nobody_in_particular, test_budgets.test_a_plan_for_users_pays_for_nobody_else),
    (nobody_in_particular, lambda _: test_budgets.test_a_sketch_and_a_count_under_other_relations_do_not_add_up()),
    (the_last_of_two_names, test_budgets.test_a_name_that_stands_twice_forgets_nothing),
    (look_then_write, lambda _: test_budgets.test_eight_threads_never_overspend()),
    (precision_of_all_threads, lambda _: test_precision.test_the_precision_of_a_thread_is_its_own_and_is_set_back()),
    (the_data_first, refused_before_the_graph),
    (picky_sketches, lambda _: test_sketches_refusals.test_each_entry_of_a_matrix_decides_its_own_edge_only()),
    (
        an_unwatched_source,
        lambda _: test_health.test_a_broken_source_is_noticed_before_the_data(test_health.Stuck(), "in a row", "cut"),
    ),
    (for_everybody_to_read, lambda p: test_sketches_spark.test_a_sketch_in_a_file_is_nobody_elses_to_read("cut", p)),
    (for_everybody_to_read, lambda p: test_sketches_spark.test_a_sketch_in_a_file_is_nobody_elses_to_read("rows", p)),
]


@pytest.mark.parametrize("planted, finder", PLANTED)
def test_what_is_planted_is_found(
    planted: Callable[[], Planted], finder: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "right").mkdir()
    (tmp_path / "wrong").mkdir()
    finder(tmp_path / "right")
    with restored(), planted(), pytest.raises(FOUND):
        finder(tmp_path / "wrong")
