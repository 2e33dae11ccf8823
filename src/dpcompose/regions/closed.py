"""Trade-off functions in closed form: one normal shift, one Laplace shift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from dpcompose.kernel import Claim
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.special import ndtri
from dpcompose.regions.chain import UNDERFLOW, Chain, Floats
from dpcompose.regions.envelope import Envelope
from dpcompose.regions.tradeoff import EventProbabilities, Tradeoff

_BITS = 80
_SLACK = 2.0**-50


@dataclass(frozen=True, slots=True)
class NormalTradeoff(Tradeoff):
    r"""$G_\mu(\alpha) = \Phi(\Phi^{-1}(1-\alpha)-\mu)$ for $N(0,1)$ against $N(\mu,1)$."""

    mu_squared: Real
    polygons: Envelope
    lower_by: Claim[Any] | None
    upper_by: Claim[Any] | None

    def between(self, least: Floats, most: Floats, tolerance: float) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Bounds from a threshold guessed in floats, whose two errors and tangent are evaluated in balls."""
        with ctx.workprec(_BITS):
            mu = ball(self.mu_squared).sqrt()
            half = mu * mu / 2
            ends = [self._between(a, b, mu, half) for a, b in zip(least.tolist(), most.tolist(), strict=True)]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    @staticmethod
    def _between(least: float, most: float, mu: Ball, half: Ball) -> tuple[float, float]:
        if most >= 1.0:
            return 0.0, 0.0 if least >= 1.0 else float(np.nextafter(1.0 - least, 2.0))
        if least <= 0.0:
            return (1.0, 1.0) if most <= 0.0 else (0.0, 1.0)
        c = -float(ndtri(least))
        step = (1.0 + abs(c)) * 2.0**-51
        alpha = _beyond(c)
        while not alpha <= least:  # a test that errs no more often than it may
            c, step = c + step, 4 * step
            alpha = _beyond(c)
        beta = _beyond(mu - c)
        tangent = beta - (mu * c - half).exp() * (most - alpha)
        return min(max(Enclosure.of(tangent).lower, 0.0), 1.0), min(Enclosure.of(beta).upper, 1.0)

    def chains(self, tolerance: float) -> tuple[Chain, Chain]:
        """Chains through certified values of the profile."""
        return self.polygons.chains(tolerance)

    def tells_no_more(self, other: Tradeoff) -> bool | None:
        """Whether this shift is at most the other's; None for another kind of function."""
        return self.mu_squared <= other.mu_squared if isinstance(other, NormalTradeoff) else None

    def swapped(self) -> NormalTradeoff:
        """The same function: the pair is symmetric."""
        return self

    def event(self, t: Real) -> EventProbabilities:
        r"""$P(L>t) = \Phi(\mu/2-t/\mu)$ and $Q(L>t) = \Phi(-\mu/2-t/\mu)$."""
        if self.mu_squared == 0:
            return EventProbabilities(Enclosure(0.0, 0.0), Enclosure(0.0, 0.0))

        def beyond(sign: int) -> Enclosure:
            def formula() -> Ball:
                mu = ball(self.mu_squared).sqrt()
                return _beyond(ball(t) / mu - sign * mu / 2)

            return enclose(formula)

        return EventProbabilities(beyond(1), beyond(-1))


def _beyond(x: Ball | float) -> Ball:
    r"""$\Phi(-x)$ at the working precision."""
    return (arb(x) / arb(2).sqrt()).erfc() / 2


@dataclass(frozen=True, slots=True)
class LaplaceTradeoff(Tradeoff):
    r"""One Laplace shift of $x = \Delta/b$: $1-e^x\alpha$, then $e^{-x}/4\alpha$, then $e^{-x}(1-\alpha)$.

    The two lines are tangents of the hyperbola at $\alpha = e^{-x}/2$ and $\frac12$, so changing pieces one rounding
    too early or too late causes only an error of second order.
    """

    step: Real
    polygons: Envelope
    lower_by: Claim[Any] | None
    upper_by: Claim[Any] | None

    def between(self, least: Floats, most: Floats, tolerance: float) -> tuple[Floats, Floats]:  # noqa: ARG002
        """The three pieces in floats, each moved by its rounding error."""
        grown = enclose(lambda: ball(self.step).exp())
        shrunk = enclose(lambda: (-ball(self.step)).exp())
        lower, upper = _laplace(most, grown.upper, shrunk.lower), _laplace(least, grown.lower, shrunk.upper)
        lower = np.maximum(lower - _SLACK * np.where(most < shrunk.upper, 1.0, lower) - UNDERFLOW, 0.0)
        upper = np.minimum(upper + _SLACK * np.where(least < shrunk.upper, 1.0, upper) + UNDERFLOW, 1.0)
        return lower, np.where(least < 1.0, np.nextafter(upper, 1.0), 0.0)

    def chains(self, tolerance: float) -> tuple[Chain, Chain]:
        """Chains through certified values of the profile."""
        return self.polygons.chains(tolerance)

    def tells_no_more(self, other: Tradeoff) -> bool | None:
        """Whether this shift is at most the other's; None for another kind of function."""
        return self.step <= other.step if isinstance(other, LaplaceTradeoff) else None

    def swapped(self) -> LaplaceTradeoff:
        """The same function: the pair is symmetric."""
        return self

    def event(self, t: Real) -> EventProbabilities:
        r"""For $0\le t<x$: $P(L>t) = 1-\frac12e^{(t-x)/2}$ and $Q(L>t) = \frac12e^{-(t+x)/2}$; nothing from $x$ on."""
        if t >= self.step:
            return EventProbabilities(Enclosure(0.0, 0.0), Enclosure(0.0, 0.0))
        return EventProbabilities(
            enclose(lambda: 1 - ((ball(t) - ball(self.step)) / 2).exp() / 2),
            enclose(lambda: (-(ball(t) + ball(self.step)) / 2).exp() / 2),
        )


def _laplace(alpha: Floats, grown: float, shrunk: float) -> Floats:
    middle = np.clip(alpha, shrunk / 2, 0.5)
    hyperbola = np.divide(shrunk, 4.0 * middle, out=np.ones_like(alpha), where=middle > 0.0)
    with np.errstate(invalid="ignore"):  # infinity times 0, which the last line leaves out
        line = np.maximum(1.0 - grown * alpha, 0.0)
    ends = np.where(alpha > 0.5, shrunk * (1.0 - alpha), hyperbola)
    return np.where((alpha < shrunk / 2) & (alpha > 0.0), line, np.where(alpha > 0.0, ends, 1.0))


__all__ = ["LaplaceTradeoff", "NormalTradeoff"]
