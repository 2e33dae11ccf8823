"""A sample of fixed size: one run exactly (see `bent`), several through the symmetric pair that dominates each."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law, value
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.long_pair import LongPairLaw
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import GDP, ApproxDP, FiniteLoss, LaplaceLossLaw, LossTransform, Renyi, SampledOnce
from dpcompose.numerics.enclosure import Enclosure, ball, enclose
from dpcompose.sources import BBG18, ZDW22
from dpcompose.theorems.gdp import NormalProfile
from dpcompose.theorems.loss.either_way import EitherWay
from dpcompose.theorems.loss.exact_sums import LaplaceProfile, SumOfLosses
from dpcompose.theorems.loss.finite_laws import LeakyLaw
from dpcompose.theorems.renyi.finite_curves import MOST_LOSS, leak_of_law
from dpcompose.theorems.renyi.readings import Same
from dpcompose.theorems.sampling.mirrored import (
    MirroredFiniteCurve,
    MirroredLaplaceCurve,
    MirroredListed,
    MirroredNormalCurve,
)
from dpcompose.theorems.sampling.sampled_once import in_part

REMOVE = Direction.REMOVE
MOST_ATOMS, MOST_TURNED = 64, 10
"""The greatest number of losses of a symmetric pair, and of one that is not: each of these may become four."""


def drawn(m: SampledWithoutReplacement) -> Fraction:
    """The rate, where some records are drawn and some are not."""
    return in_part(m.rate)


def symmetric(law: FiniteLoss) -> Law:
    """The one law of both orders; of a pair that may face either way, the one that dominates both."""
    if law.forward == law.backward:
        return short(law.forward)
    if max(len(short(order).atoms()) for order in (law.forward, law.backward)) > MOST_TURNED:
        raise Declined("a pair of so many losses that may face either way is read through dots of its profile")
    return short(EitherWay(law, MOST_ATOMS))


def short(law: Law) -> Law:
    """A law of few losses, none of them large."""
    if isinstance(law, LongPairLaw):
        raise Declined("too many outcomes to list")
    atoms = law.atoms()
    if len(atoms) > MOST_ATOMS:
        raise Declined(f"beyond {MOST_ATOMS} losses a line takes longer than two bounds are worth")
    if any(abs(value(loss)) > MOST_LOSS for loss, _ in atoms):
        raise Declined(f"losses above {MOST_LOSS} are left to the bounds")
    return law


def leaky(inner: ApproxDP) -> FiniteLoss:
    """Leaky randomized response."""
    if isinstance(inner.delta, Enclosure):
        raise Declined("needs an exact δ")
    law = LeakyLaw(inner.epsilon, inner.delta)
    return FiniteLoss(law, law)


@describes("X-WOR-BENT", BBG18.at("Thm. 9"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def bent_normal(m: SampledWithoutReplacement, inner: GDP) -> SampledOnce:
    r"""A Gaussian on $m$ of $n$ records: $\delta(\varepsilon)=\eta\,\delta_\mu(\ln(1+(e^\varepsilon-1)/\eta))$,
    reached where all other records contribute nothing.
    """
    return SampledOnce(drawn(m), NormalProfile(inner.mu_squared))


@describes("X-WOR-BENT", BBG18.at("Thm. 9"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def bent_laplace(m: SampledWithoutReplacement, inner: LaplaceLossLaw) -> SampledOnce:
    r"""Laplace noise on $m$ of $n$ records: its profile at $\ln(1+(e^\varepsilon-1)/\eta)$, times $\eta$."""
    return SampledOnce(drawn(m), LaplaceProfile(1, inner.step))


@describes("X-WOR-BENT", BBG18.at("Thm. 9"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def bent_finite(m: SampledWithoutReplacement, inner: FiniteLoss) -> SampledOnce:
    r"""A finite pair on $m$ of $n$ records: its profile at $\ln(1+(e^\varepsilon-1)/\eta)$, times $\eta$."""
    if isinstance(inner.forward, LongPairLaw):
        raise Declined("too many outcomes to list")
    return SampledOnce(drawn(m), SumOfLosses(((inner.forward, 1),), ((inner.backward, 1),)))


@describes("X-WOR-BENT", BBG18.at("Thm. 9"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def bent_black_box(m: SampledWithoutReplacement, inner: ApproxDP) -> SampledOnce:
    r"""An $(\varepsilon_0,\delta_0)$-DP mechanism on $m$ of $n$ records: that of leaky randomized response."""
    law = leaky(inner).forward
    return SampledOnce(drawn(m), SumOfLosses(((law, 1),), ((law, 1),)))


@describes("X-LINE-WOR", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_finite(m: SampledWithoutReplacement, inner: FiniteLoss) -> LossTransform:
    r"""With a symmetric finite loss inside, $\pm\ln(1+\eta(e^l-1))$ for $l>0$, and 0, dominate in both orders. A pair
    that is not symmetric is first dominated by one that is.
    """
    law = symmetric(inner)
    step = MirroredListed(law, drawn(m), REMOVE, law)
    return LossTransform(step, step, leak=0, turned=None)


@describes("X-LINE-WOR", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_black_box(m: SampledWithoutReplacement, inner: ApproxDP) -> LossTransform:
    r"""Any $(\varepsilon,\delta)$-DP mechanism post-processes leaky randomized response; with its losses $l$ inside,
    $\pm\ln(1+\eta(e^l-1))$ for $l>0$, and 0, dominate in both orders.
    """
    law = symmetric(leaky(inner))
    step = MirroredListed(law, drawn(m), REMOVE, law)
    return LossTransform(step, step, leak=0, turned=None)


@describes("X-WOR-RDP", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_normal_curve(m: SampledWithoutReplacement, inner: GDP) -> Renyi:
    r"""With $X = 1+\eta(e^{\mu Z-\mu^2/2}-1)$, $Z$ standard normal: $D_\alpha\le\frac{1}{\alpha-1}\ln(1+\mathrm{E}
    [X^\alpha+X^{1-\alpha}-1-X;\,X>1])$.
    """
    rate = drawn(m)
    if inner.mu_squared == 0:
        raise Declined("nothing is lost")
    return Renyi(Same(MirroredNormalCurve(rate, REMOVE, inner.mu_squared)))


@describes("X-WOR-RDP", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_laplace_curve(m: SampledWithoutReplacement, inner: LaplaceLossLaw) -> Renyi:
    r"""With $X = 1+\eta(e^l-1)$, $l$ the loss of a Laplace mechanism under the law without the record:
    $D_\alpha\le\frac{1}{\alpha-1}\ln(1+\mathrm{E}[X^\alpha+X^{1-\alpha}-1-X;\,X>1])$.
    """
    rate = drawn(m)
    if inner.step == 0:
        raise Declined("nothing is lost")
    return Renyi(Same(MirroredLaplaceCurve(rate, REMOVE, inner.step)))


@describes("X-WOR-RDP", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_finite_curve(m: SampledWithoutReplacement, inner: FiniteLoss) -> Renyi:
    r"""With $X = 1+\eta(e^l-1)$, $l$ a finite loss under the law without the record, and outside what leaks:
    $D_\alpha\le\frac{1}{\alpha-1}\ln(1+\mathrm{E}[X^\alpha+X^{1-\alpha}-1-X;\,X>1])$. Of a pair that is not symmetric
    $l$ is the loss of the symmetric one that dominates it.
    """
    return _mirrored(symmetric(inner), drawn(m))


@describes("X-WOR-RDP", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_black_box_curve(m: SampledWithoutReplacement, inner: ApproxDP) -> Renyi:
    r"""Any $(\varepsilon,\delta)$-DP mechanism post-processes leaky randomized response; with $l$ the loss of this one
    outside what leaks and $X = 1+\eta(e^l-1)$:
    $D_\alpha\le\frac{1}{\alpha-1}\ln(1+\mathrm{E}[X^\alpha+X^{1-\alpha}-1-X;\,X>1])$.
    """
    return _mirrored(symmetric(leaky(inner)), drawn(m))


def _mirrored(law: Law, rate: Fraction) -> Renyi:
    leak = leak_of_law(law)
    return Renyi(MirroredFiniteCurve(law, rate), enclose(lambda: ball(rate) * ball(leak)) if leak != 0 else 0)


__all__ = ["drawn", "leaky", "short", "symmetric"]
