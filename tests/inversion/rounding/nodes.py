"""Losses and weights of nodes and atoms, one by one; and the transform of very many of them by one FFT."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import acb, arb, ctx
from rounding import laws
from rounding.cases import atoms, decimal, through
from rounding.measure import POINTS, Gauge, Row

from dpcompose.inversion import (
    DiscreteGaussianLoss,
    LaplaceLoss,
    ListedLoss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    geometric_loss,
    staircase_loss,
)
from dpcompose.inversion.few_steps.pieces import pieces
from dpcompose.inversion.losses.nodes import ACCURATE, COARSE, Nodes, TiltedNodes
from dpcompose.inversion.losses.nodes_by_fft import gridded
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.inversion.losses.randomized_response import TwoPointLoss, TwoPointSum
from dpcompose.inversion.losses.sampled_gaussian.quadrature import best_rule, covering, quadrature_nodes
from dpcompose.numerics.legendre import POINTS as ON_A_PANEL
from dpcompose.numerics.rounding import LEAST, short


def see_nodes(gauge: Gauge, nodes: Nodes, exact: laws.Law, *point: object) -> None:
    """Losses, absolutely, and weights, relatively, that is: their logarithms."""
    columns = (nodes.losses, nodes.loss_error, nodes.log_weights, nodes.weight_error)
    for l, l_error, w, w_error, (loss, weight) in zip(*(c.tolist() for c in columns), exact, strict=True):
        gauge.see(arb(l) - loss, l_error, "loss", l, *point)
        gauge.see(arb(w) - weight.log(), w_error, "weight", w, *point)


def see_atoms(gauge: Gauge, found: ListedLoss, exact: laws.Law, *point: object) -> None:
    """The same for atoms, whose weights are no logarithms; atoms too light for floats are left out."""
    errors = [
        np.broadcast_to(np.asarray(e), found.losses.shape).tolist() for e in (found.loss_error, found.weight_error)
    ]
    heavy = [pair for pair in exact if float(pair[1].mid()) > 1e-300]
    for l, w, l_error, w_error, (loss, weight) in zip(
        found.losses.tolist(), found.weights.tolist(), *errors, heavy, strict=True
    ):
        gauge.see(arb(l) - loss, l_error, "loss", l, *point)
        gauge.see(arb(w) - weight, w_error * weight, "weight", w, *point)


def on_panels(size: arb, count: int) -> list[tuple[arb, arb]]:
    """Gauss–Legendre nodes and weights on equal panels from -size to size."""
    rule = [arb.legendre_p_root(ON_A_PANEL, i, weight=True) for i in range(ON_A_PANEL)]
    half = size / count
    return [(half * (2 * i + 1 - count + y), half * w) for i in range(count) for y, w in rule]


def laplace_nodes(gauge: Gauge) -> None:
    random = np.random.default_rng(51)
    with ctx.workprec(200):
        for _ in range(180):
            size = decimal(random, -12, 2.5)
            nodes, e = (
                LaplaceLoss(size).nodes(10.0 ** random.uniform(-2, 1) / float(size), 1.0, 1e-17),
                laws.number(size),
            )
            exact = [(l, w * ((l - e) / 2).exp() / 4) for l, w in on_panels(e, nodes.losses.size // ON_A_PANEL)]
            see_nodes(gauge, nodes, [*exact, (e, arb(0.5)), (-e, (-e).exp() / 2)], size)


def sampled_laplace_nodes(gauge: Gauge) -> None:
    random = np.random.default_rng(52)
    with ctx.workprec(200):
        for i in range(160):
            size, rate, direction = decimal(random, -8, 1.3), decimal(random, -15, -0.001), list(Direction)[i % 2]
            rate = 1 - rate if i % 3 == 0 else rate
            nodes = SampledLaplaceLoss(size, rate, direction).step(10.0 ** random.uniform(-2, 1), 1.0, 1e-17).nodes
            e, q, remove = laws.number(size), laws.number(rate), direction is Direction.REMOVE
            bare = [(l, w * (-(l + e) / 2).exp() / 4) for l, w in on_panels(e, nodes.losses.size // ON_A_PANEL)]
            exact = []
            for l, w in [*bare, (e, (-e).exp() / 2), (-e, arb(0.5))]:
                ratio = 1 + q * l.expm1()
                exact.append((ratio.log(), w * ratio) if remove else (-ratio.log(), w))
            see_nodes(gauge, nodes, exact, size, rate, direction)


def sampled_gaussian_nodes(gauge: Gauge) -> None:
    r"""Weights $hn\chi$, times $X$ when removing, at the multiples of a step."""
    random = np.random.default_rng(53)
    with ctx.workprec(300):
        for i in range(80):
            rate, noise, direction = decimal(random, -15, -0.001), decimal(random, -0.7, 3), list(Direction)[i % 2]
            rate = 1 - rate if i % 3 == 0 else rate
            loss = SampledGaussianLoss(rate, noise, direction)
            loss = loss.trimmed(-random.uniform(5.0, 80.0), 3) if i % 4 == 0 else loss
            tilt, error = 10.0 ** random.uniform(-2.0, 1.0), 1e-17
            nodes = quadrature_nodes(loss, tilt, 5.0, error)
            step = best_rule(loss, loss.exponent(tilt), 5.0, error)[0]
            numbers = covering(loss, loss.exponent(tilt), step, 4.0 - float(np.log(error))).numbers
            q, s, shape = laws.number(rate), laws.number(noise), through(loss.window)
            exact = []
            for j in numbers.tolist():
                x = arb(step) * int(j)
                weight = arb(step) / (s * (2 * arb.pi()).sqrt()) * (-(x**2) / (2 * s**2)).exp() * shape(x)
                ratio = 1 + q * ((x - arb(0.5)) / s**2).expm1()
                exact.append((ratio.log(), weight * ratio) if loss.sign > 0 else (-ratio.log(), weight))
            see_nodes(gauge, nodes, exact, rate, noise, direction)


def discrete_gaussian_nodes(gauge: Gauge) -> None:
    random = np.random.default_rng(54)
    with ctx.workprec(200):
        for i in range(200):
            noise, sensitivity, tilt = decimal(random, -1.5, 0.77), 1 + i % 40, 10.0 ** random.uniform(-1.0, 2.5)
            step = DiscreteGaussianLoss(noise, sensitivity).step(tilt, 0.0, 1e-17)
            assert isinstance(step, TiltedNodes)
            s, reach = laws.number(noise), 14 * (int(noise) + 1)
            total = sum(((-arb(x * x) / (2 * s**2)).exp() for x in range(-reach, reach + 1)), arb(0))
            places = np.rint(0.5 * sensitivity - step.nodes.losses * float(noise) ** 2 / sensitivity).tolist()
            exact = [
                (sensitivity * (arb(sensitivity) / 2 - int(x)) / s**2, (-(arb(x) ** 2) / (2 * s**2)).exp() / total)
                for x in places
            ]
            see_nodes(gauge, step.nodes, exact, noise, sensitivity, tilt)


def finite_nodes(gauge: Gauge) -> None:
    random = np.random.default_rng(55)
    with ctx.workprec(200):
        for _ in range(60):
            weights = 10.0 ** -random.uniform(0.0, 300.0, POINTS // 60)
            loss = ListedLoss(random.normal(0.0, 1.0, weights.size), weights)
            exact = [(arb(l), arb(w)) for l, w in zip(loss.losses.tolist(), weights.tolist(), strict=True)]
            see_nodes(gauge, loss.step(1.0, 0.0, 0.0).nodes, exact)


def integer_atoms(gauge: Gauge) -> None:
    random = np.random.default_rng(56)
    with ctx.workprec(1500):
        for _ in range(200):
            scale, sensitivity = decimal(random, -2.5, 5), int(random.integers(1, 60))
            see_atoms(gauge, geometric_loss(scale, sensitivity), laws.geometric(scale, sensitivity), scale, sensitivity)
            epsilon, gamma = decimal(random, -9, 2.7), decimal(random, -9, -0.0001)
            see_atoms(gauge, staircase_loss(epsilon, gamma), laws.staircase(epsilon, gamma), epsilon, gamma)


def sampled_atoms(gauge: Gauge) -> None:
    """On a sample an atom moves; what only Q has comes last, or, if it is minute, is taken to leak."""
    random = np.random.default_rng(57)
    with ctx.workprec(200):
        for i in range(200):
            count, direction, rate = int(random.integers(2, 60)), list(Direction)[i % 2], decimal(random, -9, -0.001)
            rate = rate if i % 4 < 2 else 1 - rate if i % 25 else 1 - Fraction(1, 10**20)
            parts = random.multinomial(2**30 - count, random.dirichlet(np.ones(count))) + 1
            others = random.multinomial(2**30 - count - 1, random.dirichlet(np.ones(count + 1))) + 1
            ratios = [arb(int(p)) / int(o) for p, o in zip(parts, others[:-1], strict=True)]
            law = [(ratio.log(), arb(int(p)) / 2**30) for ratio, p in zip(ratios, parts, strict=True)]
            losses = np.array([float(l.mid()) for l, _ in law])
            loss = ListedLoss(losses, parts / 2.0**30, loss_error=np.spacing(np.abs(losses)))
            truth = laws.sampled(law, rate, remove=direction is Direction.REMOVE)
            found = loss.sampled(rate, direction)
            see_atoms(gauge, found, truth[: found.losses.size], rate, direction)
            left_out = truth[-1][1] if found.losses.size < len(truth) else arb(0)
            gauge.see_between(found.leak.lower, arb(0), found.leak.upper, "leak", rate)
            gauge.see_below(left_out, found.leak.upper, LEAST, "left out", rate)


def two_point_atoms(gauge: Gauge) -> None:
    random = np.random.default_rng(58)
    with ctx.workprec(1200):
        for _ in range(POINTS // 12):
            sizes = [decimal(random, -12, 2.7) for _ in range(6)]
            (total,) = TwoPointLoss.gather([(TwoPointLoss(s), 1) for s in sizes])
            assert isinstance(total, TwoPointSum)
            for size, (piece, _) in zip(sizes, pieces(total), strict=True):
                e = laws.number(size)
                exact = [(-e, 1 / (1 + e.exp())), (e, 1 / (1 + (-e).exp()))]
                for l, w, (loss, weight) in zip(piece.losses, piece.weights, exact, strict=True):
                    gauge.see(arb(float(l)) - loss, piece.loss_error, size)
                    gauge.see(arb(float(w)) - weight, piece.weight_error * weight, size)


def many_atoms(order: int) -> Callable[[Gauge], None]:
    """One FFT for all frequencies, with random weights at random distances."""

    def check(gauge: Gauge) -> None:
        random = np.random.default_rng(59)
        with ctx.workprec(160):
            for rows in (8, 32, 60, 75):
                last, spacing = rows * rows - 1, short(10.0 ** random.uniform(-2.0, 0.0))
                distance = random.normal(0.0, 10.0 ** random.uniform(-2.0, 1.0), 400)
                weights = random.dirichlet(np.full(400, 0.2)) + 1e-12
                values, errors = gridded(distance, weights, spacing, last, order)
                law = [(arb(d), arb(w)) for d, w in zip(distance.tolist(), weights.tolist(), strict=True)]
                total = arb(0)
                for _, w in law:
                    total += w
                truths = laws.characteristic(law, 0.0, 0.0, spacing, rows)
                for m, (value, error) in enumerate(zip(values.tolist(), errors.tolist(), strict=True)):
                    gauge.see(acb(value.real, value.imag) - truths[m] * total, error, m, spacing, rows)

    return check


def far_transforms(gauge: Gauge) -> None:
    """Thousands of atoms at thousands of frequencies: the first ones one by one, the others by one FFT."""
    rows, tilt = 72, 0.5
    loss, law = atoms(np.random.default_rng(60), 4500)
    spacing, indices = short(20.0 / float(np.abs(loss.losses).max()) / rows), np.arange(1, rows**2, dtype=np.int64)
    step = loss.step(tilt, 0.0, 0.0)
    with ctx.workprec(160):
        truths = laws.characteristic(law, tilt, step.centre, spacing, rows)
        values, errors = step.characteristic(spacing, indices)
        columns = (indices, values, errors, step.log_modulus(spacing, indices))
        for m, value, error, bound in zip(*(c.tolist() for c in columns), strict=True):
            gauge.see(acb(value.real, value.imag) + 1 - truths[m], error, m)
            gauge.see_below(abs(truths[m]).log(), bound, error / abs(truths[m]) + 1e-12, m)


ROWS = [
    Row("Laplace: nodes", "LaplaceLoss.nodes", laplace_nodes),
    Row("sampled Laplace: nodes", "SampledLaplaceLoss.step", sampled_laplace_nodes),
    Row("sampled Gaussian: nodes", "quadrature_nodes", sampled_gaussian_nodes),
    Row("discrete Gaussian: nodes", "DiscreteGaussianLoss.step", discrete_gaussian_nodes),
    Row("finite law: nodes", "ListedLoss.step", finite_nodes),
    Row("integer noise: atoms", "integer_noise", integer_atoms),
    Row("sampled finite law: atoms", "ListedLoss.sampled", sampled_atoms),
    Row("two points: atoms", "pieces.pieces", two_point_atoms),
    Row("one FFT, to 14th order", "nodes_by_fft.gridded", many_atoms(ACCURATE)),
    Row("one FFT, to 6th order", "nodes_by_fft.gridded", many_atoms(COARSE)),
    Row("very many atoms: transform", "TiltedNodes.gridded", far_transforms),
]
