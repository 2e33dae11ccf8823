"""Exact noise: whole numbers drawn from the operating system's randomness, with no floating-point number on the way."""

from dpcompose.release.sampling.bernoulli import bernoulli, bernoulli_exp
from dpcompose.release.sampling.gaussian import discrete_gaussian
from dpcompose.release.sampling.geometric import discrete_laplace, geometric
from dpcompose.release.sampling.source import OS, Integers, OperatingSystem, Source
from dpcompose.release.sampling.staircase import practical_gamma, staircase
from dpcompose.release.sampling.uniform import uniform_below

__all__ = [
    "OS",
    "Integers",
    "OperatingSystem",
    "Source",
    "bernoulli",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "practical_gamma",
    "staircase",
    "uniform_below",
]
