"""The certified engine: privacy profiles by inverting their Laplace transform on a saddle line, every error
bounded.

Describe the losses of the steps, in one order of the neighbouring pair, and ask:

>>> from dpcompose.inversion import GaussianLoss, profile
>>> print(profile([(GaussianLoss(mu_squared=0.25), 4)]).epsilon(delta=1e-6))
[4.88655, 4.88656]
"""

from __future__ import annotations

from dpcompose.inversion.gaussian import GaussianLoss
from dpcompose.inversion.line import Budget
from dpcompose.inversion.loss import Loss
from dpcompose.inversion.profile import Profile, profile
from dpcompose.inversion.sampled_gaussian import Direction, SampledGaussianLoss

__all__ = [
    "Budget",
    "Direction",
    "GaussianLoss",
    "Loss",
    "Profile",
    "SampledGaussianLoss",
    "profile",
]
