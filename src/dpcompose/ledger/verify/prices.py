"""What a request costs, by formulas of the verifier's own: exact fractions, or balls of 200 bits from Arb.

Each formula is an upper bound with a textbook proof, so a charge at or above it is sound. A smaller charge may still be
sound by a better theorem: then the library's filter prices the mechanism again and decides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from dpcompose import spec
from dpcompose.description import Adjacency
from dpcompose.errors import DPError
from dpcompose.filters import Filter
from dpcompose.ledger.verify.slots import taken
from dpcompose.numerics.precision import ctx

BITS = 200
Bounds = list[arb]


class Prices:
    """Checks charges, and remembers each different request."""

    def __init__(self) -> None:
        """Without any request yet."""
        self.known: dict[tuple[str, int], list[int] | str] = {}
        self.recomputed = self.read_again = 0

    def problem(
        self, what: Mapping[str, Any], epoch: int, rule: Mapping[str, Any], adjacency: str, change: Sequence[int]
    ) -> str:
        """What is wrong with a charge; empty if it is large enough."""
        name = (json.dumps(what, sort_keys=True), epoch)
        known = self.known.get(name)
        if known is None or isinstance(known, str) or any(c < k for c, k in zip(change, known, strict=True)):
            known = self._found(what, rule, adjacency, change)
            self.known[name] = known
        if isinstance(known, str):
            return known
        return (
            ""
            if all(c >= k for c, k in zip(change, known, strict=True))
            else "it charges less than the mechanism costs"
        )

    def _found(
        self, what: Mapping[str, Any], rule: Mapping[str, Any], adjacency: str, change: Sequence[int]
    ) -> list[int] | str:
        """The least sound charge of one request, by coordinate; or the reason why none is known."""
        documents = list(what["parts"].values()) if "parts" in what else [what["mechanism"]]
        own = [self._own(document, rule) for document in documents]
        if all(cost is not None for cost in own):
            least = [max(costs) for costs in zip(*own, strict=True)]
            if all(c >= k for c, k in zip(change, least, strict=True)):
                self.recomputed += 1
                return least
        self.read_again += 1
        try:
            every = [_by_the_library(document, rule, adjacency) for document in documents]
        except (DPError, ValueError, KeyError, TypeError) as error:
            return f"its cost cannot be recomputed ({error})"
        return [max(costs) for costs in zip(*every, strict=True)]

    def _own(self, document: Mapping[str, Any], rule: Mapping[str, Any]) -> list[int] | None:
        if rule["kind"] == "plan":
            return taken(document, rule["slots"])
        try:
            with ctx.workprec(BITS):
                bounds = cost(rule["filter"], document, [Fraction(order) for order in rule["orders"]])
                units = map(Fraction, rule["units"])
                return None if bounds is None else [_units(b, u) for b, u in zip(bounds, units, strict=True)]
        except (KeyError, ValueError, TypeError, ZeroDivisionError):
            return None


def _by_the_library(document: Mapping[str, Any], rule: Mapping[str, Any], adjacency: str) -> list[int]:
    if rule["kind"] == "plan":
        raise ValueError("no slot of the plan covers it")
    caps, orders = (tuple(map(Fraction, rule[name])) for name in ("exact_caps", "orders"))
    target = Fraction(rule["epsilon"]), Fraction(rule["delta"])
    chosen = Filter(rule["filter"], *target, caps, orders, Adjacency(adjacency))
    return list(chosen.whole(chosen.cost(spec.from_document(document))))


def _units(bound: arb, unit: Fraction) -> int:
    """The least whole number of units that covers the bound. A ball decides whether the bound itself is whole."""
    share = bound / number(unit)
    least = share.lower().ceil().unique_fmpz()
    if least is None:
        raise ValueError("a bound that is too wide to round")
    return int(least)


def number(value: Any) -> arb:
    """An exact number as a ball."""
    exact = Fraction(value)
    return arb(fmpq(exact.numerator, exact.denominator))


def cost(chosen: str, document: Mapping[str, Any], orders: Sequence[Fraction]) -> Bounds | None:
    """An upper bound on the cost in each coordinate of a filter; None where no formula applies."""
    kind = document["kind"]
    if kind == "composition":
        return _sum(chosen, document, orders)
    if kind in {"gaussian", "discrete_gaussian"}:
        ratio = number(document["sensitivity"]) / number(document["noise_std"])
        return _normal(chosen, ratio * ratio, orders, smooth=kind == "gaussian")
    if kind == "black_box" and "epsilon" not in document:
        return _promised(chosen, document, orders)
    if kind == "exponential" and chosen == "zcdp":
        return [number(document["epsilon"]) ** 2 / 8, number(0)]
    found = _pure(document)
    return None if found is None else _from_pure(chosen, *found, orders)


def _sum(chosen: str, document: Mapping[str, Any], orders: Sequence[Fraction]) -> Bounds | None:
    if document.get("adaptivity") == "fully_adaptive":
        return None
    total: Bounds | None = None
    for item in document["items"]:
        one = cost(chosen, item, orders)
        if one is None:
            return None
        more = [int(item["count"]) * x for x in one]
        total = more if total is None else [a + b for a, b in zip(total, more, strict=True)]
    return total


def _normal(chosen: str, mu_squared: arb, orders: Sequence[Fraction], *, smooth: bool) -> Bounds | None:
    """The cost of normal noise: ρ = μ²/2, Rényi αμ²/2, GDP μ. Discrete noise has the first two, but is no GDP."""
    if chosen == "gdp":
        return [mu_squared] if smooth else None
    if chosen == "zcdp":
        return [mu_squared / 2, number(0)]
    if chosen == "renyi":
        return [*(number(order) * mu_squared / 2 for order in orders), number(0)]
    return None


def _promised(chosen: str, document: Mapping[str, Any], orders: Sequence[Fraction]) -> Bounds | None:
    if "mu" in document:
        return _normal(chosen, number(document["mu"]) ** 2, orders, smooth=True)
    if "rho" in document and chosen == "zcdp":
        return [number(document["rho"]), number(document["delta"])]
    if "rho" in document and chosen == "renyi":
        return [*(number(order) * number(document["rho"]) for order in orders), number(document["delta"])]
    return None


def _pure(document: Mapping[str, Any]) -> tuple[arb, arb] | None:
    """(ε, δ) of the mechanisms that promise it by construction; None for others."""
    kind = document["kind"]
    if kind in {"laplace", "geometric"}:
        return number(document["sensitivity"]) / number(document["scale"]), number(0)
    if kind in {"randomized_response", "staircase", "exponential"}:
        return number(document["epsilon"]), number(0)
    if kind == "black_box":
        return number(document["epsilon"]), number(document["delta"])
    if kind == "name_and_shame":
        return number(0), number(document["delta"])
    return None


def _from_pure(chosen: str, epsilon: arb, delta: arb, orders: Sequence[Fraction]) -> Bounds | None:
    if chosen == "basic":
        return [epsilon, delta]
    if chosen == "zcdp":
        return [epsilon * (epsilon / 2).tanh(), delta]
    if chosen == "renyi":
        return [*(_response(epsilon, number(order)) for order in orders), delta]
    return None


def _response(epsilon: arb, order: arb) -> arb:
    """Rényi divergence of randomized response, the greatest that (ε, 0) allows."""
    p = 1 / (1 + (-epsilon).exp())
    q = 1 / (1 + epsilon.exp())
    return (p**order * q ** (1 - order) + q**order * p ** (1 - order)).log() / (order - 1)


__all__ = ["Prices", "cost", "number"]
