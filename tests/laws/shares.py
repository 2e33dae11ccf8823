"""How many of its cases a law draws of each kind: one in so many of those whose answers take long.

Shares even out what a kind costs, not what it is worth: at night, when thirty times as many cases are drawn, all of
them are more than the law says.
"""

from __future__ import annotations

import math

import dpcompose as dpc

ONE_IN: dict[type[dpc.Mechanism], int] = {
    dpc.Sampled: 8,
    dpc.SampledWithReplacement: 8,
    dpc.SampledSum: 5,
    dpc.MixtureOfGaussians: 4,
    dpc.Shuffled: 4,
    dpc.SampledWithoutReplacement: 3,
    dpc.AboveThreshold: 2,
    dpc.Exponential: 2,
    dpc.PermuteAndFlip: 2,
    dpc.RepeatAndSelect: 2,
    dpc.ReportNoisyMax: 2,
}


def share(count: int, kind: type) -> int:
    """Of so many cases, those that are drawn of one kind; at least one."""
    return math.ceil(count / ONE_IN.get(kind, 1))
