"""The simulation lemma as a map (SM-L3.1): every (ε, δ)-close pair is a post-processing of a leaky response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms.discrete_pair import distribution, mass_of
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.regions import simulation_lemma as lemma

Masses: TypeAlias = tuple[Fraction, ...]
SYMBOLS = (0, 1, "I am U", "I am V")
FACTOR = Param("e^ε", 1, 10**300, "", typical=(1, 10))
MOST_EPSILON = Param("ε", 0, 600, "nats", typical=(0.01, 5))
_BITS = 192


class Distinguishable(InvalidParameter):
    """The error for two distributions that are not (ε, δ)-close, with the event that shows it."""

    def __init__(
        self, event: tuple[int, ...], first: Fraction, second: Fraction, excess: Fraction, delta: Fraction
    ) -> None:
        """The outcomes of the event, its two probabilities, and by how much it violates the bound."""
        super().__init__(
            "delta", str(delta), f"at least {excess}, the distance of p and q, as the outcomes {event} show"
        )
        self.event, self.first, self.second, self.excess = event, first, second, excess


@dataclass(frozen=True, slots=True)
class LeakyResponse:
    r"""SM-UV: the laws of $U$ and $V$ on the symbols 0, 1, "I am U", "I am V".

    $U$ has $\frac{e^\varepsilon(1-\delta)}{1+e^\varepsilon}$, $\frac{1-\delta}{1+e^\varepsilon}$, $\delta$ and 0; $V$
    is its mirror image.
    """

    exp_epsilon: Fraction
    delta: Fraction

    @property
    def u(self) -> Masses:
        """The law of U."""
        kept = (1 - self.delta) / (1 + self.exp_epsilon)
        return self.exp_epsilon * kept, kept, self.delta, Fraction(0)

    @property
    def v(self) -> Masses:
        """The law of V."""
        zero, one, leak, never = self.u
        return one, zero, never, leak


@dataclass(frozen=True, slots=True)
class SimulationMap:
    """The stochastic map F with F(U) = p and F(V) = q, one exact distribution for each symbol."""

    rows: tuple[Masses, Masses, Masses, Masses]
    """For 0, 1, "I am U", "I am V"."""
    p: Masses
    q: Masses
    response: LeakyResponse
    residual: Enclosure
    r"""Total variation between F(U), F(V) and p, q for the true $e^\varepsilon$: 0 where that is rational."""

    def __repr__(self) -> str:
        return f"<SimulationMap onto {len(self.p)} outcomes>"

    def given(self, symbol: object) -> Masses:
        """The distribution of the outcome, given a symbol."""
        if symbol not in SYMBOLS:
            raise InvalidParameter("symbol", symbol, f"one of {SYMBOLS}")
        return self.rows[SYMBOLS.index(symbol)]

    def image(self, law: Sequence[Fraction]) -> Masses:
        """The law of the outcome, when symbols follow `law`."""
        return tuple(
            sum((w * x for w, x in zip(law, c, strict=True)), Fraction(0)) for c in zip(*self.rows, strict=True)
        )

    def check(self) -> bool:
        """Whether the rows are distributions and carry U to p and V to q, exactly."""
        proper = all(min(row) >= 0 and sum(row) == 1 for row in self.rows)
        return proper and self.image(self.response.u) == self.p and self.image(self.response.v) == self.q


def simulate(
    p: Sequence[Real],
    q: Sequence[Real],
    *,
    epsilon: Real | None = None,
    exp_epsilon: Real | None = None,
    delta: Real = 0,
) -> SimulationMap:
    r"""SM-L3.1: the map F with F(U) = p and F(V) = q, if p and q are (ε, δ)-close; else it raises `Distinguishable`.

    All arithmetic is exact. An irrational $e^\varepsilon$ is replaced by a rational number just above it, at which the
    pair is close a fortiori; `residual` certifies what that costs. Floats that add up to 1 only to within 1e-9 are
    divided by their sum; exact numbers must add up to 1 exactly.
    """
    first, second = masses("p", p), masses("q", q)
    if len(first) != len(second):
        raise InvalidParameter("q", f"{len(second)} outcomes", f"as many as p has, {len(first)}")
    factor, residual = _factor(epsilon, exp_epsilon)
    share = Fraction(DELTA.check("delta", delta))
    for a, b in ((first, second), (second, first)):
        over = lemma.excess(a, b, factor)
        if over > share:
            event = tuple(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x > factor * y)
            raise Distinguishable(event, sum_at(a, event), sum_at(b, event), over, share)
    found = lemma.simulate(first, second, factor, share)
    return SimulationMap(found.rows, first, second, LeakyResponse(factor, share), residual)


def masses(name: str, given: Sequence[Real]) -> Masses:
    """A distribution as exact fractions."""
    checked = distribution(name, given)
    total = mass_of(checked)
    if total != 1 and not any(isinstance(x, float) for x in checked):
        raise InvalidParameter(f"sum of {name}", str(total), "exactly 1")
    return tuple(Fraction(x) / total for x in checked)


def sum_at(law: Masses, event: tuple[int, ...]) -> Fraction:
    """The probability of an event."""
    return sum((law[i] for i in event), Fraction(0))


def _factor(epsilon: Real | None, exp_epsilon: Real | None) -> tuple[Fraction, Enclosure]:
    r"""A rational number at or just above $e^\varepsilon$, and the change of a response that uses it instead."""
    if (epsilon is None) == (exp_epsilon is None):
        raise InvalidParameter("epsilon, exp_epsilon", (epsilon, exp_epsilon), "exactly one of the two")
    if exp_epsilon is not None:
        return Fraction(FACTOR.check("exp_epsilon", exp_epsilon)), ZERO
    e = MOST_EPSILON.check("epsilon", EPSILON.check("epsilon", epsilon))
    if e == 0:
        return Fraction(1), ZERO
    with ctx.workprec(_BITS):
        mantissa, exponent = ball(e).exp().upper().man_exp()
    factor = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

    def moved() -> Ball:
        true = ball(e).exp()
        return (ball(factor) - true) / ((1 + true) * (1 + ball(factor)))

    return factor, Enclosure(0.0, max(enclose(moved, gap=1.0).upper, 0.0))


__all__ = ["SYMBOLS", "Distinguishable", "LeakyResponse", "SimulationMap", "masses", "simulate"]
