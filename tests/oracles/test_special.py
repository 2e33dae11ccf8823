"""Special functions against mpmath: `erfcx` within what is proven of it, the guesses close."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from dpcompose.numerics import special

UNIT = 2.0**-53
PROVEN = 16.0
MORE = special.MANY + 1


def scaled(y: mpmath.mpf) -> mpmath.mpf:
    """e^{y²} erfc(y), by Tricomi's U where the factors leave the floats."""
    if y < 20:
        return mpmath.exp(y * y) * mpmath.erfc(y)
    return mpmath.hyperu(mpmath.mpf(1) / 2, mpmath.mpf(1) / 2, y * y) / mpmath.sqrt(mpmath.pi)


def places() -> np.ndarray:
    draw = np.random.default_rng(20)
    near, far = draw.uniform(0.0, 12.0, 200), 10.0 ** draw.uniform(-12.0, 8.0, 200)
    return np.concatenate([near, far, [0.0, 2.9999999999999996, 3.0, 26.5, 1e8]])


def test_erfcx_keeps_what_is_proven_of_it() -> None:
    with mpmath.workdps(40):
        truth = [scaled(mpmath.mpf(float(y))) for y in places()]
        for found in (special.erfcx(places()), [special.erfcx(float(y)) for y in places()]):
            errors = [abs(mpmath.mpf(float(a)) / b - 1) for a, b in zip(found, truth, strict=True)]
            assert max(errors) <= PROVEN * UNIT


def test_many_values_at_once_are_as_good() -> None:
    y = np.resize(places(), MORE)
    few = np.concatenate([special.erfcx(part) for part in np.array_split(y, 4)])
    assert np.max(np.abs(special.erfcx(y) / few - 1.0)) <= 2.0 * PROVEN * UNIT


def test_erfcx_below_zero() -> None:
    with mpmath.workdps(60):
        for x in (-25.0, -6.5, -1.0, -1e-9):
            truth = mpmath.exp(mpmath.mpf(x) ** 2) * mpmath.erfc(mpmath.mpf(x))
            allowed = (PROVEN + 2.0 * x * x) * UNIT
            assert abs(mpmath.mpf(special.erfcx(x)) / truth - 1) <= allowed
            assert abs(mpmath.mpf(float(special.erfcx(np.array([x, 1.0]))[0])) / truth - 1) <= allowed
    assert special.erfcx(-40.0) == math.inf


def test_the_polynomial_is_the_series_it_is_said_to_be() -> None:
    """The Chebyshev series of (1 + 2y) erfcx(y) in u = (y − 3)/(y + 3), cut after degree 24 and expanded."""
    with mpmath.workdps(50):
        n, middle = 64, mpmath.mpf(special.MIDDLE)
        angles = [mpmath.pi * (2 * j + 1) / (2 * n) for j in range(n)]
        values = []
        for angle in angles:
            y = middle * (1 + mpmath.cos(angle)) / (1 - mpmath.cos(angle))
            values.append((1 + 2 * y) * scaled(y))
        series = [
            2 * mpmath.fsum(v * mpmath.cos(i * a) for v, a in zip(values, angles, strict=True)) / n for i in range(n)
        ]
        series[0] /= 2
        powers = [mpmath.mpf(0)] * 25
        before, now = [mpmath.mpf(1)], [mpmath.mpf(0), mpmath.mpf(1)]
        for i in range(25):
            for power, factor in enumerate(before):
                powers[power] += series[i] * factor
            doubled = [mpmath.mpf(0), *(2 * factor for factor in now)]
            before, now = now, [d - (before[k] if k < len(before) else 0) for k, d in enumerate(doubled)]
        assert [float(power) for power in reversed(powers)] == pytest.approx(special.SCALED, rel=1e-12, abs=1e-20)
        assert mpmath.fsum(map(abs, series[25:])) < 1e-17
    sizes = [abs(a) for a in reversed(special.SCALED)]
    assert sum(sizes) < 1.8
    assert sum((2 * k + 1) * a for k, a in enumerate(sizes)) < 5.1
    assert 3 * sum(k * a for k, a in enumerate(sizes)) < 5


@pytest.mark.parametrize("y", [-1e-12, -0.1, -math.log(2), -1.0, -13.8, -700.0, -1e6])
def test_the_inverse_on_the_logarithmic_scale(y: float) -> None:
    x = special.ndtri_exp(y)
    with mpmath.workdps(40):
        back = mpmath.log(scaled(-mpmath.mpf(x) / mpmath.sqrt(2)) / 2) - mpmath.mpf(x) ** 2 / 2
        if x > 0:
            back = mpmath.log1p(-mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2)
        assert abs(back / y - 1) < 1e-3 if y == -1e-12 else abs(back - y) <= 1e-13 * (1 + abs(y))


@pytest.mark.parametrize("p", [1e-300, 1e-9, 1e-6, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-9])
def test_the_inverses_of_both_functions(p: float) -> None:
    with mpmath.workdps(40):
        root = mpmath.erfinv(mpmath.mpf(p))
        assert special.erfinv(p) == pytest.approx(float(root), rel=1e-9)
        if p >= 1e-9:
            below = mpmath.ncdf(mpmath.mpf(special.ndtri(p)))
            assert float(below) == pytest.approx(p, rel=1e-12)
    assert (special.erfinv(0.0), special.erfinv(1.0)) == (0.0, math.inf)
    assert (special.ndtri(0.0), special.ndtri(1.0)) == (-math.inf, math.inf)
    assert special.ndtr(special.ndtri(p)) == pytest.approx(p, rel=1e-9)


def test_its_ends() -> None:
    assert special.ndtri_exp(0.0) == math.inf
    assert special.ndtri_exp(-math.inf) == -math.inf
    assert special.ndtri_exp(-1e300) == pytest.approx(-math.sqrt(2e300))
