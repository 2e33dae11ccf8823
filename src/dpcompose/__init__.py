"""How much privacy a sequence of differentially private mechanisms costs, all together.

>>> import dpcompose as dpc
>>> plan = 30 * dpc.BlackBox(epsilon=0.1, delta=0.001)
>>> print(dpc.epsilon(plan, delta=0.05))
ε ∈ [0.846302, 0.846303], because KOV-3.3 ← SM-UV (KOV15 Thm. 3.3)

Every public name is here, and loaded when it is first used. Read `kernel`, `description` and `notions`; then the
packages `mechanisms`, `theorems`, `prove`, `inversion` (with `exact`, over `numerics`), and `app` for what calls them.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from dpcompose.lazily import loaded as _loaded

if _TYPE_CHECKING:
    from dpcompose.advice import Advice, advise
    from dpcompose.calibration import Calibrated, calibrate, remaining
    from dpcompose.curves import growth, profile
    from dpcompose.description import (
        ADAPTIVE,
        ADD_REMOVE,
        FIXED,
        FULLY_ADAPTIVE,
        REPLACE_ONE,
        ZERO_OUT,
        Adaptivity,
        Adjacency,
        Composition,
        Mechanism,
    )
    from dpcompose.errors import (
        AdjacencyMismatch,
        Contradiction,
        Declined,
        DPError,
        InvalidDocument,
        InvalidParameter,
        NotProvable,
    )
    from dpcompose.filters import Odometer, Running, odometer
    from dpcompose.formulas import cards, formula
    from dpcompose.mechanisms import (
        AboveThreshold,
        BandedMatrix,
        BlackBox,
        DiscreteGaussian,
        DiscretePair,
        Exponential,
        Gaussian,
        Geometric,
        Group,
        Laplace,
        MixtureOfGaussians,
        NameAndShame,
        PermuteAndFlip,
        RandomizedResponse,
        RepeatAndSelect,
        ReportNoisyMax,
        Sampled,
        SampledSum,
        SampledWithoutReplacement,
        SampledWithReplacement,
        Shuffled,
        ShuffledBatches,
        Staircase,
        TreeAggregation,
        TruncatedSample,
    )
    from dpcompose.numerics.enclosure import Enclosure
    from dpcompose.plots.pictures import plot
    from dpcompose.prove.answer import Answer, Answers, Cap, delta, epsilon, renyi
    from dpcompose.prove.compare import Comparison, compare
    from dpcompose.regions.readings import accuracy, advantage, bayes_error, beta, posterior, posterior_odds, tpr
    from dpcompose.regions.region import Region, region
    from dpcompose.regions.simulation import simulate
    from dpcompose.regions.witness import judge, witness
    from dpcompose.report import explain
    from dpcompose.running_total import Online, online
    from dpcompose.training import SamplingMismatch, Training, dp_sgd, noise_multiplier

_HOMES = {
    "advice": ("Advice", "advise"),
    "calibration": ("Calibrated", "calibrate", "remaining"),
    "curves": ("growth", "profile"),
    "description": (
        "ADAPTIVE",
        "ADD_REMOVE",
        "FIXED",
        "FULLY_ADAPTIVE",
        "REPLACE_ONE",
        "ZERO_OUT",
        "Adaptivity",
        "Adjacency",
        "Composition",
        "Mechanism",
    ),
    "errors": (
        "AdjacencyMismatch",
        "Contradiction",
        "DPError",
        "Declined",
        "InvalidDocument",
        "InvalidParameter",
        "NotProvable",
    ),
    "filters": ("Odometer", "Running", "odometer"),
    "formulas": ("cards", "formula"),
    "mechanisms": (
        "AboveThreshold",
        "BandedMatrix",
        "BlackBox",
        "DiscreteGaussian",
        "DiscretePair",
        "Exponential",
        "Gaussian",
        "Geometric",
        "Group",
        "Laplace",
        "MixtureOfGaussians",
        "NameAndShame",
        "PermuteAndFlip",
        "RandomizedResponse",
        "RepeatAndSelect",
        "ReportNoisyMax",
        "Sampled",
        "SampledSum",
        "SampledWithReplacement",
        "SampledWithoutReplacement",
        "Shuffled",
        "ShuffledBatches",
        "Staircase",
        "TreeAggregation",
        "TruncatedSample",
    ),
    "numerics.enclosure": ("Enclosure",),
    "plots.pictures": ("plot",),
    "prove.answer": ("Answer", "Answers", "Cap", "delta", "epsilon", "renyi"),
    "prove.compare": ("Comparison", "compare"),
    "regions.readings": ("accuracy", "advantage", "bayes_error", "beta", "posterior", "posterior_odds", "tpr"),
    "regions.region": ("Region", "region"),
    "regions.simulation": ("simulate",),
    "regions.witness": ("judge", "witness"),
    "report": ("explain",),
    "running_total": ("Online", "online"),
    "training": ("SamplingMismatch", "Training", "dp_sgd", "noise_multiplier"),
}
__version__ = "0.2.0"
__all__ = [
    "ADAPTIVE",
    "ADD_REMOVE",
    "FIXED",
    "FULLY_ADAPTIVE",
    "REPLACE_ONE",
    "ZERO_OUT",
    "AboveThreshold",
    "Adaptivity",
    "Adjacency",
    "AdjacencyMismatch",
    "Advice",
    "Answer",
    "Answers",
    "BandedMatrix",
    "BlackBox",
    "Calibrated",
    "Cap",
    "Comparison",
    "Composition",
    "Contradiction",
    "DPError",
    "Declined",
    "DiscreteGaussian",
    "DiscretePair",
    "Enclosure",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Group",
    "InvalidDocument",
    "InvalidParameter",
    "Laplace",
    "Mechanism",
    "MixtureOfGaussians",
    "NameAndShame",
    "NotProvable",
    "Odometer",
    "Online",
    "PermuteAndFlip",
    "RandomizedResponse",
    "Region",
    "RepeatAndSelect",
    "ReportNoisyMax",
    "Running",
    "Sampled",
    "SampledSum",
    "SampledWithReplacement",
    "SampledWithoutReplacement",
    "SamplingMismatch",
    "Shuffled",
    "ShuffledBatches",
    "Staircase",
    "Training",
    "TreeAggregation",
    "TruncatedSample",
    "accuracy",
    "advantage",
    "advise",
    "bayes_error",
    "beta",
    "calibrate",
    "cards",
    "compare",
    "delta",
    "dp_sgd",
    "epsilon",
    "explain",
    "formula",
    "growth",
    "judge",
    "noise_multiplier",
    "odometer",
    "online",
    "plot",
    "posterior",
    "posterior_odds",
    "profile",
    "region",
    "remaining",
    "renyi",
    "simulate",
    "tpr",
    "witness",
]


_PACKAGES = (
    "audit",
    "client",
    "filters",
    "interop",
    "inversion",
    "ledger",
    "plots",
    "regions",
    "release",
    "report",
    "spec",
)


_find = _loaded(__name__, _HOMES)


def __getattr__(name: str) -> object:
    return _import_module(f"dpcompose.{name}") if name in _PACKAGES else _find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
