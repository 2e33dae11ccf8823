"""Which slots of a plan a request takes, by the verifier's own reading of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpcompose import spec
from dpcompose.errors import DPError
from dpcompose.prove.answer import epsilon as least_epsilon

SCALES = {"laplace": "scale", "gaussian": "noise_std"}


def taken(document: Mapping[str, Any], slots: Sequence[Mapping[str, Any]]) -> list[int] | None:
    """How many runs of each slot a request takes; None if a part fits no slot."""
    found = [0] * len(slots)
    for part, count in _parts(document, 1):
        place = next((i for i, slot in enumerate(slots) if _covers(slot["mechanism"], part)), None)
        if place is None:
            return None
        found[place] += count
    return found


def _parts(document: Mapping[str, Any], times: int) -> list[tuple[Mapping[str, Any], int]]:
    if document["kind"] != "composition":
        return [(document, times)]
    return [part for item in document["items"] for part in _parts(item, times * int(item["count"]))]


def _covers(slot: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    ignored = {"schema", "count"}
    bare, announced = ({k: v for k, v in d.items() if k not in ignored} for d in (part, slot))
    if bare == announced:
        return True
    if announced.get("adjacency") and bare.get("adjacency") and announced["adjacency"] != bare["adjacency"]:
        return False
    if announced["kind"] == "black_box":
        return _keeps(announced, bare)
    scale = SCALES.get(announced["kind"])
    return bool(scale) and bare["kind"] == announced["kind"] and _shift(bare, scale) <= _shift(announced, scale)


def _shift(document: Mapping[str, Any], scale: str | None) -> Fraction:
    return Fraction(document["sensitivity"]) / Fraction(document[str(scale)])


def _keeps(promise: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    """Whether a part keeps a slot's promised (ε, δ), by the library's engine, or its promised μ, by its noise."""
    if "mu" in promise:
        return part["kind"] == "gaussian" and _shift(part, "noise_std") <= Fraction(promise["mu"])
    if "epsilon" not in promise:
        return False
    try:
        found = least_epsilon(spec.from_document({**part, "schema": spec.SCHEMA}), Fraction(promise["delta"]), 1e-9)
    except DPError:
        return False
    return found.upper <= Fraction(promise["epsilon"])


__all__ = ["taken"]
