"""Black boxes: mechanisms known only through a guarantee. The worst mechanism with that guarantee is what counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.kernel import Side, describes
from dpcompose.notions import GDP, ZCDP, ApproxDP, Curve, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.sources import BS16, DRS22, KOV15, MIR17

ORDER = Param("α", 1, 10**9, "order", typical=(1.1, 64))
RenyiTable = Mapping[Real, Real] | tuple[tuple[Real, Real], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackBox(Mechanism):
    """Any mechanism that is (ε, δ)-DP; or δ-approximately ρ-zCDP; or has a Rényi table; or is μ-GDP."""

    epsilon: Annotated[Real | None, EPSILON] = None
    delta: Annotated[Real, DELTA] = 0
    rho: Annotated[Real | None, Param("ρ", 0, int(1e300), "nats", typical=(0.001, 2))] = None
    renyi: RenyiTable | None = None
    mu: Annotated[Real | None, Param("μ", 0, 10**150, "", typical=(0.01, 3))] = None
    adjacency: Adjacency | None = None

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        known = [n for n in ("epsilon", "rho", "renyi", "mu") if getattr(self, n) is not None]
        if len(known) != 1:
            given = " and ".join(known) or "nothing"
            raise InvalidParameter("BlackBox", given, "exactly one of epsilon, rho, renyi or mu")
        if self.mu is not None and self.delta:
            raise InvalidParameter("delta", self.delta, "no delta beside mu")
        if self.renyi is not None:
            object.__setattr__(self, "renyi", checked_table(self.renyi))


def checked_table(table: RenyiTable) -> tuple[tuple[Real, Real], ...]:
    """The points of a Rényi table, sorted by order."""
    given = table.items() if isinstance(table, Mapping) else table
    pairs = tuple(given) if isinstance(given, Iterable) else ()
    if not pairs or any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
        raise InvalidParameter("renyi", table, "a mapping from orders to divergences with at least one entry")
    points = {ORDER.check("renyi order", a): EPSILON.check("renyi", r) for a, r in pairs}
    if len(points) != len(pairs):
        raise InvalidParameter("renyi", table, "each order once")
    return tuple(sorted(points.items()))


@dataclass(frozen=True, slots=True)
class TableCurve(Curve):
    r"""A Rényi bound stated at some orders, extended soundly to others.

    $(\alpha-1)D_\alpha$ is convex and vanishes at $\alpha=1$, so it lies below its chords; $D_\alpha$ does not
    decrease, so below the least order the value there is a bound; above the greatest order nothing is known.
    """

    points: tuple[tuple[Real, Real], ...]

    def at(self, order: Real) -> Ball:
        """An upper bound at `order`: the chord between the two stated orders around it."""
        least, value = self.points[0]
        if order <= least:
            return ball(value)
        for (a, low), (b, high) in zip(self.points, self.points[1:], strict=False):
            if order <= b:
                x, left, right = ball(order), ball(a), ball(b)
                chord = (right - x) * (left - 1) * ball(low) + (x - left) * (right - 1) * ball(high)
                return chord / (right - left) / (x - 1)
        return Ball("inf")


@describes("SM-UV", KOV15.at("Thm. 2.5, 3.3"), side=Side.BOTH)
def black_box_is_leaky_response(m: BlackBox) -> ApproxDP:
    r"""Every $(\varepsilon,\delta)$-DP mechanism is a post-processing of leaky randomized response, which is
    itself $(\varepsilon,\delta)$-DP: so the class costs exactly what that one mechanism costs.
    """
    if m.epsilon is None:
        raise Declined("the black box is not described by (ε, δ)")
    return ApproxDP(m.epsilon, m.delta)


@describes("ZCDP-DEF", BS16.at("Def. 8.1"))
def black_box_is_zcdp(m: BlackBox) -> ZCDP:
    r"""By assumption the mechanism is $\delta$-approximately $\rho$-zCDP."""
    if m.rho is None:
        raise Declined("the black box is not described by ρ")
    return ZCDP(m.rho, m.delta)


@describes("RDP-DEF", MIR17.at("Def. 4"))
def black_box_has_renyi_table(m: BlackBox) -> Renyi:
    r"""By assumption $D_\alpha \le r(\alpha)$ in both orders of the neighbours at the orders of the table,
    where $D_\alpha(P\|Q) = \frac{1}{\alpha-1}\ln \mathrm{E}_Q (P/Q)^\alpha$.
    """
    if m.renyi is None:
        raise Declined("the black box is not described by a Rényi table")
    return Renyi(TableCurve(checked_table(m.renyi)), m.delta)


@describes("GDP-DEF", DRS22.at("Def. 4"), side=Side.BOTH)
def black_box_is_gdp(m: BlackBox) -> GDP:
    r"""By assumption the mechanism is $\mu$-GDP; the Gaussian with that $\mu$ is the worst of the class."""
    if m.mu is None:
        raise Declined("the black box is not described by μ")
    return GDP(Fraction(m.mu) ** 2)


@describes("ZCDP-MEMBER", BS16.at("Prop. 1.6"), side=Side.LOWER)
def a_gaussian_meets_the_description(m: BlackBox) -> GDP:
    r"""A Gaussian with $\mu^2 = 2\rho$ has $D_\alpha = \rho\alpha$ for every $\alpha$: it meets the description,
    so the class costs at least what it costs. For a table take $\rho = \min_\alpha r(\alpha)/\alpha$.
    """
    if m.renyi is not None:
        return GDP(2 * min(Fraction(r) / Fraction(a) for a, r in checked_table(m.renyi)))
    if m.rho is None:
        raise Declined("the black box is described neither by ρ nor by a Rényi table")
    return GDP(2 * Fraction(m.rho))
