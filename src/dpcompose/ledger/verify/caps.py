"""Whether the caps of a filter prove its (ε, δ), by formulas of the verifier's own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb

from dpcompose import spec
from dpcompose.description import Adaptivity, Composition
from dpcompose.ledger.verify.prices import BITS, number
from dpcompose.numerics.precision import ctx
from dpcompose.prove.answer import epsilon as least_epsilon


def problem(rule: Mapping[str, Any]) -> str:
    """What is wrong with the caps of a rule; empty if they prove the (ε, δ) that it claims."""
    try:
        with ctx.workprec(BITS):
            return _problem(rule)
    except (KeyError, ValueError, TypeError, ZeroDivisionError) as error:
        return f"its rule cannot be read ({error})"


def _problem(rule: Mapping[str, Any]) -> str:
    epsilon, delta = Fraction(rule["epsilon"]), Fraction(rule["delta"])
    whole = [int(cap) * Fraction(unit) for cap, unit in zip(rule["caps"], rule["units"], strict=True)]
    if rule["kind"] == "plan":
        return _plan(rule, epsilon, delta)
    if any(cap > Fraction(exact) for cap, exact in zip(whole, rule["exact_caps"], strict=True)):
        return "its caps in units are greater than its caps"
    name = rule["filter"]
    if name == "basic":
        return "" if whole[0] <= epsilon and whole[1] <= delta else "its caps exceed ε or δ"
    if name == "gdp":
        proved = _gdp(whole[0], epsilon) <= number(delta)
    else:
        leak = whole[-1]
        left = number((delta - leak) / (1 - leak))
        if name == "zcdp":
            proved = any(_one_order(order, order * whole[0], epsilon) <= left for order in _orders(whole[0], epsilon))
        else:
            curve = zip(map(Fraction, rule["orders"]), whole, strict=False)
            proved = any(_one_order(order, cap, epsilon) <= left for order, cap in curve)
    return "" if proved else f"its caps do not prove ε = {float(epsilon):g} at δ = {float(delta):g}"


def _plan(rule: Mapping[str, Any], epsilon: Fraction, delta: Fraction) -> str:
    slots = tuple((spec.from_document(slot["mechanism"]), int(slot["count"])) for slot in rule["slots"])
    if [str(count) for _, count in slots] != list(rule["caps"]):
        return "its caps are not the counts of its slots"
    found = least_epsilon(Composition(slots, Adaptivity.ADAPTIVE), delta)
    return "" if found.upper <= epsilon else "its slots cost more than it claims"


def _one_order(order: Fraction, divergence: Fraction, epsilon: Fraction) -> arb:
    """δ at ε from a Rényi divergence of one order (Canonne, Kamath, Steinke 2020, Prop. 7)."""
    a, r, e = number(order), number(divergence), number(epsilon)
    return ((a - 1) * (r - e)).exp() / (a - 1) * (1 - 1 / a) ** a


def _orders(rho: Fraction, epsilon: Fraction) -> list[Fraction]:
    """Orders near the best one, found in floats; a proof by any one of them suffices."""
    if not rho:
        return [Fraction(10**6)]

    def exponent(order: float) -> float:
        r, e = float(rho), float(epsilon)
        return (order - 1) * (order * r - e) - math.log(order - 1) + order * math.log1p(-1 / order)

    low, high = 1e-9, (float(epsilon) + 1) / float(rho) + 4
    for _ in range(200):
        a, b = (low * 2 + high) / 3, (low + high * 2) / 3
        low, high = (low, b) if exponent(1 + a) < exponent(1 + b) else (a, high)
    return [1 + Fraction(x) for x in (low, (low + high) / 2, high)]


def _gdp(mu_squared: Fraction, epsilon: Fraction) -> arb:
    """δ at ε between normals at distance μ (Balle, Wang 2018)."""
    if not mu_squared:
        return arb(0)
    mu, e = number(mu_squared).sqrt(), number(epsilon)
    return _tail(e / mu - mu / 2) - e.exp() * _tail(e / mu + mu / 2)


def _tail(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc() / 2


__all__ = ["problem"]
