"""What the readings *are*, written out: sums and integrals over both neighbours' outputs, in Fractions and mpmath.

Nothing here comes from the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

DIGITS = 60
mp.dps = DIGITS
INTEGRATED = 35

Atoms = dict[Any, Any]
"""Loss → probability under the first neighbour; losses are exact keys."""


def real(x: Any) -> mpf:
    """Any exact number in mpmath."""
    x = Fraction(x)
    return mpf(x.numerator) / x.denominator


def hockey_stick(p: Sequence[Any], q: Sequence[Any], epsilon: Any) -> mpf:
    """δ(ε) = Σ (p − e^ε q)₊, the larger of both orders."""
    e = mp.exp(real(epsilon))
    one = mp.fsum(max(a - e * b, mpf(0)) for a, b in zip(p, q, strict=True))
    other = mp.fsum(max(b - e * a, mpf(0)) for a, b in zip(p, q, strict=True))
    return max(one, other)


def product(p: Sequence[Any], q: Sequence[Any], count: int) -> tuple[list[mpf], list[mpf]]:
    """Both distributions of `count` independent runs, every transcript listed."""
    one, other = [mpf(1)], [mpf(1)]
    for _ in range(count):
        one, other = [a * x for a in one for x in p], [b * x for b in other for x in q]
    return one, other


def joined(pairs: Iterable[tuple[Sequence[Any], Sequence[Any]]]) -> tuple[list[mpf], list[mpf]]:
    """Both distributions of independent runs of different pairs."""
    one, other = [mpf(1)], [mpf(1)]
    for p, q in pairs:
        one, other = [a * x for a in one for x in p], [b * x for b in other for x in q]
    return one, other


def divergence(p: Sequence[Any], q: Sequence[Any], order: Any) -> mpf:
    """The Rényi divergence Σ p^α q^{1−α}, the larger of both orders."""
    a = real(order)

    def one_way(p: Sequence[Any], q: Sequence[Any]) -> mpf:
        if any(x and not y for x, y in zip(p, q, strict=True)):
            return mp.inf
        some = [(x, y) for x, y in zip(p, q, strict=True) if x]
        if a == 1:
            return mp.fsum(x * mp.log(x / y) for x, y in some)
        return mp.log(mp.fsum(x**a * y ** (1 - a) for x, y in some)) / (a - 1)

    return max(one_way(p, q), one_way(q, p))


def leaky_response(epsilon: Any, delta: Any) -> tuple[list[mpf], list[mpf]]:
    """The four outcomes 0, 1, "I am U", "I am V" of the worst (ε, δ)-DP mechanism."""
    d, e = real(delta), real(epsilon)
    high = (1 - d) / (1 + mp.exp(-e))
    return [high, 1 - d - high, d, mpf(0)], [1 - d - high, high, mpf(0), d]


def response(epsilon: Any, categories: int) -> tuple[list[mpf], list[mpf]]:
    """Two inputs of randomized response over so many categories."""
    e = mp.exp(real(epsilon))
    total = e + categories - 1
    p = [e / total] + [1 / total] * (categories - 1)
    return p, [p[1], p[0], *p[2:]]


def leaky_responses(kinds: Iterable[tuple[Any, Any, int]], epsilon: Any) -> mpf:
    """δ(ε) of leaky randomized responses (ε_i, δ_i) × n_i, by the sum over the number of truths of each kind."""
    kept, losses = mpf(1), {Fraction(0): mpf(1)}
    for e, d, count in kinds:
        kept *= (1 - real(d)) ** count
        truth = 1 / (1 + mp.exp(-real(e)))
        further: dict[Fraction, mpf] = {}
        weight = truth**count
        for lies in range(count + 1):
            for loss, mass in losses.items():
                at = loss + (count - 2 * lies) * Fraction(e)
                further[at] = further.get(at, mpf(0)) + mass * weight
            weight *= (1 - truth) / truth * (count - lies) / (lies + 1)
        losses = further
    t = Fraction(epsilon)
    pure = mp.fsum(mass * -mp.expm1(real(t - loss)) for loss, mass in losses.items() if loss > t)
    return 1 - kept * (1 - pure)


def integral(density: Callable[[mpf], mpf], points: Sequence[Any]) -> mpf:
    """An integral over pieces on which the integrand is smooth, to some thirty digits."""
    with mp.workdps(INTEGRATED):
        return mp.fsum(mp.quad(density, [a, b]) for a, b in pairwise(points))
