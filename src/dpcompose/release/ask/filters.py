"""Conditions on rows: each compares a column of the same row, so a unit's rows decide only about themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dpcompose.errors import InvalidParameter

SIGNS = ("<=", ">=", "!=", "=", "<", ">")
FORM = re.compile(r"\s*(.+?)\s*(<=|>=|!=|==|=|<|>)\s*(.*?)\s*", re.DOTALL)
JOINED = re.compile(r"\s(and|or|&&?|\|\|?)\s.*[<>=]", re.IGNORECASE)
MOST = 20
ONE = f"a column, one of {' '.join(SIGNS)}, and a value: age >= 18"


@dataclass(frozen=True, slots=True)
class Condition:
    """`column sign value`; the value is read in the type of its column once that is known."""

    column: str
    sign: str
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.sign} {self.value}"


def condition(text: object) -> Condition:
    """Read `age >= 18`; quotes around the value are left out."""
    found = FORM.fullmatch(text) if isinstance(text, str) else None
    if found is None or not found[3]:
        raise InvalidParameter("where", text, ONE)
    if found[3][0] in "<>=" or JOINED.search(found[3]):
        raise InvalidParameter("where", text, f"{ONE}; several conditions are given one by one")
    value = found[3][1:-1] if len(found[3]) > 1 and found[3][0] == found[3][-1] and found[3][0] in "'\"" else found[3]
    return Condition(found[1].strip("'\""), "=" if found[2] == "==" else found[2], value)


def conditions(where: object) -> tuple[Condition, ...]:
    """One condition, or several that must all hold."""
    if isinstance(where, Condition):
        return (where,)
    given = [where] if isinstance(where, str) else where
    if not isinstance(given, Sequence) or len(given) > MOST:
        raise InvalidParameter("where", where, f"at most {MOST} conditions such as age >= 18")
    return tuple(one if isinstance(one, Condition) else condition(one) for one in given)


__all__ = ["Condition", "condition", "conditions"]
