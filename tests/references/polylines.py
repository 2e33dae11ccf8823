r"""One Gaussian on a Poisson sample between two polylines whose kinks lie on a geometric lattice, in balls.

Let $X = 1-q+qe^{(x-1/2)/\sigma^2}$ with $x\sim N(0,\sigma^2)$ be the likelihood ratio of a step, $Y$ a product of $k$
such, and $F(c) = E(c-X)_+$. As $E\,Y = 1$,

$$\delta_{\mathrm{remove}} = E(Y-e^\varepsilon)_+ = 1-e^\varepsilon+E(e^\varepsilon-Y)_+,\qquad
  \delta_{\mathrm{add}} = E(1-e^\varepsilon Y)_+ = e^\varepsilon E(e^{-\varepsilon}-Y)_+,$$

so that $E(c-Y)_+$ is all there is to know, and nothing of what exceeds $c$ counts.

*Claim.* Let $G(c) = \sum_jv_j(c-c_j)_+$ with $v_j\ge0$. If $G\le F$ everywhere, then
$\sum_{j_1\dots j_k}v_{j_1}\cdots v_{j_k}(c-c_{j_1}\cdots c_{j_k})_+ \le E(c-Y)_+$. For with $y>0$ the product of the
other factors, $E(c-yX)_+ = yF(c/y) \ge yG(c/y)$: one factor after the other is replaced. Likewise above, with $H\ge F$.
The weights need not add up to 1.

* *Above*: the chords of $F$ between the lattice points $c_j = c_0r^j$, and the slope 1 after the last. Steps with
  $X<c_0$ are set aside: they are worth at most $k\,c\,Q(X<c_0)$ in all, and the others have
  $F(c)-F(c_0)-F'(c_0)(c-c_0)$.
* *Below*: tangents at $d_0<d_1<\dots$, of which the first meets the axis at $c_0$. At $c_j$, $G$ is the lower one of
  the tangents at $d_{j-1}$ and $d_j$; so it is below the tangent at $d_j$ all along $[c_j, c_{j+1}]$, and that is below
  $F$. Past the last point $G$ goes on with the slope of the last tangent.

Slopes are rounded to multiples of $2^{-b}$, outwards, which raises $H$ and lowers $G$. They are made monotone, outwards
again: of $H$ by raising; of $G$ by giving neighbours their mean, which lowers $G$ between them and leaves it beyond,
and by letting none exceed the slope with which $G$ goes on after the last point. Where the first slopes of $G$ come out
negative, it starts at a later point at which it is not: 0 there is no more than $G$. The differences of the slopes are
the weights, as exact integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from flint import arb, fmpq, fmpz


def exactly(x: Fraction) -> arb:
    """The ball around a fraction."""
    return arb(fmpq(x.numerator, x.denominator))


@dataclass(frozen=True)
class Lattice:
    """Integer weights, in units of 2^-bits, at `first` times the powers of `ratio`."""

    weights: list[fmpz]
    first: arb
    ratio: arb


class OneStep:
    r"""$F$ and its slope: $F(c) = (c-1+q)\Phi(\frac x\sigma)-q\Phi(\frac{x-1}\sigma)$ where $X(x) = c$."""

    def __init__(self, rate: Fraction, noise_std: Fraction) -> None:
        self.rate, noise = exactly(rate), exactly(noise_std)
        self.least, self.variance, self.root = 1 - self.rate, noise**2, noise * arb(2).sqrt()

    def ratio(self, x: float) -> arb:
        """X."""
        return self.least + self.rate * ((arb(x) - arb(0.5)) / self.variance).exp()

    def put(self, c: arb) -> tuple[arb, arb]:
        r"""$F(c)$ and $F'(c) = Q(X<c)$."""
        above = c - self.least
        x = self.variance * (above / self.rate).log() + arb(0.5)
        below, shifted = (-x / self.root).erfc() / 2, ((1 - x) / self.root).erfc() / 2
        return above * below - self.rate * shifted, below


def points(first: arb, ratio: arb, count: int) -> Iterator[arb]:
    """The lattice, from its first point to that of this number."""
    return accumulate(range(count), lambda c, _: c * ratio, initial=first)


def chords(step: OneStep, first: arb, ratio: arb, count: int, bits: int) -> Lattice:
    """The law above, without what lies below the first point."""
    start, slope = step.put(first)
    lattice = list(points(first, ratio, count))
    values = [arb(0), *(step.put(c)[0] - start - slope * (c - first) for c in lattice[1:])]
    steep = [(b - a) / (d - c) for (a, b), (c, d) in zip(pairwise(values), pairwise(lattice), strict=True)]
    whole = [(s * arb(2) ** bits).upper().ceil().unique_fmpz() for s in steep]
    return Lattice(_kinks(accumulate([*whole, fmpz(1) << bits], max)), first, ratio)


def tangents(step: OneStep, touching: Sequence[arb], ratio: arb, bits: int) -> Lattice:
    """The law below, from where the tangents touch."""
    value, slope = step.put(touching[0])
    first = touching[0] - value / slope
    lattice = list(points(first, ratio, len(touching)))
    heights, before = [arb(0)], arb(0)
    for j, d in enumerate(touching):
        value, slope = step.put(d)
        if j > 0:
            heights.append((value + slope * (lattice[j] - d)).lower().min(before))
        before = (value + slope * (lattice[j + 1] - d)).lower()
    heights.append(heights[-1] + slope.lower() * (lattice[-1] - lattice[-2]))
    steep = [(b - a) / (d - c) for (a, b), (c, d) in zip(pairwise(heights), pairwise(lattice), strict=True)]
    whole = [(s * arb(2) ** bits).lower().floor().unique_fmpz() for s in steep]
    start = max((j + 1 for j, s in enumerate(whole) if s < 0), default=0)
    while not heights[start] >= 0:
        start += 1
    whole[:start] = [fmpz(0)] * start
    return Lattice(_kinks(pooled(whole, [d - c for c, d in pairwise(lattice)])), first, ratio)


def pooled(slopes: Sequence[fmpz], widths: Sequence[arb]) -> Iterator[fmpz]:
    """Neighbours that fall share their mean, rounded down; none exceeds the last. Lower everywhere, and monotone."""
    blocks: list[tuple[fmpz, arb, int]] = []
    for slope, width in zip(slopes, widths, strict=True):
        block = slope, width, 1
        while blocks and block[0] < blocks[-1][0]:
            (a, v, m), (b, w, n) = blocks.pop(), block
            block = ((a * v + b * w) / (v + w)).lower().floor().unique_fmpz(), v + w, m + n
        blocks.append(block)
    return (min(slope, slopes[-1]) for slope, _, count in blocks for _ in range(count))


def _kinks(slopes: Iterable[fmpz]) -> list[fmpz]:
    """By how much each slope exceeds the one before it."""
    return [b - a for a, b in pairwise([fmpz(0), *slopes])]
