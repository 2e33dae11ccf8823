"""What an audit says, in words and in JSON; files of scores; every refusal in a sentence."""

from __future__ import annotations

import io
import json
import math
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose import audit, progress
from dpcompose.errors import InvalidDocument, InvalidParameter

COUNTS = {"true_positives": 812, "false_negatives": 188, "false_positives": 95, "true_negatives": 905}


def an_audit(confidence: object = 0.95) -> audit.Audit:
    return audit.from_counts(**COUNTS, delta=1e-5, confidence=confidence)


def test_it_reads_well_in_eighty_columns() -> None:
    text = str(an_audit().against(dpc.Gaussian(noise_std=4)))
    assert text.splitlines() == [
        "ε ≥ 1.92349 at δ = 1e-5, confidence 0.95",
        "  event         the attack says member",
        "  members       812 of 1000, so its probability is at least 0.786378",
        "  non-members   95 of 1000, so its probability is at most 0.114885",
        "  assuming      independent outputs of any mechanism",
        "  verdict       VIOLATED: ε ≥ 1.92349 at δ = 1e-5, but Gaussian(noise_std=4)",
        "                promises ε ≤ 0.926342",
    ]
    runs = audit.one_run(canaries=1000, guesses=200, correct=180, delta=1e-5).against(30 * dpc.Laplace(scale=0.1))
    assert max(map(len, str(runs).splitlines())) <= 80
    assert "consistent" in str(runs)


def test_the_confidence_in_print_is_never_more_than_it_is() -> None:
    almost = 1 - Fraction(1, 10**30)
    assert "confidence 0.9999999999999999" in str(an_audit(almost)).splitlines()[0]
    assert "confidence 0.95" in str(an_audit(Decimal("0.95"))).splitlines()[0]


def test_claims_come_in_three_shapes() -> None:
    found = an_audit()
    assert found.verdict((1.9, 1e-5)).violated
    assert not found.verdict((1.93, 1e-5)).violated
    assert found.verdict((0, Fraction(1, 2))).violated
    assert not found.verdict((0, 0.7)).violated  # 0.786 - 0.115 < 0.7
    assert found.verdict(dpc.RandomizedResponse(epsilon=1)).violated
    assert not found.verdict("2 * RandomizedResponse(epsilon=1)").violated
    leaky = found.verdict("NameAndShame(delta=0.01)")
    assert not leaky.violated
    assert "promises nothing" in str(leaky)
    for bad in (None, 1.0, (1, 2, 3), [1, 0]):
        with pytest.raises(InvalidParameter, match="claim = "):
            found.verdict(bad)
    with pytest.raises(InvalidParameter, match="epsilon = -1"):
        found.verdict((-1, 0))


def test_the_document_is_json() -> None:
    document = json.loads(json.dumps(an_audit().against((1, 0)).document(), allow_nan=False))
    assert document["claim"] == {"text": "(1, 0)-DP", "epsilon_at_most": 1.0, "delta": 0.0, "violated": True}
    assert document["witness"]["first"]["hits"] == 812
    assert document["epsilon_at_least"] == pytest.approx(1.9234951873357162, rel=1e-8)
    infinite = audit.from_counts(**COUNTS, delta=0, reading=audit.GAUSSIAN)
    assert infinite.epsilon == math.inf
    assert json.loads(json.dumps(infinite.document(), allow_nan=False))["epsilon_at_least"] == "inf"
    assert float(an_audit()) == an_audit().epsilon


def test_it_cites_its_theorem() -> None:
    assert "Clopper" in an_audit().cite()
    assert "Steinke" in audit.one_run(canaries=9, guesses=9, correct=9, delta=0).cite()


def test_events_print_what_they_are() -> None:
    assert str(audit.AtMost(2.5)) == "output ≤ 2.5"
    assert str(audit.Between((0.0, 1.0, 2.0), frozenset({0, 1, 3}))) == "output in [-∞, 1) or [2, ∞)"
    assert str(audit.OneOf(frozenset("abcdef"))) == "output in {'a', 'b', 'c', 'd', 2 more}"
    assert audit.Between((0.0, 1.0, 2.0), frozenset({1, 3})).happened(np.array([-1, 0.5, 1.0, 2.0, 5.0])) == 3
    assert audit.OneOf(frozenset({1, 2})).happened(np.array([1.0, 2.0, 3.0])) == 2


@pytest.fixture
def scores() -> tuple[list[float], list[float]]:
    generator = np.random.default_rng(12)
    return generator.normal(3, 1, 300).tolist(), generator.normal(0, 1, 200).tolist()


def written(path: Path, scores: tuple[list[float], list[float]]) -> Path:
    rows = [
        f"{i}, {score!r}, {word}"
        for side, word in zip(scores, ("1", "False"), strict=True)
        for i, score in enumerate(side)
    ]
    path.write_text("id, Score ,member\n" + "\n".join(rows) + "\n\n", encoding="utf-8-sig")
    return path


def test_files_say_what_the_arrays_say(tmp_path: Path, scores: tuple[list[float], list[float]]) -> None:
    direct = audit.from_scores(*scores, delta=1e-5)
    assert direct.epsilon > 2.0
    named, labelled = tmp_path / "a.npz", tmp_path / "b.NPZ"
    np.savez(named, members=scores[0], non_members=scores[1])
    with labelled.open("wb") as file:
        np.savez_compressed(file, scores=scores[0] + scores[1], member=[True] * 300 + [False] * 200)
    for path in (written(tmp_path / "a.csv", scores), named, labelled, str(named)):
        assert audit.run(path, 1e-5) == direct
        assert str(audit.read_scores(path)) == "scores of 300 members and 200 non-members"
    judged = audit.run(named, 1e-5, 0.99, "Gaussian(noise_std=4)")
    assert judged.verdict().violated
    assert "VIOLATED" in str(judged)


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "header"),
        ("score\n1\n", "header"),
        ("score,member\n", "0 scores of members"),
        ("score,member\n1,1\n2,1\n", "0 scores of non-members"),
        ("score,member\n1,1\nNaN,0\n", "line 3: the score 'NaN' is not a number"),
        ("score,member\n1,1\nabc,0\n", "line 3: the score 'abc' is not a number"),
        ("score,member\n1,maybe\n", "line 2: member is 'maybe'"),
        ("score,member\n1\n", "line 2: the score or the member is missing"),
        ("score,member\n1,1\n" + "9" * 200_000 + ",0\n", "line 3"),
    ],
)
def test_a_bad_csv_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InvalidDocument, match=said) as refusal:
        audit.run(path, 1e-5)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    "arrays, said",
    [
        ({"x": [1.0]}, "must hold the arrays"),
        ({"members": [1.0, math.nan], "non_members": [1.0, 2.0]}, "NaN at position 1"),
        ({"members": [[1.0]], "non_members": [1.0, 2.0]}, "list of numbers"),
        ({"members": ["a"], "non_members": [1.0, 2.0]}, "list of numbers"),
        ({"members": [], "non_members": [1.0, 2.0]}, "0 scores of members"),
        ({"scores": [1.0, 2.0], "member": [1, 2]}, "1 or 0"),
        ({"scores": [1.0, 2.0], "member": [1]}, "1 or 0"),
        ({"scores": np.array([1, None]), "member": [1, 0]}, "plain arrays"),
    ],
)
def test_a_bad_npz_is_refused(tmp_path: Path, arrays: dict[str, object], said: str) -> None:
    path = tmp_path / "scores.npz"
    np.savez(path, **arrays)
    with pytest.raises(InvalidDocument, match=said):
        audit.read_scores(path)


def test_what_is_no_file_of_scores_is_refused(tmp_path: Path) -> None:
    for name, data, said in (
        ("a.txt", b"", r"\.csv or \.npz"),
        ("a.npz", b"no archive", "not an NPZ"),
        ("a.csv", b"\xff\xfe", "UTF-8"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(InvalidDocument, match=said):
            audit.read_scores(path)
    for path in (tmp_path / "missing.csv", tmp_path / "folder.csv"):
        (tmp_path / "folder.csv").mkdir(exist_ok=True)
        with pytest.raises(InvalidDocument, match="no such file"):
            audit.read_scores(path)


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"true_positives": -1}, "true_positives = -1"),
        ({"false_positives": 2.5}, "false_positives = 2.5"),
        ({"true_positives": 0, "false_negatives": 0}, "at least one run"),
        ({"delta": -0.1}, "delta = -0.1"),
        ({"delta": 1.5}, "delta = 1.5"),
        ({"delta": math.nan}, "delta = nan"),
        ({"confidence": 0}, "confidence = 0"),
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"confidence": 95}, "confidence = 95"),
    ],
)
def test_impossible_counts_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        audit.from_counts(**{**COUNTS, "delta": 0, **wrong})


@pytest.mark.parametrize(
    "first, second, said",
    [
        ([], [1.0, 2.0], "at least two outputs"),
        ([1.0, 2.0], [1.0], "at least two outputs"),
        ([1.0, math.nan], [1.0, 2.0], r"first\[1\] = nan"),
        (["a", math.nan], ["b", "c"], r"first\[1\] = nan"),
        ("text", "more", "a sequence of outputs"),
        (3, [1, 2], "a sequence of outputs"),
        ([{}, {}], [1, 2], "hashable"),
        ([10**400, 1], [1, 2], "that a float can hold"),
    ],
)
def test_impossible_outputs_are_refused(first: object, second: object, said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        audit.lower_bound(first, second, delta=0)


def test_a_score_must_be_a_number() -> None:
    with pytest.raises(InvalidParameter, match="a number"):
        audit.lower_bound(["a", "b"], ["c", "d"], delta=0, score=lambda _: math.nan)
    with pytest.raises(InvalidParameter, match=r"score\(first\[0\]\)"):
        audit.lower_bound(["a", "b"], ["c", "d"], delta=0, score=lambda text: text)
    with pytest.raises(InvalidParameter, match="a score that makes them so"):
        audit.region(["a", "b"], ["c", "d"])


def test_nothing_is_run_for_an_impossible_question() -> None:
    calls: list[int] = []
    for wrong in ({"delta": 2}, {"delta": 0, "confidence": 1}, {"delta": 0, "runs": 1}):
        with pytest.raises(InvalidParameter):
            audit.experiment(calls.append, 0, 1, **{"runs": 5, **wrong})
    assert not calls


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        return True


def test_a_long_run_shows_its_progress_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert list(progress.watched(20)) == list(range(20))
        assert bool(stream.getvalue()) is shown
    monkeypatch.setattr(progress, "_PATIENCE", 60.0)
    quiet = Terminal()
    monkeypatch.setattr(sys, "stderr", quiet)
    assert list(progress.watched(20)) == list(range(20))
    assert not quiet.getvalue()
