"""Private training in the terms of training: noise multipliers, sample rates, epochs and steps."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from decimal import ROUND_CEILING
from enum import StrEnum
from fractions import Fraction

from dpcompose.calibration import calibrate
from dpcompose.description import Adjacency, Composition, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import Gaussian, Sampled
from dpcompose.mechanisms.gaussian import NOISE
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import COUNT, DELTA, EPSILON, Param, Whole, short
from dpcompose.prove.answer import Answer, epsilon
from dpcompose.shown import Told

RATE = Param("q", 0, 1, "probability")
SIZE = Whole("n", 1, 10**15, "records")
EPOCHS = Param("epochs", 0, 10**9, "passes over the data")
POISSON = ("UniformWithReplacementSampler", "DistributedUniformWithReplacementSampler", "DPDataLoader")
"""The classes of Opacus that draw each record independently."""


class Sampling(StrEnum):
    """How batches are made."""

    POISSON = "poisson"
    SHUFFLE = "shuffle"


class SamplingMismatch(UserWarning):
    """The batches that were run are not those for which the smaller ε holds."""


@dataclass(frozen=True, slots=True, repr=False)
class Training(Told):
    """A run of DP-SGD and what it costs; `str` of it is a statement to publish, with its assumptions."""

    noise_multiplier: Real
    sample_rate: Real
    steps: int
    delta: Real
    sampling: Sampling
    dataset_size: int | None
    mechanism: Mechanism
    epsilon: Answer

    @property
    def statement(self) -> str:
        """The statement to publish: the guarantee and its assumptions."""
        epsilon = rounded(self.epsilon.upper, ROUND_CEILING)
        delta, rate, noise = (short(x, 12) for x in (self.delta, self.sample_rate, self.noise_multiplier))
        lines = [
            f"The training is (ε, δ)-differentially private with ε = {epsilon} at δ = {delta}.",
            f"It ran {self.steps} steps: gradients clipped, summed, and noised with {noise} times the clipping norm.",
        ]
        if self.sampling is Sampling.POISSON:
            lines += [
                f"Assumed: Poisson sampling, every record by itself with probability {rate} in every step.",
                "Neighbours: datasets that differ in one record, added or removed.",
            ]
        else:
            lines += [
                "Assumed: shuffled batches, disjoint within an epoch: a record is in one step of each, unamplified.",
                "Neighbours: datasets that differ in one record, which is blank in one of them.",
            ]
        lines.append("Noise, rate and number of steps were fixed in advance; every run on the data is counted.")
        if self.dataset_size is not None and Fraction(self.delta) * self.dataset_size >= 1:
            lines.append(
                f"Warning: δ is not below 1/n = {short(1 / self.dataset_size)}: publishing some record would also pass."
            )
        lines.append(f"By {self.epsilon.because}.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.statement

    def __float__(self) -> float:
        return self.epsilon.upper


def dp_sgd(
    *,
    noise_multiplier: Real,
    target_delta: Real,
    sample_rate: Real | None = None,
    dataset_size: int | None = None,
    batch_size: int | None = None,
    epochs: Real | None = None,
    steps: int | None = None,
    sampling: str = "poisson",
    loader: object = None,
) -> Training:
    """What a training costs, as a statement with its assumptions; ε is certified from both sides.

    `sampling="shuffle"` is for loaders that shuffle: no amplification is claimed, an epoch costs one Gaussian, and
    neighbours blank a record instead of removing it. A shuffling `loader` is noticed, with a warning.
    """
    way, rate = _sampling(sampling), _rate(sample_rate, dataset_size, batch_size)
    count = _steps(epochs, steps, rate)
    if way is Sampling.POISSON and loader is not None and not draws_poisson(loader):
        warnings.warn(
            f"{type(loader).__name__} does not draw every record by itself: ε is stated for shuffled batches instead, "
            "as for sampling='shuffle'.",
            SamplingMismatch,
            stacklevel=2,
        )
        way = Sampling.SHUFFLE
    plan = planned(NOISE.check("noise_multiplier", noise_multiplier), rate, count, way)
    answer = epsilon(plan, DELTA.check("target_delta", target_delta))
    return Training(noise_multiplier, rate, count, target_delta, way, dataset_size, plan, answer)


def draws_poisson(loader: object) -> bool:
    """Whether a PyTorch loader draws each record independently, as those of Opacus do."""
    inside = (loader, getattr(loader, "batch_sampler", None), getattr(loader, "sampler", None))
    return any(cls.__name__ in POISSON for part in inside for cls in type(part).__mro__)


def planned(noise_multiplier: Real, rate: Real, steps: int, way: Sampling) -> Composition:
    """The training as a mechanism."""
    if way is Sampling.POISSON:
        return steps * Sampled(Gaussian(noise_std=noise_multiplier), rate=rate)
    passes = _whole(steps * Fraction(rate))  # a record is in one batch of each pass, also of one that was only begun
    return passes * Gaussian(noise_std=noise_multiplier, adjacency=Adjacency.ZERO_OUT)


def noise_multiplier(
    *,
    target_epsilon: Real,
    target_delta: Real,
    sample_rate: Real | None = None,
    dataset_size: int | None = None,
    batch_size: int | None = None,
    epochs: Real | None = None,
    steps: int | None = None,
    sampling: str = "poisson",
) -> float:
    """The least noise multiplier at which a training meets (ε, δ): certified, and rounded up.

    The arguments and their defaults are those of `dp_sgd`; its ε for this noise is at most the target.
    """
    way, rate = _sampling(sampling), _rate(sample_rate, dataset_size, batch_size)
    count = _steps(epochs, steps, rate)

    def plan(noise: Real) -> Composition:
        return planned(noise, rate, count, way)

    goal, delta = EPSILON.check("target_epsilon", target_epsilon), DELTA.check("target_delta", target_delta)
    if not delta and count and rate:
        raise InvalidParameter("target_delta", target_delta, "more than 0: at 0 no Gaussian noise has a finite ε")
    least = calibrate(plan, epsilon=goal, delta=delta).value
    noise = float(least) if Fraction(float(least)) >= Fraction(least) else math.nextafter(float(least), math.inf)
    step = 2.0**-24
    while (
        epsilon(plan(noise), target_delta).upper > target_epsilon
    ):  # so that `dp_sgd` does not report slightly more than the target
        noise, step = noise * (1 + step), 2 * step
    return noise


def _sampling(name: str) -> Sampling:
    if name not in set(Sampling):
        raise InvalidParameter("sampling", name, " or ".join(repr(str(way)) for way in Sampling))
    return Sampling(name)


def _rate(sample_rate: Real | None, dataset_size: int | None, batch_size: int | None) -> Real:
    if sample_rate is not None and batch_size is None:
        return RATE.check("sample_rate", sample_rate)
    if sample_rate is not None or dataset_size is None or batch_size is None:
        raise InvalidParameter("sample_rate", sample_rate, "either sample_rate, or dataset_size and batch_size")
    records, batch = SIZE.check("dataset_size", dataset_size), SIZE.check("batch_size", batch_size)
    if batch > records:
        raise InvalidParameter("batch_size", batch_size, f"at most dataset_size, which is {dataset_size}")
    return Fraction(batch) / Fraction(records)


def _steps(epochs: Real | None, steps: int | None, rate: Real) -> int:
    """The number of steps; an epoch has as many as draw each record once on average, rounded up."""
    if (epochs is None) == (steps is None):
        raise InvalidParameter("epochs, steps", f"{epochs} and {steps}", "exactly one of them")
    if epochs is None:
        return int(COUNT.check("steps", steps))
    if not rate:
        raise InvalidParameter("sample_rate", rate, "more than 0 where epochs are counted")
    return int(COUNT.check("epochs / sample_rate", _whole(Fraction(EPOCHS.check("epochs", epochs)) / Fraction(rate))))


def _whole(number: Fraction) -> int:
    """The number rounded up, unless it is whole up to the rounding of a float: three epochs at 1/240 are 720 steps."""
    near = round(number)
    return near if abs(number - near) <= number / 10**12 else math.ceil(number)


__all__ = ["Sampling", "SamplingMismatch", "Training", "dp_sgd", "noise_multiplier"]
