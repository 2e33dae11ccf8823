"""Every statement of the source documents is carried by code, or listed as still to come; never neither, nor both."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from dpcompose.kernel import STANDARD

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import theorem_map  # noqa: E402 - the pages' own modules live beside the pages
from theorem_map import Statement, statements  # noqa: E402

KNOWN = statements()


def without_home(found: list[Statement]) -> list[str]:
    """IDs that nothing carries and that are not listed as still to come."""
    return [s.id for s in found if not s.carriers and not s.later]


def no_longer_to_come(found: list[Statement]) -> list[str]:
    """IDs listed as still to come that something carries."""
    return [s.id for s in found if s.carriers and s.later]


def test_every_statement_is_carried_or_still_to_come() -> None:
    assert not without_home(KNOWN)


def test_nothing_that_is_there_is_still_to_come() -> None:
    assert not no_longer_to_come(KNOWN)


def test_no_statement_is_lost() -> None:
    assert len({s.id for s in KNOWN}) == len(KNOWN) == 94


def test_the_list_speaks_of_its_own_ids_only() -> None:
    listed = tomllib.loads((DOCS / "theorem_ids.toml").read_text(encoding="utf-8"))
    assert {*listed["by"], *listed["later"]} <= {s.id for s in KNOWN}
    assert all(listed["later"].values())


@pytest.mark.parametrize("statement", KNOWN, ids=lambda s: s.id)
def test_what_carries_a_statement_exists(statement: Statement) -> None:
    for name in statement.carriers:
        assert theorem_map.resolved(name) is not None


@pytest.mark.slow
def test_most_statements_are_mentioned_by_a_test() -> None:
    silent = [s.id for s in KNOWN if s.carriers and not theorem_map.tests_of(s)]
    assert len(silent) <= len(KNOWN) // 10, silent


@pytest.mark.parametrize("name", sorted(STANDARD.theorems))
def test_every_statement_can_be_read_alone(name: str) -> None:
    """As `explain` prints it: it does not begin where another one ends."""
    said = STANDARD.theorems[name].statement
    assert len(said) > 20
    assert not re.match(r"(the same|likewise|also|as (above|before)|here too)\b", said, re.IGNORECASE)


def test_a_gap_would_be_seen() -> None:
    lost = Statement("A-1", "lost", "nowhere", (), (), "")
    found = Statement("A-2", "found", "somewhere", ("dpcompose.epsilon",), (), "regions")
    assert without_home([lost, found]) == ["A-1"]
    assert no_longer_to_come([lost, found]) == ["A-2"]


def test_a_card_may_name_several_ids_at_once() -> None:
    assert theorem_map.ids_of(["A / B", "C (9)", "D(M) (3)"]) == ["A", "B", "C", "D(M)"]
