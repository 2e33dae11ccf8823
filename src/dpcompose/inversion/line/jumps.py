r"""Heavy tails: a bulk without them, plus one, two, ... jumps put back.

Split a step's law smoothly into a bulk $B$ and jumps $J$ (`trimmed` and `jumps`). Exactly,

$$\delta(\varepsilon) = \sum_{j=0}^{k}\binom kj\,\delta_{B^{k-j}J^j}(\varepsilon),$$

with $\delta_\nu(\varepsilon) = \int(1-e^{\varepsilon-s})_+\nu(ds)$ for each positive measure $\nu$, and every term is
$\ge 0$. Each term has a saddle line of its own, well conditioned because its parts are light-tailed; with $\lambda =
\sum k_ip_i$ the expected number of jumps, the terms beyond the $m$-th sum to at most $\lambda^{m+1}/(m+1)!$.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from dpcompose.inversion.error_terms import log_chernoff
from dpcompose.inversion.line.build import PLAIN_FREQUENCIES, build_line, plain_line
from dpcompose.inversion.line.lattice_line import build_lattice_line, common_lattice
from dpcompose.inversion.line.line import Alias
from dpcompose.inversion.line.reading import NO_BUDGET, ErrorBudget, LineReading, Readable
from dpcompose.inversion.line.spectrum import Goal, build_spectrum, places, total_cumulants
from dpcompose.inversion.losses.protocols import Cumulants, Loss, LossSum
from dpcompose.inversion.losses.stacked import Stack
from dpcompose.inversion.saddle import Saddle, at_delta, at_epsilon
from dpcompose.numerics.rounding import LIBM, Floats, log_total
from dpcompose.numerics.unreachable import OutOfReach

MOST_JUMPS = 5
"""The greatest number of jumps in a term of an expansion."""
MOST_TERMS = 150
"""The greatest number of terms of an expansion."""
MOST_WORK = 2_000_000
"""The greatest number of terms times frequencies of an expansion."""
LADDER = ((0.0, 3), (0.0, 8), (0.2, 8), (0.4, 8), (0.6, 8), (0.8, 8), (1.0, 8), (1.0, 24))
"""How much to trim (0: as little as asked, 1: as much as the expansion can put back) and how sharply."""
LEAST_BULK = math.log(1e-3)


@dataclass(frozen=True, eq=False)
class NegligibleTerm:
    """A term known to be negligible: its Chernoff bound, and 0 below it."""

    bound: Alias

    size = 0

    @property
    def tilt(self) -> float:
        """The tilt of the line."""
        return self.bound.tau

    def read(self, epsilon: float) -> LineReading:
        """Certified bounds on ln δ at one ε."""
        return LineReading(-math.inf, self.bound.log_size(epsilon), -math.inf, -self.bound.tau)

    def read_many(self, epsilons: Floats) -> list[LineReading]:
        """`read` at many ε."""
        return [self.read(e) for e in epsilons.tolist()]

    def budget(self, epsilon: float) -> ErrorBudget:
        """The error terms at one ε."""
        return replace(NO_BUDGET, method="negligible", tilt=self.tilt, truncation=self.read(epsilon).log_upper)


@dataclass(frozen=True, eq=False)
class JumpExpansion:
    """Positive terms, each with the logarithm of its factor, and a remainder that counts only upwards."""

    terms: Sequence[tuple[float, Readable]]
    remainder: float

    @property
    def tilt(self) -> float:
        """The tilt of the line."""
        return self.terms[0][1].tilt

    @property
    def size(self) -> int:
        """How many frequencies are evaluated."""
        return sum(term.size for _, term in self.terms)

    def read(self, epsilon: float) -> LineReading:
        """Certified bounds on ln δ at one ε."""
        return self._add([term.read(epsilon) for _, term in self.terms])

    def read_many(self, epsilons: Floats) -> list[LineReading]:
        """`read` at many ε."""
        columns = [term.read_many(epsilons) for _, term in self.terms]
        return [self._add(row) for row in zip(*columns, strict=True)]

    @cached_property
    def _log_remainder(self) -> float:
        return math.log(self.remainder) if self.remainder > 0.0 else -math.inf

    def _add(self, readings: Sequence[LineReading]) -> LineReading:
        rest = self._log_remainder
        if len(readings) == 1 and self.terms[0][0] == 0.0:
            only = readings[0]
            if rest == -math.inf:
                return only
            upper = log_total([only.log_upper, rest])
            return only._replace(log_upper=upper + LIBM * (8.0 + abs(upper)))
        factors = [f for f, _ in self.terms]
        values = [f + r.log_value for f, r in zip(factors, readings, strict=True)]
        log_value = log_total(values)
        shares = [math.exp(v - log_value) if math.isfinite(log_value) else 0.0 for v in values]
        slope = sum(s * r.slope for s, r in zip(shares, readings, strict=True)) or readings[0].slope
        lower = log_total([f + r.log_lower for f, r in zip(factors, readings, strict=True)])
        upper = log_total([*(f + r.log_upper for f, r in zip(factors, readings, strict=True)), rest])
        margin = LIBM * (8.0 + 2.0 * max(abs(f) for f in factors) + abs(upper))
        return LineReading(lower * (1.0 + LIBM) - margin, upper + margin, log_value, slope).sound()

    def budget(self, epsilon: float) -> ErrorBudget:
        """The error budget of the term that contributes most, with the remainder as its domain error."""
        sizes = [f + term.read(epsilon).log_upper for f, term in self.terms]
        main = self.terms[int(np.argmax(sizes))][1]
        total = self.read(epsilon).log_upper
        domain = self.remainder * math.exp(min(-total, 700.0))
        jumps = f" and {len(self.terms) - 1} jump terms" if len(self.terms) > 1 else ""
        budget = main.budget(epsilon)
        return replace(budget, method=budget.method + jumps, domain=domain)


Find = Callable[[Callable[[float], Cumulants], float], Saddle]
"""How to find the saddle of a composition, starting from a tilt: for a given ε, or for a given δ."""


def finding_epsilon(epsilon: float) -> Find:
    """The saddle of a given ε."""
    return lambda cumulants, start: at_epsilon(cumulants, epsilon, start)


def finding_delta(log_delta: float) -> Find:
    """The saddle of a given ln δ."""
    return lambda cumulants, start: at_delta(cumulants, log_delta, start)


def choose_bulk(
    summands: Sequence[LossSum], find: Find, log_delta: float, relative: float, start: float
) -> tuple[Sequence[LossSum], Saddle]:
    r"""Trim as little as conditioning allows.

    At a sound saddle $t^2K''$ is moderate; beyond a heavy tail it explodes, or the estimate jumps over the root. Then
    trim harder, up to $10^{-3}$ expected jumps: the expansion puts them back, unless they are of too many kinds.
    """
    wanted, share = log_delta + math.log(relative) - 3.0, math.log(len(summands))
    found: list[tuple[Sequence[LossSum], Saddle]] = []
    for part, sharpness in LADDER[:2] if any(isinstance(s, Stack) and s.rows.has_jumps for s in summands) else LADDER:
        bulk = [s.trimmed(wanted + part * max(LEAST_BULK - wanted, 0.0) - share, sharpness) for s in summands]
        saddle = find(total_cumulants(bulk), start)
        found.append((bulk, saddle))
        if all(b.trim_lost == 0.0 for b in bulk) or is_normal(total_cumulants(bulk), saddle):
            break
    return found[-1]


def is_normal(cumulants: Callable[[float], Cumulants], saddle: Saddle) -> bool:
    r"""Whether the tilted sum looks like many small contributions: $t^2K''$ moderate and its skewness below
    1.
    """
    t, curvature = saddle.tilt, saddle.cumulants.curvature
    third = (cumulants(1.02 * t).curvature - curvature) / (0.02 * t)
    return saddle.settled and t * t * curvature <= 1e4 and abs(third) <= 3.0 * max(curvature, 1e-300) ** 1.5


def expand(bulk: Sequence[LossSum], goal: Goal) -> JumpExpansion:
    """The bulk's line, and as many jump terms as the tolerance asks for."""
    line = best_line(bulk, goal)
    lost = sum(b.trim_lost for b in bulk)
    wanted = goal.log_delta + math.log(goal.relative) - 1.0
    if lost <= math.exp(max(wanted, -740.0)) or lost == 0.0:
        return JumpExpansion([(0.0, line)], lost * (1.0 + 1e-12))
    hidden = [b.jumps(wanted - 2.0 - math.log(len(bulk))) for b in bulk]
    beyond = sum(rest for _, rest in hidden)
    orders, remainder = 1, lost**2 / 2.0
    while remainder > math.exp(max(wanted, -740.0)) and orders < MOST_JUMPS:
        orders += 1
        remainder *= lost / (orders + 1)
    terms: list[tuple[float, Readable]] = [(0.0, line)]
    kinds = sum(len(bands) for bands, _ in hidden)
    ways = sum(math.comb(kinds + order - 1, order) for order in range(1, orders + 1))
    if ways > MOST_TERMS:  # better to know before they are built
        return JumpExpansion(terms, lost * (1.0 + 1e-12))
    for log_factor, members in jump_terms(bulk, [bands for bands, _ in hidden], orders):
        if len(terms) > MOST_TERMS or len(terms) * line.size > MOST_WORK:
            return JumpExpansion([(0.0, line)], lost * (1.0 + 1e-12))
        terms.append((log_factor, jump_line(members, log_factor, goal)))
    return JumpExpansion(terms, (beyond + remainder) * (1.0 + 1e-9))


def jump_terms(
    bulk: Sequence[LossSum], hidden: Sequence[Sequence[Loss]], orders: int
) -> Iterator[tuple[float, Sequence[LossSum]]]:
    """Every way to choose up to `orders` jumps among the bands of all summands, with the logarithm of its
    multiplicity.
    """
    kinds = [(i, band) for i, bands in enumerate(hidden) for band in bands]
    for order in range(1, orders + 1):
        for choice in combinations_with_replacement(range(len(kinds)), order):
            taken = Counter(kinds[c][0] for c in choice)
            if any(n > bulk[i].steps for i, n in taken.items()):
                continue
            ways = math.prod(math.perm(bulk[i].steps, n) for i, n in taken.items())
            same = math.prod(math.factorial(n) for n in Counter(choice).values())
            rest = [b.fewer(taken[i]) if taken[i] else b for i, b in enumerate(bulk)]
            bands = regroup([kinds[c][1] for c in choice])
            yield math.log(ways) - math.log(same), [*(r for r in rest if r.steps), *bands]


def regroup(losses: Sequence[Loss]) -> Sequence[LossSum]:
    """Single steps, gathered by kind."""
    kinds: dict[type[Loss], list[tuple[Loss, int]]] = defaultdict(list)
    for loss in losses:
        kinds[type(loss)].append((loss, 1))
    return [s for kind, members in kinds.items() for s in kind.gather(members)]


def jump_line(members: Sequence[LossSum], log_factor: float, goal: Goal) -> Readable:
    """A line for one jump term, or its Chernoff bound if that is already negligible."""
    log_delta = goal.log_delta - log_factor
    saddle = at_epsilon(total_cumulants(members), goal.epsilon, goal.saddle.tilt)
    t = saddle.tilt
    if saddle.log_delta < log_delta + math.log(goal.relative) - 6.0:
        return negligible(members, t)
    own = replace(goal, saddle=saddle, log_delta=log_delta)
    return best_line(members, own)


def negligible(members: Sequence[LossSum], tilt: float, smaller: Sequence[float] = (0.7, 0.7)) -> NegligibleTerm:
    """Chernoff's bound; from a smaller tilt where the moment at this one cannot be told."""
    parts = [m.tilted(tilt, 0.0, 1e-6) for m in members]
    log_moment = math.fsum(p.log_moment + p.log_moment_error for p in parts)
    if math.isinf(log_moment) and smaller:
        return negligible(members, smaller[0] * tilt, smaller[1:])
    return NegligibleTerm(Alias(log_chernoff(tilt) + log_moment + LIBM * abs(log_moment), tilt))


def best_line(summands: Sequence[LossSum], goal: Goal) -> Readable:
    """A lattice line where there is a lattice, else a plain line or a sandwich."""
    lattice = common_lattice(summands)
    exact = build_lattice_line(summands, lattice, goal) if lattice else None
    if exact is not None:
        return exact
    *moved, (goal, period) = places(total_cumulants(summands), goal)
    for elsewhere, shorter in moved:  # a line that must be smoothed has more frequencies wherever it is
        with suppress(OutOfReach):
            line = plain_line(build_spectrum(summands, elsewhere, shorter), summands, elsewhere, PLAIN_FREQUENCIES)
            if line is not None:
                return line
    return build_line(build_spectrum(summands, goal, period), summands, goal)
