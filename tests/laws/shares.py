"""How many of its cases a law draws of each kind: by day one in so many of those whose answers take long.

Shares even out what a kind costs, not what it is worth: at night every kind is drawn as often as any other.
"""

from __future__ import annotations

import math

import dpcompose as dpc
from cases import PROFILE

ONE_IN: dict[type[dpc.Mechanism], int] = {
    dpc.MixtureOfGaussians: 8,
    dpc.Sampled: 8,
    dpc.SampledWithReplacement: 8,
    dpc.SampledWithoutReplacement: 8,
    dpc.SampledSum: 5,
    dpc.Group: 4,
    dpc.Shuffled: 4,
    dpc.AboveThreshold: 3,
    dpc.Exponential: 3,
    dpc.PermuteAndFlip: 3,
    dpc.ReportNoisyMax: 3,
    dpc.DiscreteGaussian: 2,
    dpc.RepeatAndSelect: 2,
    dpc.ShuffledBatches: 2,
    dpc.TreeAggregation: 2,
    dpc.TruncatedSample: 2,
}


def share(count: int, kind: type, profile: str = PROFILE) -> int:
    """Of so many cases, those that are drawn of one kind; at least one."""
    return count if profile == "nightly" else math.ceil(count / ONE_IN.get(kind, 1))
