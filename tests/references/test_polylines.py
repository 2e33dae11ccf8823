"""The second method for sampled Gaussians: its bounds against what they bound, its answers against all the others."""

from __future__ import annotations

import math
from fractions import Fraction

import lattice_power as lattices
import pytest
from compute import draws
from flint import arb, ctx, fmpz, fmpz_poly
from lattice_power import Cut, OutOfReach, Window, Work, power
from mpmath import mp
from polylines import Lattice, OneStep, chords, pooled, tangents
from stored import Reference, computed, read
from tangent_choice import Shape, touching

pytestmark = [pytest.mark.slow, pytest.mark.derives]

BITS = 200
CUT = Cut(0.01, BITS, -60.0)
SHAPES = [("0.1", "1.5"), ("0.00001", "0.25"), ("0.001", "0.4"), ("0.00001", "3"), ("0.0003", "25"), ("0.5", "80")]
ENOUGH = 12


def height(law: Lattice, c: arb) -> arb:
    r"""$\sum v_j(c-c_j)_+$."""
    places = (law.first * law.ratio**j for j in range(len(law.weights)))
    return sum((arb(v) * (c - p).max(arb(0)) for v, p in zip(law.weights, places, strict=True)), arb(0)) / 2**BITS


def put(rate: str, noise_std: str, c: float) -> mp.mpf:
    """F(c) by its definition."""
    q, s = mp.mpf(rate), mp.mpf(noise_std)
    edge = s**2 * mp.log((mp.mpf(c) - 1 + q) / q) + mp.mpf("0.5")

    def integrand(z: mp.mpf) -> mp.mpf:
        return mp.npdf(z) * (mp.mpf(c) - 1 + q - q * mp.exp((s * z - mp.mpf("0.5")) / s**2))

    end = edge / s
    return mp.quad(integrand, [end - 12, end - 6, end - 3, end - 1, end] if end < 0 else [-12, -6, -2, 0, end])


@pytest.mark.parametrize("rate, noise_std", SHAPES)
def test_the_closed_form_is_the_mean(rate: str, noise_std: str) -> None:
    for times in (0.3, 1.0, 4.0):
        c = 1.0 - float(rate) + times * float(rate)
        with mp.workdps(25):
            plain = put(rate, noise_std, c)
        with ctx.workprec(200):
            step = OneStep(Fraction(rate), Fraction(noise_std))
            value, slope = step.put(arb(c))
            nearby, _ = step.put(arb(c) + arb(2) ** -80)
        assert float(value.mid()) == pytest.approx(float(plain), rel=1e-8)
        assert float(((nearby - value) * arb(2) ** 80).mid()) == pytest.approx(float(slope.mid()), rel=1e-6)


@pytest.mark.parametrize("cells", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("rate, noise_std", SHAPES)
def test_one_polyline_is_above_and_one_below(rate: str, noise_std: str, cells: float) -> None:
    """At, between and beyond the lattice points, however coarse they are beside the law."""
    span, count, rng = cells * float(rate) / max(float(noise_std), 1.0), 120, draws(rate, noise_std, cells)
    shape = Shape(float(rate), float(noise_std))
    with ctx.workprec(BITS + 80):
        step = OneStep(Fraction(rate), Fraction(noise_std))
        first, ratio = step.ratio(-9.0 * shape.noise_std), arb(span).exp()
        begun = touching(shape, span, float(first - step.least), count)
        places = [step.least + arb(y) for y in begun]
        for _ in range(count - len(places)):
            places.append(places[-1] * ratio)
        below, above = tangents(step, places, ratio, BITS), chords(step, first, ratio, count, BITS)
        start, slope = step.put(first)
        for _ in range(80):
            c = first * (arb(span) * rng.uniform(0.0, 1.4 * count)).exp()
            value = step.put(c)[0]
            assert height(below, c) <= value
            assert height(above, c) >= value - start - slope * (c - first)


@pytest.mark.parametrize("step", range(6))
def test_tangents_may_touch_anywhere(step: int) -> None:
    """Where they touch decides how near the polyline comes, not on which side it lies."""
    rate, noise_std = SHAPES[step]
    rng, span = draws("anywhere", step), 0.1 * float(rate)
    with ctx.workprec(BITS + 80):
        one, ratio = OneStep(Fraction(rate), Fraction(noise_std)), arb(span).exp()
        excess = sorted(float(rate) * rng.uniform(0.2, 4.0) for _ in range(40))
        below = tangents(one, [one.least + arb(y) for y in excess], ratio, BITS)
        for _ in range(60):
            c = below.first * (arb(span) * rng.uniform(0.0, 100.0)).exp()
            assert height(below, c) <= one.put(c)[0]


def test_slopes_are_made_monotone_from_below() -> None:
    widths = [arb(1), arb(2), arb(1), arb(1)]
    slopes = [fmpz(s) for s in (5, 2, 1, 9)]
    assert list(pooled(slopes, widths)) == [2, 2, 2, 9]  # (5 + 4) // 3 = 3, then (9 + 1) // 4 = 2
    assert list(pooled([fmpz(9), fmpz(0)], widths[:2])) == [0, 0]  # their mean exceeds the last


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12])
def test_powers_are_bounded_on_both_sides(count: int) -> None:
    """Against exact products of integers; what was dropped makes up for the rest."""
    rng, length = draws("powers", count), 30
    weights = [fmpz(rng.randrange(1 << (BITS - 7))) for _ in range(length)]
    exact = fmpz_poly([1])
    for _ in range(count):
        exact *= fmpz_poly(weights)
    scale = fmpz(1) << (BITS * (count - 1))
    generous = Cut(0.01, BITS, -3.0)
    for cut in (CUT, generous):
        low, high = (power(weights, count, 10_000, cut, over) for over in (0, 1))
        for window, sign in ((low, -1), (high, 1)):
            for j, value in enumerate(window.series.coeffs(), window.start):
                assert sign * (value * scale - exact[j]) >= 0
        missing = exact(1) - high.series(1) * scale
        assert missing <= high.lost * scale
    assert power(weights, count, 5, CUT, 1).series.length() <= 5


def test_dropping_forgets_nothing() -> None:
    window = Window(fmpz_poly([1, 2, 100, 50, 3]), 7, fmpz(4)).without(fmpz(3))
    assert (window.series, window.start, window.lost) == (fmpz_poly([100, 50]), 9, 4 + 3 + 3)


@pytest.mark.parametrize("cells", [60, 400, 3000])
def test_every_lattice_holds_the_truth(cells: int) -> None:
    """Coarse or fine: δ of five steps, known on a line to 13 digits."""
    reference = next(w for w in read() if w.how == "line" and w.order == "both" and w.numbers["count"] < 20)
    work = one_order(reference)
    low, high = lattices.ends(work, cells, math.log(float(reference.delta[0])))
    assert low <= exact(reference.delta[1])
    assert high >= exact(reference.delta[0])


def one_order(reference: Reference) -> Work:
    """A removed record."""
    n = reference.numbers
    return Work(Fraction(n["rate"]), Fraction(n["noise_std"]), n["count"], 1, Fraction(reference.level))


def exact(x: Fraction) -> arb:
    """With digits enough."""
    with ctx.workprec(500):
        return arb(fmpz(x.numerator)) / x.denominator


@pytest.mark.parametrize("how", ["closed form", "integral", "line"])
def test_both_methods_agree(how: str) -> None:
    """Where both reach, the older and sharper interval must meet that between the polylines."""
    works = [w for w in read() if w.kind == "sampled" and w.how == how and w.numbers["count"] <= 60]
    reached = 0
    for work in draws("both", how).sample(works, 3 * ENOUGH):
        try:
            found, _ = computed(work.kind, work.numbers, work.order, work.level, how="lattice", narrow=3e-3)
        except OutOfReach:
            continue
        reached += 1
        assert found.upper() >= exact(work.delta[0]), work.work
        assert found.lower() <= exact(work.delta[1]), work.work
        if reached == ENOUGH:
            break
    assert reached == ENOUGH
