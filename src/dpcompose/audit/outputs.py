"""Outputs of a mechanism: checked, and split into one half to choose an event on and one to count it on."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcompose.audit.events import Numbers, Outputs
from dpcompose.errors import InvalidParameter

Score = Callable[[Any], float]
MOST = 10**9


@dataclass(frozen=True, slots=True)
class OutputPair:
    """Outputs on an input and on its neighbour: either numbers or outcomes."""

    first: Outputs
    second: Outputs

    @property
    def numeric(self) -> bool:
        """Whether outputs are numbers, so that thresholds can be used."""
        return isinstance(self.first, np.ndarray)

    def halves(self) -> tuple[OutputPair, OutputPair]:
        """Two pairs that share no output.

        The positions of each half are fixed by the number of outputs alone, and scattered, so that neither half
        knows more about the other when a file lists the outputs in rising order, as alternating positions would.
        Outputs at the same position stay together, in case they were drawn as pairs.
        """
        (a, b), (c, d) = _halved(self.first), _halved(self.second)
        return OutputPair(a, c), OutputPair(b, d)


def paired(first: Iterable[Any], second: Iterable[Any], score: Score | None = None) -> OutputPair:
    """Read outputs on two neighbouring inputs: numbers, hashable outcomes, or anything that `score` makes a number."""
    values = [_listed(name, side) for name, side in (("first", first), ("second", second))]
    if score is not None:
        return OutputPair(*(_scored(name, side, score) for name, side in zip(("first", "second"), values, strict=True)))
    kinds = {kind for side in values for kind in _kinds(side)}
    if all(issubclass(kind, numbers.Real | np.bool_) for kind in kinds):
        return OutputPair(_numbers("first", values[0]), _numbers("second", values[1]))
    return OutputPair(_outcomes("first", values[0]), _outcomes("second", values[1]))


def _listed(name: str, values: Iterable[Any]) -> Sequence[Any] | NDArray[Any]:
    if isinstance(values, np.ndarray) and values.ndim != 1:
        shape = f"an array of shape {values.shape}"
        raise InvalidParameter(name, shape, "a sequence of outputs; for vectors, give a score that makes each a number")
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidParameter(name, values, "a sequence of outputs")
    listed = values if isinstance(values, np.ndarray) else list(values)
    if len(listed) < 2:
        raise InvalidParameter(name, listed, "at least two outputs")
    if len(listed) > MOST:
        raise InvalidParameter(name, f"{len(listed)} outputs", f"at most {MOST:g}")
    return listed


def _kinds(side: Sequence[Any] | NDArray[Any]) -> set[type[Any]]:
    if isinstance(side, np.ndarray) and side.dtype != object:
        return {side.dtype.type}
    return set(map(type, side))


def _numbers(name: str, side: Sequence[Any] | NDArray[Any]) -> Numbers:
    try:
        found = np.array([float(x) for x in side] if not isinstance(side, np.ndarray) else side, dtype=np.float64)
    except OverflowError:
        raise InvalidParameter(name, "an output", "numbers that a float can hold") from None
    bad = np.flatnonzero(np.isnan(found))
    if bad.size:
        raise InvalidParameter(f"{name}[{bad[0]}]", float("nan"), "a number")
    return found


def _scored(name: str, side: Iterable[Any], score: Score) -> Numbers:
    scores = [score(output) for output in side]
    for i, value in enumerate(scores):
        if not isinstance(value, numbers.Real | np.bool_):
            raise InvalidParameter(f"score({name}[{i}])", value, "a number")
    return _numbers(name, scores)


def _outcomes(name: str, side: Sequence[Any] | NDArray[Any]) -> Sequence[Hashable]:
    listed = side.tolist() if isinstance(side, np.ndarray) else side
    for i, outcome in enumerate(listed):
        try:
            hash(outcome)
        except TypeError:
            expected = "a number or a hashable outcome; for vectors, give a score that makes each a number"
            raise InvalidParameter(f"{name}[{i}]", outcome, expected) from None
        if outcome != outcome:  # noqa: PLR0124 - only NaN and its kin differ from themselves
            raise InvalidParameter(f"{name}[{i}]", outcome, "an outcome that equals itself")
    return [outcome.item() if isinstance(outcome, np.generic) else outcome for outcome in listed]


def _halved(side: Outputs) -> tuple[Outputs, Outputs]:
    order = scattered(len(side))
    chosen = order[: len(side) // 2], order[len(side) // 2 :]
    if isinstance(side, np.ndarray):
        return side[chosen[0]], side[chosen[1]]
    return [side[i] for i in chosen[0]], [side[i] for i in chosen[1]]


def scattered(count: int) -> NDArray[np.int64]:
    """The positions 0..count-1 in a fixed pseudo-random order: sorted by a hash (Steele's splitmix64)."""
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return np.argsort(x ^ (x >> np.uint64(31)), kind="stable").astype(np.int64)


__all__ = ["OutputPair", "Score", "paired", "scattered"]
