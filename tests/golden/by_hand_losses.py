"""More of the cards' formulas in mpmath: Rényi divergences and losses."""

from __future__ import annotations

from mpmath import cosh, exp, ln, mpf, quad, sqrt, tanh

from golden.by_hand import by_hand, gauss, least, minimum, pure, strong


def response(alpha, eps):
    if alpha == 1:
        return eps * tanh(eps / 2)
    return ln(cosh((alpha - mpf(1) / 2) * eps) / cosh(eps / 2)) / (alpha - 1)


def laplace(alpha, scale):
    if alpha == 1:
        return 1 / scale + exp(-1 / scale) - 1
    top = alpha * exp((alpha - 1) / scale) + (alpha - 1) * exp(-alpha / scale)
    return ln(top / (2 * alpha - 1)) / (alpha - 1)


def mironov(alpha, r, delta):
    return r + ln(1 / delta) / (alpha - 1)


def cks(alpha, r, delta):
    return r + ln((alpha - 1) / alpha) - (ln(delta) + ln(alpha)) / (alpha - 1)


@by_hand("RDP-GAUSS")
def rdp_gauss(alpha, sigma, Delta, n):
    return {"rdp": n * alpha * Delta**2 / (2 * sigma**2)}


@by_hand("RDP-LAPLACE")
def rdp_laplace(alpha, scale_over_sens, n):
    return {"rdp": n * laplace(alpha, scale_over_sens)}


@by_hand("RDP-RR")
def rdp_response(alpha, eps, n):
    return {
        "rdp_exact_rr": n * response(alpha, eps),
        "lemma1_2ae2": 2 * n * alpha * eps**2,
        "bun_steinke_half": n * alpha * eps**2 / 2,
        "tanh_zcdp": n * alpha * eps * tanh(eps / 2),
        "sech_bound": n * (eps * tanh(eps / 2) + (alpha - 1) * eps**2 / 2 / cosh(eps / 2) ** 2),
    }


@by_hand("RDP-CONV-EPS")
def conversion(alpha, rdp_eps, delta):
    raw = cks(alpha, rdp_eps, delta)
    return {"mironov_eps": mironov(alpha, rdp_eps, delta), "cks_eps_raw": raw, "cks_eps": max(mpf(0), raw)}


@by_hand("RDP-CONV-DELTA")
def conversion_delta(alpha, rdp_eps, target_eps):
    plain = exp((alpha - 1) * (rdp_eps - target_eps))
    return {
        "mironov_delta": min(mpf(1), plain),
        "cks_delta": min(mpf(1), plain * (1 - 1 / alpha) ** alpha / (alpha - 1)),
    }


def optima(curve, delta, start):
    plain = minimum(lambda a: mironov(a, curve(a), delta), start)
    sharp = minimum(lambda a: cks(a, curve(a), delta), plain[0])
    return {
        "alpha_mironov": plain[0],
        "eps_mironov": plain[1],
        "alpha_cks": sharp[0],
        "eps_cks": max(mpf(0), sharp[1]),
    }


@by_hand("RDP-OPT-GAUSS")
def best_gauss(n, sigma, Delta, delta):
    rho = n * Delta**2 / (2 * sigma**2)
    mu = sqrt(2 * rho)
    exact = least(lambda t: gauss(mu, t), delta, mu * mu + 60 * mu)
    return {"rho": rho, **optima(lambda a: rho * a, delta, 1 + sqrt(ln(1 / delta) / rho)), "eps_exact": exact}


@by_hand("RDP-OPT-RR")
def best_response(n, eps, delta):
    start = 1 + sqrt(2 * ln(1 / delta) / (n * eps**2))
    exact = least(lambda t: pure(n, eps, t), delta, n * eps)
    return {**optima(lambda a: n * response(a, eps), delta, start), "eps_exact": exact, "basic": n * eps}


@by_hand("RDP-OPT-LAPLACE")
def best_laplace(n, scale_over_sens, delta):
    start = 1 + sqrt(2 * ln(1 / delta) / n) * scale_over_sens
    return {**optima(lambda a: n * laplace(a, scale_over_sens), delta, start), "basic": n / scale_over_sens}


@by_hand("RDP-HET")
def mixed(*, alpha, gaussian_sigmas, laplace_scales, rr_eps, pure_eps, delta):
    r = sum((alpha / (2 * s**2) for s in gaussian_sigmas), mpf(0))
    r += sum(laplace(alpha, b) for b in laplace_scales) + sum(response(alpha, x) for x in [*rr_eps, *pure_eps])
    found = conversion(alpha, r, delta)
    return {"rdp_total": r, "mironov_eps": found["mironov_eps"], "cks_eps": found["cks_eps"]}


@by_hand("UNLEARN")
def unlearn(T, sigma0, growth, alpha, delta):
    rho = sum(1 / (2 * (sigma0 * growth**t) ** 2) for t in range(T))
    L = ln(1 / delta)
    return {
        "rdp_total_at_alpha": alpha * rho,
        "mironov_eps_at_alpha": mironov(alpha, alpha * rho, delta),
        "best_alpha": 1 + sqrt(L / rho),
        "best_eps": rho + 2 * sqrt(rho * L),
    }


@by_hand("MIR-P10")
def preservation(alpha, rdp_eps, Q):
    upper = min(mpf(1), (exp(rdp_eps) * Q) ** ((alpha - 1) / alpha))
    return {"upper": upper, "lower": exp(-rdp_eps) * Q ** (alpha / (alpha - 1))}


@by_hand("MIR-C1")
def corollary(n, eps, delta):
    L, value = ln(1 / delta), 4 * eps * sqrt(2 * n * ln(1 / delta))
    inside = bool(eps**2 * n <= L)
    return {
        "eps_prime": value if inside else "undefined",
        "in_regime": inside,
        "formula_value": value,
        "remark3_ceiling": (1 + sqrt(2)) * L,
        "exact_eps": least(lambda t: pure(n, eps, t), delta, n * eps),
    }


@by_hand("SMITH-FIG1")
def figure(k, eps, delta_prime):
    return {
        "basic": k * eps,
        "strong": strong(k, eps, mpf(0), delta_prime)["eps_tilde"],
        "crossover_k_real": 2 * ln(1 / delta_prime) / (1 - tanh(eps / 2)) ** 2,
        "exact": least(lambda t: pure(k, eps, t), delta_prime, k * eps),
    }


@by_hand("SMITH-PL-GAUSS")
def gaussian_loss(sigma, Delta):
    return {"mean": Delta**2 / (2 * sigma**2), "variance": Delta**2 / sigma**2}


@by_hand("SMITH-GAUSS-CAL")
def gaussian_rule(eps, delta):
    sigma = sqrt(2 * ln(1 / delta)) / eps
    d = gauss(1 / sigma, eps)
    return {
        "sigma_over_Delta": sigma,
        "mean_loss": 1 / (2 * sigma**2),
        "exact_delta": d,
        "claim_holds": bool(d <= delta),
    }


@by_hand("SMITH-PL-RR")
def response_loss(eps):
    p = 1 / (1 + exp(-eps))
    mean = p * eps - (1 - p) * eps
    return {
        "prob_plus": p,
        "mean": mean,
        "variance": eps**2 - mean**2,
        "lemma3_18_bound": eps * (exp(eps) - 1),
    }


@by_hand("SMITH-EX2.1")
def laplace_loss(eps, at):
    inside = -eps < at < eps
    mean = eps / 2 - eps * exp(-eps) / 2 + quad(lambda l: l * exp((l - eps) / 2) / 4, [-eps, eps])
    flat = max(mpf(0), 1 - exp((abs(at) - eps) / 2))
    return {
        "atom_plus": mpf(1) / 2,
        "atom_minus": exp(-eps) / 2,
        "density_at": exp((at - eps) / 2) / 4 if inside else mpf(0),
        "cdf_at": exp((at - eps) / 2) / 2 if inside else mpf(at >= eps),
        "mean": mean,
        "hockey_stick_at": flat if at >= 0 else 1 - exp(at) * (1 - flat),
    }


@by_hand("SMITH-EX3.2")
def simulated_laplace(eps, z):
    p, q = eps / 2 * exp(-eps * abs(z)), eps / 2 * exp(-eps * abs(z - 1))
    zero, one = (exp(eps) * p - q) / (exp(eps) - 1), (exp(eps) * q - p) / (exp(eps) - 1)
    return {"P_density": p, "Q_density": q, "F_given_0": zero if z < 1 else 0, "F_given_1": one if z > 0 else 0}


@by_hand("SMITH-NS")
def shame(k, delta):
    return {"delta_total": 1 - (1 - delta) ** k, "basic": min(mpf(1), k * delta), "eps": mpf(0)}


@by_hand("HOCKEY")
def hockey(P_X, P_Y, eps):
    def one(p, q):
        return sum((max(mpf(0), a - exp(eps) * b) for a, b in zip(p, q, strict=True)), mpf(0))

    return {"d_eps_XY": one(P_X, P_Y), "d_eps_YX": one(P_Y, P_X), "delta_sym": max(one(P_X, P_Y), one(P_Y, P_X))}


@by_hand("DR-3.17")
def distance(eps, delta):
    return {"max_tv_to_pure_pair": delta / (1 + exp(eps))}
