"""From an event of dp_accounting to the mechanism it describes, under one neighbouring relation.

An event bounds the norm of one record's contribution by C and states its noise in units of C. Adding, removing or
blanking a record then moves a sum by C, and replacing one moves it by 2C.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.description import Adjacency, Composition, Mechanism
from dpcompose.errors import DPError
from dpcompose.interop.events import NamedEvent, UnknownEvent, listed
from dpcompose.mechanisms import (
    BlackBox,
    DiscretePair,
    Gaussian,
    Geometric,
    Laplace,
    MixtureOfGaussians,
    NameAndShame,
    RepeatAndSelect,
    Sampled,
    SampledSum,
    SampledWithoutReplacement,
    SampledWithReplacement,
    TreeAggregation,
    TruncatedSample,
)
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import COUNT, exact

NON_PRIVATE = NameAndShame(delta=1)
"""What stands for an event without any promise."""
NOTHING = Composition()
ORDERS = tuple(1 + Fraction(2) ** i for i in range(-10, 11))
"""The orders at which the Rényi curve of (ξ, ρ)-zCDP is tabulated."""
BITS = 80
REPLACE_ONE, ZERO_OUT = Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT


def mechanism_of(event: NamedEvent, relation: Adjacency) -> Mechanism:
    """The mechanism that an event describes; `UnknownEvent` names the innermost event that is unknown."""
    try:
        return READERS.get(event.name, _unknown)(event, relation)
    except UnknownEvent:
        raise
    except DPError as refusal:
        raise UnknownEvent(str(refusal), event.origin) from None


def is_non_private(mechanism: Mechanism) -> bool:
    """Whether an event without any promise is among the parts."""
    return any(leaf == NON_PRIVATE for leaf, _ in Composition(((mechanism, 1),)).leaves())


def _unknown(event: NamedEvent, relation: Adjacency) -> Mechanism:
    raise UnknownEvent(f"{event.name} has no theorem here under {relation.value}.", event.origin)


def _nothing(event: NamedEvent, relation: Adjacency) -> Mechanism:  # noqa: ARG001 - every reader is called alike
    return NOTHING


def _non_private(event: NamedEvent, relation: Adjacency) -> Mechanism:  # noqa: ARG001
    return NON_PRIVATE


def _amount(event: NamedEvent, field: str) -> Real | None:
    """A number from 0 on; None where it is infinite."""
    value = event[field]
    if isinstance(value, float) and math.isinf(value) and value > 0:
        return None
    number = exact(field, value, "a number from 0 on")
    if number < 0:
        raise UnknownEvent(f"{field} = {value!r} is negative.", event.origin)
    return number


def _moved(relation: Adjacency, bound: int = 1) -> int:
    """An upper bound on how far one record moves a sum, in units of the bound on its contribution."""
    return 2 * bound if relation is REPLACE_ONE else bound


def _gaussian(event: NamedEvent, relation: Adjacency) -> Mechanism:
    noise = _amount(event, "noise_multiplier")
    return NOTHING if noise is None else Gaussian(noise_std=noise, sensitivity=_moved(relation), adjacency=relation)


def _laplace(event: NamedEvent, relation: Adjacency) -> Mechanism:
    scale = _amount(event, "noise_multiplier")
    return NOTHING if scale is None else Laplace(scale=scale, sensitivity=_moved(relation), adjacency=relation)


def _discrete_laplace(event: NamedEvent, relation: Adjacency) -> Mechanism:
    """P(z) ∝ e^(−a|z|): a = 0 is no distribution, so it promises nothing; a = ∞ is no noise."""
    decay, shift = _amount(event, "noise_parameter"), _amount(event, "sensitivity")
    if shift is None or int(shift) != shift:
        raise UnknownEvent(f"sensitivity = {event['sensitivity']!r} is no whole number.", event.origin)
    if not shift:
        return NOTHING
    if decay == 0:
        return NON_PRIVATE
    scale = Fraction(0) if decay is None else 1 / Fraction(decay)
    return Geometric(scale=scale, sensitivity=_moved(relation, int(shift)), adjacency=relation)


def _response(event: NamedEvent, relation: Adjacency) -> Mechanism:
    """The answer is the input with probability 1 − p, else any of the k buckets; for a blank input, any of them."""
    noise, buckets = _amount(event, "noise_parameter"), _amount(event, "num_buckets")
    if noise is None or noise > 1 or buckets is None or buckets < 1 or int(buckets) != buckets:
        raise UnknownEvent(
            "Randomized response has a noise parameter from 0 to 1, and at least one bucket.", event.origin
        )
    if relation not in {REPLACE_ONE, ZERO_OUT}:
        raise UnknownEvent("Randomized response has one input, which is replaced or blank, not removed.", event.origin)
    k, other = int(buckets), Fraction(noise) / int(buckets)
    if k == 1 or noise == 1:
        return NOTHING
    same = 1 - (k - 1) * other
    if relation is ZERO_OUT:
        blank = Fraction(1, k)
        return DiscretePair(p=(same, 1 - same), q=(blank, 1 - blank), adjacency=relation)
    rest = ((k - 2) * other,) if k > 2 and other else ()
    return DiscretePair(p=(same, other, *rest), q=(other, same, *rest), adjacency=relation)


def _zcdp(event: NamedEvent, relation: Adjacency) -> Mechanism:
    rho, xi = _amount(event, "rho"), _amount(event, "xi")
    if rho is None or xi is None:
        return NON_PRIVATE
    if not xi:
        return BlackBox(rho=rho, adjacency=relation)
    curve: dict[Real, Real] = {order: Fraction(xi) + Fraction(rho) * order for order in ORDERS}
    return BlackBox(renyi=curve, adjacency=relation)


def _composed(event: NamedEvent, relation: Adjacency) -> Mechanism:
    """All parts as one list, with their counts. A ledger is a list of repeated events, and is read in the same way."""
    parts = [mechanism_of(inner, relation) for inner in event["events"]]
    return Composition(tuple(one for part in parts for one in (getattr(part, "parts", None) or ((part, 1),))))


def _repeated(event: NamedEvent, relation: Adjacency) -> Mechanism:
    inner = mechanism_of(event["event"], relation)
    return inner * int(COUNT.check("count", event["count"]))


def _poisson(event: NamedEvent, relation: Adjacency) -> Mechanism:
    """A Poisson sample: rates of nested samples multiply, and several Gaussians on one sample are fused into one.

    A record that is replaced moves a sum by twice what it adds to it.
    """
    rate = _amount(event, "sampling_probability")
    if rate is None or rate > 1:
        raise UnknownEvent("A sampling probability lies from 0 to 1.", event.origin)
    inner = _alone(mechanism_of(event["event"], relation))
    if not rate or inner == NOTHING or is_non_private(inner):
        return inner if rate else NOTHING
    if isinstance(inner, Sampled | SampledSum):
        return replace(inner, rate=Fraction(rate) * Fraction(inner.rate))
    whole = fused(inner)
    if relation is not REPLACE_ONE:
        return Sampled(whole, rate=rate)
    if not isinstance(whole, Gaussian):
        raise UnknownEvent("Under replace_one only Gaussians have a theorem here on a Poisson sample.", event.origin)
    return SampledSum(whole, rate=rate, contribution=Fraction(whole.sensitivity) / 2)


def _alone(mechanism: Mechanism) -> Mechanism:
    """The only part of a composition, if it runs once; else the composition."""
    if not isinstance(mechanism, Composition):
        return mechanism
    whole = mechanism.flat()
    return whole.parts[0][0] if [count for _, count in whole.parts] == [1] else whole


def _drawn(
    kind: type[SampledWithoutReplacement | SampledWithReplacement],
) -> Callable[[NamedEvent, Adjacency], Mechanism]:
    """A reader for samples of fixed size, of either kind."""

    def read(event: NamedEvent, relation: Adjacency) -> Mechanism:
        if relation is not REPLACE_ONE:
            raise UnknownEvent(f"{event.name} is accounted for under replace_one alone.", event.origin)
        inner = mechanism_of(event["event"], relation)
        if is_non_private(inner):
            return NON_PRIVATE
        return kind(fused(inner), size=event["sample_size"], of=event["source_dataset_size"])

    return read


def _truncated(event: NamedEvent, relation: Adjacency) -> Mechanism:
    if relation is REPLACE_ONE:
        raise UnknownEvent("A truncated sample is about a record that is there or not.", event.origin)
    noise, rate = _amount(event, "noise_multiplier"), _amount(event, "sampling_probability")
    if rate is None or rate > 1:
        raise UnknownEvent("A sampling probability lies from 0 to 1.", event.origin)
    size = int(COUNT.check("dataset_size", event["dataset_size"]))
    if noise is None or not size:
        return NOTHING
    inner = Gaussian(noise_std=noise, adjacency=relation)
    return TruncatedSample(inner, rate=rate, limit=event["truncated_batch_size"], of=size)


def _selected(event: NamedEvent, relation: Adjacency) -> Mechanism:
    inner = mechanism_of(event["event"], relation)
    mean, shape = _amount(event, "mean"), _amount(event, "shape")
    if mean is None or mean < 1:
        raise UnknownEvent("The mean number of repetitions is finite, and at least 1.", event.origin)
    if inner == NOTHING or is_non_private(inner):
        return inner
    return RepeatAndSelect(inner, mean=mean, shape=shape)


def fused(mechanism: Mechanism) -> Mechanism:
    r"""Gaussians on the same data as one Gaussian: $1/\sigma^2 = \sum\Delta_i^2/\sigma_i^2$, σ rounded down."""
    leaves = Composition(((mechanism, 1),)).leaves()
    gaussians = [(leaf, count) for leaf, count in leaves if isinstance(leaf, Gaussian) and leaf.noise_std]
    if len(leaves) == len(gaussians) == 1 and leaves[0][1] == 1:
        return leaves[0][0]
    if not leaves or len(gaussians) < len(leaves):
        return mechanism
    total = sum(n * (Fraction(g.sensitivity) / Fraction(g.noise_std)) ** 2 for g, n in gaussians)
    return Gaussian(noise_std=root_below(1 / total), adjacency=mechanism.adjacency) if total else NOTHING


def root_below(square: Fraction) -> Fraction:
    """√x, exact where it is a fraction, otherwise rounded down to some eighty bits."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if (top * top, bottom * bottom) == (square.numerator, square.denominator):
        return Fraction(top, bottom)
    shift = max(0, BITS + (square.denominator.bit_length() - square.numerator.bit_length()) // 2)
    return Fraction(math.isqrt(square.numerator * 4**shift // square.denominator), 2**shift)


def _mixture(event: NamedEvent, relation: Adjacency) -> Mechanism:
    noise = _amount(event, "standard_deviation")
    if relation is REPLACE_ONE:
        raise UnknownEvent("A mixture of Gaussians is about a record that is there or not.", event.origin)
    if noise is None:
        return NOTHING
    shifts, chances = (tuple(listed(event[field], event.origin)) for field in ("sensitivities", "sampling_probs"))
    return MixtureOfGaussians(noise_std=noise, sensitivities=shifts, probabilities=chances, adjacency=relation)


def _tree(event: NamedEvent, relation: Adjacency) -> Mechanism:
    """A record is in one step of one of the trees, so the deepest tree counts."""
    noise, counts = _amount(event, "noise_multiplier"), event["step_counts"]
    if relation not in {REPLACE_ONE, ZERO_OUT}:
        raise UnknownEvent("In a tree a record is replaced or blank: removed, it would move the others.", event.origin)
    steps = [int(COUNT.check("step_counts", n)) for n in (counts if isinstance(counts, list | tuple) else [counts])]
    most = max(steps, default=0)
    if noise is None or not most:
        return NOTHING
    return TreeAggregation(noise_std=noise, steps=most, sensitivity=_moved(relation), adjacency=relation)


READERS: Mapping[str, Callable[[NamedEvent, Adjacency], Mechanism]] = {
    "NoOpDpEvent": _nothing,
    "NonPrivateDpEvent": _non_private,
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _response,
    "ZCDpEvent": _zcdp,
    "ComposedDpEvent": _composed,
    "SelfComposedDpEvent": _repeated,
    "PoissonSampledDpEvent": _poisson,
    "SampledWithoutReplacementDpEvent": _drawn(SampledWithoutReplacement),
    "SampledWithReplacementDpEvent": _drawn(SampledWithReplacement),
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "RepeatAndSelectDpEvent": _selected,
    "MixtureOfGaussiansDpEvent": _mixture,
    "SingleEpochTreeAggregationDpEvent": _tree,
}
"""The reader of each event; an event without one is unknown."""

__all__ = ["NON_PRIVATE", "NOTHING", "fused", "is_non_private", "mechanism_of", "root_below"]
