"""Any composition of known loss laws, by inverting the Laplace transform of its profile: see `inversion`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpcompose import inversion
from dpcompose.errors import Declined
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Parts, Side, composes, describes, implies
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import GDP, ApproxDP, FiniteLoss, LaplaceLossLaw, LossTransform, Profile
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.sources import BBG18, HERE, ZDW22
from dpcompose.theorems.loss.finite_laws import LeakyLaw, Listed, SampledListed
from dpcompose.theorems.loss.inverted import Inverted, WorstOf, turned

LEAST_NOISE, MOST_NOISE = Fraction(1, 100), 10**4
"""Of a sampled Gaussian, where a line is quick."""


def _is_extreme(step: Any) -> bool:
    """Whether a sampled step lies where a line takes long, or much memory, and says little more than a bound."""
    if not hasattr(step, "rate"):
        return False
    if isinstance(step, inversion.SampledGaussianLoss):
        return not (step.rate >= 1e-9 and LEAST_NOISE <= step.noise_std <= MOST_NOISE)
    sampled = isinstance(step, inversion.SampledLaplaceLoss)
    return sampled and not (step.rate >= 1e-6 and Fraction(1, 1000) <= step.size <= 10)


@implies("X-LINE-GAUSS", HERE.at("engine"), side=Side.BOTH)
def gdp_to_transform(g: GDP) -> LossTransform:
    r"""The loss of a Gaussian is $N(\mu^2/2,\mu^2)$, so $\ln\mathrm{E}e^{zL} = z(z+1)\mu^2/2$."""
    loss = inversion.GaussianLoss(g.mu_squared)
    return LossTransform(loss, loss, leak=0, turned=None)


@implies("X-LINE-RR", HERE.at("engine"), side=Side.BOTH)
def approx_to_transform(g: ApproxDP) -> LossTransform:
    r"""Beside its leak, the worst $(\varepsilon,\delta)$-DP loss is $\pm\varepsilon$ with the odds
    $e^\varepsilon$ to 1.
    """
    loss = inversion.TwoPointLoss(g.epsilon)
    return LossTransform(loss, loss, leak=g.delta, turned=None)


@implies("X-LINE-LAP", HERE.at("engine"), side=Side.BOTH)
def laplace_to_transform(g: LaplaceLossLaw) -> LossTransform:
    r"""The loss of a Laplace mechanism has two atoms and an exponential density between them."""
    return LossTransform(inversion.LaplaceLoss(g.step), inversion.LaplaceLoss(g.step), leak=0, turned=None)


@implies("X-LINE-FIN", HERE.at("engine"), side=Side.BOTH)
def finite_to_transform(g: FiniteLoss) -> LossTransform:
    r"""A loss with values $l_j$ and probabilities $p_j$ has $\mathrm{E}e^{zL} = \sum_jp_je^{zl_j}$, its leak aside."""
    if g.forward.leak() >= 1 or g.backward.leak() >= 1:
        raise Declined("no loss is finite, so there is nothing to transform")
    return LossTransform(Listed(g.forward), Listed(g.backward), leak=0, turned=None)


@describes("X-LINE-SGM", ZDW22.at("Thm. 11"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_gaussian_transform(m: Sampled, inner: GDP) -> LossTransform:
    r"""Removing a record from a Poisson-sampled Gaussian gives $(1-q)N(0,\sigma^2)+qN(\Delta,\sigma^2)$ against
    $N(0,\sigma^2)$, adding one the reverse; these two pairs dominate all others.
    """
    q = in_between(m.rate)
    noise = 1 / rational_root(Fraction(inner.mu_squared))
    remove, add = (
        inversion.SampledGaussianLoss(q, noise, direction) for direction in (Direction.REMOVE, Direction.ADD)
    )
    return LossTransform(remove, add, leak=0, turned=(add, remove))


def rational_root(square: Fraction) -> Fraction:
    """μ from μ², where it is a fraction and not 0."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if not top or top * top != square.numerator or bottom * bottom != square.denominator:
        raise Declined("needs a rational μ above 0")
    return Fraction(top, bottom)


def in_between(rate: Real) -> Real:
    """A rate at which sampling matters, and which floats can tell from 1."""
    if rate in {0, 1}:
        raise Declined("the rate is 0 or 1, so nothing is sampled")
    if float(rate) == 1.0:
        raise Declined("the rate is too close to 1 for floats to tell")
    return rate


@describes("X-LINE-SLAP", BBG18.at("Thm. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_laplace_transform(m: Sampled, inner: LaplaceLossLaw) -> LossTransform:
    r"""Sampling a Laplace mechanism at rate $q$ turns its likelihood ratio $e^l$ into $1-q+qe^l$, in either order."""
    q = in_between(m.rate)
    remove, add = (inversion.SampledLaplaceLoss(inner.step, q, d) for d in (Direction.REMOVE, Direction.ADD))
    return LossTransform(remove, add, leak=0, turned=(add, remove))


@describes("X-LINE-SFIN", BBG18.at("Thm. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_finite_transform(m: Sampled, inner: FiniteLoss) -> LossTransform:
    r"""Sampling at rate $q$ turns a finite loss $l$ into $\ln(1-q+qe^l)$, in either order; which of two inputs has the
    record is not said, so the worse counts.
    """
    q = in_between(m.rate)
    remove, add, turned_remove, turned_add = (
        SampledListed(law, q, direction, other)
        for law, other in ((inner.forward, inner.backward), (inner.backward, inner.forward))
        for direction in (Direction.REMOVE, Direction.ADD)
    )
    return LossTransform(remove, add, leak=0, turned=(turned_add, turned_remove))


@describes("X-LINE-SRR", BBG18.at("Thm. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_black_box_transform(m: Sampled, inner: ApproxDP) -> LossTransform:
    r"""Sampling an $(\varepsilon,\delta)$-DP mechanism is post-processing of sampled leaky randomized response."""
    q = in_between(m.rate)
    if isinstance(inner.delta, Enclosure):
        raise Declined("needs an exact δ")
    law = LeakyLaw(inner.epsilon, inner.delta)
    remove, add = (SampledListed(law, q, d, law) for d in (Direction.REMOVE, Direction.ADD))
    return LossTransform(remove, add, leak=0, turned=(add, remove))


@composes("X-LINE", HERE.at("engine"), side=Side.BOTH, cost=3)
def saddle_line(parts: Parts[LossTransform]) -> Profile:
    r"""With $M(z) = \mathrm{E}e^{zS}$ for the total loss $S$, and any $t>0$,
    $$\delta(\varepsilon) = \frac{1}{2\pi i}\int_{t-i\infty}^{t+i\infty}\frac{M(z)e^{-z\varepsilon}}{z(z+1)}\,dz;$$
    the trapezoid rule on the saddle line is enclosed with all its errors. The larger of the two orders counts.
    """
    forward = tuple((g.forward, n) for g, n in parts.items)
    alike = all(g.forward is g.backward for g, _ in parts.items)
    backward = forward if alike else tuple((g.backward, n) for g, n in parts.items)
    if any(_is_extreme(step) for step, _ in forward):
        raise Declined("a sampled Gaussian so extreme is left to the bounds")
    leaks = tuple((g.leak, n) for g, n in parts.items if n and g.leak != 0)
    lines, other = Inverted(forward, backward, leaks), turned(parts)
    return lines if other is None else WorstOf((lines, Inverted(*other, leaks)))
