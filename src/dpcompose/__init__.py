"""How much privacy a sequence of differentially private mechanisms costs, all together.

>>> import dpcompose as dpc
>>> plan = 30 * dpc.BlackBox(epsilon=0.1, delta=0.001)
>>> print(dpc.epsilon(plan, delta=0.05))
ε ∈ [0.846302, 0.846303], because KOV-3.3 ← SM-UV (KOV15 Thm. 3.3)
"""

from __future__ import annotations

from dpcompose.description import Adaptivity, Adjacency, Composition, Mechanism
from dpcompose.errors import (
    AdjacencyMismatch,
    Contradiction,
    Declined,
    DPError,
    InvalidDocument,
    InvalidParameter,
    NotProvable,
)
from dpcompose.mechanisms import (
    BlackBox,
    DiscreteGaussian,
    DiscretePair,
    Exponential,
    Gaussian,
    Geometric,
    Group,
    Laplace,
    NameAndShame,
    RandomizedResponse,
    Sampled,
    Staircase,
)
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.prove.answer import Answer, Answers, delta, epsilon, renyi
from dpcompose.prove.compare import Comparison, compare

ADD_REMOVE = Adjacency.ADD_REMOVE
REPLACE_ONE = Adjacency.REPLACE_ONE
FIXED = Adaptivity.FIXED
ADAPTIVE = Adaptivity.ADAPTIVE
FULLY_ADAPTIVE = Adaptivity.FULLY_ADAPTIVE

__version__ = "0.1.0"
__all__ = [
    "ADAPTIVE",
    "ADD_REMOVE",
    "FIXED",
    "FULLY_ADAPTIVE",
    "REPLACE_ONE",
    "Adaptivity",
    "Adjacency",
    "AdjacencyMismatch",
    "Answer",
    "Answers",
    "BlackBox",
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
    "NameAndShame",
    "NotProvable",
    "RandomizedResponse",
    "Sampled",
    "Staircase",
    "compare",
    "delta",
    "epsilon",
    "renyi",
]
