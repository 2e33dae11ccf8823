"""The certified engine: privacy profiles by inverting their Laplace transform on a saddle line, every error
bounded.

Describe the losses of the steps, in one order of the neighbouring pair, and ask:

>>> from dpcompose.inversion import GaussianLoss, profile
>>> print(profile([(GaussianLoss(mu_squared=0.25), 4)]).epsilon(delta=1e-6))
[4.88655, 4.88656]
"""

from __future__ import annotations

from dpcompose.inversion.direction import Direction
from dpcompose.inversion.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.entry import profile
from dpcompose.inversion.finite import FiniteLoss
from dpcompose.inversion.gaussian import GaussianLoss
from dpcompose.inversion.integer_noise import geometric_loss, staircase_loss
from dpcompose.inversion.laplace import LaplaceLoss
from dpcompose.inversion.line import Budget
from dpcompose.inversion.loss import Loss
from dpcompose.inversion.profiles import Profile
from dpcompose.inversion.sampled_discrete_gaussian import SampledDiscreteGaussianLoss
from dpcompose.inversion.sampled_gaussian import SampledGaussianLoss
from dpcompose.inversion.sampled_laplace import SampledLaplaceLoss
from dpcompose.inversion.two_point import TwoPointLoss

__all__ = [
    "Budget",
    "Direction",
    "DiscreteGaussianLoss",
    "FiniteLoss",
    "GaussianLoss",
    "LaplaceLoss",
    "Loss",
    "Profile",
    "SampledDiscreteGaussianLoss",
    "SampledGaussianLoss",
    "SampledLaplaceLoss",
    "TwoPointLoss",
    "geometric_loss",
    "profile",
    "staircase_loss",
]
