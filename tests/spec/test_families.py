"""Documents with a question mark: one number that is not known yet."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from dpcompose import spec
from dpcompose.description import Mechanism
from dpcompose.errors import DPError, InvalidDocument, InvalidParameter
from dpcompose.mechanisms import BlackBox, DiscretePair, Gaussian, Group, Laplace, Sampled

TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    "text, value, meant",
    [
        ("Gaussian(noise_std=?)", 3, Gaussian(noise_std=3)),
        ("Gaussian(noise_std=?)", 0.1, Gaussian(noise_std=0.1)),
        ("Gaussian(noise_std=?)", TENTH, Gaussian(noise_std=TENTH)),
        ("100 * Gaussian(noise_std=?)", 3, 100 * Gaussian(noise_std=3)),
        ("? * Laplace(scale=2)", 7, 7 * Laplace(scale=2)),
        ("2 * ? * Laplace(scale=2)", 7, 14 * Laplace(scale=2)),
        ("? * Laplace(scale=?)", 7, 7 * Laplace(scale=7)),
        ("Laplace(scale=1) + Laplace(scale=?)", 2, Laplace(scale=1) + Laplace(scale=2)),
        ("Sampled(Laplace(scale=2), rate=?)", TENTH, Sampled(Laplace(scale=2), rate=TENTH)),
        ("Sampled(Laplace(scale=?), rate=0.1)", 2, Sampled(Laplace(scale=2), rate=TENTH)),
        ("Group(Laplace(scale=2), size=?)", 3, Group(Laplace(scale=2), size=3)),
        ("BlackBox(renyi={2: ?})", TENTH, BlackBox(renyi={2: TENTH})),
        ("DiscretePair(p=[?, 0.9], q=[0.9, ?])", TENTH, DiscretePair(p=[TENTH, 9 * TENTH], q=[9 * TENTH, TENTH])),
        ("Composition([(Laplace(scale=1), ?)])", 4, 4 * Laplace(scale=1)),
        ('{"kind": "laplace", "scale": "?", "count": 2}', 3, 2 * Laplace(scale=3)),
        ('kind = "laplace"\nscale = 2\ncount = "?"', 3, 3 * Laplace(scale=2)),
    ],
)
def test_every_question_mark_is_the_number(text: str, value: object, meant: Mechanism) -> None:
    assert spec.family(text)(value) == meant  # type: ignore[arg-type]


def test_a_family_in_a_file(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"kind": "laplace", "scale": "?"}')
    assert spec.family(plan)(2) == spec.family(str(plan))(2) == Laplace(scale=2)


@pytest.mark.parametrize(
    "text, said",
    [
        ("Gaussian(noise_std=2)", "has no \\?"),
        ("Gaussian(noise_std=?/2)", "has no \\?"),
        ("", "empty"),
        ("?", "a mechanism"),
        ("? * ?", "a product is one mechanism"),
        ("?(scale=2)", "expected"),
        ("Laplac(scale=?)", "did you mean Laplace"),
        ("Laplace(scale=?, sensitivity=-1)", "sensitivity .* = -1 is not allowed"),
        ("Laplace(scale=?, adjacency=?)", "ADD_REMOVE or REPLACE_ONE"),
        ("Laplace(scale=2?)", "found '\\?'"),
        ("(" * 200 + "?", "nests deeper"),
    ],
)
def test_what_no_number_can_mend_is_refused(text: str, said: str) -> None:
    with pytest.raises((InvalidDocument, InvalidParameter), match=said):
        spec.family(text)


def test_a_number_out_of_range_is_refused_where_it_stands() -> None:
    with pytest.raises(InvalidParameter, match=r"count \(column 1\) = 1.5 is not allowed"):
        spec.family("? * Laplace(scale=2)")(1.5)
    with pytest.raises(InvalidParameter, match=r"rate \(column 32\) = 2 is not allowed"):
        spec.family("Sampled(Laplace(scale=2), rate=?)")(2)


def test_a_question_mark_is_no_mechanism() -> None:
    for text in (
        "Gaussian(noise_std=?)",
        "? * Laplace(scale=2)",
        "BlackBox(renyi={?: 1})",
        "DiscretePair(p=[?], q=[1])",
    ):
        with pytest.raises(DPError, match=r"\? is not allowed"):
            spec.loads(text)
