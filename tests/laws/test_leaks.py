"""What leaks on one side, and what is lost at most: lower and upper ends held against sums over all outcomes."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases, scaled
from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law, value
from dpcompose.kernel import Side
from dpcompose.notions import FiniteLoss, Profile
from dpcompose.numerics.enclosure import Enclosure, ball
from dpcompose.numerics.precision import ctx
from dpcompose.prove.claims import facts, known
from dpcompose.theorems.loss.dots import law_through
from dpcompose.theorems.loss.finite_laws import in_floats
from oracles.leaky_samples import Case, exact_delta, leaky_response, number, sampled
from strategies import MECHANISMS, extreme, named, some

DRAWN = random.Random("leaks")  # noqa: S311 - a draw, no secret


def drawn() -> Case:
    """One of many."""
    of, count, step = DRAWN.randint(2, 10), DRAWN.randint(1, 12), Fraction(DRAWN.randint(1, 30), 20)
    level = step * count * Fraction(DRAWN.randint(0, 11), 10)
    return Case(count, step, Fraction(DRAWN.randint(1, 60), 100), DRAWN.randint(1, of - 1), of, level)


CASES = [Case(20, Fraction(3, 10), Fraction(1, 10), 8, 10, Fraction(1, 2)), *(drawn() for _ in range(scaled(25)))]
A_HAIR = mpmath.mpf(10) ** -14


def from_below(whole: dpc.Mechanism) -> list[Profile]:
    """What orders below 1 say."""
    return [claim.guarantee for claim in known(whole).profiles() if claim.theorem.id == "RDP-BELOW"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_lower_end_of_a_leaky_sample_exceeds_the_pair_that_it_speaks_of(case: Case) -> None:
    """That pair occurs, so no upper end lies below it either."""
    whole = case.count * dpc.SampledWithoutReplacement(
        dpc.BlackBox(epsilon=case.step, delta=case.leak), size=case.size, of=case.of
    )
    truth = exact_delta(sampled(case), case.count, case.level)
    assert dpc.compare(whole, epsilon=case.level).best.upper >= truth * (1 - A_HAIR)
    for bound in from_below(whole):
        assert bound.delta(case.level).lower <= truth
        target = Fraction(mpmath.nstr(truth, 12)) * Fraction(99, 100)
        least = Fraction(bound.epsilon(target).lower)
        assert not least or exact_delta(sampled(case), case.count, least) >= number(target) * (1 - A_HAIR)


@pytest.mark.parametrize("case", CASES[1:], ids=str)
def test_what_leaks_on_both_sides_keeps_its_own_factor(case: Case) -> None:
    """Without sampling both inputs leak alike, alone and beside what leaks on one side."""
    truth = exact_delta(leaky_response(case), case.count, case.level)
    whole = case.count * dpc.BlackBox(epsilon=case.step, delta=case.leak)
    bounds = from_below(whole)
    assert bounds
    assert all(bound.delta(case.level).lower <= truth for bound in bounds)
    beside = whole + dpc.Sampled(dpc.NameAndShame(delta=case.rate), rate=Fraction(1, 2))
    assert dpc.compare(beside, epsilon=case.level).best.upper >= truth * (1 - A_HAIR)


def test_the_factor_is_not_lost_where_it_is_known() -> None:
    """Where both leak, the bound of both is the better one: of one alone it would be below 0.8835."""
    (bound,) = from_below(20 * dpc.BlackBox(epsilon=Fraction(3, 10), delta=Fraction(1, 10)))
    assert bound.delta(Fraction(1, 2)).lower > 0.8836
    assert replace(bound, other_leak=0).delta(Fraction(1, 2)).lower < 0.8835


@pytest.mark.parametrize("digits", [10, 40, 80, 200, 400])
@pytest.mark.parametrize("count", [1, 3])
def test_next_to_everything_is_not_everything(digits: int, count: int) -> None:
    """A pair that leaks all but 10^-n: so little no float tells from nothing, and still a guess may be wrong."""
    kept = Fraction(1, 10**digits)
    whole = count * dpc.DiscretePair(p=(kept, 1 - kept), q=(1, 0))
    truth = 1 - kept**count  # the greater order: under the first input nothing else leaks
    for found in (dpc.delta(whole, 0), dpc.advantage(whole), dpc.compare(whole, epsilon=0).best):
        assert found.lower <= truth <= found.upper
    assert dpc.bayes_error(whole).upper >= (1 - truth) / 2 > 0
    assert dpc.accuracy(whole).lower <= 1 - (1 - truth) / 2
    assert dpc.delta(whole + dpc.BlackBox(epsilon=1), 0).lower < 1


@cases(200)
@given(
    st.sampled_from([5e-324, 1e-300, 1e-17, 1e-16, 1e-3, 0.5]),
    st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1)), max_size=12),
)
def test_whatever_is_drawn_through_bounds_keeps_all_its_mass(least: float, bounds: list[tuple[int, float]]) -> None:
    """The finite pair through bounds on δ at any levels, however near to one another: what leaks and what does not."""
    levels = sorted({0, *(number for number, _ in bounds)})
    heights = sorted([1.0, *(height for _, height in bounds)], reverse=True)
    law = law_through([(least * n, height) for n, height in zip(levels, heights, strict=False)])
    assert sum(mass for _, mass in law.ratios) + law.leaking == 1
    assert law.leaking <= heights[len(levels) - 1]


GREATEST = [
    (30 * dpc.BlackBox(epsilon=0.125, delta=Fraction(1, 1000)), 3.75, (999, 1000, 30)),
    (10 * dpc.Geometric(scale=2), 5, None),
    (3 * dpc.Laplace(scale=1) + 2 * dpc.BlackBox(epsilon=0.5, delta=Fraction(1, 100)), 4, (99, 100, 2)),
    (30 * dpc.BlackBox(epsilon=0.125, delta=Fraction(1, 1000)) + dpc.Laplace(scale=2), 4.25, (999, 1000, 30)),
    (100 * dpc.Laplace(scale=4), 25, None),
    (10 * dpc.Geometric(scale=2) + 5 * dpc.Laplace(scale=2), 7.5, None),
    (200 * dpc.RandomizedResponse(epsilon=0.25) + 3 * dpc.Laplace(scale=1), 53, None),
    (7 * dpc.Staircase(epsilon=0.5) + 3 * dpc.Laplace(scale=2), 5, None),
]


@pytest.mark.slow
@pytest.mark.parametrize("whole, greatest, kept", GREATEST)
def test_at_the_greatest_loss_only_the_leak_is_left(
    whole: dpc.Mechanism, greatest: float, kept: tuple[int, int, int] | None
) -> None:
    """Basic composition says what it is; the engine there, and every answer around it, is as good."""
    leak = 1 - Fraction(kept[0], kept[1]) ** kept[2] if kept else Fraction(0)
    (line,) = [claim.guarantee for claim in known(whole).profiles() if claim.theorem.id == "X-LINE"][:1]
    assert line.delta(greatest).upper <= leak * (1 + 1e-12)
    found = dpc.delta(whole, greatest)
    assert found.lower <= leak <= found.upper <= leak * (1 + 1e-12)
    below = dpc.delta(whole, greatest * (1 - 2**-40))
    assert leak <= below.upper <= float(leak) + 1e-9
    curve = dpc.delta(whole, [greatest * share for share in (0.5, 0.999, 1, 1 + 2**-30)])
    assert (curve.upper[1:] <= curve.upper[:-1] * (1 + 1e-9)).all()


def keeps_all(law: Law, other: Law) -> None:
    """What a law lists and what leaks make up the first input, and the second, if the other order leaks the rest: on a
    sample both are needed.
    """
    with ctx.workprec(400):
        atoms = [(value(loss), mass) for loss, mass in law.atoms()]
        first = sum((mass for _, mass in atoms), law.leak())
        second = sum((mass * (-loss).exp() for loss, mass in atoms), other.leak())
    assert first.overlaps(ball(1)), (law, first)
    assert second.overlaps(ball(1)), (law, second)


@pytest.mark.parametrize("cls", MECHANISMS, ids=named)
@cases(20)
@given(data=st.data())
def test_listed_losses_keep_all_that_either_input_gives(cls: type[dpc.Mechanism], data: st.DataObject) -> None:
    part = data.draw(some(cls) | some(cls, extreme))
    for claim in facts(part):
        if isinstance(claim.guarantee, FiniteLoss) and claim.side is Side.BOTH:
            orders = claim.guarantee.forward, claim.guarantee.backward
            for law, other in (orders, orders[::-1]):
                with suppress(Declined, NotImplementedError):  # long pairs are not listed
                    keeps_all(law, other)


@pytest.mark.parametrize("share", [1e-30, 0.25, 1])
def test_what_no_atom_has_may_leak(share: float) -> None:
    """Whoever forgets to list something is not believed."""
    found = in_floats([(ball(1), ball(Fraction(3, 4)) * (1 - ball(share)))], Enclosure(0.25, 0.25))
    assert found.leak.upper >= 0.25 + 0.75 * share
