"""The simulation lemma, its special cases, whole transcripts, and Blackwell's converse: all in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cases import cases
from dpcompose.errors import InvalidParameter
from dpcompose.regions import (
    Distinguishable,
    Garbling,
    Interaction,
    LeakyResponse,
    Refutation,
    garble,
    laplace_pair,
    simulate,
    simulate_transcript,
)
from dpcompose.regions.simulation import SYMBOLS
from dpcompose.regions.transcript import draw
from regions.exact_pairs import Law, Pair, hockey_stick, image, laws, maps, pairs

FACTORS = st.fractions(1, 5, max_denominator=6)
EXTRA = st.sampled_from([Fraction(0), Fraction(1, 9), Fraction(1)])


def fractions(text: str) -> Law:
    return tuple(Fraction(x) for x in text.split())


@given(pairs(6), FACTORS, EXTRA)
@cases(400)
def test_the_map_carries_the_leaky_response_to_the_pair(pair: Pair, factor: Fraction, extra: Fraction) -> None:
    distance = max(hockey_stick(pair, factor), hockey_stick(pair[::-1], factor))  # type: ignore[arg-type]
    found = simulate(*pair, exp_epsilon=factor, delta=min(distance + extra, Fraction(1)))
    assert found.check()
    u, v = found.response.u, found.response.v
    assert image(u, found.rows) == pair[0]
    assert image(v, found.rows) == pair[1]
    assert found.residual.upper == 0


@given(pairs(5), FACTORS)
@cases(100)
def test_a_pair_that_is_too_far_apart_is_refused_with_the_event(pair: Pair, factor: Fraction) -> None:
    distance = max(hockey_stick(pair, factor), hockey_stick(pair[::-1], factor))  # type: ignore[arg-type]
    if not distance:
        return
    with pytest.raises(Distinguishable) as refused:
        simulate(*pair, exp_epsilon=factor, delta=distance * Fraction(99, 100))
    event = refused.value
    assert event.first - factor * event.second == event.excess > distance * Fraction(99, 100)
    sums = [sum((law[i] for i in event.event), Fraction(0)) for law in pair]
    assert [event.first, event.second] in (sums, sums[::-1])


GOLDEN = [  # P, Q, e^ε, δ, then F for 0, 1, "I am U", "I am V": SMITH-3.1-01, -02, -04
    ("3/5 3/10 1/10", "1/5 3/10 1/2", "2", "3/10", ["2/3 1/3 0", "2/21 10/21 3/7", "8/9 1/9 0", "0 0 1"]),
    ("9/11 2/11", "1/3 2/3", "3/2", "13/33", ["1 0", "1/4 3/4", "1 0", "0 1"]),
    ("3/4 1/4", "1/4 3/4", "3", "1/10", ["1 0", "0 1", "3/4 1/4", "1/4 3/4"]),
]


@pytest.mark.parametrize("p, q, factor, delta, rows", GOLDEN)
def test_known_maps(p: str, q: str, factor: str, delta: str, rows: list[str]) -> None:
    found = simulate(fractions(p), fractions(q), exp_epsilon=Fraction(factor), delta=Fraction(delta))
    assert found.rows == tuple(fractions(row) for row in rows)
    assert found.given("I am V") == fractions(rows[3])


@pytest.mark.parametrize(
    "p, q, factor, delta",
    [
        ("1/2 1/2", "1/2 1/2", 1, 0),  # ε = 0 and δ = 0
        ("1/2 1/2", "1/4 3/4", 1, Fraction(1, 4)),  # ε = 0
        ("1 0", "0 1", 1, 1),  # nothing is kept
        ("1 0", "0 1", 7, 1),
        ("1/2 1/2 0", "0 1/2 1/2", 2, Fraction(1, 2)),  # both leak
        ("1", "1", 3, 0),
    ],
)
def test_special_cases(p: str, q: str, factor: int, delta: Fraction) -> None:
    assert simulate(fractions(p), fractions(q), exp_epsilon=factor, delta=delta).check()


@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 0.1, 0.5, 3.0, 40.0, 600.0])
def test_an_irrational_factor_costs_a_certified_residual(epsilon: float) -> None:
    p, q = [0.5, 0.3, 0.2], [0.4, 0.3, 0.3]
    found = simulate(p, q, epsilon=epsilon, delta=0.4)
    assert found.check()
    assert 0 <= found.residual.lower <= found.residual.upper < 1e-50
    with mp.workdps(80):
        true = mp.exp(mp.mpf(epsilon))
        kept = (1 - mp.mpf(0.4)) / (1 + true)
        moved = [
            abs(mp.mpf(w.numerator) / w.denominator - t)
            for w, t in zip(found.response.u, (true * kept, kept), strict=False)
        ]
        assert max(moved) <= mp.mpf(found.residual.upper) + mp.mpf(10) ** -75


def test_the_table_of_the_leaky_response() -> None:
    """SM-UV."""
    response = LeakyResponse(Fraction(3), Fraction(1, 5))
    assert response.u == fractions("3/5 1/5 1/5 0")
    assert response.v == fractions("1/5 3/5 0 1/5")


@pytest.mark.parametrize(
    "epsilon, z, zero, one",
    [
        ("1", "-1/2", "0.41483040993053162626854", "0"),
        ("1", "1/4", "0.47856918365556099983170", "0.14701448425064878785991"),
        ("2", "3/2", "0", "0.41766650953930626457487"),
    ],
)
def test_a_laplace_pair_from_responses(epsilon: str, z: str, zero: str, one: str) -> None:
    """SM-E3.2, and the mixture of both kernels is the density."""
    found = laplace_pair(Fraction(epsilon), Fraction(z))
    assert abs(found.given(0).upper - float(zero)) < 1e-15
    assert abs(found.given(1).upper - float(one)) < 1e-15
    truth = mp.exp(mp.mpf(Fraction(epsilon).numerator))
    first = (truth * found.given(0).upper + found.given(1).upper) / (1 + truth)
    assert abs(first - found.density(0).upper) < 1e-15


def steps_that_adapt(history: tuple[int, ...]) -> tuple[Law, Law]:
    """Ternary first; then a response whose bias depends on what came before; outcomes differ in number."""
    if not history:
        return fractions("2/5 2/5 1/5"), fractions("1/5 2/5 2/5")
    if history[-1] == 0:
        return fractions("2/3 1/3"), fractions("1/3 2/3")
    return fractions("1/2 1/4 1/4 0"), fractions("1/4 1/2 1/8 1/8")


def test_a_transcript_of_responses_has_the_law_of_the_mechanisms() -> None:
    """SM-C3.3: every string of symbols, weighed by U^3 or V^3, against the product of the true laws."""
    interaction = Interaction((steps_that_adapt,) * 3, 2, Fraction(1, 8))
    assert interaction.check()
    response = LeakyResponse(Fraction(2), Fraction(1, 8))
    for law, truth in zip((response.u, response.v), interaction.laws(), strict=True):
        found: dict[tuple[int, ...], Fraction] = {}
        for symbols in product(range(4), repeat=3):
            weight = law[symbols[0]] * law[symbols[1]] * law[symbols[2]]
            histories = {(): weight}
            for symbol in symbols:
                histories = {
                    (*h, y): w * x
                    for h, w in histories.items()
                    for y, x in enumerate(interaction.kernel(h).given(SYMBOLS[symbol]))
                    if w * x
                }
            for history, w in histories.items():
                found[history] = found.get(history, Fraction(0)) + w
        assert found == truth


def test_a_transcript_is_drawn_from_its_symbols() -> None:
    seen = {
        simulate_transcript([steps_that_adapt] * 2, (0, "I am V"), exp_epsilon=2, delta=Fraction(1, 8))
        for _ in range(40)
    }
    possible = set(Interaction((steps_that_adapt,) * 2, 2, Fraction(1, 8)).laws()[1])
    assert seen <= possible
    first = simulate_transcript(
        [steps_that_adapt], (1,), exp_epsilon=2, delta=Fraction(1, 8), draw=lambda law: law.index(max(law))
    )
    assert first == (2,)
    assert {draw(fractions("0 1 0")) for _ in range(5)} == {1}


@given(st.data())
@cases(150)
def test_processing_can_be_undone_by_finding_it(data: st.DataObject) -> None:
    """KOV-T2.5: whatever a map made of a pair, some map is found that makes it."""
    pair = data.draw(pairs(6))
    rows = data.draw(maps(len(pair[0]), 6))
    target = (image(pair[0], rows), image(pair[1], rows))
    found = garble(pair, target)
    assert isinstance(found, Garbling)
    assert all(min(row) >= 0 and sum(row) == 1 for row in found.rows)
    assert found.image(pair[0]) == target[0]
    assert found.image(pair[1]) == target[1]


@given(st.data())
@cases(60)
def test_a_map_is_found_exactly_where_a_linear_program_finds_one(data: st.DataObject) -> None:
    source, size = data.draw(pairs(4)), data.draw(st.integers(1, 4))
    target = (data.draw(laws(size)), data.draw(laws(size)))
    found = garble(source, target)
    n = len(source[0])
    mass = [
        [float(law[i]) if k == j else 0.0 for i in range(n) for k in range(size)] for law in source for j in range(size)
    ]
    whole = [[1.0 if r == i else 0.0 for r in range(n) for _ in range(size)] for i in range(n)]
    wanted = [float(x) for law in target for x in law] + [1.0] * n
    solved = linprog(np.zeros(n * size), A_eq=np.array(mass + whole), b_eq=wanted, method="highs")
    assert isinstance(found, Garbling) == (solved.status == 0)
    if isinstance(found, Refutation):
        assert (
            hockey_stick(source, found.threshold)
            == found.source
            < found.target
            == hockey_stick(target, found.threshold)
        )


BAD: list[tuple[object, object, str]] = [
    ([0.5, 0.6], [0.5, 0.5], "sum of p"),
    ([0.5, 0.5], [0.5, 0.4999], "sum of q"),
    ([Fraction(1, 2), Fraction(1, 3)], [1, 0], "sum of p"),
    ([Fraction(1), Fraction(1, 10**12)], [1, 0], "sum of p"),
    ([-0.5, 1.5], [0.5, 0.5], r"p\[0\]"),
    ([float("nan"), 1], [0.5, 0.5], r"p\[0\]"),
    ([1], [0.5, 0.5], "outcomes"),
    ([], [], "p = "),
]


@pytest.mark.parametrize("p, q, said", BAD)
def test_what_is_no_distribution_is_refused_in_one_sentence(p: list[float], q: list[float], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        simulate(p, q, exp_epsilon=2, delta=1)
    with pytest.raises(InvalidParameter):
        garble((p, q), (p, q))


def test_other_refusals() -> None:
    half = [0.5, 0.5]
    for bad in (
        {},
        {"epsilon": 1, "exp_epsilon": 2},
        {"exp_epsilon": 0.5},
        {"epsilon": -1},
        {"epsilon": 1e9},
        {"exp_epsilon": 2, "delta": 2},
    ):
        with pytest.raises(InvalidParameter):
            simulate(half, half, **bad)
    with pytest.raises(InvalidParameter, match="symbol"):
        simulate(half, half, exp_epsilon=2).given("I am W")
    with pytest.raises(InvalidParameter, match="one for each"):
        simulate_transcript([steps_that_adapt], (), exp_epsilon=2)
