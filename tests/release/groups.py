"""Neighbours by the dozen: tables that differ in the rows of a few units, and which of them are neighbours.

With so many variants of one unit's rows every two of the tables are neighbours under replacement. With a few units,
each of them there or not, those are neighbours under addition and removal that differ in one unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import Any

from release import nasty

MANY = 60
"""Variants of one unit's rows."""
FEW = 8
"""Variants of the rows of each of two units."""
PRESENT = 4
"""Units that are there or not."""
Row = tuple[Any, ...]
Edges = list[tuple[int, int]]


@dataclass(frozen=True)
class Group:
    """Tables with the same columns, and the pairs of them that are neighbours."""

    columns: tuple[nasty.Column, ...]
    tables: list[list[Row]]
    edges: Edges
    replaced: bool
    keys: list[Any]


def shape(chance: Random, units: int, size: int, *, replaced: bool) -> tuple[list[tuple[int, ...]], Edges]:
    """Which variant of each unit is in each table, and which tables differ in one unit."""
    if replaced:
        two = units > 1 and size > FEW and chance.random() < 0.3
        choices = list(product(range(FEW), repeat=2)) if two else [(i,) for i in range(size)]
    else:
        choices = list(product(range(2), repeat=min(units, min(size, 1 << PRESENT).bit_length() - 1)))
    edges = [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(choices), 2)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    ]
    return choices, edges


def group(
    chance: Random,
    *,
    every_row: bool,
    labels: Sequence[nasty.Column],
    holes: bool = True,
    size: int = MANY,
    more: Callable[[list[Row], Any], list[Row]] = lambda rows, _: rows,
) -> Group:
    """A group of tables; `more` adds to the rows of a unit what is no row of anybody."""
    columns = (chance.choice(labels), chance.choice(labels), chance.choice(nasty.VALUES))
    pools = [column.drawn(chance, most) for column, most in zip(columns, (6, 6, 8), strict=True)]
    hole = chance.choice([0.0, 0.0, 0.2]) if holes else 0.0

    def cell(place: int) -> Any:
        return None if chance.random() < hole else chance.choice(pools[place])

    def rows(most: int) -> list[Row]:
        return [(cell(0), cell(1), cell(2)) for _ in range(chance.choice([0, 1, 2, 5, most]))]

    replaced = chance.random() < 0.75
    whose = chance.sample(pools[0], min(len(pools[0]), PRESENT))
    choices, edges = shape(chance, PRESENT if every_row else len(whose), size, replaced=replaced)

    def variant(place: int, number: int) -> list[Row]:
        if not (replaced or number):
            return []
        if every_row:
            return [(cell(0), cell(1), cell(2))]
        mine = [(whose[place], cell(1), cell(2)) for _ in range(chance.choice([0, 1, 1, 3, 12]))]
        return more(mine, whose[place])

    variants = {(place, number): variant(place, number) for choice in choices for place, number in enumerate(choice)}
    taken = [] if every_row else whose[: len(choices[0])]
    rest = [row for row in rows(30) if row[0] not in taken]
    tables = []
    for choice in choices:
        table = [*rest, *(row for place, number in enumerate(choice) for row in variants[place, number])]
        chance.shuffle(table)
        tables.append(table)
    keys = chance.sample(pools[1], min(chance.choice([1, 3, 6]), len(pools[1])))
    return Group(columns, tables, edges, replaced, keys)
