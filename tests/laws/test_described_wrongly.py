"""Whatever a kind is described by, a value that is none is refused by name: nothing is built on what is not there."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.parameters import declared, optional
from strategies import MECHANISMS, named
from wild import RELATIONS, described, fits, made

NO_NUMBERS: tuple[object, ...] = (
    None,
    math.nan,
    math.inf,
    -math.inf,
    True,
    np.True_,
    "x",
    "1",
    b"1",
    1j,
    np.complex128(1),
    np.float32("nan"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    Decimal("1e999999"),
    [],
    [1],
    (1, 2),
    {1: 2},
    np.array([1.0]),
    np.array(1.0),
    object(),
    int,
    dpc.ADD_REMOVE,
    -1,
    Fraction(-1, 3),
    10**400,
    Fraction(1, 10**400),
)
MAY_BE_NONE = {"BlackBox": {"epsilon", "rho", "mu"}, "Staircase": {"gamma"}, "RepeatAndSelect": {"shape"}}


@cache
def example(cls: type[dpc.Mechanism]) -> Any:
    """A mechanism of this kind that costs something."""
    rng = random.Random(1)  # noqa: S311 - a draw, no secret
    for _ in range(500):
        relation = rng.choice(RELATIONS)
        inner = f"Gaussian(noise_std=1, adjacency={relation})" if hasattr(cls, "mechanism") else ""
        text = described(rng, cls, relation, inner)
        if fits(text, relation) and dpc.delta(made(text), epsilon=0).lower > 1e-9:
            return made(text)
    raise AssertionError(f"no example of {cls.__name__} was found")


NUMBERS = [pytest.param(cls, name, id=f"{cls.__name__}-{name}") for cls in MECHANISMS for name in declared(cls)]


@pytest.mark.parametrize("cls, name", NUMBERS)
def test_what_is_no_number_is_refused(cls: type[dpc.Mechanism], name: str) -> None:
    for value in NO_NUMBERS:
        if value is None and name in optional(cls):
            continue
        with pytest.raises(dpc.InvalidParameter, match=f"^{name} = ") as refusal:
            replace(example(cls), **{name: value})
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("parts", [3, None, [3], [(3, 1)], [(dpc.Laplace(scale=1), 1, 2)]])
def test_what_is_no_mechanism_is_no_part(parts: object) -> None:
    with pytest.raises(dpc.InvalidParameter, match=r"^parts = .*mechanisms, or pairs of a mechanism and a count"):
        dpc.Composition(parts)


@pytest.mark.parametrize("wrong", [3, None, "0.5", b"1", ()])
def test_what_is_no_list_is_refused(wrong: object) -> None:
    one = {"noise_std": 1, "sensitivities": [1], "probabilities": [1]}
    for name, make in {
        "p": lambda x: dpc.DiscretePair(p=x, q=[1]),
        "q": lambda x: dpc.DiscretePair(p=[1], q=x),
        "sensitivities": lambda x: dpc.MixtureOfGaussians(**{**one, "sensitivities": x}),
        "probabilities": lambda x: dpc.MixtureOfGaussians(**{**one, "probabilities": x}),
        "coefficients": lambda x: dpc.BandedMatrix(coefficients=x, noise_std=1, steps=9, separation=3),
        "counts": lambda x: dpc.growth(dpc.Laplace(scale=1), delta=0, counts=x),
        "epsilons": lambda x: dpc.profile(dpc.Laplace(scale=1), epsilons=x),
    }.items():
        if wrong is not None or name != "epsilons":  # without any, places are chosen
            with pytest.raises(dpc.InvalidParameter, match=f"^{name} = .*a list of 1 to "):
                make(wrong)
    if wrong is not None:
        with pytest.raises(dpc.InvalidParameter, match=r"^renyi = .*a mapping from orders"):
            dpc.BlackBox(renyi=wrong)


def test_only_what_says_so_may_be_left_out() -> None:
    found = {cls.__name__: set(optional(cls)) for cls in MECHANISMS if optional(cls)}
    assert found == MAY_BE_NONE


@pytest.mark.parametrize("cls", MECHANISMS, ids=named)
def test_a_number_of_another_library_is_the_same_number(cls: type[dpc.Mechanism]) -> None:
    m = example(cls)
    for name in declared(cls):
        value = getattr(m, name)
        same = [np.int64(value)] if isinstance(value, int) and value < 2**62 else []
        same += [np.float64(value)] if isinstance(value, float) else []
        assert all(replace(m, **{name: other}) == m for other in same)


@pytest.mark.parametrize("cls, name", NUMBERS)
def test_what_is_not_there_is_never_taken_for_0(cls: type[dpc.Mechanism], name: str) -> None:
    """Even of a description that nobody checked, nothing is concluded but by an exception or a positive bound."""
    m = replace(example(cls))
    object.__setattr__(m, name, None)
    if name in optional(cls):
        return
    try:
        found = dpc.delta(m, epsilon=0)
    except (TypeError, ArithmeticError, AttributeError, dpc.DPError):
        return
    assert found.upper > 0
