"""What was run: one file for each mechanism, with its description first and then the theorems about it.

Read `gaussian` first, the shortest: parameters, then theorems. Then the noises (`laplace`, `geometric`, `staircase`,
`discrete_gaussian`, `randomized_response`, `exponential`), those known only in part (`black_box`, `discrete_pair`, over
`long_pair`), and the wrappers (`sampled`, `without_replacement`, `group`, and those in `batches`).

A mechanism is loaded when it is first named; `every` loads all, with all theorems about them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dpcompose.lazily import loaded

if TYPE_CHECKING:
    from dpcompose.description import Mechanism
    from dpcompose.mechanisms.batches.repeated import RepeatAndSelect as RepeatAndSelect
    from dpcompose.mechanisms.batches.sampled_sum import SampledSum as SampledSum
    from dpcompose.mechanisms.batches.shuffled import Shuffled as Shuffled
    from dpcompose.mechanisms.batches.shuffled import ShuffledBatches as ShuffledBatches
    from dpcompose.mechanisms.batches.truncated import TruncatedSample as TruncatedSample
    from dpcompose.mechanisms.batches.with_replacement import SampledWithReplacement as SampledWithReplacement
    from dpcompose.mechanisms.black_box import BlackBox as BlackBox
    from dpcompose.mechanisms.correlated import BandedMatrix as BandedMatrix
    from dpcompose.mechanisms.correlated import TreeAggregation as TreeAggregation
    from dpcompose.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
    from dpcompose.mechanisms.discrete_pair import DiscretePair as DiscretePair
    from dpcompose.mechanisms.exponential import Exponential as Exponential
    from dpcompose.mechanisms.gaussian import Gaussian as Gaussian
    from dpcompose.mechanisms.geometric import Geometric as Geometric
    from dpcompose.mechanisms.group import Group as Group
    from dpcompose.mechanisms.laplace import Laplace as Laplace
    from dpcompose.mechanisms.mixture_of_gaussians import MixtureOfGaussians as MixtureOfGaussians
    from dpcompose.mechanisms.name_and_shame import NameAndShame as NameAndShame
    from dpcompose.mechanisms.noisy_selection import AboveThreshold as AboveThreshold
    from dpcompose.mechanisms.noisy_selection import PermuteAndFlip as PermuteAndFlip
    from dpcompose.mechanisms.noisy_selection import ReportNoisyMax as ReportNoisyMax
    from dpcompose.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
    from dpcompose.mechanisms.sampled import Sampled as Sampled
    from dpcompose.mechanisms.staircase import Staircase as Staircase
    from dpcompose.mechanisms.without_replacement import SampledWithoutReplacement as SampledWithoutReplacement

HOMES = {
    "RepeatAndSelect": "batches.repeated",
    "SampledSum": "batches.sampled_sum",
    "Shuffled": "batches.shuffled",
    "ShuffledBatches": "batches.shuffled",
    "TruncatedSample": "batches.truncated",
    "SampledWithReplacement": "batches.with_replacement",
    "BlackBox": "black_box",
    "BandedMatrix": "correlated",
    "TreeAggregation": "correlated",
    "DiscreteGaussian": "discrete_gaussian",
    "DiscretePair": "discrete_pair",
    "Exponential": "exponential",
    "Gaussian": "gaussian",
    "Geometric": "geometric",
    "Group": "group",
    "Laplace": "laplace",
    "MixtureOfGaussians": "mixture_of_gaussians",
    "NameAndShame": "name_and_shame",
    "AboveThreshold": "noisy_selection",
    "PermuteAndFlip": "noisy_selection",
    "ReportNoisyMax": "noisy_selection",
    "RandomizedResponse": "randomized_response",
    "Sampled": "sampled",
    "Staircase": "staircase",
    "SampledWithoutReplacement": "without_replacement",
}
"""From each mechanism to the module that describes it."""

__getattr__ = loaded(__name__, {file: [name for name in HOMES if HOMES[name] == file] for file in HOMES.values()})


def every() -> dict[str, type[Mechanism]]:
    """Every mechanism by its name."""
    return {name: getattr(sys.modules[__name__], name) for name in HOMES}
