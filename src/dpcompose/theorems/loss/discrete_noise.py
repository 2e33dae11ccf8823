"""The transform of discrete Gaussian noise, whose losses lie on a lattice."""

from __future__ import annotations

from dpcompose import inversion
from dpcompose.errors import Declined
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.discrete_gaussian import DiscreteGaussian
from dpcompose.notions import LossTransform
from dpcompose.sources import CKS20


@describes("X-LINE-DG", CKS20.at("Def. 1"), side=Side.BOTH)
def discrete_gaussian_transform(m: DiscreteGaussian) -> LossTransform:
    r"""The loss $(\Delta^2-2\Delta x)/2\sigma^2$ of discrete Gaussian noise lies on a lattice of span
    $\Delta/\sigma^2$.
    """
    if m.noise_std == 0:
        raise Declined("there is no noise")
    loss = inversion.DiscreteGaussianLoss(m.noise_std, m.sensitivity)
    return LossTransform(loss, loss, leak=0, turned=None)
