"""Rounding bounds against balls: the true error never exceeds its bound, and the floating-point model holds
here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from flint import acb, arb, ctx
from scipy.special import erfcx

from dpcompose.inversion import Direction, FiniteLoss, LaplaceLoss, SampledGaussianLoss, TwoPointLoss
from dpcompose.inversion.nodes import ACCURATE, TiltedNodes
from dpcompose.inversion.repeated import power
from dpcompose.inversion.rounding import LIBM, UNIT
from dpcompose.inversion.window import ERFCX

DRAW = np.random.default_rng(5)


@pytest.mark.parametrize(
    "function, exact, points",
    [
        (np.exp, arb.exp, DRAW.uniform(-700, 700, 3000)),
        (np.expm1, arb.expm1, np.concatenate([DRAW.uniform(-5, 5, 1500), 10 ** DRAW.uniform(-15, 2, 1500)])),
        (np.log1p, arb.log1p, np.concatenate([DRAW.uniform(-0.999, 5, 1500), 10 ** DRAW.uniform(-15, 20, 1500)])),
        (np.log, arb.log, 10 ** DRAW.uniform(-300, 300, 3000)),
        (np.sin, arb.sin, DRAW.uniform(-1e5, 1e5, 3000)),
        (np.cos, arb.cos, DRAW.uniform(-1e5, 1e5, 3000)),
        (np.sinh, arb.sinh, DRAW.uniform(-3, 3, 3000)),
        (np.cosh, arb.cosh, DRAW.uniform(-300, 300, 3000)),
        (np.tanh, arb.tanh, DRAW.uniform(-10, 10, 3000)),
    ],
)
def test_elementary_functions_keep_the_model(
    function: Callable[[np.ndarray], np.ndarray], exact: Callable[[arb], arb], points: np.ndarray
) -> None:
    with ctx.workprec(200):
        for x, y in zip(points.tolist(), function(points).tolist(), strict=True):
            truth = exact(arb(x))
            assert abs(arb(y) - truth) <= LIBM * abs(truth)


def test_erfcx_keeps_its_allowance() -> None:
    points = DRAW.uniform(0.0, 30.0, 3000)
    with ctx.workprec(3000):
        for x, y in zip(points.tolist(), erfcx(points).tolist(), strict=True):
            truth = arb(x).erfc() * (arb(x) ** 2).exp()
            assert abs(arb(y) - truth) <= ERFCX * truth


def tilted_exactly(loss: SampledGaussianLoss, tilt: float, nodes: int) -> list[tuple[arb, arb]]:
    """Losses and tilted weights of the subsampled Gaussian on its own fine grid, in balls."""
    q, s, step = arb(float(loss.rate)), arb(float(loss.noise_std)), arb(24 * float(loss.noise_std)) / nodes
    found = []
    for j in range(-nodes // 2, nodes):
        x = j * step
        ratio = (1 - q + q * ((x - arb(0.5)) / s**2).exp()).log()
        weight = (-(x**2) / (2 * s**2)).exp() * step / (s * (2 * arb.pi()).sqrt())
        sign, base = (1, ratio.exp()) if loss.direction is Direction.REMOVE else (-1, arb(1))
        found.append((sign * ratio, weight * base * (sign * arb(tilt) * ratio).exp()))
    return found


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("rate, noise, tilt", [(0.01, 1.0, 3.0), (0.3, 0.8, 5.0), (1e-4, 2.0, 40.0), (0.9, 3.0, 1.0)])
def test_moment_and_characteristic_of_the_subsampled_gaussian(
    rate: float, noise: float, tilt: float, direction: Direction
) -> None:
    loss = SampledGaussianLoss(rate, noise, direction)
    step = loss.step(tilt, 20.0, 1e-18)
    indices = np.array([1, 7, 40, 160, 320], dtype=np.int64)
    values, error = step.characteristic(0.0625, indices)
    with ctx.workprec(160):
        exact = tilted_exactly(loss, tilt, 1600)
        moment = sum((w for _, w in exact), arb(0))
        assert abs(arb(step.log_moment) - moment.log()) <= step.log_moment_error
        for m, value, bound in zip(indices.tolist(), values.tolist(), error.tolist(), strict=True):
            u = arb(m) / 16
            phi = sum((acb(w) * acb(0, u * (l - arb(step.centre))).exp() for l, w in exact), acb(0)) / moment
            assert abs(acb(value.real, value.imag) + 1 - phi) <= bound
            assert bound < 1e-11


def test_gridded_transform_of_many_atoms() -> None:
    losses, weights = DRAW.normal(0.0, 1.0, 5000), DRAW.dirichlet(np.ones(5000))
    step = FiniteLoss(losses, weights).step(0.7, 0.0, 0.0)
    assert isinstance(step, TiltedNodes)
    indices = np.arange(1, 400, dtype=np.int64)
    direct, direct_error = step.characteristic(0.05, indices)
    fast, fast_error = step.gridded(0.05, 399, ACCURATE)
    assert np.all(np.abs(fast[indices] - 1.0 - direct) <= fast_error[indices] + direct_error)
    assert np.all(fast_error < 1e-9)


@pytest.mark.parametrize("count", [1, 20, 10**6])
def test_powers(count: int) -> None:
    excess = np.array([1e-9 + 1e-6j, -0.02 + 0.1j, -0.9 + 0.3j, -1.0 + 1e-12j])
    found = power(excess, np.full(4, 1e-18), count)
    with ctx.workprec(200):
        for i, f in enumerate(excess.tolist()):
            exact = (acb(f.real, f.imag) + 1).log() * count
            turns = ((arb(float(found.phase[i])) - exact.imag) / (2 * arb.pi())).mid()
            phase = arb(float(found.phase[i])) - exact.imag - 2 * arb.pi() * round(float(turns))
            difference = acb(arb(float(found.modulus[i])) - exact.real, phase)
            assert abs(difference) <= arb(float(found.error[i])) * 2 + arb(4 * UNIT)


@pytest.mark.parametrize("tilt", [0.3, 8.0])
def test_two_point_logarithms(tilt: float) -> None:
    sizes = [0.01, 0.3, 1.7]
    (total,) = TwoPointLoss.gather([(TwoPointLoss(s), 2) for s in sizes])
    tilted = total.tilted(tilt, 0.0, 0.0)
    indices = np.array([1, 5, 33, 200], dtype=np.int64)
    found = tilted.logarithm(0.125, indices)
    with ctx.workprec(200):
        moment = arb(0)
        for s in sizes:
            e = arb(s)
            moment += 2 * (((tilt + 1) * e).exp() + (-tilt * e).exp()).log() - 2 * (1 + e.exp()).log()
        assert abs(arb(tilted.log_moment) - moment) <= tilted.log_moment_error
        for i, m in enumerate(indices.tolist()):
            u, phi = arb(m) / 8, acb(1)
            for s in sizes:
                e = arb(s)
                p = 1 / (1 + (-(2 * arb(tilt) + 1) * e).exp())
                phi *= (acb(p) * acb(0, u * e).exp() + acb(1 - p) * acb(0, -u * e).exp()) ** 2
            phi *= acb(0, -u * arb(tilted.centre)).exp()
            value = acb(arb(float(found.modulus[i])), arb(float(found.phase[i]))).exp()
            slack = arb(float(found.error[i])).expm1() + u * arb(tilted.centre_error)
            assert abs(value - phi) <= abs(value) * slack
            assert float(found.error[i]) < 1e-10


@pytest.mark.parametrize("tilt", [0.5, 20.0, 400.0])
def test_laplace_nodes_and_closed_form_agree(tilt: float) -> None:
    loss = LaplaceLoss(0.7)
    step = loss.step(tilt, 100.0, 1e-17)
    indices = np.arange(1, 800, 7, dtype=np.int64)
    values, error = step.characteristic(0.1, indices)
    with ctx.workprec(200):
        e, t = arb(0.7), arb(tilt)

        def moment(z: acb) -> acb:
            half = acb(1) / 2
            return (
                (z * e).exp() / 2 + (-(z + 1) * e).exp() / 2 + (-e / 2).exp() / 2 * ((z + half) * e).sinh() / (z + half)
            )

        base = moment(acb(t)).real
        assert abs(arb(step.log_moment) - base.log()) <= step.log_moment_error
        for m, value, bound in zip(indices.tolist(), values.tolist(), error.tolist(), strict=True):
            u = arb(0.1) * m
            phi = moment(acb(t, u)) / base * acb(0, -u * arb(step.centre)).exp()
            # 0.1·m is rounded in the engine when 0.1 is not short; allow for that alone
            assert abs(acb(value.real, value.imag) + 1 - phi) <= bound + 1e-14 * m
