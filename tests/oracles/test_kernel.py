"""The trusted core: who may claim what of whom, and how numbers enter, are rounded and are refused."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.description import Composition
from dpcompose.kernel import STANDARD, Claim, Parts, Side
from dpcompose.notions import GDP, ZCDP, ApproxDP
from dpcompose.numerics.enclosure import Enclosure, enclose, rounded
from dpcompose.parameters import Param, Whole
from dpcompose.prove.claims import facts, known

ONE, TWO = dpc.Gaussian(noise_std=1), dpc.Gaussian(noise_std=2)
T = STANDARD.theorems
GDP_OF = {m: next(c for c in facts(m) if isinstance(c.guarantee, GDP)) for m in (ONE, TWO)}


def test_a_claim_is_never_made_by_hand() -> None:
    honest = GDP_OF[ONE]
    with pytest.raises(TypeError, match="never by hand"):
        Claim(ONE, GDP(0), honest.theorem, (), (), Side.BOTH, None)
    with pytest.raises(TypeError, match="never by hand"):
        Claim(ONE, GDP(0), honest.theorem, (), (), Side.BOTH, object())


def test_a_forgery_that_borrows_the_seal_does_not_survive_a_check() -> None:
    forged = replace(GDP_OF[ONE], guarantee=GDP(0))
    with pytest.raises(dpc.Contradiction, match="no longer concludes"):
        forged.check()
    widened = replace(GDP_OF[ONE], side=Side.LOWER)
    with pytest.raises(dpc.Contradiction):
        widened.check()


def test_a_theorem_refuses_premises_about_something_else() -> None:
    whole = ONE + TWO
    with pytest.raises(TypeError, match="something other than its subject"):
        T["gdp_to_profile"](TWO, (GDP_OF[ONE],))
    with pytest.raises(TypeError, match="something other than its subject"):
        T["gdp_adds"](TWO + TWO, (GDP_OF[ONE],), (1,))
    with pytest.raises(TypeError, match="something other than its subject"):
        T["group_of_gdp"](dpc.Group(TWO, size=2), (GDP_OF[ONE],))
    claim = T["gdp_adds"](whole, (GDP_OF[ONE], GDP_OF[TWO]), (1, 1))
    assert claim.guarantee == GDP(Fraction(5, 4))
    assert claim.side is Side.BOTH


def test_a_premise_with_another_count_is_about_something_else() -> None:
    with pytest.raises(TypeError, match="something other than its subject"):
        T["gdp_adds"](Composition(((ONE, 5),)), (GDP_OF[ONE],), (4,))


def test_a_part_left_out_supports_the_lower_end_only() -> None:
    claim = T["gdp_adds"](ONE + TWO, (GDP_OF[ONE],), (1,))
    assert claim.side is Side.LOWER
    with pytest.raises(dpc.Declined):  # an upper bound has no lower end to give
        T["zcdp_adds"](ONE + TWO, [c for c in facts(ONE) if isinstance(c.guarantee, ZCDP)][:1], (1,))


def test_a_part_counted_twice_is_refused() -> None:
    with pytest.raises(TypeError, match="something other than its subject"):
        T["gdp_adds"](ONE + TWO, (GDP_OF[ONE], GDP_OF[ONE]), (1, 1))


def test_a_claim_is_no_stronger_than_its_premises() -> None:
    member = next(c for c in facts(dpc.BlackBox(rho=1)) if isinstance(c.guarantee, GDP))
    assert member.side is Side.LOWER
    assert T["gdp_to_profile"](dpc.BlackBox(rho=1), (member,)).side is Side.LOWER
    with pytest.raises(dpc.Declined):
        T["gdp_to_zcdp"](dpc.BlackBox(rho=1), (member,))


@pytest.mark.parametrize(
    "mode, side", [(dpc.FIXED, Side.BOTH), (dpc.ADAPTIVE, Side.BOTH), (dpc.FULLY_ADAPTIVE, Side.LOWER)]
)
def test_optimal_composition_needs_parameters_fixed_in_advance(mode: Any, side: Side) -> None:
    box = dpc.BlackBox(epsilon=1)
    (premise,) = [c for c in facts(box) if isinstance(c.guarantee, ApproxDP)]
    whole = Composition(((box, 3),), mode)
    assert T["optimal_homogeneous"](whole, (premise,), (3,)).side is side
    if mode is dpc.FULLY_ADAPTIVE:
        with pytest.raises(dpc.Declined, match="may depend on earlier outputs"):
            T["advanced_composition"](whole, (premise,), (3,))
        with pytest.raises(dpc.Declined, match="may depend on earlier outputs"):
            T["basic_composition"](whole, (premise,), (3,))  # the filter is zCDP, and only zCDP


def test_poisson_sampling_needs_its_relation() -> None:
    sampled = dpc.Sampled(ONE, rate=0.1)
    wrong = replace(ONE, adjacency=dpc.REPLACE_ONE)
    assert sampled.adjacency is dpc.ADD_REMOVE
    theorem = T["sampled_gaussian_curve"]
    object.__setattr__(sampled, "adjacency", dpc.REPLACE_ONE)
    with pytest.raises(dpc.Declined, match="replace_one"):
        theorem(sampled)
    assert wrong.adjacency is dpc.REPLACE_ONE


@pytest.mark.parametrize("subject", [3 * ONE + TWO, dpc.Group(dpc.Sampled(ONE, rate=0.5), size=2), dpc.Composition()])
def test_a_lineage_ends_in_descriptions_and_prints_its_sources(subject: dpc.Mechanism) -> None:
    for claim in known(subject).claims:
        depths = [depth for depth, _ in claim.lineage()]
        assert depths[0] == 0
        assert all(b <= a + 1 for a, b in pairwise(depths))
        assert claim.cite().count("@misc") == len({c.theorem.source.key for _, c in claim.lineage()})
        claim.check()


def test_parts_keep_what_was_fixed_in_advance() -> None:
    seen: list[Parts[Any]] = []

    def spy(parts: Parts[GDP]) -> GDP:
        seen.append(parts)
        return GDP(0)

    replace(T["gdp_adds"], proof=spy)(Composition(((ONE, 7),)), (GDP_OF[ONE],), (7,))
    assert [(p.items, p.adaptivity, p.adjacency) for p in seen] == [
        (((GDP(1), 7),), dpc.ADAPTIVE, dpc.ADD_REMOVE),
    ]


# ------------------------------------------------------------------------------------------ numbers


@given(st.fractions(-(10**9), 10**9) | st.floats(-1e300, 1e300).map(Fraction), st.integers(24, 200))
def test_a_ball_is_rounded_outward(x: Fraction, bits: int) -> None:
    with ctx.workprec(bits):
        found = Enclosure.of(arb(x.numerator) / x.denominator)
    assert found.lower <= x <= found.upper
    assert x in found


@given(st.fractions() | st.integers(-(10**400), 10**400) | st.floats(allow_nan=False, allow_infinity=False))
def test_an_exact_number_is_enclosed_by_its_two_neighbours(x: Any) -> None:
    found = Enclosure.exactly(x)
    assert found.lower <= x <= found.upper
    assert found.lower == found.upper or math.nextafter(found.lower, math.inf) == found.upper


def test_a_ball_that_says_nothing_encloses_everything() -> None:
    assert Enclosure.of(arb("nan")) == Enclosure(-math.inf, math.inf)
    assert Enclosure.of(arb("inf")) == Enclosure(math.inf, math.inf)
    assert Enclosure.of(arb(1) / arb(0)) == Enclosure(-math.inf, math.inf)
    with pytest.raises(dpc.Contradiction, match="no real number"):
        Enclosure(math.nan, 1.0)
    with pytest.raises(dpc.Contradiction, match="no real number"):
        Enclosure(1.0, 0.0)


def test_enclose_doubles_the_precision_until_it_suffices() -> None:
    found = enclose(lambda: (arb(1) + arb(2) ** -300) - 1)
    assert found.lower <= 2.0**-300 <= found.upper
    assert found.gap <= 2.0**-50
    unknown = enclose(lambda: arb(0).union(arb(1)))
    assert unknown.lower <= 0 < unknown.upper < 1.001  # no precision helps, and it stops


@given(st.floats(1e-320, 1e300), st.floats(0, 1e-3))
def test_print_rounds_outward(x: float, width: float) -> None:
    found = Enclosure(x, x * (1 + width))
    low, high = str(found).strip("[]").split(", ")
    assert Decimal(low) <= Decimal(found.lower)
    assert Decimal(high) >= Decimal(found.upper)
    assert len(low.split("e")[0].replace(".", "").strip("0")) <= 6


@given(st.fractions(0, 10**6, max_denominator=10**9), st.floats(0, 1), st.integers(1, 12))
def test_a_number_that_is_known_is_rounded_once(x: Fraction, width: float, digits: int) -> None:
    found = Enclosure.exactly(x) & Enclosure(float(x) * (1 - width) - 1, math.inf)
    low, high = (Fraction(end) for end in found.to_digits(digits).strip("[]").split(", "))
    assert low <= x <= high
    assert (low == high) == (x == low)
    assert found.lower <= x <= found.upper
    assert (Enclosure.exactly(x) | Enclosure(0.0, 1.0)).exact is None


@pytest.mark.parametrize("of", ["Laplace(scale=5)", "BlackBox(epsilon=0.2)", "2 * Exponential(epsilon=0.1)"])
def test_what_was_asked_for_is_shown(of: str) -> None:
    assert "[0.2, 0.2]" in str(dpc.epsilon(of, delta=0))
    assert f"{dpc.epsilon(of, delta=0):.3g}" == "0.2"


def test_print_stays_short_where_it_is_exact() -> None:
    assert str(Enclosure(0.0, 1.0)) == "[0, 1]"
    assert str(Enclosure(0.5, math.inf)) == "[0.5, inf]"
    assert rounded(Fraction(2, 3), "ROUND_CEILING") == "0.666667"
    assert rounded(Fraction(2, 3), "ROUND_FLOOR") == "0.666666"


# --------------------------------------------------------------------------------------- parameters

REFUSED = [
    (lambda: dpc.Gaussian(noise_std=-1), "noise_std = -1 is not allowed: expected a number from 0 to 1e150."),
    (lambda: dpc.Gaussian(noise_std=math.nan), "noise_std = nan is not allowed: expected a number from 0 to 1e150."),
    (lambda: dpc.Gaussian(noise_std="2"), "noise_std = '2' is not allowed: expected a number from 0 to 1e150."),
    (lambda: dpc.Gaussian(noise_std=True), "noise_std = True is not allowed: expected a number from 0 to 1e150."),
    (lambda: dpc.Gaussian(noise_std=Decimal("NaN")), "noise_std = Decimal('NaN') is not allowed"),
    (lambda: dpc.BlackBox(epsilon=1, delta=1.5), "delta = 1.5 is not allowed: expected a number from 0 to 1."),
    (lambda: dpc.BlackBox(), "exactly one of epsilon, rho, renyi or mu"),
    (lambda: dpc.BlackBox(epsilon=1, mu=1), "exactly one of epsilon, rho, renyi or mu"),
    (lambda: dpc.BlackBox(mu=1, delta=0.1), "no delta beside mu"),
    (lambda: dpc.BlackBox(renyi={}), "at least one entry"),
    (lambda: dpc.BlackBox(renyi={0.5: 1}), "renyi order = 0.5"),
    (lambda: dpc.Geometric(scale=1, sensitivity=1.5), "sensitivity = 1.5 is not allowed: expected a whole number"),
    (lambda: dpc.RandomizedResponse(epsilon=1, categories=1), "a whole number from 2 to 1e9"),
    (lambda: dpc.Sampled(dpc.Gaussian(noise_std=1), rate=2), "rate = 2 is not allowed: expected a number from 0 to 1."),
    (lambda: dpc.Sampled(3, rate=0.1), "expected a mechanism"),
    (lambda: dpc.Group(dpc.Gaussian(noise_std=1), size=0), "size = 0 is not allowed"),
    (lambda: dpc.DiscretePair(p=[0.5, 0.6], q=[0.5, 0.5]), "expected 1 (to within 1e-9)"),
    (lambda: dpc.DiscretePair(p=[1.5, -0.5], q=[0.5, 0.5]), "p[0] = 1.5"),
    (lambda: dpc.DiscretePair(p=[1], q=[0.5, 0.5]), "as many as p has, 1"),
    (lambda: -1 * dpc.Gaussian(noise_std=1), "count = -1 is not allowed: expected a whole number from 0 to 1e12."),
    (lambda: 1.5 * dpc.Gaussian(noise_std=1), "count = 1.5 is not allowed"),
    (lambda: dpc.epsilon(dpc.Gaussian(noise_std=1), delta=-1e-9), "delta = -1e-09 is not allowed"),
    (lambda: dpc.delta(dpc.Gaussian(noise_std=1), epsilon=math.inf), "epsilon = inf is not allowed"),
    (lambda: dpc.renyi(dpc.Gaussian(noise_std=1), order=0.5), "order = 0.5 is not allowed"),
    (lambda: dpc.compare(dpc.Gaussian(noise_std=1)), "exactly one of the two"),
]


@pytest.mark.parametrize("make, sentence", REFUSED, ids=lambda x: x[:40] if isinstance(x, str) else "")
def test_a_refusal_is_one_sentence_that_says_what_would_do(make: Any, sentence: str) -> None:
    with pytest.raises(dpc.InvalidParameter) as refusal:
        make()
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert isinstance(refusal.value, ValueError)


def test_numbers_enter_exactly() -> None:
    assert dpc.Gaussian(noise_std=Decimal("0.1")).noise_std == Fraction(1, 10)
    assert dpc.Gaussian(noise_std=0.1).noise_std == 0.1 != Fraction(1, 10)
    assert dpc.Gaussian(noise_std=np.float32(0.5)) == dpc.Gaussian(noise_std=0.5)
    assert dpc.Gaussian(noise_std=np.int64(2)) == dpc.Gaussian(noise_std=2)
    assert dpc.Geometric(scale=1, sensitivity=2.0) == dpc.Geometric(scale=1, sensitivity=2)
    assert hash(dpc.Gaussian(noise_std=2.0)) == hash(dpc.Gaussian(noise_std=Fraction(2)))


@given(st.integers(-10, 10), st.integers(-10, 10), st.fractions(-20, 20))
def test_a_parameter_takes_its_range_with_both_ends(a: int, b: int, x: Fraction) -> None:
    low, high = sorted((a, b))
    for param, legal in ((Param("x", low, high), True), (Whole("n", low, high), x.denominator == 1)):
        if low <= x <= high and legal:
            assert param.check("x", x) == x
        else:
            with pytest.raises(dpc.InvalidParameter, match=r"x = .* is not allowed: expected a"):
                param.check("x", x)
