r"""δ(ε) where a formula exists: normal laws, binomial sums, Laplace losses by volumes of simplices, finite pairs in
fractions, lists of black boxes by all $2^n$ outcomes, one or two Gaussians on Poisson samples.

Every function takes fractions and returns a ball at the working precision; `sharp` repeats it with more bits until the
radius is small. Only python-flint computes here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from flint import acb, arb, ctx, fmpq, fmpz

SHARP = 1e-14


def exactly(x: Fraction) -> arb:
    """The ball around a fraction."""
    return arb(fmpq(x.numerator, x.denominator))


def sharp(formula: Callable[[], arb], most: int = 20_000) -> arb:
    """The value of a formula, relative radius at most `SHARP`; a value of exactly 0 is kept."""
    bits = 160
    while bits < most:
        with ctx.workprec(bits):
            found = formula()
            if found == 0 or (found > 0 and found.rad() < SHARP * found.mid()):
                return found
        bits *= 2
    raise ArithmeticError("no precision was enough")


def upper_tail(z: arb) -> arb:
    r"""$1-\Phi(z)$."""
    return (z / arb(2).sqrt()).erfc() / 2


def gaussian(mu_squared: Fraction, epsilon: Fraction) -> arb:
    r"""$\Phi(\frac\mu2-\frac\varepsilon\mu)-e^\varepsilon\Phi(-\frac\mu2-\frac\varepsilon\mu)$."""
    mu, e = exactly(mu_squared).sqrt(), exactly(epsilon)
    return upper_tail(e / mu - mu / 2) - e.exp() * upper_tail(e / mu + mu / 2)


def responses(count: int, step: Fraction, leak: Fraction, epsilon: Fraction) -> arb:
    r"""$1-(1-\delta_0)^k(1-\sum_jP_j(1-e^{\varepsilon-s_j})_+)$, $P_j$ binomial, $s_j = (2j-k)\varepsilon_0$.

    The sum starts at the first $s_j>\varepsilon$; past the largest term the ratios of terms fall, so that once they are
    below ½ and the terms small, what is left is at most the last term.
    """
    e, x = exactly(epsilon), exactly(step)
    p = 1 / (1 + (-x).exp())
    first = max(0, math.floor((epsilon / step + count) / 2) + 1)
    kept = (count * (1 - exactly(leak)).log()).exp() if leak else arb(1)
    if first > count:
        return 1 - kept
    n = arb(count)
    mass = ((n + 1).lgamma() - arb(first + 1).lgamma() - arb(count - first + 1).lgamma()).exp()
    mass *= (first * p.log() + (count - first) * (1 - p).log()).exp()
    total, odds, small = arb(0), p / (1 - p), arb(2) ** -120
    for j in range(first, count + 1):
        total += mass * -(e - (2 * j - count) * x).expm1()
        ratio = odds * (count - j) / (j + 1)
        mass *= ratio
        if ratio < 0.5 and mass < small * total:
            total += mass * arb(1, 1)
            break
    return 1 - kept + kept * total


def listed(boxes: Sequence[tuple[Fraction, Fraction]], epsilon: Fraction) -> arb:
    """Different black boxes: every outcome by itself."""
    e, kept = exactly(epsilon), arb(1)
    outcomes = [(Fraction(0), arb(1))]
    for step, leak in boxes:
        kept *= 1 - exactly(leak)
        p = 1 / (1 + (-exactly(step)).exp())
        outcomes = [(s + sign * step, m * w) for s, m in outcomes for sign, w in ((1, p), (-1, 1 - p))]
    finite = sum((m * -(e - exactly(s)).expm1() for s, m in outcomes if s > epsilon), arb(0))
    return 1 - kept + kept * finite


def mixture(mu_squared: Fraction, count: int, step: Fraction, epsilon: Fraction) -> arb:
    """A normal loss beside `count` equal responses: the normal profile at every total of the responses."""
    p = 1 / (1 + (-exactly(step)).exp())
    total = arb(0)
    for j in range(count + 1):
        mass = arb(fmpz.bin_uiui(count, j)) * p**j * (1 - p) ** (count - j)
        total += mass * gaussian(mu_squared, epsilon - (2 * j - count) * step)
    return total


def pair(p: Sequence[Fraction], q: Sequence[Fraction], count: int, epsilon: Fraction) -> arb:
    r"""$\sum(P^k-e^\varepsilon Q^k)_+$ over all outcomes, both orders, masses as exact fractions."""

    def one(top: Sequence[Fraction], bottom: Sequence[Fraction]) -> arb:
        masses: dict[tuple[Fraction, Fraction], int] = {(Fraction(1), Fraction(1)): 1}
        for _ in range(count):
            following: dict[tuple[Fraction, Fraction], int] = {}
            for ((a, b), ways), (x, y) in product(masses.items(), zip(top, bottom, strict=True)):
                key = (a * x, b * y)
                following[key] = following.get(key, 0) + ways
            masses = following
        grown, total = exactly(epsilon).exp(), arb(0)
        for (a, b), ways in masses.items():
            total += ways * larger(exactly(a) - grown * exactly(b), arb(0))
        return total

    return larger(one(p, q), one(q, p))


def larger(a: arb, b: arb) -> arb:
    """The ball around the maximum."""
    return a.max(b)


def laplace(count: int, step: Fraction, epsilon: Fraction) -> arb:
    r"""The loss is $x = \Delta/b$ or $-x$ with probabilities ½ and $\frac12e^{-x}$, and has the density
    $\frac14e^{(l-x)/2}$ between: sum over how many are at each end; the others add up to $y$ with the density of a sum
    of uniform variables, an alternating sum of powers.
    """
    x, total = exactly(step), arb(0)
    for top in range(count + 1):
        for bottom in range(count + 1 - top):
            middle = count - top - bottom
            ways = math.factorial(count) // (math.factorial(top) * math.factorial(bottom) * math.factorial(middle))
            mass = ways * arb(2) ** -(top + bottom) * (-bottom * x).exp()
            left = epsilon - (top - bottom) * step
            if left >= middle * step:
                continue
            if middle == 0:
                total += mass * -exactly(left).expm1()
                continue
            total += mass * arb(4) ** -middle * (-middle * x / 2).exp() * _inner(middle, step, left)
    return total


def _inner(n: int, step: Fraction, left: Fraction) -> arb:
    r"""$\int V_n(y)e^{y/2}(1-e^{c-y})_+dy$ with $c$ = `left` and
    $V_n(y) = \sum_i(-1)^i\binom ni\frac{(y+(n-2i)x)_+^{n-1}}{(n-1)!}$.
    """
    total = arb(0)
    start = max(left, -n * step)
    for i in range(n + 1):
        shift = (n - 2 * i) * step
        low, high = max(start + shift, Fraction(0)), n * step + shift
        if low >= high:
            continue
        c, s = exactly(left), exactly(shift)
        rising = (-s / 2).exp() * (_primitive(n - 1, 1, high) - _primitive(n - 1, 1, low))
        falling = (c + s / 2).exp() * (_primitive(n - 1, -1, high) - _primitive(n - 1, -1, low))
        total += (-1) ** i * math.comb(n, i) * (rising - falling)
    return total


def _primitive(n: int, sign: int, at: Fraction) -> arb:
    r"""A primitive of $u^ne^{\pm u/2}/n!$: $\pm2e^{\pm u/2}\sum_j(\mp2)^{n-j}u^j/j!$."""
    u, total, power = exactly(at), arb(0), arb(1)
    for j in range(n + 1):
        total += power * (-2 * sign) ** (n - j)
        power *= u / (j + 1)
    return 2 * sign * (sign * u / 2).exp() * total


def sampled_once(rate: Fraction, noise_std: Fraction, side: int, epsilon: Fraction) -> arb:
    """One Gaussian on a Poisson sample: the likelihood ratio is monotone, so the best event is a half-line."""
    q, sigma, e = exactly(rate), exactly(noise_std), exactly(epsilon)
    odds = (e.exp() - 1 + q) / q if side > 0 else ((-e).exp() - 1 + q) / q
    if odds <= 0:
        return arb(0)
    edge = sigma**2 * odds.log() + arb(0.5)
    if side > 0:
        return (1 - q - e.exp()) * upper_tail(edge / sigma) + q * upper_tail((edge - 1) / sigma)
    return (1 - e.exp() * (1 - q)) * upper_tail(-edge / sigma) - e.exp() * q * upper_tail((1 - edge) / sigma)


def sampled_twice(rate: Fraction, noise_std: Fraction, side: int, epsilon: Fraction) -> arb:
    r"""Two steps: $\int\delta_1(\varepsilon-L(x))\,dP(x)$ by adaptive quadrature in balls, with `sampled_once` inside.

    A removed record: where $X\ge e^\varepsilon/(1-q)$, $\delta_1 = 1-e^\varepsilon/X$ and that part is closed. An added
    one: there is nothing where $X\ge e^{-\varepsilon}/(1-q)$. Two steps cost no less than one, which sets the scale of
    the tolerance; the far left, of less than $10^{-17}$ of that, is enclosed as a whole.
    """
    q, sigma, e = exactly(rate), exactly(noise_std), exactly(epsilon)
    once = sampled_once(rate, noise_std, side, epsilon)
    scale = float(once.mid()) if once > 0 else 1e-110
    grown, variance = e.exp(), exactly(noise_std) ** 2
    odds = ((grown if side > 0 else 1 / grown) / (1 - q) - 1 + q) / q
    if odds < 0:
        return arb(0)
    border = variance * odds.log() + arb(0.5)
    left = arb(-float(noise_std) * math.sqrt(2.0 * (42.0 - math.log(max(scale, 1e-300)))))
    far = (1 - q) * upper_tail(-left / sigma) + q * upper_tail((1 - left) / sigma)
    if border < left:
        return arb(0.5, 0.5) * upper_tail(-border / sigma) if side < 0 else arb(0.5, 0.5)
    norm, root = (2 * arb.pi() * variance).sqrt(), arb(2).sqrt() * sigma

    def removed(x: acb, analytic: bool) -> acb:
        ratio = 1 - q + q * ((x - arb(0.5)) / variance).exp()
        level = grown / ratio
        edge = variance * ((level - 1 + q) / q).log(analytic=analytic) + arb(0.5)
        inner = (1 - q - level) * (edge / root).erfc() + q * ((edge - 1) / root).erfc()
        return (-x * x / (2 * variance)).exp() / norm * ratio * inner / 2

    def added(x: acb, analytic: bool) -> acb:
        level = grown * (1 - q + q * ((x - arb(0.5)) / variance).exp())
        edge = variance * ((1 / level - 1 + q) / q).log(analytic=analytic) + arb(0.5)
        inner = (1 - level * (1 - q)) * (-edge / root).erfc() - level * q * ((1 - edge) / root).erfc()
        return (-x * x / (2 * variance)).exp() / norm * inner / 2

    limits = {"rel_tol": arb(2) ** -56, "abs_tol": arb(scale) * arb(2) ** -56, "depth_limit": 300, "eval_limit": 12_000}
    whole = acb.integral(removed if side > 0 else added, acb(left), acb(border.lower()), **limits).real
    if side > 0:
        whole += (1 - q - grown) * upper_tail(border / sigma) + q * upper_tail((border - 1) / sigma)
    return whole + far * arb(0.5, 0.5) + arb(0, 1) * (border.upper() - border.lower()).abs_upper()
