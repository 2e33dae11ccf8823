"""The cards' formulas once more, in mpmath, straight from their statements; nothing of the library is used."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

from mpmath import binomial, cosh, e, erfc, exp, gammainc, inf, ln, mp, mpf, quad, sqrt, tanh

mp.dps = 60
Values = dict[str, Any]
ORACLES: dict[str, Callable[..., Values]] = {}


def by_hand(card: str) -> Callable[[Callable[..., Values]], Callable[..., Values]]:
    def keep(function: Callable[..., Values]) -> Callable[..., Values]:
        ORACLES[card] = function
        return function

    return keep


@cache
def losses(k, eps):
    """Every loss of k randomized responses, with its probability."""
    p, q = 1 / (1 + exp(-eps)), 1 / (1 + exp(eps))
    return [(binomial(k, l) * p ** (k - l) * q**l, (k - 2 * l) * eps) for l in range(k + 1)]


def pure(k, eps, t):
    return sum((w * (1 - exp(t - loss)) for w, loss in losses(k, eps) if loss > t), mpf(0))


def total(delta, k, d):
    return 1 - (1 - delta) ** k * (1 - d)


def least(profile, d, most):
    """The least t in [0, most] with profile(t) <= d, by halving."""
    if profile(mpf(0)) <= d:
        return mpf(0)
    low, high = mpf(0), mpf(most)
    for _ in range(170):
        middle = (low + high) / 2
        low, high = (low, middle) if profile(middle) <= d else (middle, high)
    return high


def gauss(mu, t):
    def below(x):
        return erfc(-x / sqrt(2)) / 2

    return below(-t / mu + mu / 2) - exp(t) * below(-t / mu - mu / 2)


def minimum(function, start):
    """(argument, value) where the derivative of a function of x > 1 that falls, then rises, vanishes."""
    low, high = 1 + (start - 1) / 100, 1 + (start - 1) * 100
    for _ in range(160):
        middle = (low + high) / 2
        low, high = (low, middle) if mp.diff(function, middle) > 0 else (middle, high)
    return low, function(low)


@by_hand("KOV-3.3-grid")
def grid(k, eps, delta, i):
    n = (1 + exp(eps)) ** k
    d = sum(binomial(k, l) * (exp((k - l) * eps) - exp((k - 2 * i + l) * eps)) for l in range(i)) / n
    return {"eps_g": (k - 2 * i) * eps, "delta_i": d, "delta_total": total(delta, k, d)}


@by_hand("KOV-3.3-profile")
def profile(k, eps, delta, target_eps):
    d = pure(k, eps, target_eps)
    m = sum((k - 2 * l) * eps > target_eps for l in range(k + 1))
    return {"delta_pure": d, "delta_total": total(delta, k, d), "m": m}


@by_hand("KOV-3.3-inverse")
def inverse(k, eps, delta, delta_target):
    d = 1 - (1 - delta_target) / (1 - delta) ** k
    if d < 0:
        return {"slack_d": d, "eps_g": inf}
    return {"slack_d": d, "eps_g": least(lambda t: pure(k, eps, t), d, k * eps)}


@by_hand("KOV-FIG1")
def figure_one(eps, delta):
    c = (1 - delta) / (1 + exp(eps))
    return {"corner": c, "axis_intercept": 1 - delta, "slope_minus1_intercept": 2 * c, "total_variation": 1 - 2 * c}


@by_hand("KOV-FIG2")
def figure_two(k, eps, delta):
    p, q = 1 / (1 + exp(-eps)), 1 / (1 + exp(eps))

    def mass(x, j):
        return binomial(k, j) * x**j * (1 - x) ** (k - j)

    c = (1 - delta) ** k
    vertices = [
        [c * sum(mass(p, l) for l in range(j)), c * sum(mass(q, l) for l in range(j, k + 1))] for j in range(k + 2)
    ]
    return {"vertices_PMD_PFA": vertices, "total_variation": total(delta, k, pure(k, eps, mpf(0)))}


@by_hand("KOV-FIG3")
def figure_three(k, eps, delta, target_eps):
    drift = k * eps * (exp(eps) - 1)
    tail = exp(-((target_eps - drift) ** 2) / (2 * k * eps**2)) if target_eps >= drift else mpf(1)
    return {
        "thm3_1_eps": k * eps,
        "thm3_1_delta": k * delta,
        "thm3_2_delta_at_target": min(mpf(1), k * delta + tail),
        "thm3_3_delta_at_target": total(delta, k, pure(k, eps, target_eps)),
    }


def three(basic, m, variance, d):
    b2 = m + sqrt(2 * variance * ln(e + sqrt(variance) / d))
    b3 = m + sqrt(2 * variance * ln(1 / d))
    return {"branch1": basic, "branch2": b2, "branch3": b3, "eps_tilde": min(basic, b2, b3)}


@by_hand("KOV-3.4")
def equal_steps(k, eps, delta, delta_tilde):
    return {
        **three(k * eps, k * eps * (exp(eps) - 1) / (exp(eps) + 1), k * eps**2, delta_tilde),
        "delta_total": total(delta, k, delta_tilde),
        "exact_eps_at_delta_tilde": least(lambda t: pure(k, eps, t), delta_tilde, k * eps),
    }


def kept(deltas):
    found = mpf(1)
    for d in deltas:
        found *= 1 - d
    return found


@by_hand("KOV-3.5")
def any_steps(eps_list, delta_list, delta_tilde):
    m = sum(x * tanh(x / 2) for x in eps_list)
    bounds = three(sum(eps_list), m, sum(x**2 for x in eps_list), delta_tilde)
    return {**bounds, "delta_total": 1 - (1 - delta_tilde) * kept(delta_list)}


@by_hand("SHARP")
def sharp(eps_list, delta_list, delta_tilde):
    m, v = sum(x * tanh(x / 2) for x in eps_list), sum((x / cosh(x / 2)) ** 2 for x in eps_list)
    bounds = three(sum(eps_list), m, v, delta_tilde)
    return {"drift": m, "variance_proxy": v, **bounds, "delta_total": 1 - (1 - delta_tilde) * kept(delta_list)}


def subsets(eps_list, t):
    """Every choice of signs."""
    found, norm = mpf(0), mpf(1)
    for x in eps_list:
        norm *= 1 + exp(x)
    for signs in itertools.product((0, 1), repeat=len(eps_list)):
        inside = sum((x for x, s in zip(eps_list, signs, strict=True) if s), mpf(0))
        found += max(mpf(0), exp(inside) - exp(t + sum(eps_list) - inside))
    return found / norm


@by_hand("HET-EXACT")
def different(eps_list, delta_list, target_eps, delta_target):
    rest = kept(delta_list)
    d = 1 - (1 - delta_target) / rest
    bound = least(lambda t: subsets(eps_list, t), d, sum(eps_list)) if d >= 0 else inf
    return {
        "leak": 1 - rest,
        "delta_at_target_eps": 1 - rest * (1 - subsets(eps_list, target_eps)),
        "eps_at_delta_target": bound,
    }


@by_hand("HET-GROUP")
def grouped(groups, target_eps, delta_target):
    each = [x for x, count in groups for _ in range(count)]
    found = different(each, [mpf(0)] * len(each), target_eps, delta_target)
    return {key: found[key] for key in ("delta_at_target_eps", "eps_at_delta_target")} | {"k_total": len(each)}


@by_hand("BASIC")
def basic(eps_list, delta_list):
    return {"eps": sum(eps_list), "delta_sum": sum(delta_list), "delta_product": 1 - kept(delta_list)}


@by_hand("DRV-3.20")
def advanced(k, eps, delta, delta_prime):
    bound = eps * sqrt(2 * k * ln(1 / delta_prime)) + k * eps * (exp(eps) - 1)
    return {"eps_prime": bound, "delta_total": k * delta + delta_prime}


@by_hand("SMITH-1.1")
def strong(k, eps, delta, delta_prime):
    return {
        "eps_tilde": eps * sqrt(2 * k * ln(1 / delta_prime)) + k * eps * tanh(eps / 2),
        "delta_total": k * delta + delta_prime,
        "delta_total_tight": total(delta, k, delta_prime),
    }


@by_hand("KOV-4.2")
def laplace_recipe(k, eps, delta, Delta):
    variance = 8 * k * Delta**2 * ln(e + eps / delta) / eps**2
    return {
        "laplace_variance": variance,
        "laplace_scale_b": sqrt(variance / 2),
        "eps0": eps / (2 * sqrt(k * ln(e + eps / delta))),
        "total_mse_k_queries": k * variance,
    }


@by_hand("KOV-4.3")
def gaussian_recipe(k, eps, delta, Delta):
    variance = 8 * k * Delta**2 * ln(e + eps / delta) / eps**2
    mu = sqrt(k) * Delta / sqrt(variance)
    d = gauss(mu, eps)
    return {"gaussian_variance": variance, "mu_total": mu, "exact_delta_at_eps": d, "claim_holds": bool(d <= delta)}


@by_hand("GAUSS-DELTA")
def gauss_delta(k, sigma, Delta, target_eps):
    mu = sqrt(k) * Delta / sigma
    return {"mu": mu, "delta": gauss(mu, target_eps)}


@by_hand("GAUSS-EPS")
def gauss_epsilon(k, sigma, Delta, delta_target):
    mu = sqrt(k) * Delta / sigma
    return {"mu": mu, "eps": least(lambda t: gauss(mu, t), delta_target, mu * mu + 60 * mu)}


@by_hand("LAPLACE")
def laplace(k, eps, target_eps):
    """K = 1 or 2: the density of the noise, integrated."""

    def one(t):
        return max(mpf(0), 1 - exp((t - eps) / 2)) if t >= 0 else 1 - exp(t) + exp(t) * one(-t)

    if k == 1:
        return {"delta": one(target_eps)}
    kinks = sorted(x for x in {-eps, target_eps - eps, mpf(0), target_eps, eps} if -eps <= x <= eps)
    between = quad(lambda l: exp((l - eps) / 2) / 4 * one(target_eps - l), kinks)
    return {"delta": one(target_eps - eps) / 2 + exp(-eps) / 2 * one(target_eps + eps) + between}


@by_hand("JL-CUT")
def cut(r, ratio, target_eps):
    a, c = mpf(r) / 2, 1 - 1 / ratio
    T, S = (r * ln(ratio) + 2 * target_eps) / c, (r * ln(ratio) - 2 * target_eps) / c

    def upper(x):
        return gammainc(a, x, regularized=True)

    large = upper(T / (2 * ratio)) - exp(target_eps) * upper(T / 2)
    small = 1 - upper(S / 2) - exp(target_eps) * (1 - upper(S / (2 * ratio))) if S > 0 else mpf(0)
    return {"delta_large_vs_small": large, "delta_small_vs_large": small, "delta": max(large, small)}


@by_hand("MIR-P4")
def proposition_four(n, eps, Q):
    L = ln(1 / Q)
    stated = 2 * eps * sqrt(n * L)
    sharp_x = eps * sqrt(2 * n * L) - n * eps**2 / 2 if n * eps**2 / 2 <= L else L
    return {
        "exponent_prop4": stated,
        "bound_prop4": min(mpf(1), Q * exp(stated)),
        "exponent_sharp": sharp_x,
        "bound_sharp": min(mpf(1), Q * exp(sharp_x)),
    }
