"""Cards after Mironov's Section 5: pure steps through Rényi divergences."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.formulas.card import UNDEFINED, Found, card
from dpcompose.formulas.inputs import Count, Delta, Divergence, Epsilon, Order, Probability
from dpcompose.formulas.mironov_values import ComposedEvent, Preservation, PureStepsAtOrder, remark_three_ceiling
from dpcompose.formulas.values import INFINITE, optimal
from dpcompose.numerics.enclosure import ZERO
from dpcompose.sources import MIR17
from dpcompose.theorems.approx.closed_forms import Regime
from dpcompose.theorems.approx.steps import Steps


@card("RDP-RR", MIR17.at("Lemma 1, Prop. 5"), "RDP-RR", "MIR-L1", "MIR-INEQ2", "PURE-ZCDP")
def pure_steps(alpha: Order, eps: Epsilon, n: Count) -> Found:
    r"""$n$ steps that are $\varepsilon$-DP have $D_\alpha\le\frac
    n{\alpha-1}\ln\frac{\cosh((\alpha-1/2)\varepsilon)} {\cosh(\varepsilon/2)}$, attained by randomized
    response; that is below
    $n(\varepsilon\tanh\frac\varepsilon2+(\alpha-1)\frac{\varepsilon^2}{2\cosh^2(\varepsilon/2)})$, below
    $n\alpha\varepsilon\tanh\frac\varepsilon2$, below $n\alpha\varepsilon^2/2$, below Lemma 1's
    $2n\alpha\varepsilon^2$.
    """
    found = PureStepsAtOrder(n, eps, alpha)
    return {
        "rdp_exact_rr": found.exact(),
        "lemma1_2ae2": found.two(),
        "bun_steinke_half": found.half(),
        "tanh_zcdp": found.tanh(),
        "sech_bound": found.sech(),
    }


@card("MIR-P4", MIR17.at("Prop. 4"), "MIR-P4", "X-P4")
def composed_probability(n: Count, eps: Epsilon, Q: Probability) -> Found:
    r"""Under $n$ steps that are $\varepsilon$-DP an event of probability $Q$ gets at most
    $Qe^{2\varepsilon\sqrt{n\ln(1/Q)}}$; sharper, the exponent is
    $\varepsilon\sqrt{2n\ln(1/Q)}-n\varepsilon^2/2$ if $\ln(1/Q)\ge n\varepsilon^2/2$, else $\ln(1/Q)$.
    Probabilities stop at 1.
    """
    found = ComposedEvent(n, eps, Q)
    return {
        "exponent_prop4": found.exponent(),
        "bound_prop4": found.bound(),
        "exponent_sharp": found.sharp_exponent(),
        "bound_sharp": found.sharp_bound(),
    }


@card("MIR-P10", MIR17.at("Prop. 10"), "MIR-P10")
def probability_preservation(alpha: Order, rdp_eps: Divergence, Q: Probability) -> Found:
    r"""If $D_\alpha\le\varepsilon$ both ways, an event of probability $Q$ on one input has on the other one
    between $e^{-\varepsilon}Q^{\alpha/(\alpha-1)}$ and $(e^\varepsilon Q)^{(\alpha-1)/\alpha}$.
    """
    found = Preservation(alpha, rdp_eps, Q)
    return {"upper": found.upper(), "lower": found.lower()}


@card("MIR-C1", MIR17.at("Cor. 1, Remark 3"), "MIR-C1", "MIR-R3")
def corollary_one(n: Count, eps: Epsilon, delta: Delta) -> Found:
    r"""If $\ln(1/\delta)\ge\varepsilon^2n$ (`in_regime`), $n$ steps that are $\varepsilon$-DP are
    $(4\varepsilon\sqrt{2n\ln(1/\delta)},\delta)$-DP. Outside that regime the formula still has a value, but
    no theorem stands behind it and $\varepsilon'$ is undefined. In the regime
    $n\varepsilon^2+\varepsilon\sqrt{2n\ln(1/\delta)}\le (1+\sqrt2)\ln(1/\delta)$, Remark 3's ceiling.
    """
    regime = Regime(Steps(((eps, 0, n),)))
    free = not n or not eps
    value = ZERO if free or delta == 1 else regime.formula(delta) if delta else INFINITE
    inside = free or not delta or regime.holds(delta)
    return {
        "eps_prime": value if inside else UNDEFINED,
        "in_regime": inside,
        "formula_value": value,
        "remark3_ceiling": remark_three_ceiling(delta),
        "exact_eps": optimal([(eps, Fraction(0), n)]).epsilon(delta),
    }
