"""What a sample of fixed size costs at least: the neighbours of which one contributes nothing."""

from __future__ import annotations

import math
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.inversion import Direction, SampledGaussianLoss, SampledLaplaceLoss
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import GDP, ApproxDP, FiniteLoss, LaplaceLossLaw, LossTransform, Renyi
from dpcompose.numerics.enclosure import Enclosure, ball, enclose
from dpcompose.sources import BBG18
from dpcompose.theorems.loss.finite_laws import SampledListed
from dpcompose.theorems.loss.transform import rational_root
from dpcompose.theorems.renyi.finite_curves import SampledFiniteCurve, leak_of_law
from dpcompose.theorems.renyi.readings import Same
from dpcompose.theorems.renyi.sampled_curves import SampledLaplaceCurve
from dpcompose.theorems.renyi.sampled_normal_curve import SampledNormalCurve
from dpcompose.theorems.sampling.fixed_size import drawn, leaky, short

REMOVE, ADD = Direction.REMOVE, Direction.ADD


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_normal(m: SampledWithoutReplacement, inner: GDP) -> LossTransform:
    r"""Where all other records contribute nothing, the neighbours give $(1-\eta)N(0,1)+\eta N(\mu,1)$ and $N(0,1)$. A
    rational μ that is a little less costs no more.
    """
    noise = 1 / _root_below(Fraction(inner.mu_squared))
    remove, add = (SampledGaussianLoss(drawn(m), noise, direction) for direction in (REMOVE, ADD))
    return LossTransform(remove, add, leak=0, turned=None)


def _root_below(square: Fraction) -> Fraction:
    """μ from μ² or, where it is no fraction, one that is less by a share of 2⁻⁶⁰ at most."""
    try:
        return rational_root(square)
    except Declined:
        if square == 0:
            raise
    bits = 60 + max(square.denominator.bit_length() - square.numerator.bit_length(), 0)
    return Fraction(math.isqrt((square.numerator << 2 * bits) // square.denominator), 1 << bits)


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_laplace(m: SampledWithoutReplacement, inner: LaplaceLossLaw) -> LossTransform:
    r"""Where all other records contribute nothing, removing a record from a Poisson sample costs the same."""
    if inner.step == 0:
        raise Declined("nothing is lost")
    remove, add = (SampledLaplaceLoss(inner.step, drawn(m), direction) for direction in (REMOVE, ADD))
    return LossTransform(remove, add, leak=0, turned=None)


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_finite(m: SampledWithoutReplacement, inner: FiniteLoss) -> LossTransform:
    r"""Where all other records give the second law, the neighbours give $(1-\eta)Q+\eta P$ and $Q$."""
    remove, add = (SampledListed(inner.forward, drawn(m), direction, inner.backward) for direction in (REMOVE, ADD))
    return LossTransform(remove, add, leak=0, turned=None)


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_black_box(m: SampledWithoutReplacement, inner: ApproxDP) -> LossTransform:
    r"""Leaky randomized response on a sample, all other records saying the same."""
    return member_finite(m, leaky(inner))


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_normal_curve(m: SampledWithoutReplacement, inner: GDP) -> Renyi:
    r"""The Rényi divergences of $(1-\eta)N(0,1)+\eta N(\mu,1)$ from $N(0,1)$ occur."""
    rate = drawn(m)
    if inner.mu_squared == 0:
        raise Declined("nothing is lost")
    return Renyi(Same(SampledNormalCurve(rate, REMOVE, inner.mu_squared)))


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_laplace_curve(m: SampledWithoutReplacement, inner: LaplaceLossLaw) -> Renyi:
    r"""With $l$ the loss of a Laplace mechanism and all other records alike, the Rényi divergences of the pair with the
    likelihood ratio $1-\eta+\eta e^l$ occur.
    """
    rate = drawn(m)
    if inner.step == 0:
        raise Declined("nothing is lost")
    return Renyi(Same(SampledLaplaceCurve(rate, REMOVE, inner.step)))


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_finite_curve(m: SampledWithoutReplacement, inner: FiniteLoss) -> Renyi:
    r"""With a finite loss $l$ inside and all other records giving the second law, the Rényi divergences of the pair of
    the likelihood ratio $1-\eta+\eta e^l$ occur; they are infinite where something leaks. Of two orders the one that
    leaks more is read.
    """
    law, other = sorted(
        (short(inner.forward), short(inner.backward)), key=lambda each: -Enclosure.of(each.leak()).lower
    )
    leak, rate = leak_of_law(law), drawn(m)
    curve = SampledFiniteCurve(law, other, rate, REMOVE)
    return Renyi(Same(curve), enclose(lambda: ball(rate) * ball(leak)) if leak != 0 else 0)


@describes("X-WOR-MEMBER", BBG18.at("Thm. 9"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def member_black_box_curve(m: SampledWithoutReplacement, inner: ApproxDP) -> Renyi:
    r"""Leaky randomized response is $(\varepsilon,\delta)$-DP; on a sample, all other records being alike, the Rényi
    divergences of its pair, seen with probability $\eta$, occur.
    """
    return member_finite_curve(m, leaky(inner))
