r"""The error terms of the inversion, one function each. All return logarithms of upper bounds.

Throughout $S$ is the total loss, $M(z) = e^{K(z)} = \mathbb E[e^{zS};S<\infty]$, $\delta(\varepsilon) = \mathbb
E[(1-e^{\varepsilon-S})_+;S<\infty]$, and the line is $\Re z = t$ with frequencies $u_m = m\Delta$ and period $W =
2\pi/\Delta$.
"""

from __future__ import annotations

import math


def log_chernoff(tau: float) -> float:
    r"""$\ln c(\tau)$, $c(\tau) = \sup_{x\ge0}e^{-\tau x}(1-e^{-x}) = \tau^\tau/(1+\tau)^{1+\tau}$, so $\delta(y) \le
    c(\tau)M(\tau)e^{-\tau y}$.
    """
    if tau > 1.0:  # without cancellation: 1 + 1/τ is what floats hold
        return -tau * math.log1p(1.0 / tau) - math.log1p(tau) + 4e-15 * (1.0 + math.log1p(tau))
    return tau * (math.log(tau) - math.log1p(tau)) - math.log1p(tau) + 4e-15 * (1.0 + tau) if tau > 0.0 else 0.0


def log_alias(tau: float, log_moment: float, gap: float, period: float) -> float:
    r"""Aliasing on one side of the line, to be multiplied by $e^{-\tau\varepsilon}$.

    The trapezoid sum is $\sum_n e^{tnW}\delta(\varepsilon+nW)$ exactly (Poisson). By Chernoff at $\tau$, with `gap` $=
    |t-\tau|$, the terms $n \ge 1$ (for $\tau > t$) or $n \le -1$ (for $\tau < t$) sum to at most
    $c(\tau)e^{K(\tau)-\tau\varepsilon}e^{-gW}/(1-e^{-gW})$. $\tau = 0$ stands for $\delta \le 1$.
    """
    fall = gap * period * (1.0 - 1e-12)
    return log_chernoff(tau) + log_moment - fall - math.log(-math.expm1(-fall))


def log_truncation(log_decay: float, spacing: float, last: int) -> float:
    r"""The frequencies beyond $U = M\Delta$, in units of $e^{K-t\varepsilon}/W$: at most $2\rho/(\Delta^2M)$ if
    $|\varphi| \le \rho$ there.

    Each pair of terms is at most $2\rho/|z(z+1)| \le 2\rho/u^2$, and $\sum_{m>M}m^{-2} \le 1/M$.
    """
    return log_decay + math.log(2.0 / last) - 2.0 * math.log(spacing) + 1e-12


def log_smooth_truncation(log_decay: float, spacing: float, last: int, tilt: float, eta: float) -> float:
    r"""The same for the lower smoothing, whose multiplier is not bounded by 1.

    $|\kappa(z)|/|z(z+1)| \le |\hat\kappa(z)|/|z| + |\hat\kappa(z+1)|/|z+1| \le Ce^{-\eta^2u^2/2}/u$ with $C =
    e^{t^2\eta^2/2}+e^{(t+1)^2\eta^2/2}$, and $\sum_{m>M}\Delta\,e^{-\eta^2u^2/2}/u \le e^{-\eta^2U^2/2}/(\eta U)^2$.
    """
    e = 0.5 * eta * eta
    size = e * (tilt + 1.0) ** 2 + math.log1p(math.exp(-e * (2.0 * tilt + 1.0)))
    reach = eta * spacing * last
    return (
        log_decay + size + math.log(2.0 / spacing) - 0.5 * reach * reach * (1.0 - 1e-12) - 2.0 * math.log(reach) + 1e-12
    )


def log_signed_growth(tau: float, eta: float) -> float:
    r"""$\ln B(\tau)$: how much the signed lower kernel can exceed 1 in aliasing, $|\delta_{lo}(y)| \le
    B(\tau)c(\tau)M(\tau)e^{-\tau y}$.

    $B(\tau) = \hat\kappa(\tau)(2+\tau^2\eta^2)+\hat\kappa(\tau+1)(2+(\tau+1)^2\eta^2)$, from $|e^{-r}-1| \le
    |r|(1+e^{-r})$; $\hat\kappa(\tau)=e^{\tau^2\eta^2/2}$.
    """
    low, high = (tau * eta) ** 2, ((tau + 1.0) * eta) ** 2
    return 0.5 * high + math.log((2.0 + low) * math.exp(0.5 * (low - high)) + 2.0 + high) + 1e-12
