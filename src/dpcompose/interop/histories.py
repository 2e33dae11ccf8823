"""The histories of Opacus: (noise multiplier, sample rate, steps) for every stretch of a training."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dpcompose.description import Adjacency, Composition, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.interop.writing import NotSayable, above, below
from dpcompose.mechanisms import Gaussian, Sampled
from dpcompose.parameters import COUNT, exact

History = list[tuple[float, float, int]]
TRIPLES = "a list of (noise multiplier, sample rate, steps)"


def mechanism_of(history: object) -> Composition:
    """The mechanism of a history: Gaussians on Poisson samples, under adding or removing a record. A rate above 1
    counts as 1.
    """
    if not isinstance(history, Iterable) or isinstance(history, str | bytes):
        raise InvalidParameter("history", history, TRIPLES)
    return Composition(tuple(_stretch(entry) for entry in history))


def _stretch(entry: object) -> tuple[Mechanism, int]:
    if not isinstance(entry, Sequence) or isinstance(entry, str | bytes) or len(entry) != 3:
        raise InvalidParameter("history", entry, TRIPLES)
    noise, rate, steps = entry
    share = min(exact("sample_rate", rate, "a number from 0 on"), 1)
    step = Sampled(Gaussian(noise_std=noise), rate=share)
    return step, int(COUNT.check("steps", steps))


def history_of(mechanism: Mechanism) -> History:
    """The history that describes a mechanism, its numbers rounded towards the larger loss."""
    return [_said(leaf, count) for leaf, count in Composition(((mechanism, 1),)).leaves()]


def _said(leaf: Mechanism, count: int) -> tuple[float, float, int]:
    inner, rate = (leaf.mechanism, leaf.rate) if isinstance(leaf, Sampled) else (leaf, 1)
    if inner.adjacency is Adjacency.REPLACE_ONE:
        raise NotSayable("A history of Opacus is about a record that is added or removed, not replaced.")
    if not isinstance(inner, Gaussian) or not inner.sensitivity:
        raise NotSayable(f"A history of Opacus holds Gaussians on Poisson samples, and no {type(inner).__name__}.")
    return below(Fraction(inner.noise_std) / Fraction(inner.sensitivity)), above(rate), count


__all__ = ["History", "history_of", "mechanism_of"]
