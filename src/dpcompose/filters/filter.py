"""A filter: caps fixed in advance, and the guarantee for an analyst who stays below them on every path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import lru_cache

from dpcompose.description import ADD_REMOVE, FULLY_ADAPTIVE, Adjacency, Composition, Mechanism, Subject, described
from dpcompose.errors import AdjacencyMismatch, DPError, InvalidParameter
from dpcompose.filters.numbers import meant, shortened, stated, unit_of, units_down, units_up
from dpcompose.filters.readings import Reading, cheapest, readings
from dpcompose.filters.rules import RULES, CapRule, CapTarget, Cost, best_order
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.prove.answer import Answer
from dpcompose.prove.answer import delta as delta_at
from dpcompose.shown import NotebookResult, Told

NAMES = tuple(RULES)
MOST_ORDERS = 32
ORDER = Param("α", 1, 10**6, "order")
HEIGHT = Param("height", 0, 10**9, "shape of a budget curve")
SHRINKING = (0, 2**-44, 2**-36, 2**-24)
"""Relative amounts by which a cap is lowered, tried in turn until its promise is certified at the target."""
SYMBOLS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "mu_squared": "μ²"}


@dataclass(frozen=True, slots=True)
class Promise(NotebookResult):
    """(ε, δ) for everything an analyst does below the caps, whatever steps were chosen and whenever they stopped."""

    epsilon: Fraction
    delta: Fraction
    caps: tuple[tuple[str, Fraction], ...]
    claim: Answer
    """The δ that the caps guarantee at ε, with the theorems behind it; its upper end is at most `delta`."""

    @property
    def because(self) -> str:
        """The reason for the guarantee, in one line."""
        return self.claim.because

    def cite(self) -> str:
        """BibTeX for the theorems behind the guarantee."""
        return self.claim.cite()

    def __str__(self) -> str:
        named = ", ".join(f"{SYMBOLS.get(k, k)} ≤ {rounded(cap, ROUND_FLOOR)}" for k, cap in self.caps if cap)
        return f"ε = {_shown(self.epsilon)} at δ = {_shown(self.delta)}, whoever stays below {named} on every path"


@dataclass(frozen=True, slots=True, repr=False)
class Filter(Told):
    """Sums with a cap each. Make one with `filter_of`, or from the caps of an earlier one."""

    name: str
    epsilon: Fraction
    delta: Fraction
    caps: Cost
    """The cap of each sum, a whole number of units. Caps never change once something was spent."""
    orders: tuple[Fraction, ...] = ()
    """The orders that a Rényi filter sums."""
    adjacency: Adjacency | None = ADD_REMOVE
    """The relation under which steps are read; None accepts any, and whoever keeps the sums must check it."""

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise InvalidParameter("filter", self.name, " or ".join(NAMES))
        if len(self.caps) != len(self.coordinates) or any(cap < 0 for cap in self.caps):
            raise InvalidParameter("caps", self.caps, f"one number, not negative, for each of {self.coordinates}")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the sums."""
        return self.rule.coordinates

    @property
    def units(self) -> Cost:
        """The decimal unit of each coordinate, in which its cap is a whole number below 2^63."""
        return tuple(map(unit_of, self.caps))

    @property
    def leak(self) -> Fraction:
        """The share of δ that is set apart for steps that may reveal everything."""
        return self.caps[-1] if self.rule.leaks else Fraction(0)

    @property
    def nothing(self) -> Cost:
        """The sums before the first step: all zero."""
        return (Fraction(0),) * len(self.caps)

    def __str__(self) -> str:
        return f"{self.name}, {self.guarantee}"

    @property
    def guarantee(self) -> Promise:
        """The guarantee at the caps, which never depends on what was spent. Raises if the caps do not prove it."""
        return _promise(self)

    def reading(self, mechanism: Subject) -> Reading:
        """The cheapest way to count a mechanism, or a block of fixed steps, as a step."""
        step = described(mechanism)
        if None not in (self.adjacency, step.adjacency) and step.adjacency is not self.adjacency:
            raise AdjacencyMismatch(
                f"A filter for {self.adjacency.value} cannot read a mechanism stated for {step.adjacency.value}: "  # type: ignore[union-attr]
                "what they cost does not add up."
            )
        return _read(self, stated(step))

    def cost(self, mechanism: Subject) -> Cost:
        """What a step adds to each sum: exact, or rounded up."""
        return self.reading(mechanism).cost

    def admits(self, spent: Sequence[Fraction], cost: Sequence[Fraction]) -> bool:
        """Whether every sum, with this cost added, stays at or below its cap."""
        return all(s + c <= cap for s, c, cap in zip(spent, cost, self.caps, strict=True))

    def remaining(self, spent: Sequence[Fraction], mechanism: Subject) -> int | None:
        """How many more runs of a mechanism fit beside what is spent; None where a run costs nothing."""
        cost = self.cost(mechanism)
        rooms = [(cap - s) // c for s, c, cap in zip(spent, cost, self.caps, strict=True) if c]
        return max(min(rooms), 0) if rooms else None

    def whole_caps(self) -> tuple[int, ...]:
        """The caps in whole units, rounded down."""
        return tuple(units_down(cap, unit) for cap, unit in zip(self.caps, self.units, strict=True))

    def whole(self, cost: Sequence[Fraction]) -> tuple[int, ...]:
        """A cost in whole units, rounded up."""
        return tuple(units_up(c, unit) for c, unit in zip(cost, self.units, strict=True))

    @property
    def rule(self) -> CapRule:
        """The rule of this filter's notion: what is summed, and how a promise is converted to a cost."""
        return RULES[self.name](self.orders)


def filter_of(
    name: str,
    *,
    epsilon: Real,
    delta: Real,
    leak: Real = 0,
    orders: Sequence[Real] | Mapping[Real, Real] | None = None,
    adjacency: Adjacency | None = ADD_REMOVE,
) -> Filter:
    """Choose the caps of a filter for a target (ε, δ), once and for all.

    `basic` caps Σε and Σδ; `zcdp` caps Σρ, and Σδ at `leak`; `renyi` caps the divergences of `orders` along a budget
    curve (straight, or of the shape that a mapping gives; by default the one best order); `gdp` caps Σμ².

    >>> book = filter_of("zcdp", epsilon=1, delta=1e-6)
    >>> book.coordinates
    ('rho', 'delta')
    >>> print(book.guarantee)
    ε = 1 at δ = 1e-6, whoever stays below ρ ≤ 0.0243559 on every path
    """
    if name not in RULES:
        raise InvalidParameter("filter", name, " or ".join(NAMES))
    target = _target(name, epsilon, delta, leak)
    if orders is not None and name != "renyi":
        raise InvalidParameter("orders", orders, "orders only with the filter renyi")
    shape = _shape(orders, target) if name == "renyi" else {}
    rule = RULES[name](tuple(shape), tuple(shape.values()))
    found = rule.caps(target)
    for lower in SHRINKING:
        caps = tuple(
            cap if coordinate in {"epsilon", "delta"} else _down(cap * (1 - Fraction(lower)))
            for coordinate, cap in zip(rule.coordinates, found, strict=True)
        )
        made = Filter(name, target.epsilon, target.delta, caps, rule.orders, adjacency)
        if _proves(made):
            return made
    raise DPError(f"No caps of the filter {name} prove ε = {_shown(target.epsilon)} at δ = {_shown(target.delta)}.")


def _down(cap: Fraction) -> Fraction:
    unit = unit_of(cap)
    return units_down(cap, unit) * unit


def _target(name: str, epsilon: Real, delta: Real, leak: Real) -> CapTarget:
    """The target as exact numbers; refuses a target that this filter cannot reach."""
    target = CapTarget(
        meant(EPSILON.check("epsilon", epsilon)), meant(DELTA.check("delta", delta)), meant(DELTA.check("leak", leak))
    )
    if target.leak and name in {"basic", "gdp"}:
        raise InvalidParameter("leak", leak, f"0 with the filter {name}, which sets no share of δ apart")
    if name != "basic" and not target.leak < target.delta < 1:
        raise InvalidParameter(
            "delta", delta, f"more than the leak and less than 1 with the filter {name}; with δ = 0 take basic"
        )
    return target


def _shape(orders: Sequence[Real] | Mapping[Real, Real] | None, target: CapTarget) -> dict[Fraction, Fraction]:
    """The orders, each with the height of the budget curve there: a straight curve unless heights are given."""
    if orders is None:
        order = best_order(target)
        return {order: order}
    named = list(orders.items() if isinstance(orders, Mapping) else ((a, a) for a in orders))
    found = {meant(ORDER.check("orders", a)): meant(HEIGHT.check("orders", h)) for a, h in named}
    if not 0 < len(found) == len(named) <= MOST_ORDERS or min(found) <= 1 or not all(found.values()):
        raise InvalidParameter("orders", orders, f"1 to {MOST_ORDERS} orders above 1, each once, with heights above 0")
    return dict(sorted(found.items()))


@lru_cache(maxsize=256)
def _at_caps(book: Filter) -> Answer:
    box = book.rule.box(book.caps)
    return delta_at(Composition(((box, 1),), FULLY_ADAPTIVE, book.rule.notion), book.epsilon)


def _proves(book: Filter) -> bool:
    return (book.name == "basic" and book.caps == (book.epsilon, book.delta)) or _at_caps(book).upper <= book.delta


def _promise(book: Filter) -> Promise:
    if not _proves(book):
        raise DPError(
            f"The caps of this {book.name} filter do not prove ε = {_shown(book.epsilon)} at δ = {_shown(book.delta)}."
        )
    return Promise(book.epsilon, book.delta, tuple(zip(book.coordinates, book.caps, strict=True)), _at_caps(book))


@lru_cache(maxsize=4096)
def _read(book: Filter, mechanism: Mechanism) -> Reading:
    found = list(readings(mechanism, book.rule, book.caps))
    if not found:
        other = " or ".join(name for name in NAMES if name != book.name)
        raise DPError(
            f"The filter {book.name} cannot read {type(mechanism).__name__}: no theorem bounds it by "
            f"{' and '.join(SYMBOLS.get(c, c) for c in book.coordinates)}; another filter may ({other})."
        )
    best = cheapest(found, book.caps)
    cost = tuple(shortened(c, unit) for c, unit in zip(best.cost, book.units, strict=True))
    return Reading(cost, best.by)


def _shown(number: Fraction) -> str:
    return rounded(number, ROUND_CEILING)


__all__ = ["NAMES", "Filter", "Promise", "filter_of"]
