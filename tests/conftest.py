"""Loads the profile of the property tests before the first of them is read; slow tests go first."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Generator
from itertools import chain, groupby
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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let both workers begin with slow tests, each with half of the files, so that neither ends on one alone.

    Of two workers the first is given the first half of the list, and who has done his takes from the other's end.
    """
    slow = [list(group) for _, group in groupby(filter(_is_slow, items), key=lambda item: item.path)]
    first, second = (list(chain.from_iterable(slow[i::2])) for i in (0, 1))
    others = [item for item in items if not _is_slow(item)]
    middle = max(len(items) // 2 - len(first), 0)
    items[:] = first + others[:middle] + second + others[middle:]


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
