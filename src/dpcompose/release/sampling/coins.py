"""Coins that are true with a rational probability, or with probability e^−γ."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import Param
from dpcompose.release.sampling.batches import in_batches
from dpcompose.release.sampling.lookup import TabledLaw, draw
from dpcompose.release.sampling.source import OS, RandomSource, checked_size

PROBABILITY = Param("p", 0, 1, "probability")
EXPONENT = Param("γ", 0, 10**300, "nats")


@dataclass(frozen=True, slots=True)
class Coin:
    """1 with a rational probability, else 0."""

    probability: Fraction
    count: int = 1

    def survival(self, index: int, /) -> Ball:  # noqa: ARG002 - there is only one
        """P(X > 0)."""
        return ball(self.probability)


@dataclass(frozen=True, slots=True)
class ExponentialCoin:
    """1 with probability e^−exponent, else 0."""

    exponent: Fraction
    count: int = 1

    def survival(self, index: int, /) -> Ball:  # noqa: ARG002 - there is only one
        """P(X > 0)."""
        return (-ball(self.exponent)).exp()


def bernoulli(probability: Real, size: int, source: RandomSource = OS) -> npt.NDArray[np.bool_]:
    r"""Independent coins, each true with the rational probability given."""
    return _toss(Coin(Fraction(PROBABILITY.check("probability", probability))), checked_size(size), source)


def bernoulli_exp(gamma: Real, size: int, source: RandomSource = OS) -> npt.NDArray[np.bool_]:
    r"""Independent coins, each true with probability $e^{-\gamma}$ for a rational $\gamma \ge 0$."""
    return _toss(ExponentialCoin(Fraction(EXPONENT.check("gamma", gamma))), checked_size(size), source)


def _toss(law: TabledLaw, size: int, source: RandomSource) -> npt.NDArray[np.bool_]:
    return in_batches(size, lambda count: draw(law, count, source)).astype(np.bool_)
