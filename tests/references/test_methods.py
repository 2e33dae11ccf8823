"""The references themselves: two ways to the same number, and each bound against what it bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import closed_sums as closed
import inverse_transform as lines
import numpy as np
import pytest
from flint import acb, arb, ctx
from line_choice import Work
from mpmath import mp
from step_law import Decay, Step, Tilted
from stored import decimals

pytestmark = [pytest.mark.slow, pytest.mark.derives]

Q, NOISE = Fraction("0.1"), Fraction("1.5")
STEPS = [Step(0.1, 1.5, 1), Step(0.1, 1.5, -1), Step(0.001, 0.4, 1), Step(0.3, 20.0, -1), Step(0.01, 2.0, 1, cut=9.0)]


def moment(step: Step, s: complex) -> complex:
    """m(s) by a plain sum on the real axis."""
    x = np.linspace(-14 * step.noise_std, 14 * step.noise_std + abs(s.real), 400_001)
    f = np.exp(step.log_density(x, 0.0) + s * step.log_ratio(x))
    return complex(np.sum(f) * (x[1] - x[0]))


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("epsilon", ["0.05", "0.09", "0.15"])
def test_two_steps_on_the_line_and_by_integration(side: int, epsilon: str) -> None:
    """Two roads that share nothing but the definition."""
    level = Fraction(epsilon)
    integral = closed.sharp(lambda: closed.sampled_twice(Q, NOISE, side, level), 700)
    for away in (-1.0, 1.5):
        assert lines.delta(Work(Q, NOISE, 2, side, level), away).overlaps(integral)


def test_one_step_twice_is_two_steps() -> None:
    """The integral of the closed form, again in mpmath and without balls."""
    q, sigma, epsilon = mp.mpf("0.1"), mp.mpf("1.5"), mp.mpf("0.2")

    def once(e: mp.mpf) -> mp.mpf:
        if mp.exp(e) <= 1 - q:
            return 1 - mp.exp(e)
        edge = sigma**2 * mp.log((mp.exp(e) - 1 + q) / q) + mp.mpf("0.5")
        tails = mp.ncdf(-edge / sigma), mp.ncdf((1 - edge) / sigma)
        return (1 - q - mp.exp(e)) * tails[0] + q * tails[1]

    def integrand(x: mp.mpf) -> mp.mpf:
        ratio = 1 - q + q * mp.exp((x - mp.mpf("0.5")) / sigma**2)
        return mp.npdf(x, 0, sigma) * ratio * once(epsilon - mp.log(ratio))

    with mp.workdps(25):
        plain = mp.quad(integrand, [-20, -10, -5, *range(-3, 13), 16, 25])
    found = closed.sharp(lambda: closed.sampled_twice(Q, NOISE, 1, Fraction("0.2")), 700)
    assert abs(plain - mp.mpf(float(found.mid()))) < mp.mpf("1e-12") * plain


@pytest.mark.parametrize("step", STEPS, ids=str)
@pytest.mark.parametrize("tilt", [0.7, 8.0])
def test_decay_is_bounded(step: Step, tilt: float) -> None:
    """The bound lies above the transform; and not so far that it would be useless."""
    law = Tilted(step, tilt, 120.0)
    decay, top = Decay(law), moment(step, law.r).real
    variance = law.cumulants[2]
    for frequency in np.array([0.1, 0.5, 1.0, 2.0, 4.0]) / math.sqrt(variance):
        actual = math.log(abs(moment(step, complex(law.r, frequency))) / top)
        bound = decay.log_bound(float(frequency))
        assert actual <= bound
        assert bound <= 0.2 * max(actual, -2.0) or actual > -1e-9


@pytest.mark.parametrize("step", STEPS, ids=str)
@pytest.mark.parametrize("tilt", [0.7, 8.0])
def test_the_strip_bounds_the_integral_above_the_axis(step: Step, tilt: float) -> None:
    law = Tilted(step, tilt)
    height, base, spacing = law.best_strip(60.0)
    assert 0.0 < base < height < math.pi * step.noise_std**2
    assert spacing > 0.0
    x = np.linspace(*step.far(law.r, 12.0), 20_001)
    z = x + 1j * height
    ratio = 1.0 - step.rate + step.rate * np.exp((z - 0.5) / step.noise_std**2)
    size = np.exp(-((z / step.noise_std) ** 2).real / 2) * np.abs(ratio) ** law.r
    size /= step.noise_std * math.sqrt(2 * math.pi)
    if math.isfinite(step.cut):
        stiff = math.sqrt(2.25 / 2) / step.noise_std
        size *= [float(abs((acb(v - step.cut, height) * arb(stiff)).erfc())) / 2 for v in x]
    assert float(np.sum(size)) * (x[1] - x[0]) <= law.strip(height) * math.exp(law.log_moment)


@pytest.mark.parametrize("side", [1, -1])
def test_moments_in_balls(side: int) -> None:
    """m(r+iv) on the lifted path against the plain sum on the axis, with the precision that was asked for."""
    work = Work(Q, NOISE, 1000, side, Fraction(1))
    law = Tilted(work.step, 3.0, 80.0)
    with ctx.workprec(200):
        moments = lines.Moments(work, law, 60.0)
        assert float(moments.real().rad()) < 1e-24
        for m, ball in enumerate(moments.along(arb(0.5), 12), 1):
            plain = moment(work.step, complex(law.r, 0.5 * m))
            assert abs(complex(float(ball.real.mid()), float(ball.imag.mid())) - plain) < 1e-11
            assert float(ball.real.rad()) < 1e-22


def test_the_answer_does_not_depend_on_the_line() -> None:
    work = Work(Fraction("0.01"), Fraction(1), 1000, 1, Fraction(2))
    found = [lines.delta(work, away) for away in (-2.0, -0.5, 1.0, 3.0)]
    assert all(a.overlaps(b) for a in found for b in found)
    assert all(ball.rad() < 1e-13 * ball.mid() for ball in found)


def test_an_added_record_has_a_largest_loss() -> None:
    work = Work(Fraction("0.01"), Fraction(1), 10, -1, Fraction("0.11"))
    assert lines.is_beyond(work)
    assert lines.delta(work, 1.0) == 0


def test_the_quick_bound_is_one() -> None:
    for side in (1, -1):
        work = Work(Fraction("0.01"), Fraction(1), 1000, side, Fraction(1))
        assert lines.delta(work, 1.0) < lines.at_most(work)


def test_binomial_sums_by_hand() -> None:
    """Two responses: only the best outcome exceeds ε = ε₀, by p² - e^ε (1-p)²."""
    step = Fraction(1, 2)
    p = 1 / (1 + mp.exp(-mp.mpf("0.5")))
    by_hand = p**2 - mp.exp(mp.mpf("0.5")) * (1 - p) ** 2
    assert abs(float(closed.responses(2, step, Fraction(0), step).mid()) - by_hand) < 1e-15
    assert closed.responses(2, step, Fraction(0), Fraction(1)) == 0
    both = closed.listed([(step, Fraction(1, 9)), (step, Fraction(1, 9))], Fraction(1, 3))
    assert both.overlaps(closed.responses(2, step, Fraction(1, 9), Fraction(1, 3)))


def test_laplace_by_its_definition() -> None:
    r"""One step has $1-e^{(\varepsilon-x)/2}$; two are integrated over both outputs."""
    x, epsilon = mp.mpf("0.7"), mp.mpf("0.3")
    once = closed.laplace(1, Fraction("0.7"), Fraction("0.3"))
    assert abs(float(once.mid()) - (1 - mp.exp((epsilon - x) / 2))) < 1e-15

    def one(level: mp.mpf) -> mp.mpf:
        return 1 - mp.exp((level - x) / 2) if abs(level) < x else max(mp.mpf(0), 1 - mp.exp(level))

    inner = mp.quad(lambda l: mp.exp((l - x) / 2) / 4 * one(epsilon - l), [-x, epsilon - x, x])
    twice = one(epsilon - x) / 2 + mp.exp(-x) * one(epsilon + x) / 2 + inner
    assert abs(float(closed.laplace(2, Fraction("0.7"), Fraction("0.3")).mid()) - twice) < 1e-14


def test_decimals_are_rounded_outwards() -> None:
    third = arb(1) / 3
    lower, upper = (Fraction(text) for text in decimals(third))
    assert lower < Fraction(1, 3) < upper
    assert upper - lower < Fraction(1, 10**15)
    assert decimals(arb(0)) == ("0", "0")
