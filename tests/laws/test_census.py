"""How many cases the laws see: enough, and every mechanism among them."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import is_hypothesis_test
from hypothesis import settings as hypothesis_settings

import dpcompose as dpc
from strategies import LEAVES, MECHANISMS, SPECIAL

ENOUGH = 10_000


def laws() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every law that is stated in this folder."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.stem == "test_census":
            continue
        spec = importlib.util.spec_from_file_location(f"census_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, test in vars(module).items():
            if name.startswith("test_") and is_hypothesis_test(test):
                yield f"{path.stem}::{name}", test


def cases(test: Callable[..., Any]) -> int:
    """How many examples it draws, over all its parametrisations."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    return test._hypothesis_internal_use_settings.max_examples * math.prod(len(mark.args[1]) for mark in marks)


def test_the_laws_see_enough_cases() -> None:
    seen = {name: cases(test) for name, test in laws()}
    assert len(seen) >= 30
    assert sum(seen.values()) >= ENOUGH, seen


def test_the_same_cases_are_drawn_every_time() -> None:
    assert hypothesis_settings().derandomize or hypothesis_settings().max_examples == 2000


def test_every_public_mechanism_is_drawn() -> None:
    public = {
        found
        for found in (getattr(dpc, name) for name in dpc.__all__)
        if isinstance(found, type) and issubclass(found, dpc.Mechanism)
    }
    assert public - {dpc.Mechanism, dpc.Composition} == set(MECHANISMS)
    assert set(SPECIAL) <= set(MECHANISMS)
    assert len(LEAVES) >= 10
