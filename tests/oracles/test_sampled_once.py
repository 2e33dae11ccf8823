"""One Gaussian on a Poisson sample, against the integral of the definition in 40 digits."""

from __future__ import annotations

import mpmath as mp
import pytest

import dpcompose as dpc
from dpcompose.theorems.sampling.poisson_once import SampledNormal

CASES = [(0.01, 1, 0.1), (0.3, 2, 0.2), (0.5, 0.7, 0.6), (1e-3, 0.5, 1e-4), (0.9, 3, 0.05), (0.2, 5, 0.0)]


def hockey_sticks(rate: float, noise: float, epsilon: float) -> tuple[mp.mpf, mp.mpf]:
    """Both integrals of (p - e^ε q)₊, split where the integrand begins."""
    with mp.workdps(40):
        q, s, e = mp.mpf(rate), mp.mpf(noise), mp.mpf(epsilon)

        def mixed(x: mp.mpf) -> mp.mpf:
            return (1 - q) * mp.npdf(x, 0, s) + q * mp.npdf(x, 1, s)

        steps = [k * s for k in (0, 1, 4, 12, 40)]
        start = s**2 * mp.log((mp.expm1(e) + q) / q) + 0.5
        removed = mp.quad(lambda x: mixed(x) - mp.exp(e) * mp.npdf(x, 0, s), [start + k for k in steps])
        odds = (mp.expm1(-e) + q) / q
        if odds <= 0:
            return removed, mp.mpf(0)
        end = s**2 * mp.log(odds) + 0.5
        points = [end - k for k in reversed(steps)]
        return removed, mp.quad(lambda x: mp.npdf(x, 0, s) - mp.exp(e) * mixed(x), points)


@pytest.mark.parametrize("rate, noise, epsilon", CASES)
def test_both_orders_enclose_the_integral(rate: float, noise: float, epsilon: float) -> None:
    profile = SampledNormal(rate, noise)
    slack = mp.mpf(10) ** -22  # of the quadrature
    for found, truth in zip(
        (profile.removed(epsilon), profile.added(epsilon)), hockey_sticks(rate, noise, epsilon), strict=True
    ):
        assert found.lower <= truth + slack
        assert truth - slack <= found.upper
        assert found.upper - found.lower <= 1e-12 * found.upper


@pytest.mark.parametrize("delta", [0.5, 0.0034, 1e-5, 1e-50, 1e-300])
def test_the_inverse_meets_its_target(delta: float) -> None:
    once = dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01)
    found = dpc.epsilon(once, delta)
    assert found.enclosure.gap <= 1e-9
    assert dpc.delta(once, found.upper).lower <= delta
    if found.lower > 0:
        assert dpc.delta(once, found.lower * (1 - 1e-9)).upper >= delta
