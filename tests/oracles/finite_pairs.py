"""Mechanisms that are pairs of finite distributions, written out from their definitions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

import dpcompose as dpc
from oracles.definitions import leaky_response, real, response

Pair = tuple[list[mpf], list[mpf]]
LEVELS = [0, Fraction(1, 10), 0.5, 1, 2.5, 4]
ORDERS = [1, 1.01, Fraction(3, 2), 2, 7.5, 40]
ROUNDING = mpf(10) ** -25
"""What the oracles themselves lose: tails left out, and quadrature."""


def holds(answer: dpc.Answer, truth: mpf) -> bool:
    if mp.isinf(truth):
        return answer.upper == mp.inf
    slack = ROUNDING * (1 + truth)
    return answer.lower - slack <= truth <= answer.upper + slack


def close(answer: dpc.Answer, truth: mpf, gap: float = 1e-6) -> bool:
    """Enclosed, and tightly."""
    return holds(answer, truth) and (answer.enclosure.gap <= gap or answer.upper - answer.lower <= 1e-12)


# -------------------------------------------------------------------------- mechanisms that are finite pairs


def geometric(scale: Any, shift: int) -> Pair:
    """Both output laws of the two-sided geometric mechanism, far beyond what sixty digits see."""
    b = real(scale)
    reach = int(70 * b) + 2 * shift + 2
    height = mp.tanh(1 / (2 * b))  # (1 - r)/(1 + r), r = e^(-1/b)
    laws = [[height * mp.exp(-abs(x - s) / b) for x in range(-reach, reach + 1)] for s in (0, shift)]
    return laws[0], laws[1]


def discrete_gaussian(noise: Any, shift: int) -> Pair:
    """Both output laws of the discrete Gaussian mechanism."""
    s = real(noise)
    reach = int(15 * s) + 42 * shift  # the Rényi divergence of order 40 looks forty shifts away
    heights = {x: mp.exp(-(mpf(x) ** 2) / (2 * s**2)) for x in range(-reach - shift, reach + shift + 1)}
    total = mp.fsum(heights.values())
    laws = [[heights[x - s] / total for x in range(-reach, reach + 1)] for s in (0, shift)]
    return laws[0], laws[1]


def staircase(epsilon: Any, gamma: mpf) -> Pair:
    """Both laws of staircase noise with Δ = 1, as masses of the cells between all steps of both."""
    e = real(epsilon)
    b = mp.exp(-e)
    a = (1 - b) / (2 * (gamma + b * (1 - gamma)))
    far = int(65 / e) + 2

    def density(x: mpf) -> mpf:
        steps = int(mp.floor(abs(x)))
        return a * b ** (steps + (abs(x) - steps >= gamma))

    edges = sorted({s * (n + part) + t for n in range(far) for part in (0, gamma) for s in (1, -1) for t in (0, 1)})
    cells = [((lo + hi) / 2, hi - lo) for lo, hi in pairwise(edges)]
    return [density(x) * w for x, w in cells], [density(x - 1) * w for x, w in cells]


def least_variance_gamma(epsilon: Any) -> mpf:
    """The γ at which the variance of staircase noise, integrated cell by cell, is least."""
    e = real(epsilon)
    b = mp.exp(-e)

    def variance(g: mpf) -> mpf:
        a = (1 - b) / (2 * (g + b * (1 - g)))

        def cell(n: int) -> mpf:
            return b**n * ((n + g) ** 3 - mpf(n) ** 3 + b * ((n + 1) ** 3 - (n + g) ** 3)) / 3

        return 2 * a * mp.fsum(cell(n) for n in range(int(150 / e) + 2))

    low, high = mpf(0), mpf(1)
    for _ in range(90):  # by thirds: no derivative, no closed form
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if variance(one) < variance(other) else (one, high)
    return (low + high) / 2


def half(value: Any) -> Fraction:
    return Fraction(value) / 2


FINITE: dict[str, tuple[dpc.Mechanism, Callable[[], Pair]]] = {
    "black box": (dpc.BlackBox(epsilon=0.7, delta=0.01), lambda: leaky_response(0.7, 0.01)),
    "pure black box": (dpc.BlackBox(epsilon=Fraction(6, 5)), lambda: leaky_response(Fraction(6, 5), 0)),
    "response": (dpc.RandomizedResponse(epsilon=1.5), lambda: response(1.5, 2)),
    "response of 5": (dpc.RandomizedResponse(epsilon=1.5, categories=5), lambda: response(1.5, 5)),
    "name and shame": (dpc.NameAndShame(delta=0.02), lambda: leaky_response(0, 0.02)),
    "geometric": (dpc.Geometric(scale=2.5), lambda: geometric(2.5, 1)),
    "geometric at 3": (dpc.Geometric(scale=Fraction(7, 4), sensitivity=3), lambda: geometric(Fraction(7, 4), 3)),
    "discrete Gaussian": (dpc.DiscreteGaussian(noise_std=0.8), lambda: discrete_gaussian(0.8, 1)),
    "discrete Gaussian at 2": (
        dpc.DiscreteGaussian(noise_std=Fraction(3, 2), sensitivity=2),
        lambda: discrete_gaussian(Fraction(3, 2), 2),
    ),
    "staircase": (dpc.Staircase(epsilon=1, gamma=0.25), lambda: staircase(1, mpf(0.25))),
    "steep staircase": (dpc.Staircase(epsilon=2, sensitivity=3, gamma=0.8), lambda: staircase(2, mpf(0.8))),
    "least variance": (dpc.Staircase(epsilon=1.5), lambda: staircase(1.5, least_variance_gamma(1.5))),
    "lopsided pair": (
        dpc.DiscretePair(p=[0.5, 0.25, 0.25], q=[0.125, 0.625, 0.25]),
        lambda: ([mpf(0.5), mpf(0.25), mpf(0.25)], [mpf(0.125), mpf(0.625), mpf(0.25)]),
    ),
    "leaking pair": (
        dpc.DiscretePair(p=[Fraction(1, 3), Fraction(2, 3), 0], q=[Fraction(1, 7), Fraction(5, 7), Fraction(1, 7)]),
        lambda: ([mpf(1) / 3, mpf(2) / 3, mpf(0)], [mpf(1) / 7, mpf(5) / 7, mpf(1) / 7]),
    ),
}


@cache
def laws_of(name: str) -> Pair:
    """Both laws of one of them, outcome by outcome."""
    return FINITE[name][1]()


def gathered(pair: Pair) -> Pair:
    """Outcomes of one likelihood ratio put together, which changes no divergence and leaves fewer to list."""
    mass: dict[Any, list[mpf]] = {}
    for a, b in zip(*pair, strict=True):
        ratio = mp.nstr(a / b, 40) if b else "never"
        together = mass.setdefault(ratio if a else "not", [mpf(0), mpf(0)])
        together[0] += a
        together[1] += b
    return [a for a, _ in mass.values()], [b for _, b in mass.values()]
