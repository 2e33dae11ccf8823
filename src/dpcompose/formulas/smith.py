"""Cards after Smith's lecture: strong composition, privacy losses, the simulation lemma."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from dpcompose.exact.laplace import laplace_atoms, laplace_cdf, laplace_delta, laplace_density, laplace_mean
from dpcompose.formulas.card import Found, card
from dpcompose.formulas.inputs import SIZE, Count, Delta, Epsilon, Masses, Noise, Place, Shift, Times, real
from dpcompose.formulas.values import INFINITE, leak, optimal, strong
from dpcompose.numerics.enclosure import ZERO, ball, enclose, largest
from dpcompose.regions.simulation_lemma import LaplacePair, hockey_stick, simulate
from dpcompose.sources import DR14, KOV15, SMITH
from dpcompose.theorems.approx.recipes import PerStep, crossover, single_gaussian
from dpcompose.theorems.approx.steps import Steps

Factor = Annotated[Fraction, real("e^ε", 1, SIZE)]


@card("SMITH-1.1", SMITH.at("Thm. 1.1"), "SM-1.1", "SM-ASY", "SM-C3.4", "SM-CHAIN (3)", "SM-L1.4")
def strong_composition(k: Count, eps: Epsilon, delta: Delta, delta_prime: Delta) -> Found:
    r"""For $0<\delta'\le1$, $k$ steps that are $(\varepsilon,\delta)$-DP compose to
    $(\tilde\varepsilon,k\delta+\delta')$-DP with $\tilde\varepsilon =
    \varepsilon\sqrt{2k\ln(1/\delta')}+k\varepsilon\tanh(\varepsilon/2)$; the same argument gives
    $1-(1-\delta)^k(1-\delta')$ for the total δ.
    """
    pieces = [(eps, delta, k)]
    return {
        "eps_tilde": strong(pieces).branch(0, delta_prime),
        "delta_total": k * delta + delta_prime,
        "delta_total_tight": leak(pieces, delta_prime),
    }


@card("SMITH-FIG1", SMITH.at("Fig. 1"), "SM-FIG1", "SM-CROSS")
def figure_one(k: Count, eps: Epsilon, delta_prime: Delta) -> Found:
    r"""For pure steps: $k\varepsilon$, strong composition, the exact ε at $\delta'$, and the real $k$ at
    which the first two cross, $2\ln(1/\delta')/(1-\tanh(\varepsilon/2))^2$.
    """
    pieces = [(eps, Fraction(0), k)]
    return {
        "basic": k * eps,
        "strong": strong(pieces).branch(0, delta_prime),
        "crossover_k_real": crossover(eps, delta_prime),
        "exact": optimal(pieces).epsilon(delta_prime),
    }


@card("SMITH-PL-GAUSS", SMITH.at("Sec. 2"), "SM-GAUSS-PL", "SM-PL (2)")
def gaussian_loss(sigma: Noise, Delta: Shift) -> Found:
    r"""The privacy loss of Gaussian noise is $N(\Delta^2/2\sigma^2,\Delta^2/\sigma^2)$."""
    if not sigma:
        return {"mean": INFINITE, "variance": INFINITE} if Delta else {"mean": Fraction(0), "variance": Fraction(0)}
    return {"mean": (Delta / sigma) ** 2 / 2, "variance": (Delta / sigma) ** 2}


@card("SMITH-GAUSS-CAL", SMITH.at("Sec. 2"), "SM-GAUSS-PL", "KOV-GAUSS1")
def gaussian_rule(eps: Epsilon, delta: Delta) -> Found:
    r"""With $\sigma = \Delta\sqrt{2\ln(1/\delta)}/\varepsilon$ the mean loss is
    $\varepsilon^2/4\ln(1/\delta)$; whether the mechanism is then $(\varepsilon,\delta)$-DP is decided by
    its exact profile (`claim_holds`): not for large ε.
    """
    rule = single_gaussian(eps, delta, 1)
    if delta == 1:
        sigma, mean = ZERO, INFINITE
    elif not eps or not delta:
        sigma, mean = INFINITE, ZERO
    else:
        sigma = enclose(lambda: (-2 * ball(delta).log()).sqrt() / ball(eps))
        mean = enclose(lambda: ball(eps) ** 2 / (-4 * ball(delta).log()))
    return {
        "sigma_over_Delta": sigma,
        "mean_loss": mean,
        "exact_delta": rule.exact_delta(),
        "claim_holds": rule.claim_holds(),
    }


@card("SMITH-PL-RR", SMITH.at("Sec. 2"), "SM-RR-PL", "DRV-3.18")
def response_loss(eps: Epsilon) -> Found:
    r"""The loss of randomized response is $\varepsilon$ with probability $e^\varepsilon/(1+e^\varepsilon)$,
    else $-\varepsilon$: mean $\varepsilon\tanh(\varepsilon/2)$, at most half of the bound
    $\varepsilon(e^\varepsilon-1)$, and variance $\varepsilon^2/\cosh^2(\varepsilon/2)$.
    """
    one = Steps(((eps, 0, 1),))
    return {
        "prob_plus": enclose(lambda: 1 / (1 + (-ball(eps)).exp())),
        "mean": enclose(one.drift),
        "variance": enclose(one.variance),
        "lemma3_18_bound": enclose(one.exponential_drift),
    }


@card("SMITH-EX2.1", SMITH.at("Ex. 2.1"), "SM-E2.1", "X-LAP")
def laplace_loss(eps: Epsilon, at: Place) -> Found:
    r"""The loss of Laplace noise with $\varepsilon = \Delta/b$ has atoms $\frac12$ at $\varepsilon$ and
    $\frac12e^{-\varepsilon}$ at $-\varepsilon$, density $\frac14e^{(l-\varepsilon)/2}$ between them, mean
    $\varepsilon-1+e^{-\varepsilon}$, and hockey stick $1-e^{(t-\varepsilon)/2}$ at $0\le t\le\varepsilon$.
    """
    plus, minus = laplace_atoms(eps)
    return {
        "atom_plus": plus,
        "atom_minus": minus,
        "density_at": laplace_density(eps, at),
        "cdf_at": laplace_cdf(eps, at),
        "mean": laplace_mean(eps),
        "hockey_stick_at": laplace_delta(1, eps, at),
    }


@card("SMITH-EX3.2", SMITH.at("Ex. 3.2"), "SM-E3.2", "SM-L3.1")
def laplace_from_response(eps: Epsilon, z: Place) -> Found:
    r"""Laplace noise of scale $1/\varepsilon$ about 0 ($P$) and about 1 ($Q$) comes from randomized
    response through $F(z\mid0) = (1+e^{-\varepsilon})P(z)$ for $z\le0$,
    $\varepsilon\sinh(\varepsilon(1-z))/(e^\varepsilon-1)$ for $0<z<1$, 0 for $z\ge1$, and its mirror image
    $F(z\mid1)$.
    """
    pair = LaplacePair(eps, z)
    return {
        "P_density": pair.density(0),
        "Q_density": pair.density(1),
        "F_given_0": pair.given(0),
        "F_given_1": pair.given(1),
    }


@card("SMITH-NS", SMITH.at("Sec. 2"), "SM-NS")
def name_and_shame(k: Count, delta: Delta) -> Found:
    r"""$k$ mechanisms that each reveal everything with probability δ are $(0,1-(1-\delta)^k)$-DP; the sum
    says $\min(1,k\delta)$.
    """
    pieces = [(Fraction(0), delta, k)]
    return {"delta_total": leak(pieces), "basic": min(Fraction(1), k * delta), "eps": 0}


@card("SMITH-3.1", SMITH.at("Lemma 3.1"), "SM-L3.1", "SM-UV", "SM-C3.3 / Algorithm 1", "KOV-T2.5", "SM-≈")
def simulation_lemma(P_X: Masses, P_Y: Masses, exp_eps: Factor, delta: Delta) -> Found:
    r"""If $X\approx_{\varepsilon,\delta}Y$, a randomized $F$ maps leaky randomized response to them: with
    $\delta_x = \sum(P_X-e^\varepsilon P_Y)_+$, $\delta_y$ likewise, and $X'$, $Y'$ the common parts
    $\min(P_X,e^\varepsilon P_Y)$, $\min(P_Y,e^\varepsilon P_X)$ brought to one mass and scaled, $F_0 =
    \frac{e^\varepsilon X'-Y'}{e^\varepsilon-1}$, $F_1 = \frac{e^\varepsilon Y'-X'}{e^\varepsilon-1}$, $F_U
    = \frac{P_X-(1-\delta)X'}\delta$, $F_V = \frac{P_Y-(1-\delta)Y'}\delta$. Everything is an exact
    fraction.
    """
    found = simulate(P_X, P_Y, exp_eps, delta)
    return {
        "delta_x": found.excess_x,
        "delta_y": found.excess_y,
        "F_IamU": list(found.i_am_u),
        "F_IamV": list(found.i_am_v),
        "F_0": list(found.zero),
        "F_1": list(found.one),
    }


@card("HOCKEY", KOV15.at("Fig. 3"), "KOV-FIG3-bottom", "KOV-D1.1")
def hockey(P_X: Masses, P_Y: Masses, eps: Epsilon) -> Found:
    r"""$d_\varepsilon(X,Y) = \max_SP_X(S)-e^\varepsilon P_Y(S) = \sum(P_X-e^\varepsilon P_Y)_+$, the other
    order, and the larger.
    """
    forward, backward = hockey_stick(P_X, P_Y, eps), hockey_stick(P_Y, P_X, eps)
    return {"d_eps_XY": forward, "d_eps_YX": backward, "delta_sym": largest((forward, backward))}


@card("CAL-QUAD", DR14.at("Cor. 3.21"), "X-CAL", "SM-COUNT", "SM-1.1")
def quadratic_calibration(k: Times, eps: Epsilon, delta_prime: Delta) -> Found:
    r"""With $L = \ln(1/\delta')$, $\varepsilon_0 = (\sqrt{2L+2\varepsilon}-\sqrt{2L})/\sqrt k$ keeps strong
    composition of $k$ steps within ε, for every ε; Dwork and Roth's $\varepsilon_0 =
    \varepsilon/(2\sqrt{2kL})$ does if $\varepsilon\le8L$.
    """
    found = PerStep(k, eps, delta_prime)
    return {
        "eps0_quadratic": found.quadratic(),
        "eps0_dwork_roth": found.dwork_roth(),
        "check_smith_at_quadratic": found.strong_at_quadratic(),
    }
