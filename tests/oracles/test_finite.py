"""Sums of finite laws against every outcome added up, and against 50-digit values computed with mpmath alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.numerics.atoms import coprime_base, scaled
from dpcompose.numerics.berry_esseen import NormalProfile
from dpcompose.numerics.binomial import two_point_delta, two_point_epsilon
from dpcompose.numerics.chernoff import inverse_bounds, profile_bounds
from dpcompose.numerics.coarse import LoweredLaw, SpreadLaw
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.finite import LogRatio, sum_delta, sum_epsilon
from dpcompose.numerics.states import power
from dpcompose.numerics.tilted import Tilted

# 50 significant digits, computed with mpmath at more than twice that precision, without this library.
DIFFERENT = [
    (
        "HET-EXACT-01",
        "1",
        "0",
        "0.5",
        "0.1",
        "0.28764913664496792492171034293013199309810009580875",
        "0.85290510136432180372017393973450240501745404951036",
    ),
    (
        "HET-EXACT-02",
        "1 2",
        "0",
        "1.5",
        "0.01",
        "0.50023756795731138431987025002322611120857649279921",
        "2.9843481281012079625680890570621544294896258417847",
    ),
    (
        "HET-EXACT-04",
        "0.5 0.5 0.5 0.5",
        "1e-6",
        "1",
        "1e-3",
        "0.094898732360466434853624206158758595753072967985921",
        "1.9933432561944373791686634012735629467779010492873",
    ),
    (
        "HET-EXACT-05",
        "0.01 0.1 1 10",
        "0",
        "10.5",
        "1e-3",
        "0.28763607798723014805786148352860428001697711454298",
        "11.104801023449258311432963465293992490848034857446",
    ),
    (
        "HET-EXACT-07",
        "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1",
        "1e-7",
        "2",
        "1e-3",
        "0.30633565230611156416016401516501864776333959131252",
        "5.3896284984209975109826732535559731260701799460940",
    ),
    (
        "HET-EXACT-08",
        "0.05 0.05 0.05 0.05 0.05 0.05 0.25 0.25 0.25 0.25 0.25 0.25",
        "1e-9",
        "0.9",
        "1e-6",
        "0.030031859367893474955866652271667036691919407854428",
        "1.7982711942753754937128837411721393243819674931533",
    ),
    (
        "HET-EXACT-10",
        "1 1",
        "0.1",
        "1",
        "0.2",
        "0.46364611683910335108281091746651476072769415614145",
        "1.9766290874098748578362892114069524173995789215583",
    ),
    (
        "HET-EXACT-11",
        "1e-6 1e-5 1e-4 1e-3 0.01 0.1",
        "0",
        "0.1",
        "1e-4",
        "0.0026248740634806274226812782980522972374057253894468",
        "0.11024194735593183434885146895640572020181530190829",
    ),
    (
        "HET-EXACT-13",
        "0.01 0.04 0.07 0.10 0.13 0.16 0.19 0.22 0.25 0.28 0.31 0.34 0.37 0.40 0.43 0.46 0.49 0.52 0.55 0.58",
        "1e-10",
        "2",
        "1e-6",
        "0.14705075183280040646450540065462236370454083674955",
        "5.8525301437023095087633672914208863969271169253526",
    ),
    (
        "HET-EXACT-14",
        "0.37 0.0001 0.37 0.0001 0.37 0.0001 0.37 0.0001 0.37 0.0001 0.37 0.0001 0.37 0.0001 0.37 0.0001",
        "0",
        "1.2",
        "1e-100",
        "0.11417372488087945369597169087559965881904269590662",
        "2.9608000000000000000000000000000000000000000000000",
    ),
    (
        "HET-EXACT-16",
        "0 0.5",
        "0",
        "0.25",
        "0.05",
        "0.13768751663174727211355546592661973508175540492362",
        "0.41626340090110205027245384531812863367656087060838",
    ),
]
GROUPS = [
    (
        "HET-GROUP-01",
        [("0.01", 100), ("0.1", 50), ("0.5", 10)],
        "6",
        "1e-6",
        "0.00042359488153629882301564600888192484730846173631108",
        "7.4799436291753878063628243415558006992881064942573",
    ),
    (
        "HET-GROUP-02",
        [("0.1", 500), ("1", 20)],
        "25",
        "1e-9",
        "0.00031283709247975006684867962454373586488077599899490",
        "32.815465754858518506921741338490401548323663963892",
    ),
    (
        "HET-GROUP-04",
        [("3", 5), ("0.25", 40)],
        "18",
        "1e-12",
        "0.044567976514768757136565653163676841198588294216045",
        "24.987015805778288013023521992107461462474917808754",
    ),
]
GEOMETRIC = [
    ("GEOM-01", 1, "1", 1, "0.3", "0.36802563227170786646239081481720860733937063653109"),
    ("GEOM-02", 5, "0.5", 1, "1", "0.18409792625505250688563104921975441368108923584298"),
    ("GEOM-04", 1, "1", 2, "0", "0.39346934028736657639620046500881954655808186451281"),
    ("GEOM-05", 3, "1", 2, "1", "0.31768432905656840615102628760550124793720239568195"),
    ("GEOM-07", 10, "0.2", 4, "0.33", "0.13287146354079295814885174138557323432104456098252"),
]
STAIRCASE = [
    ("STAIR-COMP-01", 1, "1", "0.4", "0.5", "0.27687289288051370813564041536032724064563704647556"),
    ("STAIR-COMP-02", 5, "1", "0.4", "2", "0.40733141774496992354838529985750267357157397697511"),
    ("STAIR-COMP-04", 10, "0.5", "0.25", "1", "0.31696465180386179064557535817448012840366362034444"),
    ("STAIR-COMP-05", 4, "2", "0.75", "3", "0.61055742190677487315066928285027992749382408689465"),
]


@dataclass(frozen=True)
class Response:
    """A leak, and beside it +e or -e with the odds exp(e) to 1."""

    e: Fraction
    leaked: Fraction = Fraction(0)

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        x, kept = (-ball(self.e)).exp(), 1 - ball(self.leaked)
        return [(self.e, kept / (1 + x)), (-self.e, kept * x / (1 + x))]

    def leak(self) -> Ball:
        return ball(self.leaked)


@dataclass(frozen=True)
class Pair:
    """ln(p/q) under p."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def atoms(self) -> list[tuple[LogRatio, Ball]]:
        return [(LogRatio(p / q), ball(p)) for p, q in zip(self.p, self.q, strict=True) if p and q]

    def leak(self) -> Ball:
        return ball(sum((p for p, q in zip(self.p, self.q, strict=True) if not q), Fraction(0)))


@dataclass(frozen=True)
class Geometric:
    """Two-sided geometric noise of rate e/s, shifted by s."""

    e: Fraction
    s: int

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        rate, s = self.e / self.s, self.s
        r = (-ball(rate)).exp()
        inner = [((s - 2 * j) * rate, (1 - r) / (1 + r) * r**j) for j in range(1, s)]
        return [(s * rate, 1 / (1 + r)), *inner, (-s * rate, r**s / (1 + r))]

    def leak(self) -> Ball:
        return arb(0)


@dataclass(frozen=True)
class Staircase:
    e: Fraction
    gamma: Fraction

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        b, g = (-ball(self.e)).exp(), self.gamma
        a = (1 - b) / (2 * (ball(g) + b * ball(1 - g)))
        zero = ball(1 - 2 * g) * a * b if g <= Fraction(1, 2) else ball(2 * g - 1) * a
        plus = (1 - zero) / (1 + b)
        return [(self.e, plus), (Fraction(0), zero), (-self.e, plus * b)]

    def leak(self) -> Ball:
        return arb(0)


@dataclass(frozen=True)
class Truncated:
    """A response whose rarest outcomes were cut off: up to so much may leak."""

    e: Fraction
    most: Fraction

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        kept = ball(1 - self.most).union(1)
        x = (-ball(self.e)).exp()
        return [(self.e, kept / (1 + x)), (-self.e, kept * x / (1 + x))]

    def leak(self) -> Ball:
        return ball(self.most).union(0)


def holds(found: Enclosure, printed: str) -> bool:
    """Whether a number that was printed with 50 digits may lie in the enclosure."""
    value, slack = Fraction(printed), Fraction(1, 10**45)
    return found.lower <= value * (1 + slack) and value * (1 - slack) <= found.upper


def number(x: Fraction | float) -> mpmath.mpf:
    top, bottom = Fraction(x).as_integer_ratio()
    return mpmath.mpf(top) / bottom


def at(mass: str) -> Enclosure:
    return Enclosure.exactly(Fraction(mass))


@pytest.mark.parametrize("name, steps, leak, level, mass, delta, epsilon", DIFFERENT, ids=[r[0] for r in DIFFERENT])
def test_different_responses(  # noqa: PLR0917 - a row
    name: str, steps: str, leak: str, level: str, mass: str, delta: str, epsilon: str
) -> None:
    parts = [(Response(Fraction(e), Fraction(leak)), 1) for e in steps.split()]
    found = sum_delta(parts, Fraction(level)), sum_epsilon(parts, at(mass))
    assert holds(found[0], delta), name
    assert holds(found[1], epsilon), name
    assert max(e.gap for e in found) <= 2e-12


@pytest.mark.parametrize("name, groups, level, mass, delta, epsilon", GROUPS, ids=[r[0] for r in GROUPS])
def test_groups_of_responses(  # noqa: PLR0917 - a row of the table
    name: str, groups: list[tuple[str, int]], level: str, mass: str, delta: str, epsilon: str
) -> None:
    parts = [(Response(Fraction(e)), n) for e, n in groups]
    found = sum_delta(parts, Fraction(level)), sum_epsilon(parts, at(mass))
    assert holds(found[0], delta), name
    assert holds(found[1], epsilon), name
    assert max(e.gap for e in found) <= 2e-12


@pytest.mark.parametrize("name, count, e, s, level, delta", GEOMETRIC, ids=[r[0] for r in GEOMETRIC])
def test_geometric_noise(name: str, count: int, e: str, s: int, level: str, delta: str) -> None:  # noqa: PLR0917 - a row
    found = sum_delta([(Geometric(Fraction(e), s), count)], Fraction(level))
    assert holds(found, delta), name
    assert found.gap <= 1e-12


@pytest.mark.parametrize("name, count, e, gamma, level, delta", STAIRCASE, ids=[r[0] for r in STAIRCASE])
def test_staircase_noise(name: str, count: int, e: str, gamma: str, level: str, delta: str) -> None:  # noqa: PLR0917 - a row
    found = sum_delta([(Staircase(Fraction(e), Fraction(gamma)), count)], Fraction(level))
    assert holds(found, delta), name
    assert found.gap <= 1e-12


# --- every outcome of the product, one by one ---------------------------------------------------------------------


def every_outcome(pairs: Sequence[Pair], level: float) -> Fraction:
    """The sum of (P - e^t Q)_+ over all outcomes, in 60 digits."""
    with mpmath.workdps(60):
        scale, total = mpmath.exp(number(level)), mpmath.mpf(0)
        for outcome in itertools.product(*(list(zip(pair.p, pair.q, strict=True)) for pair in pairs)):
            p = math.prod(x for x, _ in outcome)
            q = math.prod(y for _, y in outcome)
            total += max(number(p) - scale * number(q), 0)
        return total


def distributions(size: int) -> st.SearchStrategy[tuple[Fraction, ...]]:
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(Fraction(x, sum(w)) for x in w))


pairs = st.integers(2, 4).flatmap(lambda n: st.builds(Pair, distributions(n), distributions(n)))


@given(st.lists(pairs, min_size=1, max_size=5), st.sampled_from([0.0, 0.1, 0.7, 2.0]))
@settings(max_examples=60)
def test_profile_of_pairs_is_the_sum_over_outcomes(several: list[Pair], level: float) -> None:
    found, truth = sum_delta([(pair, 1) for pair in several], level), every_outcome(several, level)
    with mpmath.workdps(60):
        assert found.lower - mpmath.mpf(10) ** -50 <= truth <= found.upper + mpmath.mpf(10) ** -50
    assert found.gap <= 1e-12 or found.upper < 1e-40


@given(st.lists(pairs, min_size=1, max_size=4), st.floats(0.0, 1.0))
@settings(max_examples=60)
def test_inverse_of_pairs_is_where_outcomes_meet_the_mass(several: list[Pair], mass: float) -> None:
    found = sum_epsilon([(pair, 1) for pair in several], Enclosure(mass, mass))
    leak = 1 - math.prod(1 - sum((p for p, q in zip(x.p, x.q, strict=True) if not q), Fraction(0)) for x in several)
    with mpmath.workdps(60):
        slack = mpmath.mpf(10) ** -50
        if leak > mass:
            assert found == Enclosure(math.inf, math.inf)
            return
        assert found.lower == 0.0 or every_outcome(several, found.lower) >= number(mass) - slack
        if math.isfinite(found.upper):
            assert every_outcome(several, found.upper) <= number(mass) + slack
        else:
            assert abs(leak - Fraction(mass)) < Fraction(1, 10**100)  # a tie that no precision decides


@given(st.lists(pairs, min_size=1, max_size=3), st.lists(st.integers(0, 3), min_size=3, max_size=3))
@settings(max_examples=30)
def test_counts_are_repetitions(several: list[Pair], counts: list[int]) -> None:
    counted = [(pair, n) for pair, n in zip(several, counts, strict=False)]
    written_out = [pair for pair, n in counted for _ in range(n)]
    found, truth = sum_delta(counted, 0.25), every_outcome(written_out, 0.25)
    with mpmath.workdps(60):
        assert found.lower - mpmath.mpf(10) ** -50 <= truth <= found.upper + mpmath.mpf(10) ** -50


@given(st.integers(1, 400), st.fractions(Fraction(1, 50), 2), st.floats(0.0, 1.0))
@settings(max_examples=40)
def test_one_response_agrees_with_the_binomial_sum(count: int, e: Fraction, share: float) -> None:
    level = Fraction(share) * count * e
    one, other = sum_delta([(Response(e), count)], level), two_point_delta(count, e, level)
    assert one & other  # an empty intersection raises
    mass = Enclosure(1e-7, 1e-7)
    assert sum_epsilon([(Response(e), count)], mass) & two_point_epsilon(count, e, mass)


# --- what tables cannot hold --------------------------------------------------------------------------------------

LARGE = [
    ([(Response(Fraction(1, 100)), 3000)], 1),
    ([(Response(Fraction(1, 10)), 200), (Response(Fraction(1, 7)), 150)], 6),
    ([(Staircase(Fraction(1, 20), Fraction(1, 4)), 2000)], 3),
    ([(Pair((Fraction(3, 10), Fraction(7, 10)), (Fraction(31, 100), Fraction(69, 100))), 900)], 1),
]


@pytest.mark.parametrize("parts, level", LARGE)
def test_closed_bounds_hold_the_exact_value(parts: list[tuple[Response, int]], level: int) -> None:
    tilted, exact = Tilted(scaled(parts)), sum_delta(parts, level)
    assert exact.gap <= 1e-12
    wide = profile_bounds(tilted, Fraction(level))
    normal = NormalProfile.near_level(tilted, float(level)).profile(Fraction(level))
    for bound in (wide, normal):
        assert 0.0 < bound.lower <= exact.lower <= exact.upper <= bound.upper < 1.0
    assert normal.gap < 0.8
    epsilon = sum_epsilon(parts, Enclosure(1e-6, 1e-6))
    closed = inverse_bounds(tilted, arb(1e-6), arb(1e-6))
    assert 0.0 < closed.lower <= epsilon.lower <= epsilon.upper <= closed.upper


@given(st.floats(0.001, 30.0), st.floats(0.0, 8.0))
@settings(max_examples=60)
def test_every_tilt_is_valid(tilt: float, level: float) -> None:
    parts = [(Response(Fraction(1, 10)), 100), (Response(Fraction(1, 4)), 20)]
    bound = NormalProfile.at(Tilted(scaled(parts)), tilt).profile(Fraction(level))
    assert bound & sum_delta(parts, level)


@pytest.mark.parametrize("step", [Fraction(1, 7), Fraction(1, 30), Fraction(1, 200)])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_lattice_laws_lie_below_and_above(step: Fraction, level: int) -> None:
    parts = [(Response(Fraction(3, 17)), 9), (Staircase(Fraction(5, 13), Fraction(1, 5)), 6)]
    sums, exact = scaled(parts), sum_delta(parts, level)
    units = int(step * sums.denominator)
    unit = Fraction(1, sums.denominator)

    @dataclass(frozen=True)
    class InUnits:
        moved: LoweredLaw | SpreadLaw

        def atoms(self) -> list[tuple[Fraction, Ball]]:
            return [(loss * unit, mass) for loss, mass in self.moved.atoms()]

        def leak(self) -> Ball:
            return self.moved.leak()

    below = sum_delta([(InUnits(LoweredLaw(p, units)), p.count) for p in sums.parts], level)
    above = sum_delta([(InUnits(SpreadLaw(p, units, sums.denominator)), p.count) for p in sums.parts], level)
    assert below.lower <= exact.upper
    assert exact.lower <= above.upper
    assert above.upper - below.lower < 8 * step
    assert above.upper - exact.lower < 15 * step**2  # second order


def test_forty_different_responses_lie_between_lattices() -> None:
    parts = [(Response(Fraction(k, 97)), 1) for k in range(1, 41)]  # on a lattice: exact
    other = [(Response(Fraction(k, 97) + Fraction(1, 10**6 + k * k)), 1) for k in range(1, 41)]  # on none
    found, near = sum_epsilon(other, Enclosure(1e-6, 1e-6)), sum_epsilon(parts, Enclosure(1e-6, 1e-6))
    assert near.gap <= 2e-12
    assert found.lower - 1e-3 <= near.upper
    assert near.lower <= found.upper
    assert found.gap < 5e-3


def test_more_than_any_table_is_answered() -> None:
    huge = [(Staircase(Fraction(1, 10**5), Fraction(1, 4)), 10**9)]
    found = sum_epsilon(huge, Enclosure(1e-6, 1e-6))
    assert found.gap < 1e-3
    delta = sum_delta(huge, found.upper)
    assert delta.lower <= 1e-6
    assert delta.gap < 1e-2
    many = [(Response(Fraction(100 + k, 10**5 + k)), 1) for k in range(3000)]
    assert sum_epsilon(many, Enclosure(1e-6, 1e-6)).gap < 0.1


# --- leaks, ends and ties -----------------------------------------------------------------------------------------


def test_leak_decides_what_is_feasible() -> None:
    parts = [(Response(Fraction(1), Fraction(1, 10)), 2)]
    assert sum_epsilon(parts, at("0.18")) == Enclosure(math.inf, math.inf)
    tie = sum_epsilon(parts, at("0.19"))  # the leak is 0.19: the floats around it cannot tell
    assert tie.lower <= 2.0
    assert tie.upper == math.inf
    assert sum_epsilon(parts, Enclosure(0.5, 1.0)).lower == 0.0
    assert sum_epsilon(parts, Enclosure(1.0, 1.0)) == Enclosure(0.0, 0.0)


def test_everything_may_leak() -> None:
    gone = Pair((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    assert sum_delta([(gone, 3)], 5) == Enclosure(1.0, 1.0)
    assert sum_epsilon([(gone, 3)], Enclosure(0.9, 0.9)) == Enclosure(math.inf, math.inf)


def test_an_uncertain_leak_stays_uncertain() -> None:
    parts = [(Truncated(Fraction(1, 2), Fraction(1, 10**12)), 3)]
    truth = two_point_delta(3, Fraction(1, 2), 1)
    found = sum_delta(parts, 1)
    assert found.lower <= truth.lower <= truth.upper <= found.upper
    assert found.upper - found.lower < 1e-11
    assert sum_epsilon(parts, Enclosure(1e-13, 1e-13)).upper == math.inf
    assert sum_epsilon(parts, Enclosure(1e-6, 1e-6)).gap < 1e-5


def test_nothing_costs_nothing() -> None:
    for parts in ([], [(Response(Fraction(0)), 5)], [(Response(Fraction(1)), 0)]):
        assert sum_delta(parts, 0) == Enclosure(0.0, 0.0)
        assert sum_epsilon(parts, Enclosure(0.0, 0.0)) == Enclosure(0.0, 0.0)


def test_no_mass_at_all_means_the_greatest_loss() -> None:
    found = sum_epsilon([(Response(Fraction(1, 10)), 3), (Response(Fraction(1, 4)), 2)], Enclosure(0.0, 0.0))
    assert Fraction(8, 10) in found
    assert found.gap <= 2e-12


@pytest.mark.parametrize("mass", [1e-300, 1e-200, 1e-50, 1 - 1e-12])
def test_far_tails_keep_their_digits(mass: float) -> None:
    parts = [(Response(Fraction(3, 10)), 700), (Response(Fraction(1, 2)), 800)]
    found = sum_epsilon(parts, Enclosure(mass, mass))
    assert found.gap <= 1e-11
    assert sum_delta(parts, found.lower).upper >= mass
    assert sum_delta(parts, found.upper).lower <= mass


@given(st.lists(st.integers(1, 5000), max_size=8))
def test_coprime_base_factors_what_it_was_made_of(numbers: list[int]) -> None:
    base = coprime_base(numbers)
    assert all(math.gcd(a, b) == 1 for a, b in itertools.combinations(base, 2))
    for n in numbers:
        rest = n
        for b in base:
            while rest % b == 0:
                rest //= b
        assert rest == 1


@pytest.mark.parametrize("losses", [(0, 1, 2), (0, 1, 5), (-3, 0, 2, 7)])
@pytest.mark.parametrize("count", [3, 700])
def test_powers_add_up_to_one_and_have_the_right_mean(losses: tuple[int, ...], count: int) -> None:
    size = len(losses) * (len(losses) + 1) // 2
    mean = sum((Fraction(i + 1, size) * loss for i, loss in enumerate(losses)), Fraction(0))
    with ctx.workprec(128):
        found = power({loss: ball(Fraction(i + 1, size)) for i, loss in enumerate(losses)}, count)
        total = sum(found.values(), arb(0))
        moment = sum((mass * loss for loss, mass in found.items()), arb(0))
        assert total.contains(1)
        assert moment.contains(ball(count * mean))
        assert max(Enclosure.of(total).gap, Enclosure.of(moment).gap) < 1e-12
