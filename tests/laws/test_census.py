"""How many cases the laws see: enough, and every mechanism among them."""

from __future__ import annotations

import importlib.util
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

import dpcompose as dpc
from cases import PROFILE, SCALES, USUAL, scaled
from laws.shares import ONE_IN, share
from strategies import LEAVES, MECHANISMS, SPECIAL

ENOUGH = 10_000


def laws() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every law that is stated in this folder."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.stem == "test_census":
            continue
        spec = importlib.util.spec_from_file_location(f"census_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # a dataclass looks its own module up
        spec.loader.exec_module(module)
        for name, test in vars(module).items():
            if name.startswith("test_") and is_hypothesis_test(test):
                yield f"{path.stem}::{name}", test


def drawn(test: Callable[..., Any]) -> int:
    """How many examples it draws, over all its parametrisations."""
    stated = test._hypothesis_internal_use_settings.max_examples
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    kinds = [first(case) for mark in marks if str(mark.args[0]).startswith("cls") for case in mark.args[1]]
    others = [mark for mark in marks if not str(mark.args[0]).startswith("cls")]
    return sum(share(stated, kind) for kind in kinds or [object]) * math.prod(len(mark.args[1]) for mark in others)


def first(case: Any) -> Any:
    """The kind, of a kind alone or of a kind and something else."""
    values = getattr(case, "values", case)
    return values[0] if isinstance(values, tuple) else values


def test_the_laws_see_enough_cases() -> None:
    seen = {name: drawn(test) for name, test in laws()}
    assert len(seen) >= 30
    assert sum(seen.values()) >= scaled(ENOUGH), seen


def test_the_same_cases_are_drawn_every_time_but_at_night() -> None:
    drawn_anew = {name for name, test in laws() if not test._hypothesis_internal_use_settings.derandomize}
    assert bool(drawn_anew) == (PROFILE == "nightly"), drawn_anew


def test_every_kind_is_drawn_by_every_law_and_at_night_as_often_as_any_other() -> None:
    assert set(ONE_IN) <= set(MECHANISMS)
    assert all(share(1, kind, "ci") == 1 and share(40, kind, "ci") >= 5 for kind in MECHANISMS)
    assert all(share(count, kind, "nightly") == count for kind in MECHANISMS for count in (25, 40, 80))


@pytest.mark.parametrize("profile", SCALES)
def test_a_profile_scales_what_every_property_test_draws(profile: str) -> None:
    loaded = settings.get_profile(profile)
    assert loaded.max_examples == scaled(USUAL, profile) == USUAL * SCALES[profile]
    assert loaded.derandomize == (profile != "nightly")
    assert scaled(15, profile) == {"quick": 2, "ci": 15, "nightly": 900}[profile]


def test_no_property_test_goes_round_the_profile() -> None:
    """A count written into `settings` would be the same by day and by night."""
    here = Path(__file__)
    written = {
        path.name
        for path in here.parents[1].rglob("*.py")
        if path not in {here, here.parents[1] / "cases.py"}
        and re.search(r"max_examples=(?!scaled\(|share\()", path.read_text(encoding="utf-8"))
    }
    assert not written


def test_every_property_test_draws_what_it_says_times_what_the_profile_says(request: pytest.FixtureRequest) -> None:
    """Of the laws, and of all tests that this run has collected: the count beside the name is the one by day."""
    collected = {getattr(item, "function", None) for item in request.session.items}
    for test in filter(is_hypothesis_test, {*collected, *dict(laws()).values()}):
        said = re.search(r"^ *@cases\((\d+)\)", inspect.getsource(test), re.MULTILINE)
        stated = test._hypothesis_internal_use_settings
        assert stated.max_examples == scaled(int(said[1]) if said else USUAL), test
        assert stated.derandomize == (PROFILE != "nightly"), test


def test_every_public_mechanism_is_drawn() -> None:
    public = {
        found
        for found in (getattr(dpc, name) for name in dpc.__all__)
        if isinstance(found, type) and issubclass(found, dpc.Mechanism)
    }
    assert public - {dpc.Mechanism, dpc.Composition} == set(MECHANISMS)
    assert set(SPECIAL) <= set(MECHANISMS)
    assert len(LEAVES) >= 10
