"""Group privacy: neighbours that differ in several records at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any

from dpcompose.description import Adjacency, Composition, Mechanism, Wrapper
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.notions import GDP, ZCDP, ApproxDP, Curve, Renyi, Value
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.parameters import Whole, declared
from dpcompose.sources import BS16, DR14, DRS22, MIR17

MOST_RECORDS = 10**6


@dataclass(frozen=True, slots=True)
class Group(Wrapper):
    """The mechanism as seen by neighbours that differ in `size` records."""

    mechanism: Mechanism
    size: Annotated[int, Whole("g", 1, MOST_RECORDS, "records", typical=(1, 6))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        object.__setattr__(self, "adjacency", self.mechanism.adjacency)


@describes("GROUP", DR14.at("Thm. 2.2"), side=Side.BOTH)
def group_scales_the_sensitivity(m: Group) -> SameAs:
    r"""A query that one record moves by at most $\Delta$ is moved by at most $g\Delta$ by $g$ records, and a sum
    is moved by that much: noise addition costs what it costs at sensitivity $g\Delta$.
    """
    inner: Any = m.mechanism
    if "sensitivity" not in declared(type(inner)):
        raise Declined("the mechanism does not add noise to a query of known sensitivity")
    if "gamma" in declared(type(inner)):
        raise Declined("a staircase is laid out for one sensitivity")
    shift = inner.sensitivity * m.size if isinstance(inner.sensitivity, int) else Fraction(inner.sensitivity) * m.size
    try:
        return SameAs(replace(inner, sensitivity=shift))
    except InvalidParameter:
        raise Declined("the group's sensitivity is larger than any that can be described") from None


@describes("GROUP", DR14.at("Thm. 2.2"), side=Side.BOTH)
def group_of_composition(m: Group) -> SameAs:
    r"""What $g$ records can do to a composition is what they can do to each of its parts, and groups of $g$ groups
    of $h$ are groups of $gh$. A group of one is no group.
    """
    inner = m.mechanism
    if m.size == 1:
        return SameAs(inner)
    if isinstance(inner, Composition):
        parts = tuple((Group(part, size=m.size), count) for part, count in inner.parts)
        return SameAs(Composition(parts, inner.adaptivity, inner.filter))
    if isinstance(inner, Group) and inner.size * m.size <= MOST_RECORDS:
        return SameAs(Group(inner.mechanism, size=inner.size * m.size))
    raise Declined("the group is of a single mechanism")


@describes("GROUP", DR14.at("Thm. 2.2"))
def group_of_approx(m: Group, inner: ApproxDP) -> ApproxDP:
    r"""$(\varepsilon,\delta)$ becomes $(g\varepsilon,\ \delta\,\frac{e^{g\varepsilon}-1}{e^\varepsilon-1})$."""
    e = Fraction(inner.epsilon)
    return ApproxDP(m.size * e, grown(inner.delta, e, m.size))


def grown(delta: Value, epsilon: Fraction, size: int) -> Value:
    """δ(1 + e^ε + … + e^{(g−1)ε}), at most 1."""
    if delta == 0:
        return 0
    if epsilon * (size - 1) > 800:  # e^800 times the least float exceeds 1
        return 1

    found = enclose(lambda: ball(delta) * growth(epsilon, size))
    return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))


def growth(epsilon: Fraction, size: int) -> Ball:
    """1 + e^ε + … + e^{(g−1)ε}."""
    e = ball(epsilon)
    return (size * e).expm1() / e.expm1() if epsilon else Ball(size)


@describes("GROUP", BS16.at("Prop. 1.9"))
def group_of_zcdp(m: Group, inner: ZCDP) -> ZCDP:
    r"""$\rho$-zCDP becomes $g^2\rho$-zCDP."""
    if inner.delta != 0:
        raise Declined("group privacy of approximate zCDP is not known here")
    scaled = enclose(lambda: m.size**2 * ball(inner.rho)) if isinstance(inner.rho, Enclosure) else None
    return ZCDP(scaled or m.size**2 * Fraction(inner.rho))  # type: ignore[arg-type]


@describes("GROUP", DRS22.at("Thm. 2.14"))
def group_of_gdp(m: Group, inner: GDP) -> GDP:
    r"""$\mu$-GDP becomes $g\mu$-GDP."""
    return GDP(m.size**2 * Fraction(inner.mu_squared))


@dataclass(frozen=True, slots=True)
class GroupCurve(Curve):
    """The curve of a group of at most 2^c records: 3^c times the curve at 2^c times the order."""

    inner: Curve
    doublings: int

    def at(self, order: Real) -> Ball:
        """The bound at an order; it is known from order 2 on, and used below by monotonicity."""
        return self.inner.at(Fraction(max(order, 2)) * 2**self.doublings) * Ball(3) ** self.doublings

    def guess(self, order: float) -> float:
        """The same in floats."""
        return self.inner.guess(max(order, 2.0) * 2.0**self.doublings) * 3.0**self.doublings


@describes("GROUP", MIR17.at("Prop. 2"))
def group_of_renyi(m: Group, inner: Renyi) -> Renyi:
    r"""If $D_\alpha\le r(\alpha)$ then a group of $2^c$ has $D_\alpha\le3^c\,r(2^c\alpha)$ for $\alpha\ge2$."""
    if inner.delta != 0:
        raise Declined("group privacy of an approximate Rényi bound is not known here")
    return Renyi(GroupCurve(inner.curve, (m.size - 1).bit_length()))
