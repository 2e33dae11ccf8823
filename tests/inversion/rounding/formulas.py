"""Formulas with a slack of their own: windows, log ratios, panels, and the error terms of `error_terms`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, ctx
from rounding.measure import POINTS, Gauge, Row

from dpcompose.inversion import error_terms
from dpcompose.inversion.line.line import Alias
from dpcompose.inversion.losses.decay import Layers
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.inversion.losses.repeated import power_of_leak, union
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.window import Window
from dpcompose.numerics.enclosure import Enclosure, ball
from dpcompose.numerics.legendre import POINTS as NODES
from dpcompose.numerics.legendre import RADII, log_error, panels, rule
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Floats


def magnitude(random: np.random.Generator, low: float, high: float, count: int = POINTS) -> list[float]:
    """Numbers of every magnitude between two powers of ten."""
    return (10.0 ** random.uniform(low, high, count)).tolist()


def normal_tail(x: arb) -> arb:
    r"""$\Phi(-x)$."""
    return (x / arb(2).sqrt()).erfc() / 2


def one_edge(gauge: Gauge) -> None:
    """From deep inside, where the logarithm is minute, to far outside, where it is huge."""
    random = np.random.default_rng(21)
    for fade, cut in zip(magnitude(random, -3, 2, 20), random.uniform(-5.0, 50.0, 20).tolist(), strict=True):
        distance = np.concatenate([random.uniform(-8.0, 8.0, POINTS // 40), random.uniform(0.0, 400.0, POINTS // 40)])
        x = cut + fade * distance
        value, error = Window(cut=cut, fade=fade).log_value(x)
        with ctx.workprec(400):
            for place, log, bound in zip(x.tolist(), value.tolist(), error.tolist(), strict=True):
                truth = normal_tail((arb(place) - arb(cut)) / arb(fade)).log()
                gauge.see(arb(log) - truth, bound, place, cut, fade)


def two_edges(gauge: Gauge) -> None:
    """A band is the difference of two edges."""
    random = np.random.default_rng(22)
    for fade, floor in zip(magnitude(random, -1, 1, 20), random.uniform(-3.0, 20.0, 20).tolist(), strict=True):
        cut = floor + fade * random.uniform(0.5, 40.0)
        x = np.concatenate(
            [random.uniform(floor - 20.0 * fade, cut + 20.0 * fade, POINTS // 20), np.array([floor, cut])]
        )
        value, error = Window(floor, cut, fade).log_value(x)
        with ctx.workprec(250):
            for place, log, bound in zip(x.tolist(), value.tolist(), error.tolist(), strict=True):
                sign = 1 if 2.0 * place > floor + cut else -1  # mirrored, so that nothing cancels
                to_cut, to_floor = (sign * (arb(place) - arb(edge)) / arb(fade) for edge in (cut, floor))
                truth = abs(normal_tail(to_cut) - normal_tail(to_floor)).log()
                gauge.see(arb(log) - truth, bound, place, floor, cut, fade)


def log_ratios(gauge: Gauge) -> None:
    r"""$\ln(1-q+qe^{(x-1/2)/\sigma^2})$, for rates and noises that no float equals as well."""
    random = np.random.default_rng(23)
    for i in range(40):
        rate = Fraction(int(random.integers(1, 10**6)), 10 ** int(random.integers(6, 30)))
        rate = Fraction(1) if i == 0 else 1 - Fraction(1, 10**14) if i % 5 == 1 else rate
        noise = Fraction(int(random.integers(100, 10**4)), 10 ** int(random.integers(0, 7)))
        loss = SampledGaussianLoss(rate, noise, Direction.REMOVE)
        x = np.sort(random.uniform(-40.0, 40.0, POINTS // 40) * float(noise) + 0.5)
        x[-5:] += float(noise) ** 2 * np.array([1.0, 100.0, 600.5, 700.0, 5000.0])
        value, error, _ = loss.log_ratio(x)
        with ctx.workprec(300):
            q, s = ball(rate), ball(noise)
            for place, log, bound in zip(x.tolist(), value.tolist(), error.tolist(), strict=True):
                truth = (q * ((arb(place) - arb(0.5)) / s**2).expm1()).log1p()
                gauge.see(arb(log) - truth, bound, place, rate, noise)


def poisson_ratios(gauge: Gauge) -> None:
    r"""$\ln(1-q+qe^a)$ with $a$ off by as much as is said, rates next to 0 and to 1, and its derivative."""
    random = np.random.default_rng(27)
    for i in range(40):
        rate = Fraction(int(random.integers(1, 10**6)), 10 ** int(random.integers(6, 30)))
        rate = 1 - rate if i % 2 else rate
        near = np.array([-700.0, -50.0, -1e-9, 0.0, 1e-9, 50.0, 599.9, 600.1, 5000.0])
        a = np.concatenate([random.normal(0.0, 10.0 ** random.uniform(-3.0, 2.0), POINTS // 40), near])
        a_error = 10.0 ** random.uniform(-16.0, -7.0, a.size)
        with ctx.workprec(3000):
            moved = [arb(x) + e * s for x, e, s in zip(a, a_error, random.choice([-1.0, 1.0], a.size), strict=True)]
            found, q = PoissonRatio(rate).log(a, a_error), ball(rate)
            for x, log, bound, slope in zip(moved, *(part.tolist() for part in found), strict=True):
                truth = (q * x.expm1()).log1p()
                gauge.see(arb(log) - truth, bound, x, rate)
                derivative = q * (x - truth).exp()
                gauge.see(arb(slope) - derivative, derivative * 1e-6 + 1e-300, x, rate)


def legendre_panels(gauge: Gauge) -> None:
    """Weights to within 4 units, nodes to within 4 units of the ends."""
    random = np.random.default_rng(24)
    with ctx.workprec(200):
        exact = [arb.legendre_p_root(NODES, i, weight=True) for i in range(NODES)]
        for x, w, (node, weight) in zip(*(c.tolist() for c in rule(NODES)), exact, strict=True):
            gauge.see(arb(x) - node, UNIT_ROUNDOFF * abs(node), x)
            gauge.see(arb(w) - weight, UNIT_ROUNDOFF * weight, x)
        for end in magnitude(random, -6, 3, 20):
            count = int(random.integers(1, 60))
            nodes, weights = panels(-end, end, count)
            half = arb(end) / count
            for i, (x, w) in enumerate(zip(nodes.tolist(), weights.tolist(), strict=True)):
                node, weight = exact[i % NODES]
                gauge.see(
                    arb(x) + arb(end) - half * (2 * (i // NODES) + 1 + node), 4 * UNIT_ROUNDOFF * end, x, end, count
                )
                gauge.see(arb(w) - half * weight, 4 * UNIT_ROUNDOFF * half * weight, w, end, count)


def ellipses(gauge: Gauge) -> None:
    """The best of all ellipses, with a slack of 1e-9."""
    random = np.random.default_rng(25)
    with ctx.workprec(100):
        radii = [arb(r) for r in RADII.tolist()]
        fixed = [arb(64) / 15 / (1 - r**-2) for r in radii]
        falls = [f.log() - 2 * NODES * r.log() for r, f in zip(radii, fixed, strict=True)]
        for scale in magnitude(random, -2, 2, POINTS):
            growth = scale * RADII
            truth = min((arb(g) + f for g, f in zip(growth.tolist(), falls, strict=True)), key=float)
            gauge.see_below(truth, float(log_error(growth)), 1e-9, scale)


def chernoff(tau: arb) -> arb:
    r"""$\tau\ln\tau-(1+\tau)\ln(1+\tau)$."""
    return tau * tau.log() - (1 + tau) * (1 + tau).log()


def chernoff_constants(gauge: Gauge) -> None:
    with ctx.workprec(300):
        for tau in magnitude(np.random.default_rng(26), -12, 9):
            gauge.see_below(chernoff(arb(tau)), error_terms.log_chernoff(tau), 4e-15 * (1 + tau), tau)


def aliasing(gauge: Gauge) -> None:
    random = np.random.default_rng(27)
    columns = zip(magnitude(random, -3, 3), magnitude(random, -4, 3), magnitude(random, -6, 6), strict=True)
    with ctx.workprec(300):
        for tau, turns, gap in columns:
            moment, period = float(random.normal(0.0, 100.0)), turns / gap
            fall = (-arb(gap) * arb(period)).exp()
            truth = chernoff(arb(tau)) + arb(moment) + fall.log() - (1 - fall).log()
            slack = 1e-12 * turns + 4e-15 * (1 + tau)
            gauge.see_below(truth, error_terms.log_alias(tau, moment, gap, period), slack, tau, moment, gap, period)


def truncations(gauge: Gauge) -> None:
    random = np.random.default_rng(28)
    with ctx.workprec(200):
        for spacing, reach in zip(magnitude(random, -6, 6), magnitude(random, 0, 1.5), strict=True):
            decay, tilt, last = -float(random.uniform(0.0, 700.0)), float(10.0 ** random.uniform(-3, 3)), 50
            plain = arb(decay) + (2 / (arb(spacing) ** 2 * last)).log()
            gauge.see_below(plain, error_terms.log_truncation(decay, spacing, last), 1e-12, decay, spacing)
            eta = reach / (spacing * last)
            if eta * (1.0 + tilt) > 0.5:
                continue
            e, u, t = arb(eta), arb(spacing) * last, arb(tilt)
            size = ((t * e) ** 2 / 2).exp() + (((t + 1) * e) ** 2 / 2).exp()
            truth = arb(decay) + (2 * size / arb(spacing)).log() - (e * u) ** 2 / 2 - 2 * (e * u).log()
            found = error_terms.log_smooth_truncation(decay, spacing, last, tilt, eta)
            gauge.see_below(truth, found, 1e-12 * (1 + reach**2 / 2), decay, spacing, tilt, eta)


def signed_growths(gauge: Gauge) -> None:
    random = np.random.default_rng(29)
    with ctx.workprec(200):
        for tau, share in zip(magnitude(random, -3, 5), random.uniform(0.0, 0.5, POINTS).tolist(), strict=True):
            eta = share / (1.0 + tau)
            low, high = (arb(tau) * arb(eta)) ** 2, ((arb(tau) + 1) * arb(eta)) ** 2
            truth = ((low / 2).exp() * (2 + low) + (high / 2).exp() * (2 + high)).log()
            gauge.see_below(truth, error_terms.log_signed_growth(tau, eta), 1e-12, tau, eta)


def alias_sizes(gauge: Gauge) -> None:
    random = np.random.default_rng(30)
    with ctx.workprec(200):
        for tau, epsilon in zip(magnitude(random, -4, 4), magnitude(random, -4, 4), strict=True):
            constant = float(random.normal(0.0, 1e3))
            truth = arb(constant) - arb(tau) * arb(epsilon)
            slack = 8 * UNIT_ROUNDOFF * (abs(constant) + tau * epsilon) + 1e-12
            gauge.see_below(truth, Alias(constant, tau).log_size(epsilon), slack, constant, tau, epsilon)


def envelopes(gauge: Gauge) -> None:
    r"""One layer of mass 1: $s(y) = \sup_{y'\ge y}|\sin y'/y'|$, which on the second lobe is its peak."""
    random = np.random.default_rng(31)
    points: Floats = np.concatenate([random.uniform(0.0, 12.0, POINTS), np.array(magnitude(random, -6, 1, POINTS))])
    found = Layers(np.full(1, 2.0), np.ones(1)).log_decay(points)
    with ctx.workprec(200):
        for y, log in zip(points.tolist(), found.tolist(), strict=True):
            truth = arb(y).sin() / arb(y) if y < 2.5 else abs(arb(y).sin() / arb(y))
            gauge.see_below(truth.log(), log, 1e-9 * min(y**2, 1.0), y)


def unions(gauge: Gauge) -> None:
    r"""$1-(1-p)^k$ from above, and around."""
    random = np.random.default_rng(32)
    with ctx.workprec(1500):
        for p, k in zip(magnitude(random, -300, -0.001), magnitude(random, 0, 7), strict=True):
            count = max(1, int(min(k, 300.0 / p)))
            truth = -(count * (-arb(p)).log1p()).expm1()
            gauge.see_below(truth, union(p, count), truth * 1e-12, p, count)
            found = power_of_leak(Enclosure(p, p), count)
            gauge.see_between(found.lower, truth, found.upper, p, count)


ROWS = [
    Row("ln Φ at one edge", "window.Window.log_value", one_edge),
    Row("ln of a difference of Φ", "window.Window.log_value", two_edges),
    Row("ln of the likelihood ratio", "SampledGaussianLoss.log_ratio", log_ratios),
    Row("ln of the ratio under sampling", "PoissonRatio.log", poisson_ratios),
    Row("Gauss–Legendre panels", "legendre.panels", legendre_panels),
    Row("error of a panel", "legendre.log_error", ellipses),
    Row("Chernoff's constant", "error_terms.log_chernoff", chernoff_constants),
    Row("aliasing", "error_terms.log_alias", aliasing),
    Row("truncation", "error_terms.log_truncation", truncations),
    Row("growth of the signed kernel", "error_terms.log_signed_growth", signed_growths),
    Row("aliasing at one ε", "line.Alias.log_size", alias_sizes),
    Row("decay of one layer", "decay.Layers.log_decay", envelopes, 0.0),
    Row("1 - (1-p)^k", "repeated.union", unions),
]
