"""The events of dp_accounting as plain trees: a name from a fixed list, and the fields of that name.

dp_accounting itself is not needed here. A name that is not on the list is refused, never looked up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcompose.errors import DPError, InvalidDocument

MODULE = "dp_accounting.dp_event"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "NoOpDpEvent": (),
    "NonPrivateDpEvent": (),
    "UnsupportedDpEvent": (),
    "RandomizedResponseDpEvent": ("noise_parameter", "num_buckets"),
    "GaussianDpEvent": ("noise_multiplier",),
    "LaplaceDpEvent": ("noise_multiplier",),
    "DiscreteLaplaceDpEvent": ("noise_parameter", "sensitivity"),
    "SelfComposedDpEvent": ("event", "count"),
    "ComposedDpEvent": ("events",),
    "PoissonSampledDpEvent": ("sampling_probability", "event"),
    "SampledWithReplacementDpEvent": ("source_dataset_size", "sample_size", "event"),
    "SampledWithoutReplacementDpEvent": ("source_dataset_size", "sample_size", "event"),
    "SingleEpochTreeAggregationDpEvent": ("noise_multiplier", "step_counts"),
    "RepeatAndSelectDpEvent": ("event", "mean", "shape"),
    "MixtureOfGaussiansDpEvent": ("standard_deviation", "sensitivities", "sampling_probs"),
    "ZCDpEvent": ("rho", "xi"),
    "TruncatedSubsampledGaussianDpEvent": (
        "dataset_size",
        "sampling_probability",
        "truncated_batch_size",
        "noise_multiplier",
    ),
}
"""Every event of dp_accounting 0.6, with its fields in order."""
MOST_DEPTH = 100


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """An event by name; `origin` is the object it was read from, which a refusal shows."""

    name: str
    fields: Mapping[str, Any]
    origin: object = None

    def __getitem__(self, field: str) -> Any:
        return self.fields[field]


class UnknownEvent(DPError):
    """An event, or one inside it, that has no meaning here."""

    def __init__(self, sentence: str, origin: object) -> None:
        """State the reason, and keep the event that is refused."""
        super().__init__(sentence)
        self.origin = origin


def from_object(event: object, known: Mapping[type, str], depth: int = 0) -> NamedEvent:
    """The tree of an event object. Its class must be in the list; a subclass may mean something else and is refused."""
    name = known.get(type(event))
    if name is None:
        raise UnknownEvent(f"{type(event).__name__[:60]} is no event of {MODULE} 0.6, and no other is believed.", event)
    _not_too_deep(depth, event)
    values = {field: getattr(event, field) for field in FIELDS[name]}
    if "event" in values:
        values["event"] = from_object(values["event"], known, depth + 1)
    if "events" in values:
        values["events"] = [from_object(inner, known, depth + 1) for inner in listed(values["events"], event)]
    return NamedEvent(name, values, event)


def to_object(event: NamedEvent, classes: Mapping[str, type]) -> Any:
    """The event object of a tree."""
    values = dict(event.fields)
    if "event" in values:
        values["event"] = to_object(values["event"], classes)
    if "events" in values:
        values["events"] = [to_object(inner, classes) for inner in values["events"]]
    return classes[event.name](**values)


def from_plain(said: object, depth: int = 0) -> NamedEvent:
    """The tree of a named tuple that was written as JSON: `{"class_name": "GaussianDpEvent", …}`."""
    if not isinstance(said, Mapping) or not isinstance(said.get("class_name"), str):
        raise InvalidDocument('An event of dp_accounting is a table with a "class_name".')
    name, module = said["class_name"], said.get("module_name", MODULE)
    if module != MODULE or name not in FIELDS:
        raise InvalidDocument(
            f"There is no event {f'{module}.{name}'[:80]!r} on the list of {MODULE}; nothing was imported."
        )
    _not_too_deep(depth, said)
    given = {key: value for key, value in said.items() if key not in {"class_name", "module_name"}}
    if name == "ZCDpEvent":
        given = {"xi": 0.0, **given}
    if set(given) != set(FIELDS[name]):
        raise InvalidDocument(f"{name} has the fields {', '.join(FIELDS[name]) or 'none'}, not {', '.join(given)}.")
    if "event" in given:
        given["event"] = from_plain(given["event"], depth + 1)
    if "events" in given:
        given["events"] = [from_plain(inner, depth + 1) for inner in listed(given["events"], said)]
    return NamedEvent(name, given, said)


def to_plain(event: NamedEvent) -> dict[str, object]:
    """The dictionary from which JSON is written."""
    values = dict(event.fields)
    if "event" in values:
        values["event"] = to_plain(values["event"])
    if "events" in values:
        values["events"] = [to_plain(inner) for inner in values["events"]]
    return {"module_name": MODULE, "class_name": event.name, **values}


def listed(value: object, origin: object) -> Sequence[Any]:
    """A list; texts are refused."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise UnknownEvent("Composed events stand in a list.", origin)
    return value


def _not_too_deep(depth: int, origin: object) -> None:
    if depth > MOST_DEPTH:
        raise UnknownEvent(f"Events nest at most {MOST_DEPTH} deep.", origin)


__all__ = [
    "FIELDS",
    "MODULE",
    "NamedEvent",
    "UnknownEvent",
    "from_object",
    "from_plain",
    "listed",
    "to_object",
    "to_plain",
]
