"""(ε, δ)-DP mechanisms on samples of fixed size: the pair of neighbours of which one contributes nothing, summed."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import NamedTuple

import mpmath


class Case(NamedTuple):
    """So many runs of an (ε, δ)-DP mechanism on `size` of `of` records, and the ε asked for."""

    count: int
    step: Fraction
    leak: Fraction
    size: int
    of: int
    level: Fraction

    @property
    def rate(self) -> Fraction:
        """The chance of a record to be drawn."""
        return Fraction(self.size, self.of)


def number(x: Fraction) -> mpmath.mpf:
    """At the working precision."""
    return mpmath.mpf(x.numerator) / x.denominator


@mpmath.workdps(60)
def leaky_response(case: Case) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """The four outcomes of leaky randomized response, with their chances on the two inputs."""
    kept, x = 1 - number(case.leak), mpmath.exp(number(case.step))
    say, hide = kept * x / (1 + x), kept / (1 + x)
    return [(1 - kept, mpmath.mpf(0)), (say, hide), (hide, say), (mpmath.mpf(0), 1 - kept)]


@mpmath.workdps(60)
def sampled(case: Case) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """The same where the record is drawn by chance, and all others give the second law."""
    q = number(case.rate)
    return [((1 - q) * b + q * a, b) for a, b in leaky_response(case)]


@mpmath.workdps(60)
def exact_delta(outcomes: list[tuple[mpmath.mpf, mpmath.mpf]], count: int, epsilon: Fraction) -> mpmath.mpf:
    """Σ (P − e^ε Q)₊ over all numbers of all outcomes."""
    grown, total = mpmath.exp(number(epsilon)), mpmath.mpf(0)

    def share(left: int, index: int, p: mpmath.mpf, q: mpmath.mpf) -> None:
        nonlocal total
        a, b = outcomes[index]
        if index == len(outcomes) - 1:
            total += max(p * a**left - grown * q * b**left, 0)
            return
        for n in range(left + 1):
            ways = comb(left, n)
            share(left - n, index + 1, p * ways * a**n, q * ways * b**n)

    share(count, 0, mpmath.mpf(1), mpmath.mpf(1))
    return total
