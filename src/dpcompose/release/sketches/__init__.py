"""Sketches: one private projection of a graph or a matrix, from which any number of questions is answered.

The privacy of all rows of a sketch together is exact, so the noise is many times smaller than the published recipe's.

Read `price` (and `profile`) first, then `making`, `covariance` and `cut`; `matrices`, `graphs` and `chunks` bring
data in, `noise`, `keyed`, `spark` and `store` make and keep rows, `answers` says what they tell.
"""

from dpcompose.release.sketches.answers import SketchEstimate
from dpcompose.release.sketches.covariance import (
    CovariancePrice,
    CovarianceSketch,
    covariance_price,
    covariance_sketch,
)
from dpcompose.release.sketches.cut import CutPrice, CutSketch, cut_price, cut_sketch
from dpcompose.release.sketches.noise import UNPROVED
from dpcompose.release.sketches.profile import random_shift_delta

__all__ = [
    "UNPROVED",
    "CovariancePrice",
    "CovarianceSketch",
    "CutPrice",
    "CutSketch",
    "SketchEstimate",
    "covariance_price",
    "covariance_sketch",
    "cut_price",
    "cut_sketch",
    "random_shift_delta",
]
