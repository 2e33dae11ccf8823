"""The certified engine: privacy profiles by inverting their Laplace transform on a saddle line, every error bounded.

Describe the losses of the steps, in one order of the neighbouring pair, and ask:

>>> from dpcompose.inversion import GaussianLoss, profile
>>> print(profile([(GaussianLoss(mu_squared=0.25), 4)]).epsilon(delta=1e-6))
[4.88655, 4.88656]

Read `losses`, `saddle`, `error_terms`, `line`, `few_steps`, `methods` (which of both), `profiles` and `entry`; then
`growing` (over `grown`), `quick_bound`, `coarser` (over `few_kinds`) and `renyi`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.lazily import loaded

if TYPE_CHECKING:
    from dpcompose.inversion.entry import profile
    from dpcompose.inversion.growing import Memory
    from dpcompose.inversion.line.reading import ErrorBudget
    from dpcompose.inversion.losses.discrete_gaussian import DiscreteGaussianLoss
    from dpcompose.inversion.losses.finite import ListedLoss
    from dpcompose.inversion.losses.gaussian import GaussianLoss
    from dpcompose.inversion.losses.integer_noise import geometric_loss, staircase_loss
    from dpcompose.inversion.losses.laplace import LaplaceLoss
    from dpcompose.inversion.losses.protocols import Direction, Loss
    from dpcompose.inversion.losses.randomized_response import TwoPointLoss
    from dpcompose.inversion.losses.sampled_discrete_gaussian import SampledDiscreteGaussianLoss
    from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
    from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss
    from dpcompose.inversion.profiles import LossProfile
    from dpcompose.inversion.quick_bound import ceiling, is_below, likely_epsilon, most_likely_first

HOMES = {
    "entry": ("profile",),
    "growing": ("Memory",),
    "line.reading": ("ErrorBudget",),
    "losses.discrete_gaussian": ("DiscreteGaussianLoss",),
    "losses.finite": ("ListedLoss",),
    "losses.gaussian": ("GaussianLoss",),
    "losses.integer_noise": ("geometric_loss", "staircase_loss"),
    "losses.laplace": ("LaplaceLoss",),
    "losses.protocols": ("Direction", "Loss"),
    "losses.randomized_response": ("TwoPointLoss",),
    "losses.sampled_discrete_gaussian": ("SampledDiscreteGaussianLoss",),
    "losses.sampled_gaussian.loss": ("SampledGaussianLoss",),
    "losses.sampled_laplace": ("SampledLaplaceLoss",),
    "profiles": ("LossProfile",),
    "quick_bound": ("ceiling", "is_below", "likely_epsilon", "most_likely_first"),
}
"""Which file holds a name; each is read when one of its names is first used."""

__getattr__ = loaded(__name__, HOMES)

__all__ = [
    "Direction",
    "DiscreteGaussianLoss",
    "ErrorBudget",
    "GaussianLoss",
    "LaplaceLoss",
    "ListedLoss",
    "Loss",
    "LossProfile",
    "Memory",
    "SampledDiscreteGaussianLoss",
    "SampledGaussianLoss",
    "SampledLaplaceLoss",
    "TwoPointLoss",
    "ceiling",
    "geometric_loss",
    "is_below",
    "likely_epsilon",
    "most_likely_first",
    "profile",
    "staircase_loss",
]
