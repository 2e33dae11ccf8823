"""Which mechanisms a document may name: all that `dpcompose.mechanisms` exports, and Composition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from dpcompose import mechanisms
from dpcompose.description import Composition, Mechanism
from dpcompose.parameters import declared
from dpcompose.spec.fields import Codec, codec, snake, types_in

DOCUMENT_NAMES = {"parts": "items"}
"""Fields whose name in documents differs from that in Python."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a mechanism: its name, its type, and its default."""

    name: str
    codec: Codec
    optional: bool
    default: object
    by_position: bool
    derived: bool

    @property
    def key(self) -> str:
        """Its name in a structured document."""
        return DOCUMENT_NAMES.get(self.name, self.name)

    @property
    def required(self) -> bool:
        """Whether a value must be given."""
        return self.default is MISSING


@dataclass(frozen=True, slots=True)
class MechanismKind:
    """One class of mechanisms."""

    owner: type[Mechanism]
    fields: Mapping[str, Field]

    @property
    def name(self) -> str:
        """Its name in expressions."""
        return self.owner.__name__

    @property
    def key(self) -> str:
        """Its name in structured documents."""
        return snake(self.name)

    @property
    def about(self) -> str:
        """Its description."""
        return (self.owner.__doc__ or "").split("\n\n", maxsplit=1)[0]


class Kinds(Mapping[str, MechanismKind]):
    """Every kind by its name in expressions; a kind is loaded when it is first named."""

    def __init__(self) -> None:
        self._keys, self._known = {snake(name): name for name in self}, dict[str, MechanismKind]()

    def __iter__(self) -> Iterator[str]:
        return iter((*mechanisms.HOMES, Composition.__name__))

    def __len__(self) -> int:
        return len(mechanisms.HOMES) + 1

    def __contains__(self, name: object) -> bool:
        return name in mechanisms.HOMES or name == Composition.__name__

    def __getitem__(self, name: str) -> MechanismKind:
        if name not in self._known:
            if name not in self:
                raise KeyError(name)
            owner = Composition if name == Composition.__name__ else getattr(mechanisms, name)
            self._known[name] = MechanismKind(owner, _fields(owner))
        return self._known[name]

    @property
    def keys_in_documents(self) -> Mapping[str, str]:
        """From names in structured documents to names in expressions."""
        return self._keys


@cache
def kinds() -> Kinds:
    """Every kind, by its name in expressions."""
    return Kinds()


def kind_of(mechanism: Mechanism) -> MechanismKind:
    """The kind of a mechanism."""
    return kinds()[type(mechanism).__name__]


def _fields(owner: type[Any]) -> dict[str, Field]:
    hints, params = get_type_hints(owner, include_extras=True), declared(owner)
    return {
        f.name: Field(
            name=f.name,
            codec=codec(hints[f.name], params.get(f.name)),
            optional=type(None) in types_in(hints[f.name]),
            default=f.default,
            by_position=f.init and not f.kw_only,
            derived=not f.init,
        )
        for f in fields(owner)
    }
