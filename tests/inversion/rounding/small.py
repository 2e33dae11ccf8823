"""Sums without a line: composed on a lattice by one FFT, listed one by one, or by how many fall inside."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
from flint import arb, arb_poly, ctx, fmpz_poly
from rounding import laws
from rounding.cases import decimal
from rounding.measure import ONE_IN, POINTS, Gauge, Row

from dpcompose.inversion.few_steps import bracket as between
from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.convolution import Composed, LatticeLaw, Product, compose
from dpcompose.inversion.few_steps.enumerated import enumerated
from dpcompose.inversion.few_steps.laplace_by_count import LaplaceInside
from dpcompose.inversion.profiles import LossProfile
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF

UNDERFLOW = 1e-300


class Exact:
    r"""Atoms in balls, from the greatest loss down: $\delta(\varepsilon) = \sum w-e^\varepsilon\sum we^{-l}$."""

    def __init__(self, atoms: Iterable[tuple[arb, arb]]) -> None:
        self.losses: list[arb] = []
        self.sums = [(arb(0), arb(0))]
        for loss, weight in sorted(atoms, key=lambda pair: -float(pair[0])):
            mass, image = self.sums[-1]
            self.losses.append(loss)
            self.sums.append((mass + weight, image + weight * (-loss).exp()))
        self.keys = [-float(loss) for loss in self.losses]

    def delta(self, epsilon: float) -> arb:
        """At one ε: all atoms above it, floats proposing how many."""
        count = bisect_right(self.keys, -epsilon)
        while count < len(self.losses) and self.losses[count] > epsilon:
            count += 1
        while count and not self.losses[count - 1] > epsilon:
            count -= 1
        mass, image = self.sums[count]
        return mass - arb(epsilon).exp() * image


def drawn_laws(random: np.random.Generator, i: int) -> list[LatticeLaw]:
    """A few short laws, or one long one, so long that only a window of its sum is kept."""
    if i == 0:
        return [LatticeLaw(random.dirichlet(np.full(2300, 0.5)) + 1e-290, -1.0, 30)]
    if i == 1:
        return [LatticeLaw(np.array([0.5, 0.3, 0.2 - 1e-9]), -0.5, 5000)]
    return [
        LatticeLaw(
            random.dirichlet(np.full(int(random.integers(2, 150)), 0.5)) * random.uniform(0.5, 1.0) + 1e-290,
            float(random.normal(0.0, 1.0)),
            int(random.integers(1, 12)),
        )
        for _ in range(1 + i % 3)
    ]


def grown(parts: list[LatticeLaw], span: float, tilt: float) -> Composed:
    """The same, step by step."""
    size = 1 << math.ceil(math.log2(sum(law.count * law.weights.size for law in parts) + 1))
    product = Product(span, tilt, size)
    for law in parts:
        for _ in range(law.count):
            product.add(LatticeLaw(law.weights, law.lowest, 1))
    return product.composed()


def composed_laws(gauge: Gauge) -> None:
    """The tilted law of the sum, point by point, and δ read off it."""
    random = np.random.default_rng(91)
    with ctx.workprec(300):
        for i in range(22):
            parts, span = drawn_laws(random, i), float(10.0 ** random.uniform(-4.0, -0.5))
            longest = max(law.weights.size for law in parts)
            tilt = float(10.0 ** random.uniform(-2.0, 1.0)) / (span * min(longest, 100))
            found = compose(parts, span, tilt) if i % 3 < 2 else grown(parts, span, tilt)
            slope, product, lowest = arb(tilt) * arb(span), arb_poly([1]), arb(0)
            for law in parts:
                grow = slope.exp()
                tilted = [arb(w) * grow**j for j, w in enumerate(law.weights.tolist())]
                product, lowest = product * arb_poly(tilted) ** law.count, lowest + law.count * arb(law.lowest)
            exact, scale = product.coeffs(), (-arb(found.log_scale)).exp()
            size = len(exact)
            chosen = sorted(set(random.integers(0, size, 300).tolist()))
            for place in chosen:
                if found.start <= place < found.start + found.law.size:
                    truth = exact[place] * scale
                    allowed = arb(found.error) + found.relative * truth + found.wrapped
                    gauge.see(arb(float(found.law[place - found.start])) - truth, allowed, i, place)
            shown = range(max(size - 20_000, 0), size)  # of long sums only the upper part is read
            atoms = Exact((lowest + arb(span) * j, exact[j] * (-slope * j).exp()) for j in shown)
            for place in random.uniform(max(shown[0] + 1, int(0.3 * size)), size, 300).tolist():
                epsilon = float(lowest) + span * place
                lower, upper = found.lower(epsilon, 0.0), found.upper(epsilon, 0.0)
                gauge.see_between(lower, atoms.delta(epsilon), upper + UNDERFLOW, i, epsilon)


def listed_sums(gauge: Gauge) -> None:
    """Every way in which a few atoms add up."""
    random = np.random.default_rng(92)
    with ctx.workprec(300):
        for _ in range(40):
            count, steps = int(random.integers(2, 5)), int(random.integers(1, 12))
            losses = random.normal(0.0, 10.0 ** random.uniform(-3.0, 1.0), count)
            weights = random.dirichlet(np.full(count, 0.5)) + 1e-12
            atoms = [(arb(l), arb(w)) for l, w in zip(losses.tolist(), weights.tolist(), strict=True)]
            exact = Exact(multinomial(atoms, steps))
            found = enumerated([(AtomStep(losses, weights, 0.0, 0.0), steps)])
            sums = -np.array(exact.keys)
            for epsilon in [*random.uniform(sums.min(), sums.max(), 240).tolist(), *sums[:20].tolist()]:
                gauge.see_between(found.lower(epsilon), exact.delta(epsilon), found.upper(epsilon), losses, steps)


def multinomial(atoms: laws.Law, steps: int) -> Iterable[tuple[arb, arb]]:
    """All sums of so many atoms with their weights."""
    for choice in combinations_with_replacement(range(len(atoms)), steps):
        often = [choice.count(i) for i in range(len(atoms))]
        loss, weight = arb(0), arb(math.factorial(steps) // math.prod(math.factorial(n) for n in often))
        for n, (l, w) in zip(often, atoms, strict=True):
            loss, weight = loss + n * l, weight * w**n
        yield loss, weight


class LaplaceSum:
    r"""k Laplace mechanisms, in closed form.

    With $s = z+\frac12$ the moment is $\frac12e^{-\varepsilon_0/2}\bigl[e^{s\varepsilon_0}(1+\frac1{2s})+
    e^{-s\varepsilon_0}(1-\frac1{2s})\bigr]$. Its k-th power over $z(z+1)$ is a sum of
    $\binom kp\,4(2s+1)^{k-p-1}(2s-1)^{p-1}/(2s)^k$, each at the distance $\theta = (k-2p)\varepsilon_0-\varepsilon$;
    the poles are at 0, and for $p = 0$ at ½: a polynomial in θ, and an exponential.
    """

    def __init__(self, size: Fraction, count: int) -> None:
        self.size, self.count = laws.number(size), count
        plus, minus = fmpz_poly([1, 1]), fmpz_poly([-1, 1])
        self.terms = [
            self._polynomial(((plus ** (count - 1)) - 2 ** (count - 1) * fmpz_poly([0, 1]) ** count) // minus)
        ]
        for p in range(1, count):
            self.terms.append(math.comb(count, p) * self._polynomial(plus ** (count - p - 1) * minus ** (p - 1)))

    def _polynomial(self, top: fmpz_poly) -> arb_poly:
        r"""$4\sum a_i(2s)^{i-k}$ becomes $4\sum a_i\theta^{n-1}/(2^n(n-1)!)$, $n = k-i$."""
        coefficients = [arb(0)] * self.count
        for i in range(top.degree() + 1):
            n = self.count - i
            coefficients[n - 1] = arb(4 * top[i]) / (2**n * math.factorial(n - 1))
        return arb_poly(coefficients)

    def delta(self, epsilon: float) -> arb:
        """At one ε."""
        k, e, total = self.count, self.size, arb(0)
        for p, term in enumerate(self.terms):
            theta = (k - 2 * p) * e - epsilon
            if not theta > 0:
                break
            total += term(theta) + (2**k * (theta / 2).exp() if p == 0 else 0)
        return total * ((epsilon - k * e) / 2).exp() / 2**k


def laplace_sums(gauge: Gauge) -> None:
    """Few to many mechanisms, at every ε up to the greatest."""
    random = np.random.default_rng(93)
    with ctx.workprec(400):
        for count, several in ((1, 3000), (2, 3000), (3, 3000), (7, 850), (20, 100), (50, 40), (120, 10)):
            size = min(decimal(random, -4, -0.7), Fraction(12, count))
            found, exact, most = LaplaceInside(size, count), LaplaceSum(size, count), count * float(size)
            for epsilon in (most * random.uniform(0.0, 1.0, several // ONE_IN) ** 2).tolist():
                truth = exact.delta(epsilon)
                gauge.see_between(found.lower(epsilon), truth, found.upper(epsilon), size, count, epsilon)


def any_of_them(gauge: Gauge) -> None:
    r"""$\prod m_i^{n_i}-\prod(m_i-p_i)^{n_i}$ for wholes between the given ones and 1."""
    random = np.random.default_rng(94)
    with ctx.workprec(1200):
        for _ in range(POINTS):
            kinds = int(random.integers(1, 4))
            counts = (10 ** random.uniform(0.0, 4.0, kinds)).astype(int).tolist()
            parts = (10.0 ** random.uniform(-300.0, -5.0, kinds)).tolist()
            wholes = (1.0 - 10.0 ** random.uniform(-16.0, -8.0, kinds)).tolist()
            found = between._any([Enclosure(p, p) for p in parts], wholes, counts)
            low, rest, high = arb(1), arb(1), arb(1)
            for p, m, n in zip(parts, wholes, counts, strict=True):
                low, rest, high = low * arb(m) ** n, rest * (arb(m) - p) ** n, high * (1 - arb(p)) ** n
            slack = 5 * LIBM + 2 * UNIT_ROUNDOFF * sum(counts)
            gauge.see_below(rest - low, -found.lower, slack * (low - rest), parts, counts)
            gauge.see_below(1 - high, found.upper, 5 * LIBM * (1 - high), parts, counts)


def with_leaks(gauge: Gauge) -> None:
    """What leaks, and what is finite, together."""
    random = np.random.default_rng(95)
    with ctx.workprec(1200):
        for _ in range(POINTS):
            leak, finite = (10.0 ** random.uniform(-200.0, -0.3, 2)).tolist()
            found = LossProfile((), Enclosure(leak, leak))._with_leak(Enclosure(finite, finite))
            gauge.see_between(found.lower, arb(leak) + (1 - arb(leak)) * finite, found.upper, leak, finite)


ROWS = [
    Row("sums on a lattice by one FFT", "convolution.compose, convolution.Product", composed_laws),
    Row("sums of atoms, listed", "enumerated.enumerated", listed_sums),
    Row("Laplace, by how many fall inside", "LaplaceInside", laplace_sums),
    Row("at least one beyond the lattice", "bracket.between", any_of_them),
    Row("what leaks and what is finite", "LossProfile.delta", with_leaks),
]
