"""What was run: a mechanism is a frozen description, and a composition is a list of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from importlib import import_module
from typing import TypeAlias

from dpcompose.errors import AdjacencyMismatch, InvalidParameter
from dpcompose.notions import ZCDP, Guarantee
from dpcompose.parameters import COUNT, declared, optional
from dpcompose.shown import Written

MOST_RUNS = int(COUNT.high)
READER = "dpcompose.spec"
"""The module that reads and writes documents; it is above this one, so it is imported by name, when needed."""


class Adjacency(Enum):
    """Which two inputs count as neighbours."""

    ADD_REMOVE = "add_remove"
    REPLACE_ONE = "replace_one"
    ZERO_OUT = "zero_out"
    """One record is blank in one of the inputs: it is drawn and counted like any other, and adds nothing."""


class Adaptivity(IntEnum):
    """What may depend on earlier outputs: nothing, the queries, or also parameters and the stopping time.

    A fully adaptive composition states a cap: sums fixed in advance, and the guarantee of whoever stays below them on
    every path. It is no account of one path; a running bound is an odometer.
    """

    FIXED = 0
    ADAPTIVE = 1
    FULLY_ADAPTIVE = 2


class Mechanism(Written):
    """A description of what was run: frozen, exact, and without arithmetic."""

    __slots__ = ()
    adjacency: Adjacency | None
    """The relation under which sensitivities are stated; None fits either."""

    def __post_init__(self) -> None:
        for name, param in declared(type(self)).items():
            value = getattr(self, name)
            if value is not None or name not in optional(type(self)):
                object.__setattr__(self, name, param.check(name, value))
        if not isinstance(self.adjacency, Adjacency | None):
            raise InvalidParameter("adjacency", self.adjacency, "ADD_REMOVE, REPLACE_ONE or ZERO_OUT")

    def __add__(self, other: Mechanism) -> Composition:
        return Composition(((self, 1),)) + other

    def __radd__(self, other: int) -> Mechanism:
        """Let `sum([...])` start from its 0."""
        return self if other == 0 else NotImplemented

    def __mul__(self, count: int) -> Composition:
        return Composition(((self, count),))

    __rmul__ = __mul__

    def __init_subclass__(cls) -> None:
        """Keep `Mechanism`'s own `__repr__`, where a dataclass would write another."""
        if "__repr__" not in vars(cls):
            cls.__repr__ = Mechanism.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Its document, which reads back as an equal mechanism."""
        try:
            return str(import_module(READER).dumps(self))
        except KeyError:  # a kind that is defined elsewhere has no document
            return object.__repr__(self)


Subject: TypeAlias = Mechanism | str
"""What a question is about: a mechanism, or the text of its document, such as `30 * Laplace(scale=10)`."""


def described(subject: object, name: str = "mechanism") -> Mechanism:
    """The mechanism itself, or that in a text, which is read as a document and never taken for the name of a file."""
    meant = import_module(READER).loads(subject) if isinstance(subject, str) else subject
    if not isinstance(meant, Mechanism):
        raise InvalidParameter(name, meant, "a mechanism such as Gaussian(noise_std=2), or its text")
    return meant


class Wrapper(Mechanism):
    """A mechanism around another one."""

    __slots__ = ()
    mechanism: Mechanism

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "a mechanism")
        if isinstance(self.mechanism, Composition):
            inner = self.mechanism.flat()  # its own relation stays, so that one that does not fit is refused
            object.__setattr__(self, "mechanism", inner.adopting(inner.adjacency or self.adjacency))
        Mechanism.__post_init__(self)


@dataclass(frozen=True, slots=True)
class Composition(Mechanism):
    """Several mechanisms on the same data, each with the number of times it runs."""

    parts: tuple[tuple[Mechanism, int], ...] = ()
    adaptivity: Adaptivity = Adaptivity.ADAPTIVE
    filter: type[Guarantee] | None = None
    """The one notion whose sum is capped when parameters too depend on outputs; by default zCDP."""
    adjacency: Adjacency | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.adaptivity, Adaptivity):
            raise InvalidParameter("adaptivity", self.adaptivity, "FIXED, ADAPTIVE or FULLY_ADAPTIVE")
        if not isinstance(self.parts, Iterable):
            raise InvalidParameter("parts", self.parts, "mechanisms, or pairs of a mechanism and a count")
        pairs = tuple(part if isinstance(part, tuple) else (part, 1) for part in self.parts)
        for pair in pairs:
            if len(pair) != 2 or not isinstance(pair[0], Mechanism):
                raise InvalidParameter("parts", pair, "mechanisms, or pairs of a mechanism and a count")
        parts = tuple((part, int(COUNT.check("count", count))) for part, count in pairs)
        inner = [part for part, _ in parts if isinstance(part, Composition)]
        mode = max([self.adaptivity, *(part.adaptivity for part in inner)])
        filters = {f for f in (self.filter, *(part.filter for part in inner)) if f is not None}
        if len(filters) > 1:
            raise InvalidParameter("filter", [f.__name__ for f in filters], "one filter throughout")
        if filters and mode is not Adaptivity.FULLY_ADAPTIVE:
            raise InvalidParameter("filter", self.filter, "a filter only where adaptivity is FULLY_ADAPTIVE")
        chosen = next(iter(filters), ZCDP) if mode is Adaptivity.FULLY_ADAPTIVE else None
        self._become(parts, mode, chosen, common_adjacency(part.adjacency for part, _ in parts))

    def _become(self, *values: object) -> None:
        for name, value in zip(("parts", "adaptivity", "filter", "adjacency"), values, strict=True):
            object.__setattr__(self, name, value)

    def __add__(self, other: Mechanism) -> Composition:
        """Append a part, without checking the existing parts again."""
        if not isinstance(other, Mechanism):
            return NotImplemented
        joined = other if isinstance(other, Composition) else Composition(((other, 1),))
        filters = {f for f in (self.filter, joined.filter) if f is not None}
        if len(filters) > 1:
            raise InvalidParameter("filter", joined.filter, "the same filter in both compositions")
        whole = Composition((), max(self.adaptivity, joined.adaptivity), *filters)
        relation = common_adjacency((self.adjacency, joined.adjacency))
        whole._become(self.parts + joined.parts, whole.adaptivity, whole.filter, relation)
        return whole

    def flat(self) -> Composition:
        """The same composition as one list in which each different mechanism stands once."""
        whole, leaves = Composition((), self.adaptivity, self.filter), self.leaves()
        relation = self.adjacency if leaves else None  # nothing fits every relation
        whole._become(leaves, self.adaptivity, self.filter, relation)
        return whole.adopting(relation)

    def adopting(self, relation: Adjacency | None) -> Composition:
        """The same composition under this relation, which parts that fit any relation adopt."""
        inside = any(isinstance(part, Wrapper) and part.adjacency is None for part, _ in self.parts)
        if relation is None or (self.adjacency is relation and not inside):
            return self
        whole = Composition((), self.adaptivity, self.filter)
        parts = tuple((_adopting(part, relation), count) for part, count in self.parts)
        whole._become(parts, self.adaptivity, self.filter, relation)
        return whole

    def leaves(self) -> tuple[tuple[Mechanism, int], ...]:
        """All mechanisms inside, flattened: each different one once, with its total count."""
        total: dict[Mechanism, int] = {}
        pending = [(self.parts, 1)]
        while pending:
            parts, times = pending.pop()
            for part, count in parts:
                if isinstance(part, Composition):
                    pending.append((part.parts, times * count))
                elif times * count:
                    total[part] = total.get(part, 0) + times * count
        if sum(total.values()) > MOST_RUNS:
            raise InvalidParameter("count", sum(total.values()), f"at most {MOST_RUNS:g} runs in all")
        return tuple(total.items())


def _adopting(part: Mechanism, relation: Adjacency) -> Mechanism:
    """A part with the relation given to every composition inside that has none of its own."""
    if isinstance(part, Composition):
        return part.adopting(relation)
    if not isinstance(part, Wrapper) or part.adjacency is not None:
        return part
    inner = _adopting(part.mechanism, relation)
    return part if inner is part.mechanism else replace(part, mechanism=inner)  # type: ignore[type-var]  # a dataclass


def common_adjacency(relations: Iterable[Adjacency | None]) -> Adjacency | None:
    """The one relation all parts share; None when every part fits either."""
    named = {relation for relation in relations if relation is not None}
    if len(named) > 1:
        shown = " and ".join(sorted(relation.value for relation in named))
        raise AdjacencyMismatch(
            f"The parts use different neighbouring relations ({shown}): state every sensitivity under one of them."
        )
    return named.pop() if named else None


def adaptivity_of(subject: Mechanism) -> Adaptivity:
    """What may depend on earlier outputs; a single mechanism has none."""
    return subject.adaptivity if isinstance(subject, Composition) else Adaptivity.FIXED


ADD_REMOVE, REPLACE_ONE, ZERO_OUT = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT
FIXED, ADAPTIVE, FULLY_ADAPTIVE = Adaptivity.FIXED, Adaptivity.ADAPTIVE, Adaptivity.FULLY_ADAPTIVE
