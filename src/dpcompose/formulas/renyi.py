"""Cards about Rényi divergences: curves that add, and their conversion at one order or the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated

from dpcompose.errors import InvalidParameter
from dpcompose.exact.normal import normal_epsilon
from dpcompose.formulas.card import Found, Output, card
from dpcompose.formulas.inputs import (
    Count,
    Delta,
    Divergence,
    Epsilon,
    Epsilons,
    Noise,
    Noises,
    Order,
    Scale,
    Scales,
    Shift,
    real,
)
from dpcompose.formulas.values import CERTAIN, INFINITE, capped, floored, optimal
from dpcompose.mechanisms.laplace import LaplaceCurve
from dpcompose.notions import Curve, Linear, SumOfCurves
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, ball, enclose
from dpcompose.sources import CKS20, MIR17
from dpcompose.theorems.renyi.best_order import BestOrder, best_order
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke, Conversion, Mironov, ResponseCurve, added

Growth = Annotated[Fraction, real("g", Fraction(1, 10**6), 10**6)]


@card("RDP-GAUSS", MIR17.at("Cor. 3"), "RDP-GAUSS", "RDP-DEF", "RDP-P1")
def gaussian_curve(alpha: Order, sigma: Noise, Delta: Shift, n: Count) -> Found:
    r"""$n$ Gaussians of sensitivity $\Delta$: $\varepsilon(\alpha) = n\alpha\Delta^2/2\sigma^2$."""
    if n and Delta and not sigma:
        return {"rdp": INFINITE}
    return {"rdp": alpha * _rho(n, sigma, Delta)}


def _rho(n: int, sigma: Fraction, shift: Fraction) -> Fraction:
    return n * (shift / sigma) ** 2 / 2 if n and shift else Fraction(0)


@card("RDP-LAPLACE", MIR17.at("Prop. 6"), "RDP-LAP", "RDP-P1")
def laplace_curve(alpha: Order, scale_over_sens: Scale, n: Count) -> Found:
    r"""$n$ Laplace mechanisms with $\lambda = b/\Delta$: $\varepsilon(\alpha) = \frac
    n{\alpha-1}\ln\left[\frac\alpha{2\alpha-1}
    e^{(\alpha-1)/\lambda}+\frac{\alpha-1}{2\alpha-1}e^{-\alpha/\lambda}\right]$, and
    $n(1/\lambda+e^{-1/\lambda}-1)$ at α = 1.
    """
    if not scale_over_sens:
        return {"rdp": INFINITE if n else ZERO}
    return {"rdp": enclose(lambda: n * LaplaceCurve(1 / scale_over_sens).at(alpha)) if n else ZERO}


def _epsilon(conversion: type[Conversion], alpha: Fraction, r: Ball, delta: Fraction) -> Ball:
    return conversion.epsilon(ball(alpha), r, ball(delta).log())


def _converted(alpha: Fraction, curve: Curve, delta: Fraction) -> dict[str, Enclosure]:
    """ε at δ from one order, by both conversions; order 1 implies nothing."""
    if alpha == 1 or not delta:
        return {"mironov_eps": INFINITE, "cks_eps_raw": INFINITE}
    return {
        "mironov_eps": enclose(lambda: _epsilon(Mironov, alpha, curve.at(alpha), delta)),
        "cks_eps_raw": enclose(lambda: _epsilon(CanonneKamathSteinke, alpha, curve.at(alpha), delta)),
    }


@card("RDP-CONV-EPS", CKS20.at("Prop. 12"), "RDP-CONV", "RDP-CKS")
def epsilon_from_order(alpha: Order, rdp_eps: Divergence, delta: Delta) -> Found:
    r"""$(\alpha,\varepsilon_\alpha)$-RDP gives ε at δ: $\varepsilon_\alpha+\frac{\ln(1/\delta)}{\alpha-1}$
    (Mironov), or $\varepsilon_\alpha+\ln\frac{\alpha-1}\alpha-\frac{\ln\delta+\ln\alpha}{\alpha-1}$
    (Canonne, Kamath, Steinke), not below 0.
    """
    found = _converted(alpha, Linear(rdp_eps / alpha), delta)
    return {**found, "cks_eps": floored(found["cks_eps_raw"])}


@card("RDP-CONV-DELTA", CKS20.at("Prop. 12"), "RDP-CONV", "RDP-CKS", "ZCDP-CONV")
def delta_from_order(alpha: Order, rdp_eps: Divergence, target_eps: Epsilon) -> Found:
    r"""$(\alpha,\varepsilon_\alpha)$-RDP gives δ at $t$: $e^{(\alpha-1)(\varepsilon_\alpha-t)}$ (Mironov),
    times $(1-\frac1\alpha)^\alpha/(\alpha-1)$ (Canonne, Kamath, Steinke); at most 1.
    """
    if alpha == 1:
        return {"mironov_delta": CERTAIN, "cks_delta": CERTAIN}
    a, r, t = alpha, rdp_eps, target_eps
    return {
        "mironov_delta": capped(enclose(lambda: Mironov.log_delta(ball(a), ball(r), ball(t)).exp())),
        "cks_delta": capped(enclose(lambda: CanonneKamathSteinke.log_delta(ball(a), ball(r), ball(t)).exp())),
    }


def _linear_optimum(rho: Callable[[], Ball], delta: Fraction) -> tuple[Enclosure, Enclosure]:
    r"""$\alpha = 1+\sqrt{\ln(1/\delta)/\rho}$ and $\rho+2\sqrt{\rho\ln(1/\delta)}$."""

    def log() -> Ball:
        return (-ball(delta).log()).nonnegative_part()

    return enclose(lambda: 1 + (log() / rho()).sqrt()), enclose(lambda: rho() + 2 * (rho() * log()).sqrt())


@card("RDP-OPT-GAUSS", MIR17.at("Prop. 3"), "RDP-CONV", "RDP-CKS", "RDP-GAUSS", "X-GAUSS", "DRV-CLAIM", "RDP-CLAIM")
def best_gaussian(n: Count, sigma: Noise, Delta: Shift, delta: Delta) -> Found:
    r"""For $n$ Gaussians, $\rho = n\Delta^2/2\sigma^2$, Mironov's best order is
    $1+\sqrt{\ln(1/\delta)/\rho}$ and gives $\rho+2\sqrt{\rho\ln(1/\delta)}$; the sharper conversion has its
    own best order; beside them the exact ε.
    """
    if n and Delta and not sigma:
        lost = ZERO if delta == 1 else INFINITE
        return {"rho": INFINITE, "alpha_mironov": CERTAIN, "eps_mironov": INFINITE} | {
            "alpha_cks": CERTAIN,
            "eps_cks": lost,
            "eps_exact": lost,
        }
    rho = _rho(n, sigma, Delta)
    sharp = best_order(Linear(rho), CanonneKamathSteinke, delta)
    if not delta or not rho:
        order, epsilon = INFINITE if rho or delta < 1 else CERTAIN, INFINITE if rho else ZERO
    else:
        order, epsilon = _linear_optimum(lambda: ball(rho), delta)
    return {
        "rho": rho,
        "alpha_mironov": order,
        "eps_mironov": epsilon,
        "alpha_cks": sharp.order,
        "eps_cks": floored(sharp.epsilon) if rho or delta else ZERO,
        "eps_exact": normal_epsilon(2 * rho, delta),
    }


def _bounded_optimum(curve: Curve, delta: Fraction, basic: Fraction, gain: Ball) -> BestOrder:
    r"""Mironov's optimum for a curve that tends to Σε as $\alpha\to\infty$: the least order for which
    $sc'(s)-c(s)\ge\ln(1/\delta)$, $c(s) = sD_{1+s}$. That expression grows to `gain`; if that is too little, no order
    is best, and the bound falls to Σε.
    """
    unreached = not basic or not delta or not enclose(lambda: gain + ball(delta).log()).lower > 0
    if delta < 1 and unreached:
        return BestOrder(INFINITE, Enclosure.exactly(basic))
    return best_order(curve, Mironov, delta)


@card("RDP-OPT-RR", MIR17.at("Prop. 3, 5"), "RDP-CONV", "RDP-CKS", "RDP-RR", "RDP-P1")
def best_responses(n: Count, eps: Epsilon, delta: Delta) -> Found:
    r"""For $n$ steps that are $\varepsilon$-DP: the best order of the curve of randomized response under
    both conversions, the exact ε, and $n\varepsilon$, to which Mironov's bound falls if no finite order is
    best ($n\ln(1+e^{-\varepsilon})\le\ln(1/\delta)$).
    """
    curve = added(((ResponseCurve(eps), n),)) if n and eps else Linear(0)
    plain = _bounded_optimum(curve, delta, n * eps, n * (-ball(eps)).exp().log1p())
    sharp = best_order(curve, CanonneKamathSteinke, delta)
    return {
        **_two_optima(plain, sharp, n * eps),
        "eps_exact": optimal([(eps, Fraction(0), n)]).epsilon(delta),
        "basic": n * eps,
    }


@card("RDP-OPT-LAPLACE", MIR17.at("Prop. 3, 6"), "RDP-CONV", "RDP-CKS", "RDP-LAP", "RDP-P1")
def best_laplaces(n: Count, scale_over_sens: Scale, delta: Delta) -> Found:
    r"""For $n$ Laplace mechanisms with $\lambda = b/\Delta$: the best order under both conversions, and
    $n/\lambda$, to which Mironov's bound falls if no finite order is best ($n\ln2\le\ln(1/\delta)$).
    """
    if not scale_over_sens:
        raise InvalidParameter("scale_over_sens", scale_over_sens, "a positive number")
    basic = n / scale_over_sens
    curve = added(((LaplaceCurve(1 / scale_over_sens), n),)) if n else Linear(0)
    plain = _bounded_optimum(curve, delta, basic, n * Ball(2).log())
    sharp = best_order(curve, CanonneKamathSteinke, delta)
    return {**_two_optima(plain, sharp, basic), "basic": basic}


def _two_optima(plain: BestOrder, sharp: BestOrder, basic: Fraction) -> dict[str, Output]:
    """Both optima; at δ = 0 only Σε remains."""
    least = sharp.epsilon if sharp.epsilon.lower < basic else Enclosure.exactly(basic)
    return {
        "alpha_mironov": plain.order,
        "eps_mironov": plain.epsilon,
        "alpha_cks": sharp.order,
        "eps_cks": floored(least),
    }


@card("RDP-HET", MIR17.at("Prop. 1"), "RDP-HET", "RDP-P1", "RDP-CONV", "RDP-CKS")
def mixed_curves(
    *, alpha: Order, gaussian_sigmas: Noises, laplace_scales: Scales, rr_eps: Epsilons, pure_eps: Epsilons, delta: Delta
) -> Found:
    r"""Curves add at every order: Gaussians $\alpha/2\sigma^2$, Laplace mechanisms, and the curve of
    randomized response for `rr_eps` and for any other pure steps; then one conversion. All sensitivities
    are 1.
    """
    if not all(gaussian_sigmas) or not all(laplace_scales):
        return dict.fromkeys(("rdp_total", "mironov_eps", "cks_eps"), INFINITE)
    curve = _sum(
        [Linear(1 / (2 * s**2)) for s in gaussian_sigmas]
        + [LaplaceCurve(1 / b) for b in laplace_scales]
        + [ResponseCurve(e) for e in (*rr_eps, *pure_eps)]
    )
    found = _converted(alpha, curve, delta)
    return {
        "rdp_total": enclose(lambda: curve.at(alpha)),
        "mironov_eps": found["mironov_eps"],
        "cks_eps": floored(found["cks_eps_raw"]),
    }


def _sum(curves: Sequence[Curve]) -> Curve:
    """The sum of curves: equal ones counted, others added in balls: exact sums of 1/σ² can have millions of digits."""
    return SumOfCurves(tuple(Counter(curves).items()))


@card("UNLEARN", MIR17.at("Prop. 1, 3"), "RDP-UNLEARN", "RDP-P1", "RDP-CONV")
def growing_noise(T: Count, sigma0: Noise, growth: Growth, alpha: Order, delta: Delta) -> Found:
    r"""$T$ Gaussian steps of sensitivity 1 with $\sigma_t = \sigma_0g^t$, $t = 0,\dots,T-1$, have $\rho =
    \sum1/2\sigma_t^2$, $\varepsilon(\alpha) = \alpha\rho$; the best order is $1+\sqrt{\ln(1/\delta)/\rho}$
    and gives $\rho+2\sqrt{\rho\ln(1/\delta)}$.
    """
    keys = ("rdp_total_at_alpha", "mironov_eps_at_alpha", "best_alpha", "best_eps")
    if not T:
        return dict(zip(keys, (ZERO, _at_order(alpha, lambda: Ball(0), delta), INFINITE, ZERO), strict=True))
    if not sigma0:
        return dict(zip(keys, (INFINITE, INFINITE, CERTAIN, INFINITE), strict=True))

    def rho() -> Ball:
        steps = ball(T)
        if growth != 1:
            rate = -2 * ball(growth).log()
            steps = (T * rate).expm1() / rate.expm1()
        return steps / ball(2 * sigma0**2)

    best = _linear_optimum(rho, delta) if delta else (INFINITE, INFINITE)
    return {
        "rdp_total_at_alpha": enclose(lambda: ball(alpha) * rho()),
        "mironov_eps_at_alpha": _at_order(alpha, lambda: ball(alpha) * rho(), delta),
        "best_alpha": best[0],
        "best_eps": best[1],
    }


def _at_order(alpha: Fraction, r: Callable[[], Ball], delta: Fraction) -> Enclosure:
    return enclose(lambda: _epsilon(Mironov, alpha, r(), delta)) if alpha > 1 and delta else INFINITE
