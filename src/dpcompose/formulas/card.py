"""A formula card: one theorem in the symbols of its paper, with certified outputs."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias, get_args, get_type_hints

from dpcompose.errors import InvalidParameter
from dpcompose.formulas.inputs import Input
from dpcompose.kernel import Source
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.shown import NotebookResult

Output: TypeAlias = Enclosure | Fraction | int | bool | str | Sequence[object]
"""An enclosure, an exact number, a truth value, the word "undefined", or a list of these."""

Found: TypeAlias = Mapping[str, Output]
Rule: TypeAlias = Callable[..., Found]

UNDEFINED = "undefined"


class Outputs(NotebookResult, Mapping[str, Output]):
    """The outputs of a card, by key or by attribute; read-only."""

    __slots__ = ("_found",)
    _found: Mapping[str, Output]

    def __init__(self, found: Mapping[str, Output]) -> None:
        object.__setattr__(self, "_found", MappingProxyType(dict(found)))

    def __getitem__(self, key: str) -> Output:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __getattr__(self, name: str) -> Output:
        if name.startswith("_") or name not in self._found:
            raise AttributeError(f"no output {name!r}; there are {', '.join(self)}")
        return self._found[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"outputs do not change, so {name!r} cannot be set")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __reduce__(self) -> tuple[type[Outputs], tuple[dict[str, Output]]]:
        return Outputs, (dict(self._found),)

    def __repr__(self) -> str:
        return f"Outputs({', '.join(f'{key}={shown(value)}' for key, value in self.items())})"


def shown(value: object) -> str:
    """An output as text: enclosures rounded outward, everything else unchanged."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(shown(item) for item in value)}]"
    return str(value)


@dataclass(frozen=True, slots=True)
class Card(NotebookResult):
    """A theorem that is called with the letters of its paper."""

    name: str
    source: Source
    carries: tuple[str, ...]
    inputs: Mapping[str, Input]
    optional: frozenset[str]
    rule: Rule

    @property
    def statement(self) -> str:
        """The statement of the theorem, in LaTeX."""
        return inspect.getdoc(self.rule) or ""

    def __call__(self, **given: object) -> Outputs:
        """Evaluate the card; every input is given by its name."""
        wanted = ", ".join(self.inputs)
        for name in given:
            if name not in self.inputs:
                raise InvalidParameter(f"input of {self.name}", name, f"one of {wanted}")
        missing = [name for name in self.inputs if name not in given and name not in self.optional]
        if missing:
            raise InvalidParameter(
                f"inputs of {self.name}", ", ".join(given) or "nothing", f"also {', '.join(missing)}"
            )
        return Outputs(self.rule(**{name: self.inputs[name].check(name, value) for name, value in given.items()}))

    def __repr__(self) -> str:
        return f"Card({self.name}: {', '.join(self.inputs)})"


CARDS: dict[str, Card] = {}
"""Every card by its name; cards are added when their module is imported."""


def card(name: str, source: Source, *carries: str) -> Callable[[Rule], Rule]:
    """Make a card of a function: its annotations are the inputs, its docstring is the statement."""

    def keep(rule: Rule) -> Rule:
        hints = get_type_hints(rule, include_extras=True)
        parameters = inspect.signature(rule).parameters
        inputs = {key: next(a for a in get_args(hints[key]) if isinstance(a, Input)) for key in parameters}
        optional = frozenset(key for key, p in parameters.items() if p.default is not p.empty)
        CARDS[name] = Card(name, source, carries, MappingProxyType(inputs), optional, rule)
        return rule

    return keep


def formula(card: str) -> Card:
    """A theorem in the letters of its paper, by name: `formula("MIR-P4")(n=100, eps="0.1", Q="1e-9")`.

    Text such as "0.1" means exactly that decimal. Outputs are enclosures or exact numbers, by name.
    """
    if not isinstance(card, str) or card not in CARDS:
        near = difflib.get_close_matches(str(card)[:60], CARDS, n=3, cutoff=0.4)
        such = " or ".join(near or sorted(CARDS)[:3])
        raise InvalidParameter("card", card, f"one of the {len(CARDS)} names that `formula` lists, such as {such}")
    return CARDS[card]


def cards() -> tuple[str, ...]:
    """The names of all formula cards, such as "KOV-3.4"; `formula` gives the card of a name."""
    return tuple(CARDS)
