"""Any mechanism with a Rényi curve on a sample of fixed size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from dpcompose.errors import Declined
from dpcompose.kernel import describes
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import Curve, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.sources import WBK19
from dpcompose.theorems.sampling.fixed_size import drawn

MOST_ORDER = 256


@dataclass(frozen=True)
class FixedSizeCurve(Curve):
    r"""At whole orders $\frac{1}{\alpha-1}\ln\bigl(1+\eta^2\binom\alpha2\min(4(e^{r(2)}-1),2e^{r(2)})
    +2\sum_{j\ge3}\eta^j\binom\alpha je^{(j-1)r(j)}\bigr)$; between them the chord of $(\alpha-1)D_\alpha$.
    """

    inner: Curve
    rate: Real

    def at(self, order: Real) -> Ball:
        """The chord; below order 2 the value there, beyond many orders nothing."""
        if order > MOST_ORDER:
            return Ball("inf")
        low = max(2, math.floor(order))
        if order <= low:
            return self._log_moment(low) / (low - 1)
        x = ball(order)
        return ((low + 1 - x) * self._log_moment(low) + (x - low) * self._log_moment(low + 1)) / (x - 1)

    def _log_moment(self, order: int) -> Ball:
        return sum((math.comb(order, j) * self._term(j) for j in range(2, order + 1)), Ball(0)).log1p()

    def _term(self, j: int) -> Ball:
        """What the binomial coefficient is a factor of, which all orders share."""
        key = (j, ctx.prec)
        if key not in self._terms:
            r, power = self.inner.at(j), ball(self.rate) ** j
            grown = (4 * r.expm1()).min(2 * r.exp()) if j == 2 else 2 * ((j - 1) * r).exp()
            self._terms[key] = power * grown
        return self._terms[key]

    @cached_property
    def _terms(self) -> dict[tuple[int, int], Ball]:
        return {}

    @cached_property
    def _guesses(self) -> dict[int, float]:
        return {}

    def guess(self, order: float) -> float:
        """The chord in floats."""
        if order > MOST_ORDER:
            return math.inf
        low = max(2, math.floor(order))
        if order <= low:
            return self._guess(low) / (low - 1)
        return ((low + 1 - order) * self._guess(low) + (order - low) * self._guess(low + 1)) / (order - 1)

    def _guess(self, order: int) -> float:
        if order not in self._guesses:
            with_floats = [(j, min(self.inner.guess(j), 1e300)) for j in range(2, order + 1)]
            logs = [
                j * math.log(self.rate)
                + math.log(math.comb(order, j))
                + (j - 1) * r
                + (math.log(2) if j > 2 else math.log(min(-4 * math.expm1(-r), 2) or 5e-324))
                for j, r in with_floats
            ]
            top = max(*logs, 0.0)
            self._guesses[order] = top + math.log(sum(math.exp(x - top) for x in [*logs, 0.0]))
        return self._guesses[order]


@describes("X-WOR-WBK", WBK19.at("Thm. 9"), relations=REPLACE_ONE_ONLY)
def fixed_size_curve(m: SampledWithoutReplacement, inner: Renyi) -> Renyi:
    r"""If $D_\alpha\le r(\alpha)$ on all records then on $m$ of $n$, $\eta = m/n$ and whole $\alpha\ge2$,
    $D_\alpha\le\frac{1}{\alpha-1}\ln\bigl(1+\eta^2\binom\alpha2\min(4(e^{r(2)}-1),2e^{r(2)})
    +2\sum_{j=3}^\alpha\eta^j\binom\alpha je^{(j-1)r(j)}\bigr)$.
    """
    if inner.delta != 0:
        raise Declined("needs a curve that holds for all outcomes")
    return Renyi(FixedSizeCurve(inner.curve, drawn(m)))
