"""Scores of members and non-members from a file, and the audit of such a file."""

from __future__ import annotations

import csv
import math
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcompose.audit.result import Audit
from dpcompose.audit.samples import from_scores
from dpcompose.errors import InvalidDocument
from dpcompose.numerics.enclosure import Real

MOST_BYTES = 2**30
MOST_SCORES = 2 * 10**7
"""The greatest number of scores in one array: 160 MB in memory, however small the file is."""
_WORDS = {"1": True, "true": True, "yes": True, "in": True, "member": True}
_WORDS |= {"0": False, "false": False, "no": False, "out": False, "non_member": False, "non-member": False}


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """An attack's scores; a high score means that membership is likely."""

    members: NDArray[np.float64]
    non_members: NDArray[np.float64]

    def __str__(self) -> str:
        return f"scores of {len(self.members)} members and {len(self.non_members)} non-members"


def read_scores(path: str | Path) -> Scores:
    """Read scores from a CSV file with columns `score` and `member` (1/0, true/false, member/non_member), or from an
    NPZ file with arrays `members` and `non_members`, or `scores` and `member`.
    """
    file = Path(path)
    readers = {".csv": _from_csv, ".npz": _from_npz}
    if file.suffix.lower() not in readers:
        raise InvalidDocument(f"{file.name!r} is not a file of scores: its name must end in {' or '.join(readers)}.")
    try:
        if not file.is_file():
            raise InvalidDocument(f"{file.name!r} cannot be read: there is no such file.")
        if file.stat().st_size > MOST_BYTES:
            raise InvalidDocument(f"{file.name!r} has more than {MOST_BYTES} bytes, which is the most allowed.")
        scores = readers[file.suffix.lower()](file)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidDocument(f"{file.name!r} cannot be read: {reason}.") from None
    for who, found in (("members", scores.members), ("non-members", scores.non_members)):
        if len(found) < 2:
            raise InvalidDocument(f"{file.name!r} holds {len(found)} scores of {who}, and at least 2 are needed.")
    return scores


def run(path: str | Path, delta: Real, confidence: Real = 0.95, claim: object = None) -> Audit:
    """Audit a file of scores at δ, and judge a claim if there is one: (ε, δ), a mechanism or its expression."""
    scores = read_scores(path)
    found = from_scores(scores.members, scores.non_members, delta=delta, confidence=confidence)
    return found if claim is None else found.against(claim)


def _from_csv(file: Path) -> Scores:
    sides: dict[bool, list[float]] = {True: [], False: []}
    with file.open(encoding="utf-8-sig", newline="") as text:
        for score, member in _rows(file.name, text):
            sides[member].append(score)
    return Scores(np.array(sides[True]), np.array(sides[False]))


def _rows(name: str, text: Iterator[str]) -> Iterator[tuple[float, bool]]:
    """Each row's score and whether it is a member's, or a refusal that names the line."""
    reader = csv.reader(text, skipinitialspace=True)
    try:
        header = [column.strip().lower() for column in next(reader, [])]
        if not {"score", "member"} <= set(header):
            raise InvalidDocument(f"{name!r} must begin with a header that names the columns score and member.")
        where = header.index("score"), header.index("member")
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(where):
                raise InvalidDocument(f"{name!r}, line {reader.line_num}: the score or the member is missing.")
            yield _row(f"{name!r}, line {reader.line_num}", row[where[0]].strip(), row[where[1]].strip().lower())
    except csv.Error as error:
        raise InvalidDocument(f"{name!r}, line {reader.line_num}: {error}.") from None


def _row(where: str, score: str, member: str) -> tuple[float, bool]:
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise InvalidDocument(f"{where}: the score {score!r:.40} is not a number.")
    if member not in _WORDS:
        raise InvalidDocument(f"{where}: member is {member!r:.40}, where 1 or 0 is expected.")
    return number, _WORDS[member]


def _from_npz(file: Path) -> Scores:
    try:
        with zipfile.ZipFile(file) as archive:
            names = {entry.removesuffix(".npy") for entry in archive.namelist()}
            if {"members", "non_members"} <= names:
                members, others = (_array(file.name, archive, name) for name in ("members", "non_members"))
                return Scores(members, others)
            if {"scores", "member"} <= names:
                scores, member = (_array(file.name, archive, name) for name in ("scores", "member"))
                return _by_member(file.name, scores, member)
    except (InvalidDocument, OSError):
        raise
    except Exception:  # noqa: BLE001 - an archive, its compression and its headers fail in a dozen ways
        raise InvalidDocument(f"{file.name!r} is not an NPZ file of plain arrays.") from None
    raise InvalidDocument(f"{file.name!r} must hold the arrays members and non_members, or scores and member.")


def _array(name: str, archive: zipfile.ZipFile, array: str) -> NDArray[np.float64]:
    """One array; its length and type are known from its first bytes, and nothing else is unpacked before."""
    entry = f"{array}.npy" if f"{array}.npy" in archive.namelist() else array
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, _, dtype = header(stream)
        if dtype.hasobject:
            raise InvalidDocument(f"{name!r} is not an NPZ file of plain arrays.")
        if len(shape) != 1 or dtype.kind not in "biuf" or dtype.itemsize > 8:
            raise InvalidDocument(f"{name!r}: the array {array} must be a list of numbers.")
        if not 0 <= shape[0] <= MOST_SCORES:
            raise InvalidDocument(
                f"{name!r}: the array {array} has {shape[0]} numbers, at most {MOST_SCORES} are read."
            )
        data = stream.read(shape[0] * dtype.itemsize)
    if len(data) != shape[0] * dtype.itemsize:
        raise InvalidDocument(f"{name!r}: the array {array} is shorter than it says.")
    found = np.frombuffer(data, dtype=dtype).astype(np.float64)
    if np.isnan(found).any():
        raise InvalidDocument(f"{name!r}: the array {array} holds NaN at position {int(np.argmax(np.isnan(found)))}.")
    return found


def _by_member(name: str, scores: NDArray[np.float64], member: NDArray[np.float64]) -> Scores:
    if scores.shape != member.shape or not np.isin(member, (0.0, 1.0)).all():
        raise InvalidDocument(f"{name!r}: the array member must hold 1 or 0 for each score.")
    return Scores(scores[member == 1.0], scores[member == 0.0])


__all__ = ["Scores", "read_scores", "run"]
