"""The papers' closed forms for a budget over k steps, each beside the exact answer to the same question."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from dpcompose.calibration.search import search_axis
from dpcompose.calibration.targets import indistinguishable
from dpcompose.calibration.trial import Trial, axis_of
from dpcompose.errors import Declined, InvalidParameter, NotProvable
from dpcompose.exact.normal import normal_mu
from dpcompose.mechanisms import BlackBox, Laplace
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose, rounded
from dpcompose.parameters import DELTA, EPSILON, Whole, short
from dpcompose.prove.answer import delta as delta_at
from dpcompose.sources import DR14, KOV15, SMITH
from dpcompose.theorems.approx.recipes import (
    INFINITE,
    PerStep,
    composed_gaussian,
    largest_step,
    log_term,
    per_step_epsilon,
)

STEPS = Whole("k", 1, 10**9, "runs", typical=(1, 1000))
STEP, NOISE = "ε₀", "σ/Δ"


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """One rule: the value it prescribes, whether that value reaches the goal, and the value that is exactly needed."""

    theorem: str
    source: str
    quantity: str
    """`ε₀`: the loss allowed to each step (more is better), or `σ/Δ`: the noise of each step (less is better)."""
    value: Enclosure
    holds: bool
    """Whether the value is certain to reach the goal, by the rule's own proof or by the exact composition."""
    exact: Enclosure
    """The best value of the quantity under exact composition, enclosed."""

    @property
    def waste(self) -> float:
        """The noise that the rule prescribes divided by the noise needed; below 1 the rule does not reach the goal."""
        left, right = (self.exact, self.value) if self.quantity == STEP else (self.value, self.exact)
        if left.upper == right.upper:
            return 1.0
        return left.upper / right.lower if right.lower > 0.0 and left.upper < math.inf else math.inf


@dataclass(frozen=True, slots=True)
class ClosedForms:
    """What every rule prescribes for one goal."""

    steps: int
    epsilon: Real
    delta: Real
    rows: tuple[ClosedForm, ...]

    def __getitem__(self, theorem: str) -> ClosedForm:
        found = {row.theorem: row for row in self.rows}
        if theorem not in found:
            raise InvalidParameter("theorem", theorem, f"one of {', '.join(found)}")
        return found[theorem]

    def __str__(self) -> str:
        head = f"{self.steps} steps within ε = {short(self.epsilon)}, δ = {short(self.delta)}"
        lines = [f"{'rule':10} {'':4} {'says':>12} {'exactly':>12} {'noise':>8}  holds  source"]
        for row in self.rows:
            safe = ROUND_FLOOR if row.quantity == STEP else ROUND_CEILING
            ends = [e.lower if safe == ROUND_FLOOR else e.upper for e in (row.value, row.exact)]
            said, best = (rounded(end, safe, 6) for end in ends)
            verdict = "yes" if row.holds else "NO"
            lines.append(
                f"{row.theorem:10} {row.quantity:4} {said:>12} {best:>12} {row.waste:>7.3g}×  {verdict:5}  {row.source}"
            )
        return "\n".join([head, "", *lines])


def closed_forms(*, steps: int, epsilon: Real, delta: Real) -> ClosedForms:
    r"""What the papers prescribe for $k$ steps within $(\varepsilon,\delta)$, with $L = \ln(e+\varepsilon/\delta)$:

    - KOV-4.1: $\varepsilon_0 = \varepsilon/2\sqrt{kL}$ and $\delta_0 = \delta/2k$ for any mechanism;
    - KOV-4.2: Laplace noise of variance $8k\Delta^2L/\varepsilon^2$; KOV-4.3: the same variance of Gaussian noise;
    - X-CAL: the $\varepsilon_0$ at which $k\varepsilon_0^2/2+\varepsilon_0\sqrt{2k\ln(1/\delta)} = \varepsilon$;
    - DR-3.21: $\varepsilon_0 = \varepsilon/2\sqrt{2k\ln(1/\delta)}$.

    Outside the range in which a rule is proven, the exact composition decides whether its value reaches the goal.
    """
    k = int(STEPS.check("steps", steps))
    e, d = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
    return ClosedForms(k, e, d, (_any(k, e, d), _laplace(k, e, d), _gaussian(k, e, d), *_steps(k, e, d)))


def _any(k: int, epsilon: Real, delta: Real) -> ClosedForm:
    own = Fraction(delta) / (2 * k)
    found = per_step_epsilon(k, epsilon, delta, own)
    return ClosedForm(
        "KOV-4.1", str(KOV15.at("Thm. 4.1")), STEP, found.value, found.certified, _largest(k, own, epsilon, delta)
    )


def _largest(k: int, own: Real, epsilon: Real, delta: Real) -> Enclosure:
    try:
        return largest_step(k, own, epsilon, delta)
    except Declined:
        return ZERO


def _deviation(k: int, epsilon: Real, delta: Real) -> Enclosure:
    r"""$\sqrt{8kL}/\varepsilon$."""
    if not epsilon or not delta:
        return INFINITE
    return enclose(lambda: (8 * k * log_term(epsilon, delta)).sqrt() / ball(epsilon))


def _laplace(k: int, epsilon: Real, delta: Real) -> ClosedForm:
    said, exact = _deviation(k, epsilon, delta), _least_laplace(k, epsilon, delta)
    holds = said.lower >= exact.upper or per_step_epsilon(k, epsilon, delta, 0).certified
    return ClosedForm("KOV-4.2", str(KOV15.at("Thm. 4.2")), NOISE, said, holds, exact)


def _least_laplace(k: int, epsilon: Real, delta: Real) -> Enclosure:
    """The least standard deviation of Laplace noise: √2 times the calibrated scale."""
    trial = Trial(lambda scale: k * Laplace(scale=scale), indistinguishable(epsilon, delta))
    try:
        value, beyond = search_axis(trial, axis_of(trial, None))
    except NotProvable:
        return INFINITE
    if delta >= 1:
        return ZERO

    def deviation(scale: Real) -> Enclosure:
        return enclose(lambda: ball(scale) * ball(2).sqrt())

    return Enclosure(deviation(beyond).lower if beyond is not None else 0.0, deviation(value).upper)


def _gaussian(k: int, epsilon: Real, delta: Real) -> ClosedForm:
    mu = normal_mu(epsilon, delta)
    least = _quotient(k, mu.upper).lower
    most = _quotient(k, mu.lower).upper
    return ClosedForm(
        "KOV-4.3",
        str(KOV15.at("Thm. 4.3")),
        NOISE,
        _deviation(k, epsilon, delta),
        _decided(composed_gaussian(epsilon, delta).claim_holds),
        Enclosure(least, most),
    )


def _quotient(k: int, mu: float) -> Enclosure:
    if mu in (0.0, math.inf):
        return ZERO if mu else INFINITE
    return enclose(lambda: ball(k).sqrt() / ball(mu))


def _decided(claim: Callable[[], bool]) -> bool:
    """Whether a claim is shown to hold."""
    try:
        return claim()
    except NotProvable:
        return False


def _steps(k: int, epsilon: Real, delta: Real) -> tuple[ClosedForm, ClosedForm]:
    rule, exact = PerStep(k, epsilon, delta), _largest(k, 0, epsilon, delta)
    simple = rule.dwork_roth()
    proved = not epsilon or not delta or enclose(lambda: 8 * _log_inverse(delta) - ball(epsilon)).lower >= 0
    reached = proved or (
        simple.upper < math.inf and delta_at(k * BlackBox(epsilon=simple.upper), epsilon).upper <= delta
    )
    return (
        ClosedForm("X-CAL", str(SMITH.at("Thm. 1.1")), STEP, rule.quadratic(), holds=True, exact=exact),
        ClosedForm("DR-3.21", str(DR14.at("Cor. 3.21")), STEP, simple, reached or delta >= 1, exact),
    )


def _log_inverse(delta: Real) -> Ball:
    return -ball(delta).log()


__all__ = ["ClosedForm", "ClosedForms", "closed_forms"]
