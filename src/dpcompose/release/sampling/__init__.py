"""Exact noise: whole numbers drawn from the operating system's randomness, with no floating-point number on the way.

Read `source` (random bytes, watched by `health`), `uniform` and `coins`, then the laws: `digits`, `thinning`,
`stairs`, `lookup`; `batches` draws many. `testing` is for tests.
"""

from dpcompose.release.sampling.coins import bernoulli, bernoulli_exp
from dpcompose.release.sampling.digits import discrete_laplace, geometric
from dpcompose.release.sampling.health import Unhealthy, watched
from dpcompose.release.sampling.source import OS, Integers, OperatingSystem, RandomSource
from dpcompose.release.sampling.stairs import practical_gamma, staircase
from dpcompose.release.sampling.thinning import discrete_gaussian
from dpcompose.release.sampling.uniform import uniform_below

__all__ = [
    "OS",
    "Integers",
    "OperatingSystem",
    "RandomSource",
    "Unhealthy",
    "bernoulli",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "practical_gamma",
    "staircase",
    "uniform_below",
    "watched",
]
