"""What a document means, and how a wrong one is refused."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcompose import spec
from dpcompose.description import Adaptivity, Adjacency, Composition
from dpcompose.errors import AdjacencyMismatch, DPError, InvalidDocument, InvalidParameter
from dpcompose.mechanisms import BlackBox, DiscretePair, Gaussian, Group, Laplace, Sampled, Staircase
from dpcompose.notions import Renyi

TENTH = Fraction(1, 10)
REPLACE = Adjacency.REPLACE_ONE
TOML_PLAN = """
kind = "composition"
[[items]]
kind = "laplace"
scale = 2
count = 7
[[items]]
kind = "laplace"
scale = 3
"""


@pytest.mark.parametrize(
    "text, meant",
    [
        ("Gaussian(noise_std=2)", Gaussian(noise_std=2)),
        ("dpc.Gaussian(noise_std=2.50,)", Gaussian(noise_std=2.5)),
        ("30 * BlackBox(epsilon=0.1)", 30 * BlackBox(epsilon=TENTH)),
        ("Laplace(scale=2) * 3e1", 30 * Laplace(scale=2)),
        ("2 * 3 * Laplace(scale=2)", 6 * Laplace(scale=2)),
        ("2 * (3 * Laplace(scale=2))", 2 * (3 * Laplace(scale=2))),
        ("Laplace(scale=1/3) + Laplace(scale=.5)", Laplace(scale=Fraction(1, 3)) + Laplace(scale=0.5)),
        ("BlackBox(renyi={2: 0.1, 5/2: 1e-1})", BlackBox(renyi={2: TENTH, Fraction(5, 2): TENTH})),
        ("DiscretePair(p=[1/2, 0.5], q=[0.1, 0.9])", DiscretePair(p=[0.5, 0.5], q=[TENTH, 9 * TENTH])),
        ("Group(Laplace(scale=2), size=3)", Group(Laplace(scale=2), size=3)),
        ("Group(mechanism=Laplace(scale=2), size=3)", Group(Laplace(scale=2), size=3)),
        ("Sampled(2 * Laplace(scale=2), rate=1e-2)", Sampled(2 * Laplace(scale=2), rate=Fraction(1, 100))),
        ("Gaussian(noise_std=1, adjacency=REPLACE_ONE)", Gaussian(noise_std=1, adjacency=REPLACE)),
        ("Gaussian(noise_std=1, adjacency=None)", Gaussian(noise_std=1, adjacency=None)),
        ("Staircase(epsilon=1, gamma=None)", Staircase(epsilon=1)),
        ("Composition()", Composition()),
        (
            "Composition([(Laplace(scale=1), 3), Laplace(scale=2)], adaptivity=FULLY_ADAPTIVE, filter=Renyi)",
            Composition(((Laplace(scale=1), 3), (Laplace(scale=2), 1)), Adaptivity.FULLY_ADAPTIVE, Renyi),
        ),
        ("\n(\n  Laplace(scale=2)\n)\n", Laplace(scale=2)),
        ('{"kind": "black_box", "epsilon": 0.1}', BlackBox(epsilon=TENTH)),
        ('{"kind": "black_box", "epsilon": "1/3", "count": 2}', 2 * BlackBox(epsilon=Fraction(1, 3))),
        ('{"kind": "black_box", "renyi": {"2": 0.1}}', BlackBox(renyi={2: TENTH})),
        ('kind = "gaussian"\nnoise_std = 0.1', Gaussian(noise_std=TENTH)),
        ("# a plan\n[[items]]\nkind = 'laplace'\nscale = 2\ncount = 7", None),
        (
            TOML_PLAN,
            7 * Laplace(scale=2) + Laplace(scale=3),
        ),
    ],
)
def test_meaning(text: str, meant: object) -> None:
    if meant is None:
        with pytest.raises(InvalidDocument, match="needs a kind"):
            spec.load(text)
    else:
        assert spec.load(text) == meant


def test_a_relation_stated_once_holds_for_everything_inside() -> None:
    document = {
        "kind": "composition",
        "adjacency": "replace_one",
        "items": [
            {"kind": "discrete_pair", "p": [0.5, 0.5], "q": [0.1, 0.9], "count": 2},
            {"kind": "laplace", "scale": 1},
        ],
    }
    found = spec.from_document(document)
    assert isinstance(found, Composition)
    assert [part.adjacency for part, _ in found.parts] == [REPLACE, REPLACE]
    document["items"][1]["adjacency"] = "add_remove"  # type: ignore[index]
    with pytest.raises(AdjacencyMismatch):
        spec.from_document(document)


def test_a_stated_relation_that_nothing_inside_has_is_refused() -> None:
    inner = {"kind": "laplace", "scale": 1, "adjacency": "add_remove"}
    with pytest.raises(AdjacencyMismatch, match="replace_one"):
        spec.from_document({"kind": "composition", "adjacency": "replace_one", "items": [inner]})


def test_files_are_read(tmp_path: Path) -> None:
    toml, json = tmp_path / "plan.toml", tmp_path / "plan.json"
    toml.write_text('kind = "gaussian"\nnoise_std = 2\n')
    json.write_text('\ufeff{"kind": "gaussian", "noise_std": "2"}')
    assert spec.load(toml) == spec.load(str(json)) == Gaussian(noise_std=2)
    with pytest.raises(InvalidDocument, match="cannot be read"):
        spec.load(str(tmp_path / "other.json"))
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidDocument, match="not UTF-8"):
        spec.load(tmp_path / "bytes.json")
    with pytest.raises(InvalidDocument, match="cannot be read"):
        spec.load("\0.json")


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "empty"),
        (
            "Gausian(noise_std=1)",
            "Column 1: there is no mechanism 'Gausian' (did you mean Gaussian?).",
        ),
        (
            "Gaussian(noise_sd=1)",
            "Gaussian has no 'noise_sd' (did you mean noise_std?), allowed are noise_std, sensitivity",
        ),
        ("Gaussian()", "Column 1: Gaussian needs noise_std."),
        ("Gaussian(2)", "Gaussian takes noise_std, sensitivity, adjacency by name; write noise_std=2."),
        ("Gaussian(noise_std=-1)", "noise_std (column 20) = -1 is not allowed: expected a number from 0"),
        ("Gaussian(noise_std=nan)", "noise_std (column 20) = nan is not allowed"),
        ("Gaussian(noise_std=-inf)", "noise_std (column 20) = -inf is not allowed"),
        ("Gaussian(noise_std=1e999)", "exponent from -400 to 400"),
        ("Gaussian(noise_std=1/0)", "the lower one not 0"),
        ("Gaussian(noise_std=.5/2)", "a fraction of two whole numbers"),
        ("Gaussian(noise_std=" + "1" * 1001 + ")", "at most 1000 digits"),
        ("Gaussian(noise_std=1, noise_std=2)", "Column 23: Gaussian is given noise_std twice"),
        ("Gaussian(noise_std=1", "Column 21: expected ',' or ')', found the end"),
        ("Gaussian(noise_std=1", "the parenthesis of Gaussian (column 1) is not closed"),
        ("Gaussian(sigma=1)", "Column 10: Gaussian has no 'sigma' (did you mean noise_std?)"),
        ("Laplace(eps=1)", "Column 9: Laplace has no 'eps' (did you mean scale, which is sensitivity/ε?)"),
        ("Nothing(x=1)", "there is no mechanism 'Nothing', allowed are "),
        ("Gaussian(noise_std=0,5)", "0,5 is written 0.5, with a point"),
        ("1,000 * Gaussian(noise_std=1)", "1,000 is written 1000, or 1.000 if the comma is a decimal point"),
        ("1_000 * Gaussian(noise_std=1)", "Column 1: '1_000' is no part of an expression; 1_000 is written 1000."),
        ("Sampled(Gaussian(noise_std=1), rate=1%)", "Column 37: '1%)' is no part of an expression; 1% is written 0.01"),
        ("10^3 * Gaussian(noise_std=1)", "10^3 is written 1e3"),
        ("3 × Gaussian(noise_std=1)", "Column 3: '×' is no part of an expression; times is written *."),
        ("3Gaussian(noise_std=1)", "write 3 * Gaussian"),
        ("Gaussian(noise_std=sqrt(2))", "nothing is computed here"),
        ("[budget]\nepsilon = 1\ndelta = 0", "a budget plan, which `dpcompose budget` reads"),
        ("Gaussian(noise_std=1))", "found ')'"),
        ("Gaussian(\n  noise_std=x)", "noise_std (line 2, column 13) = x"),
        ("1.5 * Gaussian(noise_std=1)", "count (column 1) = 1.5 is not allowed: expected a whole number"),
        ("-1 * Gaussian(noise_std=1)", "count (column 1) = -1"),
        ("10000000 * 1000000 * Gaussian(noise_std=1)", "count (column 12) = 10000000000000 is not allowed"),
        ("3 * 4", "a product is one mechanism and whole numbers"),
        ("7", "expected a mechanism"),
        ("__import__('os').system('true')", "no part of an expression"),
        ("Gaussian(noise_std=1).__class__", "no part of an expression"),
        ("(Gaussian(noise_std=1), 3)", "only among the parts of a Composition"),
        ("BlackBox(epsilon=1, rho=2)", "exactly one of epsilon, rho, renyi or mu"),
        ("BlackBox(epsilon=1, delta=1.5)", "delta (column 27) = 1.5 is not allowed: expected a number from 0 to 1."),
        ("DiscretePair(p=[0.5, x], q=[1, 0])", "p[1] (column 22) = x"),
        ("DiscretePair(p=0.5, q=[1])", "a list of numbers"),
        ("Gaussian(noise_std=1, adjacency=BOTH)", "ADD_REMOVE or REPLACE_ONE"),
        ("Gaussian(noise_std=1) + Gaussian(noise_std=1, adjacency=REPLACE_ONE)", "different neighbouring relations"),
        ("Sampled(Gaussian(noise_std=1, adjacency=REPLACE_ONE), rate=0.1)", "Poisson sampling"),
        ("Composition(filter=ZCDP)", "filter (column 1) = ZCDP is not allowed"),
        ('{"kind": "composition", "items": [{"kind": "laplace", "scale": -1}]}', "items[0].scale = -1 is not allowed"),
        ('{"kind": "laplace", "scal": 1}', "scal: laplace has no 'scal' (did you mean scale?)"),
        ('{"kind": "Laplace", "scale": 1}', "kind: there is no kind 'Laplace' (did you mean laplace?)"),
        ('{"scale": 1}', "needs a kind"),
        ('{"kind": "laplace", "scale": 1, "scale": 2}', "scale: this key stands there twice"),
        ('{"kind": "laplace", "scale": NaN}', "scale = NaN is not allowed"),
        ('{"kind": "laplace", "scale": -Infinity}', "scale = -Infinity is not allowed"),
        ('{"kind": "laplace", "scale": true}', "scale = True is not allowed"),
        ('{"kind": "laplace", "scale": [1]}', "scale = a list is not allowed"),
        ('{"kind": "laplace", "scale": 1, "count": 0.5}', "count = 0.5 is not allowed: expected a whole number"),
        ('{"kind": "laplace", "scale": 1, "count": [1]}', "count = a list is not allowed"),
        ('{"kind": "laplace", "scale"', "Line 1, column 28: this is not JSON"),
        ('{"schema": "dpc.mechanism/2", "kind": "laplace", "scale": 1}', "only 'dpc.mechanism/1'"),
        ("kind = 'laplace'\nscale = nan", "scale = nan is not allowed"),
        ("kind = 'laplace'\nscale = ", "This is not TOML"),
        ("scale = 1\nscale = 2", "This is not TOML"),
    ],
)
def test_a_refusal_says_where_what_and_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises((InvalidDocument, InvalidParameter, AdjacencyMismatch)) as refusal:
        spec.load(text)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


HUGE = {
    "ten megabytes": "(" * 10**7,
    "deep": "(" * 101,
    "deeper": "[" * 999_999,
    "deep JSON": '{"a":' * 90_000,
    "deep TOML": "a = " + "[" * 90_000,
    "crowded": "()" * 499_999,
    "digits": "9" * 999_999,
    "digits and a letter": "9" * 999_998 + "x",
    "signs": "-" * 999_999,
    "a long name": "a" * 999_999,
    "many factors": "2*" * 90_000 + "Gaussian(noise_std=1)",
    "a long key": ".".join("a" * 400_000) + " = 1",
    "a long key inside": "x = {" + ".".join("a" * 400_000) + " = 1}",
    "a long number": '{"kind": "laplace", "scale": ' + "9" * 900_000 + "}",
    "a long exponent": '{"kind": "laplace", "scale": 1e' + "9" * 900_000 + "}",
    "a long hexadecimal": "kind = 'laplace'\nscale = 0x" + "f" * 900_000,
    "spaces": " " * 999_999,
}


@pytest.mark.parametrize("what", HUGE)
def test_what_is_too_large_is_refused_at_once(what: str, record_property: pytest.RecordProperty) -> None:
    began = time.perf_counter()
    with pytest.raises((InvalidDocument, InvalidParameter)):
        spec.load(HUGE[what])
    record_property("milliseconds", 1e3 * (time.perf_counter() - began))  # told, not gated


def test_a_dictionary_that_contains_itself_is_refused() -> None:
    loop: dict[str, object] = {"kind": "group", "size": 2}
    loop["mechanism"] = loop
    with pytest.raises(InvalidDocument, match="deeper"):
        spec.from_document(loop)


PIECES = "Gaussian ( ) noise_std = 1 0.1 1/3 * + , [ ] { } : Composition BlackBox epsilon None -1 1e-6 parts items \" '"
WORDS = st.sampled_from([*PIECES.split(), " ", "\n", "size"])


@pytest.mark.slow
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map("".join)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = spec.loads(text)
    except DPError as refusal:
        assert str(refusal)  # noqa: PT017
    else:
        assert spec.loads(spec.dumps(found)) == found


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["kind", "items", "count", "scale", "epsilon", "schema", "renyi"]), inner),
    ),
    max_leaves=10,
)


@given(JSON, st.sampled_from(["laplace", "black_box", "composition", "sampled"]))
def test_any_document_is_read_or_refused(body: object, kind: str) -> None:
    document = {**body, "kind": kind} if isinstance(body, dict) else {"kind": kind, "items": body, "scale": body}
    try:
        found = spec.from_document(document)
    except DPError as refusal:
        assert str(refusal)  # noqa: PT017
    else:
        assert spec.from_document(spec.to_document(found)) == found


@pytest.mark.parametrize(
    "text, said",
    [
        ("٣٠ * Gaussian(noise_std=٢٫٥)", "30 * Gaussian(noise_std=2.5)"),
        ("۱۲ * Laplace(scale=۱/۳)", "12 * Laplace(scale=1/3)"),
        ('{"kind": "laplace", "scale": "٠٫٥"}', "Laplace(scale=0.5)"),
    ],
)
def test_digits_of_other_scripts_are_digits(text: str, said: str) -> None:
    assert spec.loads(text) == spec.loads(said)
