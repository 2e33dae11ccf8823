"""What a release sums, from its definition: plain loops over rows, and nothing taken from the engines."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from datetime import date
from fractions import Fraction
from math import floor
from typing import Any

PRIME = 2**31 - 1


def label(value: Any) -> Any:
    """A unit or a key as a whole number or as bytes."""
    if isinstance(value, str | bytes):
        return value if isinstance(value, bytes) else value.encode()
    return (value - date(1970, 1, 1)).days if isinstance(value, date) else None if value is None else int(value)


def hashed(unit: Any, salt: tuple[int, int]) -> int:
    number = unit if isinstance(unit, int) else int(hashlib.md5(unit).hexdigest()[:15], 16)  # noqa: S324 - spreads only
    return (salt[0] * (number % PRIME) + salt[1]) % PRIME


def index(value: float, query: Any) -> int:
    grid = query.points
    clipped = min(max(value, float(grid.point(0))), float(grid.point(grid.most)))
    return min(max(floor(Fraction(clipped) / grid.step + Fraction(1, 2)) - grid.first, 0), grid.most)


def present(query: Any, rows: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """The rows in which nothing is missing that the query reads."""
    found = []
    for unit, key, value in rows:
        who, what = label(unit), label(key)
        number = None if value is None else float(value)
        missing = {"unit": who is None, "key": what is None, "value": number is None or math.isnan(number)}
        if not any(missing[role] for role in query.columns):
            found.append((who, what, number))
    return found


def units(query: Any, rows: list[tuple[Any, Any, Any]]) -> list[tuple[Any, dict[Any, list[int]]]]:
    """Who there is, and the grid points of their rows in each group that is asked for."""
    by, valued = getattr(query, "by", None) is not None, "value" in query.columns
    keys = getattr(query, "keys", None)
    asked = None if keys is None else {label(key) for key in keys}
    found: dict[Any, dict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, (unit, key, value) in enumerate(present(query, rows)):
        who = unit if isinstance(query.unit, str) else ("row", place)
        if not by or asked is None or key in asked:
            found[who][key if by else None].append(index(value, query) if valued else 0)
    return list(found.items())


def totals(query: Any, rows: list[tuple[Any, Any, Any]], salt: tuple[int, int]) -> dict[Any, tuple[int, ...]]:
    """The bounded sums by key; keys that nobody has are not in it."""
    bounds = query.bounds
    m, most, tallies = bounds.rows, bounds.groups or 1, list(query.tallies.values())
    middle = query.points.middle if "value" in query.columns else 0
    found: dict[Any, list[int]] = defaultdict(lambda: [0] * len(tallies))
    for who, groups in units(query, rows):
        n = len(groups)
        s = 0 if isinstance(who, tuple) else hashed(who, salt)
        kept = [k for r, k in enumerate(sorted(groups)) if n <= most or ((r + 1) * most + s) // n > (r * most + s) // n]
        for key in kept if query.by is not None else groups:
            points = groups[key]
            for i, tally in enumerate(tallies):
                powers = {0: 0, 1: sum(points), 2: sum((p - middle) ** 2 for p in points)}
                size = powers[tally.power] if len(points) <= m else powers[tally.power] * m // len(points)
                low, high = tally.ends(m)
                found[key][i] += min(max(size - tally.centre * min(len(points), m), low), high)
    return {key: tuple(sums) for key, sums in found.items()}


def points(query: Any, rows: list[tuple[Any, Any, Any]], salt: tuple[int, int]) -> list[int]:
    """How many rows are at each point, with a bound on each unit's."""
    found = [0] * (query.points.most + 1)
    for who, groups in units(query, rows):
        values = sorted(groups[None])
        n, m = len(values), query.max_rows
        s = 0 if isinstance(who, tuple) else hashed(who, salt) % n
        for place, value in enumerate(values):
            found[value] += n <= m or ((place + 1) * m + s) // n > (place * m + s) // n
    return found


def truth(query: Any, rows: list[tuple[Any, Any, Any]], salt: tuple[int, int]) -> Any:
    """What the noise of a release is added to."""
    return points(query, rows, salt) if query.statistic == "quantile" else totals(query, rows, salt)
