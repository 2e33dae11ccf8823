"""Densities, samples, groups and bounds against integrals and enumerations of their definitions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from oracles.definitions import divergence, hockey_stick, integral, product, real, response
from oracles.finite_pairs import FINITE, ROUNDING, close, discrete_gaussian, geometric, half, holds, laws_of

# --------------------------------------------------------------------------------------- densities


def gaussian_delta(mu: mpf, t: mpf) -> mpf:
    """∫ (p − e^t q)₊ for N(0, 1) and N(−μ, 1), for any real t."""
    cut = t / mu - mu / 2  # where the loss μx + μ²/2 reaches t
    far = abs(cut) + mu + 25

    def gap(x: mpf) -> mpf:
        return mp.npdf(x) - mp.exp(t) * mp.npdf(x + mu)

    return integral(gap, [cut + (far - cut) * k / 12 for k in range(13)])


@pytest.mark.slow
@pytest.mark.parametrize("noise, sensitivity", [(1, 1), (2.5, 1), (0.7, Fraction(1, 3)), (5, 12)])
@pytest.mark.parametrize("epsilon", [0, 0.5, 3])
def test_one_gaussian(noise: Any, sensitivity: Any, epsilon: float) -> None:
    truth = gaussian_delta(real(sensitivity) / real(noise), mpf(epsilon))
    assert close(dpc.delta(dpc.Gaussian(noise_std=noise, sensitivity=sensitivity), epsilon=epsilon), truth, 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.25, 2])
def test_two_gaussians_by_conditioning_on_the_first_output(epsilon: float) -> None:
    one, two = mpf(1) / 2, mpf(1)

    def given(x: mpf) -> mpf:
        t = mpf(epsilon) - (one * x + one**2 / 2)
        return mp.npdf(x) * (mp.ncdf(two / 2 - t / two) - mp.exp(t) * mp.ncdf(-two / 2 - t / two))

    truth = integral(given, list(range(-16, 17, 2)))
    found = dpc.delta(dpc.Gaussian(noise_std=2) + dpc.Gaussian(noise_std=1), epsilon=epsilon)
    assert close(found, truth, 1e-9)


def laplace_delta(step: mpf, t: mpf) -> mpf:
    """∫ (p − e^t q)₊ for Laplace noise around 0 and around `step`, for any real t."""

    def gap(x: mpf) -> mpf:
        return max(mp.exp(-abs(x)) - mp.exp(t - abs(x - step)), mpf(0)) / 2

    cut = min(max((step - t) / 2, mpf(0)), step)
    pieces = [mpf(-70), mpf(-20), mpf(-6), mpf(0), cut, step, step + 6, step + 70]
    return integral(gap, sorted(set(pieces)))


@pytest.mark.parametrize("scale, sensitivity", [(1, 1), (4, 1), (Fraction(1, 3), 0.5)])
@pytest.mark.parametrize("epsilon", [0, 0.2, 1.4])
def test_one_laplace(scale: Any, sensitivity: Any, epsilon: float) -> None:
    truth = laplace_delta(real(sensitivity) / real(scale), mpf(epsilon))
    assert close(dpc.delta(dpc.Laplace(scale=scale, sensitivity=sensitivity), epsilon=epsilon), truth, 1e-9)


@pytest.mark.parametrize("other", [1, 2])
def test_two_laplaces_by_conditioning_on_the_first_output(other: int) -> None:
    """The first output lies left, right or between; between, its loss is 1 − 2x."""
    step, t = mpf(1) / other, mpf(3) / 4

    def second(at: mpf) -> mpf:
        if at >= step:
            return mpf(0)
        return 1 - mp.exp(at) if at <= -step else 1 - mp.exp((at - step) / 2)

    assert mp.almosteq(second(mpf("0.3") * step), laplace_delta(step, mpf("0.3") * step), 1e-20)
    assert mp.almosteq(second(-step / 3), laplace_delta(step, -step / 3), 1e-20)
    kinks = sorted({mpf(0), *(min(max((1 - (t - s)) / 2, mpf(0)), mpf(1)) for s in (step, -step)), mpf(1)})
    between = integral(lambda x: mp.exp(-x) / 2 * second(t - (1 - 2 * x)), kinks)
    truth = second(t - 1) / 2 + between + mp.exp(-1) / 2 * second(t + 1)
    assert holds(dpc.delta(dpc.Laplace(scale=1) + dpc.Laplace(scale=other), epsilon=0.75), truth)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1.5, 2, 9])
def test_divergences_of_densities(order: float) -> None:
    a, step, mu = mpf(order), mpf(2) / 3, mpf(5) / 4
    pieces = [-60, -20, -5, 0, step, 5, 20, 60]
    moment = integral(lambda x: mp.exp(-a * abs(x) - (1 - a) * abs(x - step)) / 2, pieces)
    assert close(dpc.renyi(dpc.Laplace(scale=3, sensitivity=2), order=order), mp.log(moment) / (a - 1), 1e-9)
    reach = [a * mu + x for x in range(-20, 21, 4)]
    moment = integral(lambda x: mp.npdf(x) ** (1 - a) * mp.npdf(x - mu) ** a, reach)
    assert close(dpc.renyi(dpc.Gaussian(noise_std=4, sensitivity=5), order=order), mp.log(moment) / (a - 1), 1e-9)


# ---------------------------------------------------------------------------- sampling and groups


def sampled_gaussian(rate: mpf, mu: mpf) -> tuple[Callable[[mpf], mpf], Callable[[mpf], mpf]]:
    return (lambda x: (1 - rate) * mp.npdf(x) + rate * mp.npdf(x - mu)), mp.npdf


@pytest.mark.slow
@pytest.mark.parametrize("rate, noise", [(0.1, 1), (0.5, 2), (0.02, 0.6)])
@pytest.mark.parametrize("epsilon", [0.05, 0.6])
def test_a_sampled_gaussian_in_both_directions(rate: float, noise: float, epsilon: float) -> None:
    mu, q, e = 1 / mpf(noise), mpf(rate), mp.exp(mpf(epsilon))
    mixed, plain = sampled_gaussian(q, mu)
    cut = mu / 2 + mp.log((e - 1 + q) / q) / mu  # mixed/plain = e^ε
    remove = integral(lambda x: mixed(x) - e * plain(x), [cut + k for k in range(0, 45, 3)])
    level = 1 / e - 1 + q
    back = mu / 2 + mp.log(level / q) / mu if level > 0 else None  # plain/mixed = e^ε, if it ever is
    add = integral(lambda x: plain(x) - e * mixed(x), [back - k for k in range(42, -1, -3)]) if back else mpf(0)
    found = dpc.delta(dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=rate), epsilon=epsilon)
    assert holds(found, max(remove, add))


@pytest.mark.slow
@pytest.mark.parametrize("rate, noise", [(0.1, 1), (0.5, 2), (0.02, 0.6)])
@pytest.mark.parametrize("order", [1.5, 2, 3.7, 8])
def test_a_sampled_gaussians_divergence_in_both_directions(rate: float, noise: float, order: float) -> None:
    mu, a = 1 / mpf(noise), mpf(order)
    mixed, plain = sampled_gaussian(mpf(rate), mu)
    reach = [mpf(x) for x in range(-24, int(24 + a * mu) + 1, 3)]
    for p, q in ((mixed, plain), (plain, mixed)):
        moment = integral(lambda x, p=p, q=q: p(x) ** a * q(x) ** (1 - a), reach)
        truth = mp.log(moment) / (a - 1)
        assert dpc.renyi(dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=rate), order=order).upper >= truth - ROUNDING


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("rate", [Fraction(1, 10), 0.6])
def test_sampling_an_explicit_mechanism(name: str, rate: Any) -> None:
    """Without the record the output is Q; with it P, if it is drawn. Every reading of that pair is covered."""
    q = real(rate)
    for with_it, without in (laws_of(name), laws_of(name)[::-1]):
        mixed = [(1 - q) * b + q * a for a, b in zip(with_it, without, strict=True)]
        for epsilon in (0, 0.3, 1):
            answer = dpc.delta(dpc.Sampled(FINITE[name][0], rate=rate), epsilon=epsilon)
            assert answer.upper >= hockey_stick(mixed, without, epsilon) - ROUNDING


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_group_moves_a_query_further(size: int) -> None:
    for shift, scale in ((1, 2.5), (2, 3)):
        found = dpc.delta(dpc.Group(dpc.Geometric(scale=scale, sensitivity=shift), size=size), epsilon=0.4)
        assert close(found, hockey_stick(*geometric(scale, shift * size), 0.4))
    found = dpc.delta(dpc.Group(dpc.DiscreteGaussian(noise_std=2), size=size), epsilon=0.4)
    assert close(found, hockey_stick(*discrete_gaussian(2, size), 0.4))


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("epsilon, delta", [(0.5, 0), (0.3, 0.01), (0, 0.05)])
def test_a_group_in_a_chain_of_worst_neighbours(size: int, epsilon: float, delta: float) -> None:
    """Laws in which each neighbour of the next loses exactly (ε, δ): the ends of the chain are covered."""
    e, d = mp.exp(real(epsilon)), real(delta)
    # One outcome grows from a small mass as fast as (ε, δ) allows, in both directions at once.
    mass = [mpf("0.02")]
    for _ in range(size):
        mass.append(min(e * mass[-1] + d, 1 - (1 - mass[-1] - d) / e))
    chain = [[x, 1 - x] for x in mass]
    assert all(hockey_stick(a, b, epsilon) <= d + ROUNDING for a, b in pairwise(chain))
    grouped = dpc.Group(dpc.BlackBox(epsilon=epsilon, delta=delta), size=size)
    for level in (0, 0.5, size * epsilon):
        assert dpc.delta(grouped, epsilon=level).upper >= hockey_stick(chain[0], chain[-1], level) - ROUNDING


# ------------------------------------------------------------------- what is known only by a bound


@pytest.mark.parametrize("epsilon", [0.5, 2])
def test_bounded_range_mechanisms_are_covered(epsilon: float) -> None:
    """Log-ratios anywhere in an interval of length ε, for several shapes and two runs."""
    m = dpc.Exponential(epsilon=epsilon)
    for shape in ([0, 1], [0, 0.5, 1], [0, 0, 0, 1], [0, 1, 1, 1, 0.3]):
        q = [mpf(1) / len(shape)] * len(shape)
        tilted = [x * mp.exp(mpf(epsilon) * s) for x, s in zip(q, shape, strict=True)]
        p = [x / mp.fsum(tilted) for x in tilted]
        for level in (0, 0.2, 0.6):
            assert dpc.delta(m, epsilon=level).upper >= hockey_stick(p, q, level) - ROUNDING
            assert dpc.delta(2 * m, epsilon=level).upper >= hockey_stick(*product(p, q, 2), level) - ROUNDING
        for order in (1.5, 4):
            assert dpc.renyi(m, order=order).upper >= divergence(p, q, order) - ROUNDING
    # Of two losses t and t - ε the first has probability (1 - e^(t-ε)) / (1 - e^-ε); halfway to ε it costs most.
    level, e = mpf("0.1"), mpf(epsilon)
    best = (e + level) / 2
    often = -mp.expm1(best - e) / -mp.expm1(-e)
    p, q = [often, 1 - often], [often * mp.exp(-best), (1 - often) * mp.exp(e - best)]
    assert abs(mp.fsum(q) - 1) < ROUNDING
    found = dpc.delta(m, epsilon=Fraction("0.1"))
    assert found.lower <= hockey_stick(p, q, Fraction("0.1")) + ROUNDING
    assert found.upper >= hockey_stick(p, q, Fraction("0.1")) - ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.05, 0.5, 2, 6])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.01])
def test_every_conversion_lies_above_the_exact_gaussian(mu: float, delta: float) -> None:
    exact = dpc.epsilon(dpc.BlackBox(mu=mu), delta=delta)
    rho = half(Fraction(mu) ** 2)
    table = {a: rho * a for a in (2, 4, 8, 16, 32, 64)}
    known = [dpc.BlackBox(rho=rho), dpc.BlackBox(renyi=table)]
    for looser in known:
        answer = dpc.epsilon(looser, delta=delta)
        assert answer.upper >= exact.lower
        assert answer.lower <= exact.upper
        for row in dpc.compare(looser, delta=delta).rows:
            assert row.value is None or row.value >= exact.lower, row.theorem
    assert gaussian_delta(mpf(mu), mpf(exact.upper)) <= delta * (1 + ROUNDING)


def test_a_table_is_read_soundly_between_its_orders() -> None:
    """Randomized response through a table of its own divergences: never less than its exact curve or profile."""
    pair = response(2, 2)
    orders = [Fraction(3, 2), 3, 10, 50]
    above = {a: Fraction(str(mp.nstr(divergence(*pair, a), 20))) + Fraction(1, 10**15) for a in orders}
    box = dpc.BlackBox(renyi=above)
    for order in (1, 1.2, 1.5, 2, 5, 30, 50):
        assert dpc.renyi(box, order=order).upper >= divergence(*pair, order)
    assert dpc.renyi(box, order=51).upper == mp.inf
    for level in (0, 0.5, 1.5):
        assert dpc.delta(3 * box, epsilon=level).upper >= hockey_stick(*product(*pair, 3), level)
