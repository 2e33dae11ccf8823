"""Text files whose lines are anything, and neighbours of them: one unit's lines are added, removed or replaced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from dpcompose import release
from release.groups import Edges

CELLS = {
    "int": [
        "7",
        "07",
        "+7",
        " 7 ",
        "7.0",
        "7e0",
        "0x7",
        "-0",
        "0",
        "99999999999999999999",
        "1_0",
        "",
        "x",
        "٧",
        "-3",
        "8",
    ],
    "float": ["1", "1.5", "-.5", "5.", "1e3", "1e999", "nan", "inf", "-inf", "1,5", "", "2.25", "٣", "0x1p3", " 4 "],
    "bool": ["true", "FALSE", "True ", "1", "0", "t", "yes", ""],
    "date": ["2024-02-13", "02/13/2024", "13/02/2024", "2024-02-30", "0000-01-01", "9999-12-31", "24-2-1", "today", ""],
    "text": ["a", "A", "ä", "a b", "'", "NULL", "true", "7", "07", "2024-02-13", "\x1b[2J", "x" * 200, "", "\x00"],
}
BROKEN = [
    b'"',
    b'"open',
    b"a,b",
    b",,,,,,",
    b"\xff\xfe",
    b"one",
    b'x"y,"z',
    b"\r",
    b'"a"b,c,d',
    b"7,a,1,2,more",
    b"7,a,1",
]
"""Lines that are no row: whoever wrote them, nobody else's row may change."""


def whole(cell: str) -> int | None:
    found = int(cell) if re.fullmatch(r" *[+-]?[0-9]+ *", cell) else None
    return found if found is not None and -(2**63) <= found < 2**63 else None


def day(cell: str) -> date | str | None:
    text = cell.strip(" ")
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text if text.startswith("0000") else None


READ = {
    "int": whole,
    "text": lambda cell: cell or None,
    "bool": lambda cell: {"true": True, "false": False}.get(cell.strip(" ").lower()),
    "date": day,
}
"""The rules of the types, written a second time: who is one unit depends on them."""


@dataclass(frozen=True)
class Lines:
    """Files of lines, how they are declared, and which of them are neighbours."""

    tables: list[list[bytes]]
    edges: Edges
    types: dict[str, str]
    keys: list[Any]
    replaced: bool

    def written(self, lines: list[bytes], path: Path) -> Any:
        """A file of them; the last line has an end or none."""
        path.write_bytes(b"unit,key,value,extra\n" + b"\n".join(lines))
        return release.Csv(path, self.types)


def line(cells: list[str], chance: Random) -> bytes:
    """A row, quoted where it must be, or at will."""
    said = [
        f'"{c.replace(chr(34), chr(34) * 2)}"' if "," in c or '"' in c or chance.random() < 0.1 else c for c in cells
    ]
    return ",".join(said).encode() + chance.choice([b"", b"", b"\r"])


def group(chance: Random, size: int) -> Lines:
    """Files that differ in the lines of one unit, and in lines that are nobody's."""
    kinds = [chance.choice(["int", "text", "date", "bool"]) for _ in range(2)] + ["float", "int"]
    pools = [chance.sample(CELLS[kind], min(7, len(CELLS[kind]))) for kind in kinds]

    def drawn(unit: str | None = None) -> tuple[str, bytes]:
        cells = [chance.choice(pool) for pool in pools]
        cells[0] = cells[0] if unit is None else unit
        return cells[0], line(cells, chance)

    who, read = chance.choice(pools[0]), READ[kinds[0]]
    rows = [drawn() for _ in range(chance.choice([0, 1, 5, 25]))]
    rest = [text for unit, text in rows if read(unit) is None or read(unit) != read(who)]
    same = [cell for cell in pools[0] if read(cell) == read(who)]
    replaced = chance.random() < 0.75

    def variant(number: int) -> list[bytes]:
        mine = [drawn(chance.choice(same))[1] for _ in range(chance.choice([0, 1, 2, 9]))] if replaced or number else []
        broken = [chance.choice(BROKEN) for _ in range(chance.choice([0, 0, 1, 3]))]
        found = [*rest, *mine, *broken]
        chance.shuffle(found)
        return found

    edges = list(combinations(range(size), 2)) if replaced else [(0, i) for i in range(1, size)]
    known = [key for key in map(READ[kinds[1]], pools[1]) if key is not None and not str(key).startswith("0000")]
    types = dict(zip(("unit", "key", "value", "extra"), kinds, strict=True))
    return Lines([variant(i) for i in range(size)], edges, types, list(dict.fromkeys(known)), replaced)
