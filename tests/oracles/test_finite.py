"""Sums of finite laws against 50-digit values computed with mpmath alone; leaks, ends and ties."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dpcompose.exact.binomial import two_point_delta
from dpcompose.exact.finite import sum_delta, sum_epsilon
from dpcompose.numerics.enclosure import Enclosure
from oracles.finite_laws import Geometric, Pair, Response, Staircase, Truncated

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


def holds(found: Enclosure, printed: str) -> bool:
    """Whether a number that was printed with 50 digits may lie in the enclosure."""
    value, slack = Fraction(printed), Fraction(1, 10**45)
    return found.lower <= value * (1 + slack) and value * (1 - slack) <= found.upper


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
