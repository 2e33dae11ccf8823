"""Sums of two-point variables against exact sums, and against 50-digit values computed independently with mpmath."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.exact.binomial import two_point_delta, two_point_epsilon, two_point_tails
from dpcompose.numerics.chain import Flat, RatioChain, Rising
from dpcompose.numerics.enclosure import Enclosure

# 50 significant digits, computed with mpmath at more than twice that precision, without this library.
PROFILE = [
    ("KOV-3.3-grid-01", 1, "1", "1", "0"),
    ("KOV-3.3-grid-02", 1, "0.5", "0.5", "0"),
    ("KOV-3.3-grid-04", 2, "0.1", "0", "0.049958374957879972198386365208284319642799793781018"),
    ("KOV-3.3-grid-05", 3, "0.5", "0.5", "0.15245190679866558650029517570349459037313624740429"),
    ("KOV-3.3-grid-07", 5, "1", "1", "0.53710171976096906705463700514835884420556798741012"),
    ("KOV-3.3-grid-08", 5, "1", "1", "0.53710171976096906705463700514835884420556798741012"),
    ("KOV-3.3-grid-10", 30, "0.1", "3", "0"),
    ("KOV-3.3-grid-11", 30, "0.1", "0.6", "0.048092059870149273910477451454958696808896582917046"),
    ("KOV-3.3-grid-13", 31, "0.1", "0.1", "0.18000488626631809010748907288853932022800551918643"),
    ("KOV-3.3-grid-14", 100, "0.01", "0.4", "6.3343284276474188016358512639443522918342554086075e-7"),
    ("KOV-3.3-grid-16", 1000, "0.5", "200", "9.8709780495132322084370658820118779116542855194397e-8"),
    ("KOV-3.3-grid-17", 10000, "0.01", "6", "2.7528031228924390549576475439021723784407592261746e-9"),
    ("KOV-3.3-grid-19", 1000000, "0.001", "5", "5.7933454162624179303472406926743433964402001984673e-7"),
    ("KOV-3.3-grid-20", 1000000, "0.000001", "0.002", "8.4991652046289626846231121582575927125051497763556e-6"),
    ("KOV-3.3-grid-22", 100, "10", "960", "0.99998982841511741495727490079066450956063907910717"),
    ("KOV-3.3-grid-23", 7, "0", "0", "0"),
    ("KOV-3.3-grid-25", 20, "2", "24", "0.78660276938945773372674635468492469038641462113806"),
    ("KOV-3.3-profile-01", 1, "1", "0", "0.46211715726000975850231848364367254873028928033011"),
    ("KOV-3.3-profile-02", 1, "1", "0.5", "0.28764913664496792492171034293013199309810009580875"),
    ("KOV-3.3-profile-04", 2, "1", "1", "0.33783471214704117417630977465001822312061006931043"),
    ("KOV-3.3-profile-05", 2, "1", "0", "0.46211715726000975850231848364367254873028928033011"),
    ("KOV-3.3-profile-07", 3, "1", "0.25", "0.59325236297881909719940290853774546757558719537059"),
    ("KOV-3.3-profile-08", 3, "1", "2.9", "0.037181144161093762258498713005818836006298607095561"),
    ("KOV-3.3-profile-10", 5, "0.7", "1.234567", "0.31090099695504290646632131981711959547166863647146"),
    ("KOV-3.3-profile-11", 30, "0.1", "0.65", "0.042492336251697188154593059781301058987467171028768"),
    ("KOV-3.3-profile-13", 30, "0.1", "4", "0"),
    ("KOV-3.3-profile-14", 31, "0.1", "0.05", "0.20099966158138341677688446134299072319598698536868"),
    ("KOV-3.3-profile-16", 100, "0.5", "33.3", "1.0130190813797981378184909858490413812595621528505e-6"),
    ("KOV-3.3-profile-17", 1000, "0.01", "7", "2.1205983604470448641192839856011430489908092856694e-120"),
    ("KOV-3.3-profile-19", 1000, "1", "591", "1.0122299415803038801074630977656983378129299636692e-6"),
    ("KOV-3.3-profile-20", 10000, "0.01", "20", "6.7335202211052957643519287607477283006034782091234e-87"),
    ("KOV-3.3-profile-22", 100000, "0.01", "23.5", "8.3423544066676695919321255550982795719183761403122e-10"),
    ("KOV-3.3-profile-23", 1000000, "0.001", "5", "5.7933454162624179303472406926743433964402001984673e-7"),
    (
        "KOV-3.3-profile-25",
        1000000,
        "0.01",
        "74.33844377699677",
        "0.0058192083205614622064179884632554411567765369704783",
    ),
    ("KOV-3.3-profile-26", 1000000, "0.000001", "0.003", "3.8272349875422462803800703591251115013243451946574e-7"),
    ("KOV-3.3-profile-28", 1000000000, "0.00001", "1.75", "2.0002160593325610899596991493852770740978793350565e-9"),
    ("KOV-3.3-profile-29", 1000000000, "0.000001", "0.2", "6.7024211186186544798478016327537282077852449473239e-13"),
    ("KOV-3.3-profile-31", 12, "10", "0", "0.99999999999999999999999191276134728675487968148210"),
    ("KOV-3.3-profile-32", 50, "5", "249.999", "0.00071443205343996779649865539967449711815808850711200"),
    ("KOV-3.3-profile-34", 4, "1", "2", "0.24697696447409276473383016045205589699755807406128"),
    ("KOV-3.3-profile-35", 500, "0.3", "60", "1.7960790871914580315725818461324498500133855427522e-9"),
]
INVERSE = [
    ("KOV-3.3-inverse-01", 1, "1", "0.1", "0.85290510136432180372017393973450240501745404951036"),
    ("KOV-3.3-inverse-02", 1, "1", "0", "1.0000000000000000000000000000000000000000000000000"),
    ("KOV-3.3-inverse-07", 3, "1", "0.55", "0.42324087829363360056273017836052358010222239879761"),
    ("KOV-3.3-inverse-08", 3, "1", "0.6", "0.22004688548891639815536967064394045573567144045632"),
    ("KOV-3.3-inverse-13", 31, "0.1", "0.2", "0.052438286870909019457201617419624668319968202826105"),
    ("KOV-3.3-inverse-14", 100, "0.01", "1e-6", "0.39226394309347234826115217729620326562995364511597"),
    ("KOV-3.3-inverse-16", 1000, "0.01", "1e-6", "1.3654467099937559603308268019649227769215897238059"),
    ("KOV-3.3-inverse-17", 1000, "0.01", "1e-100", "6.4465184764411592795139717365330149931199792739437"),
    ("KOV-3.3-inverse-19", 10000, "0.01", "1e-6", "4.8855156010073155302991400678975179731762789242423"),
    ("KOV-3.3-inverse-20", 10000, "0.01", "1e-30", "11.729981200445760305264013680759757955204673804052"),
    ("KOV-3.3-inverse-22", 1000000, "0.001", "1e-5", "4.3771710926629575623328225174547975483253186980183"),
    ("KOV-3.3-inverse-23", 1000000, "0.001", "1e-100", "21.626647441566237129512910532721738880548843141254"),
    ("KOV-3.3-inverse-25", 1000000, "0.000001", "1e-6", "0.0027182170558518143056669694421461815763251706342018"),
    ("KOV-3.3-inverse-26", 50, "10", "1e-10", "499.99999999989977274767133878529721361301208929172"),
    ("KOV-3.3-inverse-28", 6, "0", "0.1", "0"),
    ("KOV-3.3-inverse-31", 20, "0.5", "0.999", "0"),
]
TAILS = [
    (
        "KOV-FIG2-01",
        1,
        "0.5",
        [
            "0",
            "0.37754066879814543536109943425449152124672063469109",
            "1.0000000000000000000000000000000000000000000000000",
        ],
    ),
    (
        "KOV-FIG2-02",
        2,
        "0.5",
        [
            "0",
            "0.14253695659655094629179673923348457705664907573878",
            "0.61254438099973992443040212927549846543679219364340",
            "1.0000000000000000000000000000000000000000000000000",
        ],
    ),
    (
        "KOV-FIG2-04",
        5,
        "0.5",
        [
            "0",
            "0.0076704122176044506302849931549468477363869924327196",
            "0.070902271108617439091747134799070046640706096761325",
            "0.27940569258766169931142216432841757898978099183126",
            "0.62316971859391594449874168666101308171926251371044",
            "0.90655524948292764327330119232901005114746657871971",
            "1.0000000000000000000000000000000000000000000000000",
        ],
    ),
]


def holds(found: Enclosure, printed: str) -> bool:
    """Whether a number that was printed with 50 digits may lie in the enclosure."""
    value, slack = Fraction(printed), Fraction(1, 10**45)
    return found.lower <= value * (1 + slack) and value * (1 - slack) <= found.upper


def number(x: Fraction | float) -> mpmath.mpf:
    top, bottom = Fraction(x).as_integer_ratio()
    return mpmath.mpf(top) / bottom


def sums(count: int, step: Fraction, level: Fraction) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The profile and one minus it, every term by itself, in 80 digits."""
    with mpmath.workdps(80):
        x = number(step)
        above = below = mpmath.mpf(0)
        log_q = -mpmath.log1p(mpmath.exp(x))
        weight = mpmath.exp(count * (x + log_q))
        for i in range(count + 1):
            gap = number(level - (count - 2 * i) * step)
            above += weight * max(-mpmath.expm1(gap), 0)
            below += weight * min(mpmath.exp(gap), 1)
            weight = weight * (count - i) / (i + 1) * mpmath.exp(-x)
        return above, below


@pytest.mark.parametrize("name, count, step, level, expected", PROFILE, ids=[row[0] for row in PROFILE])
def test_profile_holds_the_printed_value(name: str, count: int, step: str, level: str, expected: str) -> None:
    found = two_point_delta(count, Fraction(step), Fraction(level))
    assert holds(found, expected), name
    assert found.gap <= 5e-12


@pytest.mark.parametrize("name, count, step, mass, expected", INVERSE, ids=[row[0] for row in INVERSE])
def test_inverse_holds_the_printed_value(name: str, count: int, step: str, mass: str, expected: str) -> None:
    found = two_point_epsilon(count, Fraction(step), Enclosure.exactly(Fraction(mass)))
    assert holds(found, expected), name
    assert found.gap <= 1e-12


@pytest.mark.parametrize("name, count, step, expected", TAILS, ids=[row[0] for row in TAILS])
def test_tails_hold_the_printed_vertices(name: str, count: int, step: str, expected: list[str]) -> None:
    found = two_point_tails(count, Fraction(step))
    assert len(found) == count + 2
    for (first, second), value, mirrored in zip(found, expected, reversed(expected), strict=True):
        assert holds(first, value), name
        assert holds(second, mirrored), name
        assert max(first.gap, second.gap) <= 1e-15


steps = st.one_of(st.floats(1e-8, 30.0), st.sampled_from([0.1, 0.5, 1.0, 2.0]), st.fractions(Fraction(1, 100), 3))
shares = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 1 - 1e-12, 1.0]))
masses = st.one_of(
    st.floats(-300.0, 0.0).map(lambda x: 10.0**x),
    st.floats(0.0, 1.0),
    st.floats(-15.0, -1.0).map(lambda x: 1 - 10.0**x),
)


@given(st.integers(0, 200), steps, shares)
@cases(80)
def test_profile_is_the_sum_of_its_terms(count: int, step: float | Fraction, share: float) -> None:
    level = Fraction(share) * count * Fraction(step)
    found, (truth, _) = two_point_delta(count, step, level), sums(count, Fraction(step), level)
    with mpmath.workdps(80):
        slack = mpmath.mpf(10) ** -60
        assert found.lower * (1 - slack) <= truth <= found.upper * (1 + slack)
    assert found.gap <= 1e-12 or found.upper < 1e-300


@given(st.integers(0, 200), steps, masses)
@cases(60)
def test_inverse_is_where_the_sum_meets_the_mass(count: int, step: float | Fraction, mass: float) -> None:
    found, slack = two_point_epsilon(count, step, Enclosure(mass, mass)), mpmath.mpf(10) ** -60
    with mpmath.workdps(80):
        d, rest = number(mass), 1 - number(mass)
        above, below = sums(count, Fraction(step), Fraction(found.lower))
        assert found.lower == 0.0 or (above >= d * (1 - slack) and below <= rest * (1 + slack))
        if found.upper < count * Fraction(step):
            above, below = sums(count, Fraction(step), Fraction(found.upper))
            assert above <= d * (1 + slack)
            assert below >= rest * (1 - slack)
    assert found.upper <= Enclosure.exactly(count * Fraction(step)).upper


@given(st.integers(1, 10**12), st.floats(1e-12, 100.0), masses)
@cases(40)
def test_profile_at_the_inverse_is_the_mass(count: int, step: float, mass: float) -> None:
    found = two_point_epsilon(count, step, Enclosure(mass, mass))
    assert two_point_delta(count, step, found.upper).lower <= mass
    assert found.lower == 0.0 or two_point_delta(count, step, found.lower).upper >= mass
    assert found.upper - found.lower <= 1e-9 * found.upper + 1e-12


@given(st.integers(1, 10**6), st.floats(1e-6, 5.0), masses, masses)
@cases(40)
def test_a_wide_mass_gets_the_hull_of_its_ends(count: int, step: float, one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    found = two_point_epsilon(count, step, Enclosure(low, high))
    assert found.lower == two_point_epsilon(count, step, Enclosure(high, high)).lower
    assert found.upper == two_point_epsilon(count, step, Enclosure(low, low)).upper


@pytest.mark.parametrize("count", [0, 1, 2, 3, 501, 10**6 + 1, 10**9])
@pytest.mark.parametrize("step", [0, 5e-324, Fraction(1, 10**400), 1e-300, 1e-9, 0.5, 40, 745.5, 1e300, 10**400])
def test_every_size_has_an_answer(count: int, step: float | Fraction) -> None:
    end = count * Fraction(step)
    for level in (Fraction(0), end / 3, end * Fraction(999, 1000), end, end + 1):
        found = two_point_delta(count, step, level)
        assert 0.0 <= found.lower <= found.upper <= 1.0
        assert found.gap <= 1e-11 or found.upper < 1e-300
        assert (found.upper == 0.0) == (level >= end)
    for mass in (0.0, 1e-300, 0.25, 1 - 2.0**-53, 1.0):
        epsilon = two_point_epsilon(count, step, Enclosure(mass, mass))
        assert 0.0 <= epsilon.lower <= epsilon.upper <= Enclosure.exactly(end).upper
    assert two_point_epsilon(count, step, Enclosure(0.0, 0.0)) == Enclosure.exactly(end)
    assert two_point_epsilon(count, step, Enclosure(1.0, 1.0)) == Enclosure(0.0, 0.0)


def test_no_mass_is_lost_to_underflow_far_from_the_mode() -> None:
    assert two_point_delta(10**4, 1, 0).lower > 1 - 1e-15  # starting at m-1 would give 0
    assert two_point_delta(10**9, 1, 0).lower > 1 - 1e-15


def test_ties_are_decided_exactly() -> None:
    assert two_point_delta(30, Fraction(1, 10), 3) == Enclosure(0.0, 0.0)
    just_above = two_point_delta(30, 0.1, 3)  # 30 times the binary number 0.1 exceeds 3
    assert 0.0 < just_above.lower <= just_above.upper < 1e-23


@pytest.mark.parametrize(
    "a, b, tilt", [(400, 500, "0.1"), (5000, 7000, "0.3"), (10**6, 10**6 + 9, "-0.001"), (90, 1, "-3")]
)
def test_chains_are_their_sums(a: int, b: int, tilt: str) -> None:
    with mpmath.workdps(50):
        factor, pace = mpmath.exp(number(Fraction(tilt))), mpmath.mpf(1) / 50
        term, flat, rising = mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0)
        for i in range(min(a, 12000) + 1):
            flat += term
            rising -= term * mpmath.expm1(-pace * i)
            term = term * factor * (a - i) / (b + i)
    chain = RatioChain(a, b, Fraction(tilt))
    for weight, truth in ((Flat(), flat), (Rising(Fraction(1, 50)), rising)):
        found = Enclosure.of(chain.total(weight))
        assert found.lower * (1 - 1e-40) <= truth <= found.upper * (1 + mpmath.mpf(10) ** -40)
        assert found.gap < 3e-12
