"""Odd files of scores: whatever their bytes are, a refusal is one sentence, and memory stays small."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dpcompose.audit.files import MOST_SCORES, read_scores
from dpcompose.errors import InvalidDocument


def good() -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, members=np.arange(40.0), non_members=np.arange(30.0))
    return out.getvalue()


@pytest.mark.parametrize("seed", range(8))
def test_a_few_changed_bytes_are_scores_or_a_refusal(tmp_path: Path, seed: int) -> None:
    path, chance, whole = tmp_path / "scores.npz", Random(seed), good()  # noqa: S311 - bytes for a test
    refused: list[str] = []
    for _ in range(60):
        bad = bytearray(whole[: chance.choice([len(whole), len(whole) - 1, chance.randrange(1, len(whole))])])
        for _ in range(chance.choice([1, 2, 9])):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        path.write_bytes(bad)
        try:
            assert len(read_scores(path).members) >= 2
        except InvalidDocument as refusal:
            refused.append(str(refusal))
    assert len(refused) > 10
    assert all(said.endswith(".") and "\n" not in said for said in refused)


def bomb(path: Path, count: int) -> None:
    """An archive of bytes, all of them zero."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|i1", "fortran_order": False, "shape": (count,)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("members.npy", "non_members.npy"):
            with archive.open(name, "w", force_zip64=True) as entry:
                entry.write(header.getvalue())
                for _ in range(0, count, 1 << 24):
                    entry.write(bytes(1 << 24))


@pytest.mark.slow
@pytest.mark.parametrize("count, dtype", [(3 * 10**8, "|i1"), (10**18, "<f8"), (MOST_SCORES + 1, "|i1")])
def test_a_small_file_of_many_numbers_is_refused_before_it_is_unpacked(tmp_path: Path, count: int, dtype: str) -> None:
    path = tmp_path / "scores.npz"
    (_lying if dtype == "<f8" else bomb)(path, count)
    said = (
        "import sys, resource; from dpcompose.audit.files import read_scores\n"
        "from dpcompose.errors import InvalidDocument\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: read_scores(sys.argv[1])\n"
        "except InvalidDocument as refusal: print(refusal)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    out = subprocess.run([sys.executable, "-c", said, str(path)], check=True, capture_output=True, text=True).stdout
    sentence, grown = out.splitlines()
    assert "at most" in sentence
    assert int(grown) < 100_000  # kilobytes


def _lying(path: Path, count: int) -> None:
    """An array that says it is huge, and is not there."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("members.npy", "non_members.npy"):
            archive.writestr(name, header.getvalue())


def test_an_array_that_is_shorter_than_it_says_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.npz"
    _lying(path, 1000)
    with pytest.raises(InvalidDocument, match="shorter than it says"):
        read_scores(path)
