"""From a mechanism to the event of dp_accounting that describes it, where there is one.

A number that is no float is rounded towards the larger loss; a mechanism that no event describes is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.description import Adjacency, Composition, Mechanism
from dpcompose.errors import DPError
from dpcompose.interop.events import NamedEvent
from dpcompose.mechanisms import (
    BlackBox,
    DiscretePair,
    Gaussian,
    Geometric,
    Laplace,
    MixtureOfGaussians,
    NameAndShame,
    RandomizedResponse,
    RepeatAndSelect,
    Sampled,
    SampledSum,
    SampledWithoutReplacement,
    SampledWithReplacement,
    TreeAggregation,
    TruncatedSample,
)
from dpcompose.numerics.enclosure import Real, ball, enclose


class NotSayable(DPError):
    """A mechanism that no event describes."""


def event_of(mechanism: Mechanism) -> NamedEvent:
    """The event of a mechanism; its norm bound is 1, and noise is in units of it."""
    write = WRITERS.get(type(mechanism))
    if write is None:
        raise NotSayable(f"No event of dp_accounting says {type(mechanism).__name__}.")
    return write(mechanism)


def below(value: Real) -> float:
    """The greatest float that is at most this number."""
    near = float(value)
    return near if Fraction(near) <= Fraction(value) else math.nextafter(near, -math.inf)


def above(value: Real) -> float:
    """The least float that is at least this number."""
    return -below(-Fraction(value))


def _multiplier(noise: Real, shift: Real, relation: Adjacency | None) -> float:
    """The noise in units of the bound on one record's contribution."""
    if not shift:
        return math.inf
    return below(Fraction(noise) / Fraction(shift) * (2 if relation is Adjacency.REPLACE_ONE else 1))


def _gaussian(m: Gaussian) -> NamedEvent:
    return NamedEvent("GaussianDpEvent", {"noise_multiplier": _multiplier(m.noise_std, m.sensitivity, m.adjacency)})


def _laplace(m: Laplace) -> NamedEvent:
    return NamedEvent("LaplaceDpEvent", {"noise_multiplier": _multiplier(m.scale, m.sensitivity, m.adjacency)})


def _geometric(m: Geometric) -> NamedEvent:
    bound, odd = divmod(m.sensitivity, 2 if m.adjacency is Adjacency.REPLACE_ONE else 1)
    decay = above(1 / Fraction(m.scale)) if m.scale else math.inf
    return NamedEvent("DiscreteLaplaceDpEvent", {"noise_parameter": decay, "sensitivity": bound + odd})


def _response(m: RandomizedResponse) -> NamedEvent:
    r"""$p = n/(e^\varepsilon+n-1)$, rounded down."""
    _replaced(m)
    n = m.categories
    noise = enclose(lambda: n / (ball(m.epsilon).exp() + n - 1)).lower
    return NamedEvent("RandomizedResponseDpEvent", {"noise_parameter": max(noise, 0.0), "num_buckets": n})


def _pair(m: DiscretePair) -> NamedEvent:
    """The event of a pair that is a randomized response: two probabilities swapped, or one input against any bucket."""
    p, q = (tuple(Fraction(x) for x in law) for law in (m.p, m.q))
    if m.adjacency is Adjacency.REPLACE_ONE and p[:2] == q[1::-1] and p[2:] == q[2:] and len(p) <= 3 and p[0] >= p[1]:
        k = Fraction(2) if len(p) == 2 else 2 + p[2] / p[1] if p[1] else Fraction(1, 2)
        noise = k * p[1]
    elif m.adjacency is Adjacency.ZERO_OUT and len(p) == 2 and 0 < q[0] < 1:
        k = 1 / q[0]
        noise = p[1] / (1 - q[0])
    else:
        k, noise = Fraction(1, 2), Fraction(0)
    if k.denominator != 1 or not 0 <= noise <= 1:
        raise NotSayable("No event of dp_accounting says this DiscretePair: it is not randomized response.")
    return NamedEvent("RandomizedResponseDpEvent", {"noise_parameter": below(noise), "num_buckets": int(k)})


def _replaced(m: RandomizedResponse) -> None:
    if m.adjacency not in {None, Adjacency.REPLACE_ONE}:
        raise NotSayable("No event of dp_accounting says RandomizedResponse unless its input is replaced.")


def _black_box(m: BlackBox) -> NamedEvent:
    if m.rho is not None and not m.delta:
        return NamedEvent("ZCDpEvent", {"rho": above(m.rho), "xi": 0.0})
    if m.mu is not None:
        noise = math.inf if not m.mu else below(1 / Fraction(m.mu) * (2 if m.adjacency is Adjacency.REPLACE_ONE else 1))
        return NamedEvent("GaussianDpEvent", {"noise_multiplier": noise})
    raise NotSayable("No event of dp_accounting 0.6 says a BlackBox, unless it is known by ρ or μ.")


def _name_and_shame(m: NameAndShame) -> NamedEvent:
    if m.delta not in {0, 1}:
        raise NotSayable("No event of dp_accounting says NameAndShame, unless its δ is 0 or 1.")
    return NamedEvent("NonPrivateDpEvent" if m.delta else "NoOpDpEvent", {})


def _sampled(m: Sampled) -> NamedEvent:
    return NamedEvent("PoissonSampledDpEvent", {"sampling_probability": above(m.rate), "event": event_of(m.mechanism)})


def _sampled_sum(m: SampledSum) -> NamedEvent:
    """The event lets a replaced record move a sum by 2C; C is the contribution or, if greater, half that move."""
    bound = max(Fraction(m.contribution), Fraction(m.moved) / 2)
    noise = below(Fraction(m.gaussian.noise_std) / bound) if bound else math.inf
    inner = NamedEvent("GaussianDpEvent", {"noise_multiplier": noise})
    return NamedEvent("PoissonSampledDpEvent", {"sampling_probability": above(m.rate), "event": inner})


def _truncated(m: TruncatedSample) -> NamedEvent:
    if not isinstance(m.mechanism, Gaussian):
        raise NotSayable("No event of dp_accounting says a TruncatedSample, unless a Gaussian is inside.")
    fields = {
        "dataset_size": m.of,
        "sampling_probability": above(m.rate),
        "truncated_batch_size": m.limit,
        "noise_multiplier": _multiplier(m.mechanism.noise_std, m.mechanism.sensitivity, m.adjacency),
    }
    return NamedEvent("TruncatedSubsampledGaussianDpEvent", fields)


def _selected(m: RepeatAndSelect) -> NamedEvent:
    if m.mean < 1:
        raise NotSayable("No event of dp_accounting says RepeatAndSelect with less than one run on average.")
    if m.shape is not None and Fraction(float(m.shape)) != Fraction(m.shape):
        raise NotSayable("No event of dp_accounting says a shape that is no float.")
    shape = math.inf if m.shape is None else float(m.shape)
    return NamedEvent("RepeatAndSelectDpEvent", {"event": event_of(m.mechanism), "mean": above(m.mean), "shape": shape})


def _drawn(m: SampledWithoutReplacement | SampledWithReplacement) -> NamedEvent:
    fields = {"source_dataset_size": m.of, "sample_size": m.size, "event": event_of(m.mechanism)}
    return NamedEvent(f"{type(m).__name__}DpEvent", fields)


def _composition(m: Composition) -> NamedEvent:
    parts = [(event_of(part), count) for part, count in m.parts if count]
    said = [event if n == 1 else NamedEvent("SelfComposedDpEvent", {"event": event, "count": n}) for event, n in parts]
    if not said:
        return NamedEvent("NoOpDpEvent", {})
    return said[0] if len(said) == 1 else NamedEvent("ComposedDpEvent", {"events": said})


def _mixture(m: MixtureOfGaussians) -> NamedEvent:
    chances = [float(p) for p in m.probabilities]
    if [Fraction(p) for p in chances] != [Fraction(p) for p in m.probabilities]:
        raise NotSayable("No event of dp_accounting says probabilities that are not floats.")
    shifts = [above(c) for c in m.sensitivities]
    fields = {"standard_deviation": below(m.noise_std), "sensitivities": shifts, "sampling_probs": chances}
    return NamedEvent("MixtureOfGaussiansDpEvent", fields)


def _tree(m: TreeAggregation) -> NamedEvent:
    noise = _multiplier(m.noise_std, m.sensitivity, m.adjacency)
    return NamedEvent("SingleEpochTreeAggregationDpEvent", {"noise_multiplier": noise, "step_counts": m.steps})


WRITERS: Mapping[type[Mechanism], Callable[[Any], NamedEvent]] = {
    Gaussian: _gaussian,
    Laplace: _laplace,
    Geometric: _geometric,
    RandomizedResponse: _response,
    DiscretePair: _pair,
    BlackBox: _black_box,
    NameAndShame: _name_and_shame,
    Sampled: _sampled,
    SampledSum: _sampled_sum,
    SampledWithoutReplacement: _drawn,
    SampledWithReplacement: _drawn,
    TruncatedSample: _truncated,
    RepeatAndSelect: _selected,
    MixtureOfGaussians: _mixture,
    TreeAggregation: _tree,
    Composition: _composition,
}
"""The writer of each mechanism; a mechanism without one is refused."""

__all__ = ["NotSayable", "above", "below", "event_of"]
