"""Which noise suits a number of queries, and how to share a budget among different queries.

Read `noises` (what each kind of noise needs), `fitting` (the least noise that fits a budget), `flips` (the numbers of
queries at which another noise becomes better), then `splitting` (shares of a budget).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from textwrap import fill

from dpcompose.advice.fitting import NoiseGoal, Option, advised, fitted
from dpcompose.advice.flips import TIE, Contest, Flip
from dpcompose.advice.noises import KINDS, Contender, NoisyQuery
from dpcompose.advice.splitting import Share, Split, split
from dpcompose.description import ADD_REMOVE, Adjacency, Mechanism
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.mechanisms.laplace import SENSITIVITY
from dpcompose.numerics.enclosure import Enclosure, Real, ball, enclose, rounded
from dpcompose.parameters import Whole, short
from dpcompose.shown import NotebookResult
from dpcompose.theorems.approx.recipes import INFINITE, log_term

QUERIES = Whole("k", 1, 10**9, "queries", typical=(1, 1000))
CURVE = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Advice(NotebookResult):
    """Every kind of noise, in the least amount that reaches the goal, best first."""

    queries: int
    goal: NoiseGoal
    options: tuple[Option, ...]
    impossible: tuple[str, ...]
    """The kinds of noise of which no amount is shown to reach the goal."""
    closed_form: Enclosure
    r"""The standard deviation $\Delta\sqrt{8k\ln(e+\varepsilon/\delta)}/\varepsilon$ of KOV-4.2 and KOV-4.3."""
    flips: tuple[Flip, ...]
    """The best noise by the number of queries: each with the number from which on it is best, the first at one."""

    def __repr__(self) -> str:
        return f"<Advice for {self.queries} queries: {self.mechanism}>"

    @property
    def best(self) -> Option:
        """The kind with the least standard deviation; of kinds within one in a thousand of it, the most usual."""
        return self.options[0]

    @property
    def closed_variance(self) -> Enclosure:
        r"""The variance $8k\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2$ of KOV-4.2 and KOV-4.3."""
        return closed_variance(self.goal, self.queries)

    @property
    def mechanism(self) -> Mechanism:
        """One query with the best noise."""
        return self.best.noise.member(self.goal.query, self.best.parameter)

    def curve(self, queries: Sequence[int] = CURVE) -> dict[str, tuple[tuple[int, float], ...]]:
        """For a picture: for every kind of noise, the standard deviation needed at each number of queries."""
        points: dict[str, list[tuple[int, float]]] = {option.name: [] for option in self.options}
        for option in self.options:
            for k in queries:
                found = fitted(option.noise, self.goal, int(QUERIES.check("queries", k)))
                if found is not None:
                    points[option.name].append((k, found.deviation.upper))
        return {name: tuple(line) for name, line in points.items()}

    def document(self) -> dict[str, object]:
        """Everything as plain values, for JSON; upper bounds where a number is not exact."""
        g = self.goal
        finite = self.closed_form.upper < math.inf
        return {
            "queries": self.queries,
            "epsilon": float(g.epsilon),
            "delta": float(g.delta),
            "sensitivity": float(g.query.sensitivity),
            "best": self.best.name,
            "options": [option.document() for option in self.options],
            "impossible": list(self.impossible),
            "closed_form": {"deviation": self.closed_form.upper, "variance": self.closed_variance.upper}
            if finite
            else None,
            "flips": [{"from_queries": flip.queries, "best": flip.after} for flip in self.flips],
        }

    def __str__(self) -> str:
        g = self.goal
        many = "1 query" if self.queries == 1 else f"{self.queries} queries"
        head = f"{many} of sensitivity {short(g.query.sensitivity)}, together within "
        lines = [
            f"{head}ε = {short(g.epsilon)}, δ = {short(g.delta)}",
            "",
            f"{'noise':18} {'parameter':28} {'deviation':>12} {'19 of 20 within':>16}",
            *(_row(option) for option in self.options),
            *(f"{name:18} never reaches it" for name in self.impossible),
            "",
        ]
        if self.closed_form.upper < float("inf"):
            said, square = (rounded(x, ROUND_CEILING) for x in (self.closed_form.upper, self.closed_variance.upper))
            lines.append(f"Closed form (KOV15 Thm. 4.2, 4.3): deviation {said}, variance {square}.")
        return "\n".join([*lines, fill(self._as_queries_grow(), 80)])

    def _as_queries_grow(self) -> str:
        if len(self.flips) == 1:
            return f"Best by the number of queries: {self.flips[0].after} throughout."
        parts = [f"{flip.before} up to {flip.queries - 1}" for flip in self.flips[1:]]
        return f"Best by the number of queries: {', '.join(parts)}, then {self.flips[-1].after}."


def _row(option: Option) -> str:
    shown = f"{option.noise.parameter} = {rounded(float(option.parameter), option.noise.rounding, 7)}"
    deviation, error = (rounded(x, ROUND_CEILING) for x in (option.deviation.upper, option.error))
    return f"{option.name:18} {shown:28} {deviation:>12} {error:>16}"


def advise(
    *,
    queries: int,
    epsilon: Real,
    delta: Real = 0,
    sensitivity: Real = 1,
    integer: bool | None = None,
    adjacency: Adjacency | None = ADD_REMOVE,
) -> Advice:
    """Which noise suits k queries best within (ε, δ), under exact composition.

    Each query has the given sensitivity, and all of them may depend on the same record. `integer` says whether the
    answers are whole numbers, so that geometric and discrete Gaussian noise apply; if not given, that is assumed where
    the sensitivity is whole. Parameters are rounded to the safe side, and as fine as those that `calibrate` finds.
    """
    k = int(QUERIES.check("queries", queries))
    goal = NoiseGoal(epsilon, delta, NoisyQuery(SENSITIVITY.check("sensitivity", sensitivity), adjacency))
    if integer and not goal.counts:
        raise InvalidParameter("sensitivity", float(sensitivity), "a whole number up to 1e9 for whole answers")
    kinds = [noise for noise in KINDS if not noise.whole or (goal.counts if integer is None else integer)]
    found = [(noise, advised(noise, goal, k)) for noise in kinds]
    options = [option for _, option in found if option is not None]
    if not options:
        raise NotProvable(f"No noise is shown to reach ε = {short(epsilon)} with δ = {short(delta)}")
    never = tuple(noise.name for noise, option in found if option is None)
    return Advice(k, goal, _ranked(options), never, _closed_form(goal, k), _flips(goal, kinds))


def _ranked(options: list[Option]) -> tuple[Option, ...]:
    """In the order of their deviations; but among those about as good as the best, the most usual comes first."""
    least = min(option.deviation.upper for option in options)
    best = next(option for option in options if option.deviation.upper <= least * (1 + TIE))
    return best, *sorted((o for o in options if o is not best), key=lambda o: o.deviation.upper)


def closed_variance(goal: NoiseGoal, queries: int) -> Enclosure:
    r"""$8k\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2$; infinite where ε or δ is 0."""
    if not goal.epsilon or not goal.delta:
        return INFINITE
    return enclose(
        lambda: (
            8 * queries * (ball(goal.query.sensitivity) / ball(goal.epsilon)) ** 2 * log_term(goal.epsilon, goal.delta)
        )
    )


def _closed_form(goal: NoiseGoal, queries: int) -> Enclosure:
    square = closed_variance(goal, queries)
    return square if square is INFINITE else enclose(lambda: ball(square).sqrt(), gap=2.0**-40)


def _flips(goal: NoiseGoal, kinds: Sequence[Contender]) -> tuple[Flip, ...]:
    normal = next(noise for noise in kinds if noise.normal)
    return Contest(goal, [noise for noise in kinds if not noise.normal], normal).flips()


__all__ = ["CURVE", "QUERIES", "Advice", "Flip", "Option", "Share", "Split", "advise", "closed_variance", "split"]
