"""Loads the profile of the property tests before the first of them is read; slow tests go first."""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import tempfile
from collections.abc import Generator
from itertools import chain, groupby, islice
from pathlib import Path

import pytest

import cases  # noqa: F401 - loads the profile
from shared import restore, shared

# Workers of pytest-xdist are told a width, and commands that are run in a test would wrap what they say to it.
os.environ.pop("COLUMNS", None)

# What a book remembers of its stores is no business of the machine that runs the tests.
os.environ["DPCOMPOSE_STATE"] = tempfile.mkdtemp(prefix="dpcompose-state-")
atexit.register(shutil.rmtree, os.environ["DPCOMPOSE_STATE"], ignore_errors=True)


SLOW_FILE = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file that is slow as a whole is not even imported by who leaves slow tests out: some import all of a peer."""
    if config.getoption("markexpr") != "not slow" or collection_path.suffix != ".py":
        return None
    return SLOW_FILE.search(collection_path.read_text(encoding="utf-8")) is not None or None


WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
DEAR = ("spark", "postgres", "browser")
"""In the names of tests: what takes long to start, so all of one kind are for one worker."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every worker begin with slow tests, each with its share of the files, so that none ends on one alone.

    The first of n workers is given the first n-th of the list, and who has done his takes from the end of another's.
    """
    slow = sorted(filter(_is_slow, items), key=_company)
    groups = [list(group) for _, group in groupby(slow, key=_company)]
    others = iter([item for item in items if not _is_slow(item)])
    ordered: list[pytest.Item] = []
    for worker in range(WORKERS):
        ordered += chain.from_iterable(groups[worker::WORKERS])
        ordered += islice(others, max(len(items) * (worker + 1) // WORKERS - len(ordered), 0))
    items[:] = [*ordered, *others]


def pytest_collection_finish() -> None:
    """What was read stays until the end: who looks for garbage need not look at ten thousand tests every time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """No test leaves what all of them share other than it was; the next one has it as it should be in any case."""
    before = shared()
    result = yield
    after = shared()
    restore(before)
    assert after == before, f"a test left {after}, and found {before}"
    return result


def _is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def _company(item: pytest.Item) -> tuple[int, str]:
    """The tests of one kind are neighbours, and so are those of one file."""
    kind = next((place for place, word in enumerate(DEAR) if word in item.nodeid), len(DEAR))
    return kind, str(item.path) if kind == len(DEAR) else ""
