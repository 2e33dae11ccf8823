"""What is written is read back as the same mechanism, in every form."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcompose import spec
from dpcompose.description import Composition, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import Gaussian, Laplace
from dpcompose.spec.registry import kinds
from spec.strategies import every_mechanism


@given(every_mechanism())
def test_an_expression_reads_back_equal(mechanism: Mechanism) -> None:
    assert spec.load(spec.dumps(mechanism)) == mechanism


@given(every_mechanism())
def test_a_document_reads_back_equal(mechanism: Mechanism) -> None:
    document = spec.to_document(mechanism)
    assert spec.from_document(document) == mechanism
    assert spec.loads(json.dumps(document)) == mechanism


@given(every_mechanism())
def test_writing_is_canonical(mechanism: Mechanism) -> None:
    text = spec.dumps(mechanism)
    assert spec.dumps(spec.load(text)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_written_as_the_number_it_is(value: float) -> None:
    assert spec.number("x", spec.written(value)) == value


@given(st.fractions(), st.integers(-(10**300), 10**300))
def test_a_fraction_and_an_integer_are_written_exactly(value: Fraction, whole: int) -> None:
    assert spec.number("x", spec.written(value)) == value
    assert spec.number("x", spec.written(whole)) == whole


@pytest.mark.parametrize(
    "value, text",
    [
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 3), "1/3"),
        (0.5, "0.5"),
        (1e-9, "1.00000000000000006228159145777985641889706869278597878292202949523925781250e-9"),
        (Fraction(1, 10**9), "1e-9"),
        (-2, "-2"),
        (0, "0"),
        (0.0, "0"),
        (10**15, "1000000000000000"),
        (10**300, "1e300"),
        (Fraction(-1, 4), "-0.25"),
    ],
)
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert Fraction(spec.written(value)) == Fraction(text)
    assert len(spec.written(value)) <= len(text)


def test_a_number_that_no_document_may_hold_is_not_written() -> None:
    with pytest.raises(InvalidParameter, match="at most 1000 digits"):
        spec.dumps(Gaussian(noise_std=Fraction(1, 3**5000) + 1))


@pytest.mark.parametrize("name", kinds())
def test_every_kind_has_a_schema(name: str) -> None:
    kind = kinds()[name]
    described = spec.schema()["$defs"][kind.key]  # type: ignore[index]
    assert described["properties"]["kind"] == {"const": kind.key}
    assert described["description"]
    assert set(described["required"]) <= set(described["properties"])


def test_the_schema_names_what_the_reader_accepts() -> None:
    gaussian = spec.schema()["$defs"]["gaussian"]  # type: ignore[index]
    assert gaussian["required"] == ["kind", "noise_std"]
    assert set(gaussian["properties"]) == {"schema", "kind", "count", "noise_std", "sensitivity", "adjacency"}
    json.dumps(spec.schema(), allow_nan=False)


def test_a_document_states_every_default() -> None:
    assert spec.to_document(Laplace(scale=Fraction(1, 10))) == {
        "schema": "dpc.mechanism/1",
        "kind": "laplace",
        "scale": "0.1",
        "sensitivity": "1",
        "adjacency": "add_remove",
    }


def test_a_hundred_levels_can_be_read_and_written() -> None:
    text = "2 * (" * 99 + "Gaussian(noise_std=1)" + ")" * 99
    nested = spec.load(text)
    assert isinstance(nested, Composition)
    assert spec.load(spec.dumps(nested)) == nested
    assert math.isclose(nested.parts[0][1], 2)
