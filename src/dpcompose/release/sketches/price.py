r"""How many rows a sketch needs and how much noise, both certified; and what was published for the same goal.

**Rows.** A sketch of $r$ rows answers with $\chi^2_r/r$ times the truth. So $r$ rows are within a factor $1\pm\eta$ of
one answer, except with probability

$$Q(\tfrac r2, \tfrac{r(1+\eta)}2) + P(\tfrac r2, \tfrac{r(1-\eta)}2) \le \nu/k,$$

about half of the $8\ln(2k/\nu)/\eta^2$ of the published bound.

**Width.** The least $w$ at which the exact profile of all $r$ rows together has $\delta(\varepsilon) \le \delta$.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from flint import arb

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.exact.normal import normal_mu
from dpcompose.mechanisms import BlackBox
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose, rounded
from dpcompose.numerics.gamma import gamma_lower
from dpcompose.numerics.positive import enclose_probability
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import last, root
from dpcompose.parameters import Param, Whole, exact, short
from dpcompose.release.sketches.profile import MOST_ROWS
from dpcompose.shown import Told
from dpcompose.theorems.sketches import rows_needed

ETA = Param("η", 0.001, 0.999, "relative", typical=(0.1, 0.5))
NU = Param("ν", Fraction(1, 10**300), 0.999, "probability", typical=(0.01, 0.1))
QUERIES = Whole("k", 1, 10**300, "queries", typical=(1, 1000))
EPSILON = Param("ε", 0, 100, "nats", typical=(0.1, 5))
CHANGE = Param("Δ", Fraction(1, 10**9), 10**9, "data units", typical=(0.5, 2))

ORDERS = (1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Orders of the Rényi table by which a sketch is described."""

CLOSE = 2.0**-30
"""The width exceeds the least one at most by this relative amount."""


@dataclass(frozen=True, slots=True)
class SketchGoal:
    """The required accuracy of each of k answers, and the privacy of all of them together."""

    eta: Real
    nu: Real
    queries: int
    epsilon: Real
    delta: Real
    change: Real

    @property
    def failure(self) -> Fraction:
        """The probability ν/k with which one answer may miss its accuracy."""
        return Fraction(self.nu) / self.queries


@dataclass(frozen=True, slots=True, repr=False)
class Price(Told, ABC):
    """Rows, width and their exact cost, beside the published values for the same goal."""

    goal: SketchGoal
    rows: int
    width: float
    delta: Enclosure
    """The exact δ at ε of all rows together."""
    published_rows: int
    published_width: Enclosure

    @property
    def mechanism(self) -> BlackBox:
        """The mechanism to charge: the guarantee that was asked for, which the exact profile meets."""
        return BlackBox(epsilon=self.goal.epsilon, delta=self.goal.delta, adjacency=self.relation)

    @property
    @abstractmethod
    def relation(self) -> Adjacency:
        """The neighbouring relation of the guarantee; it is part of every charge."""

    @abstractmethod
    def renyi(self, order: Real) -> Enclosure:
        """The exact Rényi divergence of all rows together, in the worse order of the pair; infinite at high orders."""

    def by_renyi(self, orders: Sequence[Real] = ORDERS) -> BlackBox:
        """The same sketch known by its Rényi divergences, which costs less in a composition of several."""
        found = {order: self.renyi(order).upper for order in orders}
        finite = {order: bound for order, bound in found.items() if bound < math.inf}
        return BlackBox(renyi=finite, adjacency=self.relation)

    def __str__(self) -> str:
        e, d = float(self.goal.epsilon), float(self.goal.delta)
        width, before = rounded(self.width, ROUND_CEILING), rounded(self.published_width.upper, ROUND_CEILING, 4)
        return (
            f"{self.rows} rows, w = {width}, δ ∈ {self.delta} at ε = {short(e)} (at most {short(d)} was asked for); "
            f"published: {self.published_rows} rows, w = {before}"
        )


def goal(*, eta: Real, nu: Real, queries: int, epsilon: Real, delta: Real, change: Real) -> SketchGoal:
    """The goal, checked."""
    d = exact("delta", delta)
    if not 0 < d < 1:
        raise InvalidParameter("delta", delta, "a number above 0 and below 1: normal noise always leaks a little")
    return SketchGoal(
        ETA.check("eta", eta),
        NU.check("nu", nu),
        int(QUERIES.check("queries", queries)),
        EPSILON.check("epsilon", epsilon),
        d,
        CHANGE.check("change", change),
    )


def missing(rows: int, eta: Real) -> Enclosure:
    r"""The probability that $\chi^2_r/r$ lies outside $1\pm\eta$."""

    def formula() -> Ball:
        s = arb(rows) / 2
        above = (s * ball(1 + Fraction(eta))).gamma_upper(s, regularized=1)
        return above + gamma_lower(Fraction(rows, 2), s * ball(1 - Fraction(eta)))

    return enclose_probability(formula)


def exact_rows(wanted: SketchGoal, step: int = 1) -> int:
    r"""The least multiple of `step` found with a certified $\Pr[|\chi^2_r/r-1|>\eta] \le \nu/k$."""
    published = rows_needed(wanted.eta, wanted.nu, wanted.queries)
    most = -(-published // step) * step
    if most > MOST_ROWS:
        raise InvalidParameter(
            "eta", wanted.eta, f"a larger eta or nu: {published} rows would be needed, and {MOST_ROWS} are the most"
        )
    too_few = last(lambda n: missing(n * step, wanted.eta).upper > wanted.failure, 0, most // step)
    return (too_few + 1) * step  # the published number is always enough


def least_width(profile: Callable[[float], Enclosure], delta: Real, guess: float, high: float) -> Enclosure:
    r"""The least $w \in (0, h)$ with $\delta(w) \le \delta$, enclosed; the upper end is certain to meet it."""
    aim = float(ball(delta).log().mid())

    def excess(log_width: float) -> float:
        found = profile(math.exp(log_width)).upper
        return (math.log(found) if found > 0.0 else -800.0) - aim

    top = math.log(high) if high < math.inf else 300.0
    start = min(math.log(guess), top - 1e-9)
    near = root(excess, start - 3.0, min(start + 3.0, top), tolerance=1e-10, evaluations=40)
    target = Enclosure.exactly(delta)
    found = invert_decreasing(profile, target, math.exp(near), 0.0, high, gap=CLOSE)
    if not 0.0 < found.upper < high:
        raise NotProvable("No width is shown to reach this ε and δ; a larger δ or ε is within reach.")
    return found


def gaussian_guess(wanted: SketchGoal, scale: float) -> float:
    r"""`scale`$/\mu$ for the Gaussian that just meets the goal: the start of the search for the width."""
    mu = normal_mu(wanted.epsilon, wanted.delta).lower
    return min(max(float(wanted.change) * scale / max(mu, 1e-300), 1e-12), 1e100)


def published(wanted: SketchGoal, width: Callable[[int, Real, Real], Enclosure]) -> tuple[int, Enclosure]:
    """The published number of rows for a goal, and the width that the published formula gives for these rows."""
    rows = rows_needed(wanted.eta, wanted.nu, wanted.queries)
    found = width(rows, wanted.epsilon, wanted.delta)
    if math.isinf(found.upper):
        return rows, found
    return rows, enclose(lambda: ball(found) * ball(wanted.change), gap=2.0**-44)


def published_covariance_width(rows: int, epsilon: Real, delta: Real) -> Enclosure:
    r"""$w = \frac{16\sqrt{r\ln(2/\delta)}}{\varepsilon}\ln\frac{16r}{\delta}$, for a row that moves by at most 1."""
    if not epsilon:
        return Enclosure(math.inf, math.inf)

    def formula() -> Ball:
        d = ball(delta)
        return 16 * (rows * (2 / d).log()).sqrt() / ball(epsilon) * (16 * rows / d).log()

    return enclose(formula)


def worse(both: tuple[Enclosure, Enclosure]) -> Enclosure:
    """The larger of two enclosed numbers."""
    return Enclosure(max(e.lower for e in both), max(e.upper for e in both))


__all__ = [
    "Price",
    "SketchGoal",
    "exact_rows",
    "gaussian_guess",
    "goal",
    "least_width",
    "missing",
    "published",
    "published_covariance_width",
    "worse",
]
