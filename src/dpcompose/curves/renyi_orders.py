"""The Rényi curve of a mechanism, the ε that each order implies, and the order with the least."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcompose.curves.sweeps import Grid, places
from dpcompose.description import Mechanism, Subject, described
from dpcompose.errors import Declined, NotProvable
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Renyi
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.parameters import DELTA
from dpcompose.prove.answer import ORDER, renyi
from dpcompose.prove.claims import known
from dpcompose.theorems.approx.steps import beyond_leak
from dpcompose.theorems.renyi.best_order import BestOrder, best_order
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke, Conversion, Mironov, OneOrder

CONVERSIONS: dict[str, type[Conversion]] = {"RDP-CONV": Mironov, "RDP-CKS": CanonneKamathSteinke}
_POINTS = 81


@dataclass(frozen=True, slots=True)
class Converted:
    """A conversion of the curve: the ε that each order implies at the curve's δ, and the order of the least ε."""

    theorem: str
    epsilons: tuple[float, ...]
    best: BestOrder | None
    """None where the bound decreases for ever as the order grows."""


@dataclass(frozen=True, slots=True)
class RenyiCurve:
    """The Rényi divergence at each order; at a δ also the ε that each order implies."""

    subject: Mechanism
    orders: tuple[Real, ...]
    divergences: tuple[Enclosure, ...]
    delta: Real | None
    converted: tuple[Converted, ...]

    def __repr__(self) -> str:
        return f"<RenyiCurve at {len(self.orders)} orders>"


def renyi_curve(mechanism: Subject, delta: Real | None = None, orders: Grid | None = None) -> RenyiCurve:
    """The Rényi curve; with a δ also the ε that each order implies, and the best order."""
    total = None if delta is None else DELTA.check("delta", delta)
    subject = described(mechanism)
    claims = [claim for claim in known(subject).of(Renyi) if Side.UPPER in claim.side]
    if not claims:
        raise NotProvable("No theorem bounds the Rényi divergence of this mechanism")
    bests = {name: None if total is None else _best(claims, rule, total) for name, rule in CONVERSIONS.items()}
    at = places("orders", _around(bests.values()) if orders is None else orders, ORDER)
    converted = [
        Converted(name, tuple(_least(claims, rule, total, order) for order in at), bests[name])
        for name, rule in CONVERSIONS.items()
        if total is not None
    ]
    return RenyiCurve(subject, at, tuple(renyi(subject, order).enclosure for order in at), total, tuple(converted))


def _around(bests: Any) -> tuple[float, ...]:
    """Orders on both sides of the best ones, evenly spaced in ln(α − 1)."""
    found = [best.order.upper - 1 for best in bests if best is not None and 1 < best.order.upper < math.inf]
    low, high = (max(min(found) / 20, 1e-6), min(max(found) * 20, 1e8)) if found else (0.05, 500.0)
    return tuple(float(a) for a in 1 + np.geomspace(low, high, _POINTS))


def _best(claims: list[Claim[Renyi]], rule: type[Conversion], delta: Real) -> BestOrder | None:
    """The best order over all known curves."""
    found = []
    for claim in claims:
        kept = beyond_leak(delta, ((claim.guarantee.delta, 1),)).lower
        if kept <= 0:
            continue
        try:
            found.append(best_order(claim.guarantee.curve, rule, kept))
        except Declined:
            continue
    return min((best for best in found if best.order.upper < math.inf), key=_promised, default=None)


_promised: Callable[[BestOrder], float] = lambda best: best.epsilon.upper  # noqa: E731


def _least(claims: list[Claim[Renyi]], rule: type[Conversion], delta: Real | None, order: Real) -> float:
    """The least ε that an order implies by any known curve; infinite if by none."""
    if delta is None or order <= 1:
        return math.inf
    found = [math.inf]
    for claim in claims:
        kept = beyond_leak(delta, ((claim.guarantee.delta, 1),))
        if kept.lower > 0:
            curve = OneOrder(claim.guarantee.curve, claim.guarantee.delta, rule)
            found.append(max(curve.epsilon_at(order, kept).upper, 0.0))
    return min(found)


__all__ = ["CONVERSIONS", "Converted", "RenyiCurve", "renyi_curve"]
