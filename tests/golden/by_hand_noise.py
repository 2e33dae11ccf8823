"""More of the cards' formulas in mpmath: noise, sketches, calibration."""

from __future__ import annotations

from fractions import Fraction

from mpmath import ceil, e, exp, inf, ln, mpf, sqrt

from golden.by_hand import by_hand, pure, strong


@by_hand("KOV-4.1")
def recipe(k, eps, delta):
    return {"eps0": eps / (2 * sqrt(k * ln(e + eps / delta))), "delta0": delta / (2 * k)}


@by_hand("STAIR")
def stair(eps, Delta):
    b = exp(-eps)
    g = -b / (1 - b) + (b - 2 * b**2 + 2 * b**4 - b**5) ** (mpf(1) / 3) / (mpf(2) ** (mpf(1) / 3) * (1 - b) ** 2)
    a = (1 - b) / (2 * Delta * (g + b * (1 - g)))

    def cubes(j):
        left, middle, right = j * Delta, (j + g) * Delta, (j + 1) * Delta
        return a * b**j * (middle**3 - left**3) + a * b ** (j + 1) * (right**3 - middle**3)

    return {
        "gamma_opt_variance": g,
        "gamma_opt_abs": 1 / (1 + exp(eps / 2)),
        "density_height_a": a,
        "variance_min": 2 * sum(cubes(j) for j in range(int(160 / eps) + 5)) / 3,
        "laplace_variance_same_eps": 2 * Delta**2 / eps**2,
    }


def composed(law, k, t):
    """k-fold sums of a finite law {integer multiple: mass} of unit `law[1]`."""
    losses, unit = law
    found = {0: mpf(1)}
    for _ in range(k):
        new: dict[int, mpf] = {}
        for s, mass in found.items():
            for j, p in losses.items():
                new[s + j] = new.get(s + j, mpf(0)) + mass * p
        found = new
    return sum((mass * (1 - exp(t - s * unit)) for s, mass in found.items() if s * unit > t), mpf(0))


@by_hand("STAIR-COMP")
def stair_composed(k, eps, gamma, target_eps):
    b = exp(-eps)
    a = (1 - b) / (2 * (gamma + b * (1 - gamma)))
    zero = (1 - 2 * gamma) * a * b if gamma <= mpf(1) / 2 else (2 * gamma - 1) * a
    plus = (1 - zero) / (1 + b)
    return {"prob_loss_zero": zero, "delta": composed(({1: plus, 0: zero, -1: b * plus}, eps), k, target_eps)}


@by_hand("GEOM")
def geometric(k, eps, sens, target_eps):
    r = exp(-eps / sens)
    masses = {sens - 2 * j: (1 - r) / (1 + r) * r**j for j in range(1, sens)}
    masses |= {sens: 1 / (1 + r), -sens: r**sens / (1 + r)}
    return {"delta": composed((masses, eps / sens), k, target_eps)}


@by_hand("JL-RDP")
def sketch(alpha, w, rows):
    R, a = 1 + 2 / w, alpha - 1
    large = -(ln(alpha - a * R) + a * ln(R)) / (2 * a) if alpha < R / (R - 1) else inf
    worst = -ln(1 - alpha * a / w**2) / (2 * a) if alpha * a < w**2 else inf
    return {
        "cut_rdp_large_vs_small": rows * large,
        "cut_rdp_small_vs_large": -rows * (ln(alpha * R - a) - alpha * ln(R)) / (2 * a),
        "variance_rdp_worst": rows * worst,
    }


@by_hand("JL-CAL")
def cut_parameters(*, eta, nu, k, eps, delta, n, s):
    r = int(ceil(8 * ln(2 * k / nu) / eta**2))
    w = sqrt(32 * r * ln(2 / delta)) / eps * ln(4 * r / delta)
    return {
        "r": r,
        "w_blocki_from_memory": w,
        "w_le_n": bool(w <= n),
        "max_variance_ratio": 1 + 2 * (1 - w / n) / w if w <= n else "undefined",
        "tau_exact": eta * w * s * (n - s) / (n - w) if w <= n else "undefined",
    }


@by_hand("CAL-EXACT")
def calibrated(k, delta0, eps, delta):
    d = 1 - (1 - delta) / (1 - delta0) ** k
    if d < 0:
        return {"eps0_max": "undefined"}
    low, high = eps / k, mpf(50)
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if pure(k, middle, eps) <= d else (low, middle)
    return {"eps0_max": low}


@by_hand("CAL-QUAD")
def quadratic(k, eps, delta_prime):
    L = ln(1 / delta_prime)
    x = (sqrt(2 * L + 2 * eps) - sqrt(2 * L)) / sqrt(k)
    return {
        "eps0_quadratic": x,
        "eps0_dwork_roth": eps / (2 * sqrt(2 * k * L)),
        "check_smith_at_quadratic": strong(k, x, mpf(0), delta_prime)["eps_tilde"],
    }


@by_hand("KMAX")
def most_steps(eps0, eps, delta):
    k = 0
    while pure(k + 1, eps0, eps) <= delta:
        k += 1
    return {
        "k_max_exact": k,
        "k_basic": int(Fraction(str(eps)) // Fraction(str(eps0))),
        "delta_at_kmax": pure(k, eps0, eps),
        "delta_at_kmax_plus_1": pure(k + 1, eps0, eps),
    }
