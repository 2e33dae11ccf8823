"""What `numerics` computes in floats: chains of binomial terms, and logarithms on a grid."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, ctx
from rounding import laws
from rounding.cases import decimal
from rounding.measure import POINTS, Gauge, Row

from dpcompose.exact.atoms import rounded_logs
from dpcompose.exact.binomial import two_point_delta
from dpcompose.numerics.chain import Flat, RatioChain, Rising
from dpcompose.numerics.enclosure import Enclosure

LONG = 600


def chain_sums(gauge: Gauge) -> None:
    """Chains that are summed in rows of floats, flat and rising weights alike."""
    random = np.random.default_rng(96)
    with ctx.workprec(128):
        while gauge.points < POINTS:
            a = int(10 ** random.uniform(2.2, 2.8))
            chain = RatioChain(a, int(a * random.uniform(0.5, 1.5)), -decimal(random, -5, -2))
            if chain.short:
                continue
            flats, risings = [], []
            factor, term, pace = laws.number(chain.tilt).exp(), arb(1), decimal(random, -20, -1)
            fade, power = (-laws.number(pace)).exp(), arb(1)
            total = rising = arb(0)
            for i in range(min(a, LONG) + 1):
                total, rising = total + term, rising + term * (1 - power)
                term, power = term * factor * (a - i) / (chain.b + i), power * fade
            flats.append((chain.total(Flat()), total))
            risings.append((chain.total(Rising(pace)), rising))
            for found, truth in flats + risings:
                seen = Enclosure.of(found)
                gauge.see_between(seen.lower, truth, seen.upper, chain, pace)


def logs_on_a_grid(gauge: Gauge) -> None:
    """Logarithms of ratios in units of 2^-320, alone or as products of coprime factors."""
    random = np.random.default_rng(97)
    with ctx.workprec(800):
        for i in range(POINTS // 50):
            several = 100 if i % 4 == 0 else 45
            top = 10 ** int(random.integers(1, 15))
            pairs = random.integers(1, top + 1, (several, 2)).tolist()
            for ratio, (units, error) in rounded_logs({Fraction(p, q) for p, q in pairs}).items():
                gauge.see(arb(units) - laws.number(ratio).log() * arb(2) ** 320, error, ratio)


def two_point_profiles(gauge: Gauge) -> None:
    """Sums of so many two-point variables that long chains are needed, against all terms in balls."""
    random = np.random.default_rng(98)
    with ctx.workprec(300):
        for _ in range(25):
            count, step = int(10 ** random.uniform(2.5, 3.3)), decimal(random, -3, -1)
            x = laws.number(step)
            weight = (1 + (-x).exp()) ** -count
            sums = [(arb(0), arb(0))]
            for i in range(count // 2 + 1):
                mass, image = sums[-1]
                sums.append((mass + weight, image + weight * (-(count - 2 * i) * x).exp()))
                weight *= (-x).exp() * (count - i) / (i + 1)
            for level in random.uniform(0.0, 0.2 * count, POINTS // 25).tolist():
                t = Fraction(level) * step
                above = -((t - count * step) // (2 * step))
                mass, image = sums[above]
                found = two_point_delta(count, step, t)
                gauge.see_between(found.lower, mass - laws.number(t).exp() * image, found.upper, count, step, level)


ROWS = [
    Row("chains of binomial terms", "chain.RatioChain.total", chain_sums),
    Row("logarithms on a grid", "atoms.rounded_logs", logs_on_a_grid),
    Row("many two-point variables", "binomial.two_point_delta", two_point_profiles),
]
