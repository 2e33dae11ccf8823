"""The trusted core: only applying a `Theorem` makes a `Claim`, and every number rests on claims.

*subject ⊢ guarantee, by theorem, from premises.* Reports, citations, explanations and proofs kept
for later all read the same lineage.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from functools import cached_property
from typing import Any, Generic

from dpcompose.description import Adaptivity, Adjacency, Composition, Mechanism, adaptivity_of
from dpcompose.errors import Contradiction, Declined
from dpcompose.index import Late, Types, begins_with, is_foretold, rows, types_of
from dpcompose.notions import Guarantee
from dpcompose.parts import Each, G, Parts, SameAs, faced
from dpcompose.sources import BY_KEY, Source


class Side(Flag):
    """Which end of an enclosure a claim supports."""

    UPPER = auto()
    LOWER = auto()
    BOTH = UPPER | LOWER


class Verb(Enum):
    """What a theorem's premises are."""

    DESCRIBES = "describes"
    IMPLIES = "implies"
    COMPOSES = "composes"


@dataclass(frozen=True)
class Theorem:
    """A statement (its docstring) with a proof that runs, a source and the conditions of its use."""

    id: str
    verb: Verb
    source: Source
    proof: Callable[..., Guarantee]
    side: Side = Side.UPPER
    adaptivity: Adaptivity = Adaptivity.ADAPTIVE
    relations: frozenset[Adjacency] = frozenset(Adjacency)
    cost: int = 1
    aliases: tuple[str, ...] = ()
    surpassed: bool = False
    """Whether another theorem says at least as much from the same premises: then comparisons alone ask it."""

    @cached_property
    def types(self) -> Types | tuple[type[Any], ...]:
        """The premise types, then the conclusion, read off the proof's annotations."""
        return types_of(self.proof)

    @property
    def statement(self) -> str:
        """What the theorem says."""
        return inspect.getdoc(self.proof.read if isinstance(self.proof, Late) else self.proof) or ""

    def __call__(
        self, subject: Mechanism, premises: Sequence[Claim[Any]] = (), counts: Sequence[int] = ()
    ) -> Claim[Any]:
        """Conclude something about `subject`, or raise `Declined`."""
        if subject.adjacency is not None and subject.adjacency not in self.relations:
            raise Declined(f"not valid under {subject.adjacency.value}")
        held = tuple(claim.guarantee for claim in premises)
        each = held[0].items if held and isinstance(held[0], Each) else None
        side = self.side & _fit(self, subject, premises, counts)
        for claim in premises:
            side &= claim.side
        if not side:
            raise Declined("not valid when parameters or the stopping time may depend on earlier outputs")
        if self.verb is Verb.COMPOSES:
            parts, every_way = faced(subject, zip(held if each is None else each, counts, strict=True))
            side &= Side.BOTH if every_way else Side.LOWER
            if not side:
                raise Declined("under replace_one each part may face either way, so an asymmetric pair stands alone")
            concluded = self.proof(parts)
        else:
            concluded = self._concluded(subject, held, each)
        return Claim(subject, concluded, self, tuple(premises), tuple(counts), side, _SEAL)

    def _concluded(self, subject: Mechanism, held: tuple[Any, ...], each: tuple[Any, ...] | None) -> Guarantee:
        """Run the proof; what is said of each part of a composition is proved part by part."""
        proof = self.proof.read if isinstance(self.proof, Late) else self.proof
        if each is not None:
            return Each(tuple(map(proof, each)))
        if self.verb is Verb.IMPLIES:
            return proof(*held)
        if isinstance(subject, Composition):
            return Each(tuple(proof(part) for part, _ in subject.parts))
        return proof(subject, *held)


def _fit(theorem: Theorem, subject: Mechanism, premises: Sequence[Claim[Any]], counts: Sequence[int]) -> Side:
    """The ends that the premises support for this subject; a premise about another subject is a programming error."""
    about = [claim.subject for claim in premises]
    each = about == [subject] and isinstance(premises[0].guarantee, Each)
    if each and theorem.verb is not Verb.COMPOSES:
        return Side.BOTH
    if theorem.verb is Verb.COMPOSES and isinstance(subject, Composition):
        covered = tuple(zip((part for part, _ in subject.parts) if each else about, counts, strict=True))
        if covered == subject.parts:
            return _in_mode(theorem, subject)
        once = len(set(covered)) == len(covered)
        return Side.LOWER if once and set(covered) <= set(subject.parts) else _misapplied(theorem)  # fewer cost less
    if theorem.verb is Verb.DESCRIBES and isinstance(subject, Composition):
        kind = theorem.types[0]
        alike = all(type(part) is kind for part, _ in subject.parts)
        return Side.BOTH if alike and not premises else _misapplied(theorem)
    implied = theorem.verb is Verb.IMPLIES
    expected = [subject] * len(about) if implied else [getattr(subject, "mechanism", None)]
    if implied and premises and isinstance(premises[0].guarantee, SameAs):
        expected = [subject, premises[0].guarantee.mechanism]
    return _in_mode(theorem, subject) if about == expected[: len(about)] else _misapplied(theorem)


def _in_mode(theorem: Theorem, subject: Mechanism) -> Side:
    """Where parameters may depend on outputs, only filters bound the cost from above; other theorems keep their lower
    ends.
    """
    capped = getattr(subject, "filter", None)
    other_filter = theorem.verb is Verb.COMPOSES and capped is not None and capped is not theorem.types[0]
    return Side.LOWER if other_filter or adaptivity_of(subject) > theorem.adaptivity else Side.BOTH


def _misapplied(theorem: Theorem) -> Side:
    raise TypeError(f"{theorem.id} was given premises about something other than its subject.")


_SEAL = object()


@dataclass(frozen=True, slots=True)
class Claim(Generic[G]):
    """subject ⊢ guarantee, by theorem, from premises."""

    subject: Mechanism
    guarantee: G
    theorem: Theorem
    premises: tuple[Claim[Any], ...]
    counts: tuple[int, ...]
    side: Side
    seal: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise TypeError("A Claim is made by applying a Theorem, never by hand.")

    def lineage(self) -> Iterator[tuple[int, Claim[Any]]]:
        """This claim and everything it rests on, each with its depth."""
        pending: list[tuple[int, Claim[Any]]] = [(0, self)]
        while pending:
            depth, claim = pending.pop()
            yield depth, claim
            pending.extend((depth + 1, premise) for premise in reversed(claim.premises))

    def check(self) -> None:
        """Apply every theorem of the lineage again; raise `Contradiction` if one no longer concludes this."""
        for _, claim in self.lineage():
            again = claim.theorem(claim.subject, claim.premises, claim.counts)
            if (again.guarantee, again.side) != (claim.guarantee, claim.side):
                raise Contradiction(f"{claim.theorem.id} no longer concludes {claim.guarantee} for {claim.subject}")

    def cite(self) -> str:
        """BibTeX for every source of the lineage, each once."""
        sources = {claim.theorem.source.key: claim.theorem.source for _, claim in self.lineage()}
        return "\n\n".join(source.bibtex for source in sources.values())


def _foretold(name: str, row: dict[str, Any]) -> Theorem:
    """A theorem as the index describes it, with a proof that is imported when it is run."""
    key, where = row["source"]
    source, proof = BY_KEY[key].at(where), Late(row["home"], name, Types(tuple(row["types"])))
    side, adaptivity, relations = Side[row["side"]], Adaptivity[row["adaptivity"]], map(Adjacency, row["relations"])
    rest = row["cost"], tuple(row["aliases"]), row["surpassed"]
    return Theorem(row["id"], Verb(row["verb"]), source, proof, side, adaptivity, frozenset(relations), *rest)


class Library:
    """The theorems in force, found by verb and premise."""

    def __init__(self) -> None:
        """Start with the index; the three verbs add."""
        self.stated: dict[str, Theorem] = {}
        self._found: dict[tuple[Verb, type[Any] | None], list[Theorem]] = {}

    @cached_property
    def theorems(self) -> dict[str, Theorem]:
        """All of them, by the names of their proofs, which are permanent."""
        own = {name: theorem for name, theorem in self.stated.items() if not is_foretold(theorem.proof)}
        return {name: _foretold(name, row) for name, row in rows().items()} | own

    def about(self, verb: Verb, premise: type[Any] | None = None) -> list[Theorem]:
        """The theorems of a verb, optionally only those about one type."""
        if (verb, premise) not in self._found:
            of_verb = [t for t in self.theorems.values() if t.verb is verb]
            self._found[verb, premise] = [t for t in of_verb if premise is None or begins_with(t.types, premise)]
        return self._found[verb, premise]

    def add(self, theorem: Theorem) -> None:
        """Take a theorem in under its proof's name, unless the index has it already."""
        self.stated[theorem.proof.__name__] = theorem
        if "theorems" in vars(self) and not is_foretold(theorem.proof):
            self.theorems[theorem.proof.__name__] = theorem
            self._found.clear()


STANDARD = Library()


def _verb(verb: Verb) -> Callable[..., Callable[[Callable[..., G]], Callable[..., G]]]:
    def state(id: str, source: Source, **conditions: Any) -> Callable[[Callable[..., G]], Callable[..., G]]:  # noqa: A002
        def keep(proof: Callable[..., G]) -> Callable[..., G]:
            STANDARD.add(Theorem(id, verb, source, proof, **conditions))
            return proof

        return keep

    return state


describes, implies, composes = map(_verb, (Verb.DESCRIBES, Verb.IMPLIES, Verb.COMPOSES))
"""mechanism → notion · notion → notion · parts → whole. Each takes the ID, the source and the conditions of use."""

__all__ = [
    "STANDARD",
    "Claim",
    "Each",
    "Library",
    "Parts",
    "SameAs",
    "Side",
    "Source",
    "Theorem",
    "Verb",
    "composes",
    "describes",
    "implies",
]
