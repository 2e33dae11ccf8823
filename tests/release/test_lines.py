"""A line of a text is read alike wherever the pieces of its file end, and whatever other lines are beside it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unittest import mock

import pytest

from dpcompose.release.ask.sources import Csv
from dpcompose.release.engine import text
from release import lines

PARTS = [b"a", b"b,c", b"\n", b"\n", b"\r", b"xxxx", b'"', b"\xff", b"\xed\xa0\x80", "ä".encode(), b"\0", b","]


@pytest.mark.parametrize("seed", range(4))
def test_a_file_is_cut_at_its_line_ends_and_nowhere_else(seed: int, tmp_path: Path) -> None:
    chance, path = Random(seed), tmp_path / "rows.csv"  # noqa: S311 - texts for tests
    for _ in range(300):
        longest, chunk = chance.choice([3, 5, 8]), chance.choice([1, 2, 3, 5, 9, 30])
        said = b"".join(chance.choice(PARTS) for _ in range(chance.randrange(30)))
        path.write_bytes(b"head\n" + said)
        with mock.patch.object(text, "CHUNK", chunk), mock.patch.object(text, "LONGEST", longest):
            found = [line for some in text.lines(path, Csv(path)) for line in some if line]
        assert found == [cut for line in said.split(b"\n") if len(line) <= longest and (cut := line.rstrip(b"\r"))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_line_is_read_alike_beside_any_other(seed: int, tmp_path: Path) -> None:
    """Lines without a quote are read all at once, others one by one: a quote in one of them changes no other."""
    chance, path = Random(seed), tmp_path / "rows.csv"  # noqa: S311 - texts for tests
    broken = [*lines.BROKEN, b'""', b'"', b"\xff"]
    for _ in range(40):
        mine = [b"".join(chance.choice(PARTS) for _ in range(6)) for _ in range(3)]
        mine = [line for line in mine if b"\n" not in line and b'"' not in line]
        seen = set()
        for other in (None, *broken):
            path.write_bytes(b"a,b\n" + b"\n".join([*mine, *([] if other is None else [other])]))
            found = [
                row for batch in text.batches(path, Csv(path), ["a", "b"], ["a", "b"]) for row in batch.to_pylist()
            ]
            extra = [] if other is None else _alone(path, other)
            seen.add(repr(found[: len(found) - len(extra)]))
            assert found[len(found) - len(extra) :] == extra
        assert len(seen) == 1


def _alone(path: Path, line: bytes) -> list[dict[str, str]]:
    path.write_bytes(b"a,b\n" + line)
    return _read(path)


def _read(path: Path) -> list[dict[str, str]]:
    return [row for batch in text.batches(path, Csv(path), ["a", "b"], ["a", "b"]) for row in batch.to_pylist()]
