"""Discrete Gaussian noise on a Poisson sample, for any σ that has no short list of losses."""

from __future__ import annotations

from dpcompose.errors import Declined
from dpcompose.inversion.losses.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.inversion.losses.sampled_discrete_gaussian import (
    MOST_INTEGERS,
    MOST_LISTED,
    REACH,
    Grouping,
    SampledDiscreteGaussianLoss,
    integers,
)
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import LossTransform, SampledOnce
from dpcompose.numerics.enclosure import Real
from dpcompose.sources import BBG18
from dpcompose.theorems.loss.inverted import Inverted
from dpcompose.theorems.loss.transform import in_between
from dpcompose.theorems.sampling.sampled_once import in_part

REMOVE, ADD = Direction.REMOVE, Direction.ADD


def _transform(m: Sampled, inner: LossTransform, grouping: Grouping) -> LossTransform:
    loss, rate = inner.forward, in_between(m.rate)
    if not isinstance(loss, DiscreteGaussianLoss) or loss.sensitivity == 0:
        raise Declined("the mechanism inside is not a discrete Gaussian")
    from dpcompose.mechanisms.discrete_gaussian import MOST_NOISE

    if loss.noise_std <= MOST_NOISE:
        raise Declined("so little noise has a list of losses")
    count = integers(loss.noise_std, loss.sensitivity)
    if loss.sensitivity > REACH * float(loss.noise_std) or count > MOST_INTEGERS:
        raise Declined("too many integers, or too great a shift, to be listed")
    if (grouping is Grouping.LISTED) is not (count <= MOST_LISTED):
        raise Declined("more integers are grouped, and fewer listed")
    remove, add = (
        SampledDiscreteGaussianLoss(rate, loss.noise_std, loss.sensitivity, direction, grouping)
        for direction in (REMOVE, ADD)
    )
    return LossTransform(remove, add, leak=0, turned=(add, remove))


@describes("X-LINE-SDG", BBG18.at("Thm. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_discrete_gaussian(m: Sampled, inner: LossTransform) -> LossTransform:
    r"""Sampling at rate $q$ turns the loss $l = (2\Delta x-\Delta^2)/2\sigma^2$ of the integer $x$ into
    $\ln(1-q+qe^l)$, in either order.
    """
    return _transform(m, inner, Grouping.LISTED)


@describes("X-LINE-SDG-UP", BBG18.at("Thm. 2"), relations=ADD_REMOVE_ONLY)
def split_discrete_gaussian(m: Sampled, inner: LossTransform) -> LossTransform:
    r"""Share each integer's mass between two further ones so that both laws keep their mass: whoever sees those can
    forget which of the two it was, so the pair costs no less.
    """
    return _transform(m, inner, Grouping.SPLIT)


@describes("X-LINE-SDG-LOW", BBG18.at("Thm. 2"), side=Side.LOWER, relations=ADD_REMOVE_ONLY)
def merged_discrete_gaussian(m: Sampled, inner: LossTransform) -> LossTransform:
    r"""Whoever sees only in which of many short intervals the output lies learns no more."""
    return _transform(m, inner, Grouping.MERGED)


def _bent(rate: Real, inner: LossTransform) -> SampledOnce:
    if not isinstance(inner.forward, DiscreteGaussianLoss):
        raise Declined("the mechanism inside is not a discrete Gaussian")
    return SampledOnce(in_part(rate), Inverted(((inner.forward, 1),), ((inner.forward, 1),), ()))


@describes("X-SAMPLE-1", BBG18.at("Thm. 8"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def bent_discrete_gaussian(m: Sampled, inner: LossTransform) -> SampledOnce:
    r"""A discrete Gaussian on a Poisson sample: its profile at $\ln(1+(e^\varepsilon-1)/q)$, times $q$."""
    return _bent(m.rate, inner)


@describes("X-WOR-BENT", BBG18.at("Thm. 9"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def drawn_discrete_gaussian(m: SampledWithoutReplacement, inner: LossTransform) -> SampledOnce:
    r"""A discrete Gaussian on a share $\eta = m/n$ of all records: its profile at $\ln(1+(e^\varepsilon-1)/\eta)$,
    times $\eta$.
    """
    return _bent(m.rate, inner)
