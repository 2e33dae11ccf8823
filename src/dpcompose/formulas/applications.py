"""Cards about noise: Gaussian, Laplace, geometric and staircase mechanisms, sketches, and calibration."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from dpcompose.description import Mechanism
from dpcompose.errors import Declined
from dpcompose.exact.chisquare import MOST_ROWS
from dpcompose.exact.finite import sum_delta
from dpcompose.exact.laplace import laplace_delta
from dpcompose.exact.normal import normal_delta, normal_epsilon, normal_mu
from dpcompose.formulas.card import UNDEFINED, Found, card
from dpcompose.formulas.fallback import delta_or
from dpcompose.formulas.inputs import Count, Delta, Epsilon, Noise, Order, Shift, Times, real, whole
from dpcompose.formulas.values import CERTAIN, INFINITE, optimal
from dpcompose.mechanisms.geometric import MOST_ATOMS, Geometric, GeometricLaw
from dpcompose.mechanisms.laplace import Laplace
from dpcompose.mechanisms.staircase import Staircase, StaircaseLaw, step_height, variance_optimal_gamma
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, ball, enclose
from dpcompose.sources import BLOCKI12, BW18, GV16, HERE, KOV15
from dpcompose.theorems import sketches
from dpcompose.theorems.approx import recipes

Share = Annotated[Fraction, real("γ", 0, 1)]
Ratio = Annotated[Fraction, real("R", 1, 10**150)]
Rows = Annotated[int, whole("r", 0, MOST_ROWS, "rows")]
Steps = Annotated[int, whole("Δ", 0, MOST_ATOMS, "counts")]
Width = Annotated[Fraction, real("w", 0, 10**150)]
Error = Annotated[Fraction, real("η", Fraction(1, 10**6), 1)]
Failure = Annotated[Fraction, real("ν", Fraction(1, 10**300), 1, "probability")]
Vertices = Annotated[int, whole("n", 1, 10**12, "vertices")]
Inside = Annotated[int, whole("s", 0, 10**12, "vertices")]


@card("KOV-4.1", KOV15.at("Cor. 4.1"), "KOV-REC / KOV-4.1")
def per_step(k: Times, eps: Epsilon, delta: Delta) -> Found:
    r"""To reach $(\varepsilon,\delta)$ in $k$ steps take $\varepsilon_0 =
    \varepsilon/(2\sqrt{k\ln(e+\varepsilon/\delta)})$ and $\delta_0 = \delta/2k$: proved for
    $\varepsilon\le2.34\ln(e+\varepsilon/\delta)$, false for some larger ε. `certified` says whether it is
    proved here, by that range or by the exact composition.
    """
    found = recipes.per_step_epsilon(k, eps, delta, delta / (2 * k))
    return {"eps0": found.value, "delta0": delta / (2 * k), "certified": found.certified}


@card("KOV-4.2", KOV15.at("Cor. 4.2"), "KOV-4.2", "KOV-LAP", "KOV-SENS")
def laplace_recipe(k: Times, eps: Epsilon, delta: Delta, Delta: Shift) -> Found:
    r"""Laplace noise of variance $8k\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2$, that is scale $b =
    \Delta/\varepsilon_0$, on each of $k$ queries gives $(\varepsilon,\delta)$-DP, in the range of KOV-4.1;
    the squared errors of all answers add up to $k$ times the variance.
    """
    found = recipes.per_step_epsilon(k, eps, delta, 0)
    if not Delta or not eps or not delta:
        noise = [INFINITE if Delta else ZERO] * 3
    else:

        def b() -> Ball:
            return 2 * ball(Delta) * (k * recipes.log_term(eps, delta)).sqrt() / ball(eps)

        noise = [enclose(lambda: 2 * b() ** 2), enclose(b), enclose(lambda: 2 * k * b() ** 2)]
    return {
        "laplace_variance": noise[0],
        "laplace_scale_b": noise[1],
        "eps0": found.value,
        "total_mse_k_queries": noise[2],
        "certified": found.certified,
    }


@card("KOV-4.3", KOV15.at("Thm. 4.3"), "KOV-4.3", "KOV-GAUSS1")
def gaussian_recipe(k: Times, eps: Epsilon, delta: Delta, Delta: Shift) -> Found:
    r"""Gaussian noise of variance $8k\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2$ on each of $k$
    queries gives $\mu = \varepsilon/\sqrt{8\ln(e+\varepsilon/\delta)}$ in all. That is
    $(\varepsilon,\delta)$-DP for $\varepsilon\le8\ln(e+\varepsilon/\delta)$, and not for every larger ε:
    the exact δ decides (`claim_holds`).
    """
    rule = recipes.composed_gaussian(eps, delta)
    if not eps or not delta:
        variance, mu = INFINITE, ZERO
    else:
        variance = enclose(lambda: 8 * k * ball(Delta / eps) ** 2 * recipes.log_term(eps, delta))
        mu = enclose(lambda: ball(eps) / (8 * recipes.log_term(eps, delta)).sqrt())
    return {
        "gaussian_variance": variance if Delta else ZERO,
        "mu_total": mu,
        "exact_delta_at_eps": rule.exact_delta(),
        "claim_holds": rule.claim_holds(),
    }


def _mu(k: int, sigma: Fraction, shift: Fraction) -> tuple[Fraction | float, Enclosure]:
    """μ² = kΔ²/σ², exactly, and an enclosure of μ."""
    if not k or not shift:
        return Fraction(0), ZERO
    if not sigma:
        return float("inf"), INFINITE
    square = k * (shift / sigma) ** 2
    return square, enclose(lambda: ball(square).sqrt())


@card("GAUSS-DELTA", BW18.at("Thm. 8"), "X-GAUSS", "GDP-SUM")
def gaussian_delta(k: Count, sigma: Noise, Delta: Shift, target_eps: Epsilon) -> Found:
    r"""$k$ Gaussians, $\mu = \sqrt k\Delta/\sigma$: $\delta(t) = \Phi(-\frac t\mu+\frac\mu2)-e^t\Phi(-\frac
    t\mu-\frac\mu2)$.
    """
    square, mu = _mu(k, sigma, Delta)
    return {"mu": mu, "delta": normal_delta(square, target_eps)}


@card("GAUSS-EPS", BW18.at("Thm. 8"), "X-GAUSS", "GDP-SUM")
def gaussian_epsilon(k: Count, sigma: Noise, Delta: Shift, delta_target: Delta) -> Found:
    r"""The least ε ≥ 0 at which $k$ Gaussians, $\mu = \sqrt k\Delta/\sigma$, are $(\varepsilon,\delta)$-DP."""
    square, mu = _mu(k, sigma, Delta)
    return {"mu": mu, "eps": normal_epsilon(square, delta_target)}


@card("GAUSS-SIGMA", BW18.at("Thm. 8"), "X-GAUSS", "X-CAL")
def gaussian_sigma(k: Count, eps: Epsilon, delta: Delta, Delta: Shift) -> Found:
    r"""The largest μ whose profile has $\delta(\varepsilon)\le\delta$, and the least $\sigma = \sqrt k\Delta/\mu$."""
    mu = normal_mu(eps, delta)
    if not k or not Delta:
        sigma = ZERO
    elif mu.upper == 0 or mu.lower == float("inf"):
        sigma = INFINITE if mu.upper == 0 else ZERO
    else:
        sigma = enclose(lambda: ball(k).sqrt() * ball(Delta) / ball(mu), gap=2.0**-44)
    return {"mu_max": mu, "sigma_min": sigma}


@card("LAPLACE", HERE.at("X-LAP"), "X-LAP")
def laplace_profile(k: Count, eps: Epsilon, target_eps: Epsilon) -> Found:
    r"""$k$ Laplace mechanisms with $\varepsilon = \Delta/b$ lose $k\varepsilon-2S$, $S$ a sum of $k$
    independent variables that are 0 with probability ½ and else $\min(\mathrm{Exp}(1),\varepsilon)$;
    $\delta(t) = \mathrm E(1-e^{t-k\varepsilon+2S})_+$, exactly.
    """
    if target_eps >= k * eps:
        return {"delta": ZERO}

    def noise() -> Mechanism:
        return k * Laplace(scale=1, sensitivity=eps)

    return {"delta": delta_or(lambda: laplace_delta(k, eps, target_eps), noise, target_eps)}


@card("GEOM", KOV15.at("Thm. 4.4"), "KOV-GEO/KOV-4.4", "X-GEOM")
def geometric_profile(k: Count, eps: Epsilon, sens: Steps, target_eps: Epsilon) -> Found:
    r"""Integer noise $P(y)\propto e^{-\varepsilon|y|/s}$ on $k$ counts that each move by $s$. For $s = 1$
    the loss is $\pm\varepsilon$ as for randomized response (`rr_same`); for $s>1$ it takes $s+1$ values and
    costs less.
    """
    if not sens or not eps or target_eps >= k * eps:
        return {"delta": ZERO} | ({"rr_same": ZERO} if sens == 1 else {})
    if sens == 1:
        same = optimal([(eps, Fraction(0), k)]).delta(target_eps)
        return {"delta": same, "rr_same": same}

    def noise() -> Mechanism:
        return k * Geometric(scale=sens / eps, sensitivity=sens)

    law = GeometricLaw(sens / eps, sens)
    return {"delta": delta_or(lambda: sum_delta([(law, k)], target_eps), noise, target_eps)}


@card("STAIR", GV16.at("Thm. 4"), "KOV-STAIR")
def staircase(eps: Epsilon, Delta: Shift) -> Found:
    r"""Staircase noise has height $ab^j$ on $|x|\in[j\Delta,(j+\gamma)\Delta)$ and $ab^{j+1}$ up to
    $(j+1)\Delta$, $b = e^{-\varepsilon}$, $a = \frac{1-b}{2\Delta(\gamma+b(1-\gamma))}$. The variance is
    least at $\gamma = -\frac b{1-b}+\frac{(b-2b^2+2b^4-b^5)^{1/3}}{2^{1/3}(1-b)^2}$, the mean size at
    $\gamma = 1/(1+e^{\varepsilon/2})$.
    """
    wide = not eps
    if wide or not Delta:
        variance = plain = INFINITE if Delta else ZERO
        height = ZERO if wide else INFINITE
    else:
        variance = enclose(lambda: ball(Delta) ** 2 * recipes.staircase_variance(eps))
        plain = enclose(lambda: 2 * ball(Delta / eps) ** 2)
        height = enclose(lambda: step_height(eps, variance_optimal_gamma(eps)) / ball(Delta))
    return {
        "gamma_opt_variance": enclose(lambda: variance_optimal_gamma(eps)),
        "gamma_opt_abs": enclose(lambda: 1 / (1 + (ball(eps) / 2).exp())),
        "density_height_a": height,
        "variance_min": variance,
        "laplace_variance_same_eps": plain,
    }


@card("STAIR-COMP", GV16.at("Sec. III"), "KOV-STAIR")
def staircase_profile(k: Count, eps: Epsilon, gamma: Share, target_eps: Epsilon) -> Found:
    r"""At shift Δ the loss of staircase noise is ε, 0 or −ε, with $P(0) = (1-2\gamma)\Delta ab$ for
    $\gamma\le\frac12$ and $(2\gamma-1)\Delta a$ above; $k$ of them compose exactly, and $\gamma = \frac12$
    is randomized response.
    """
    law, noise = StaircaseLaw(eps, gamma), Staircase(epsilon=eps, gamma=gamma)
    if not eps or target_eps >= k * eps:
        cost = ZERO
    else:
        cost = delta_or(lambda: sum_delta([(law, k)], target_eps), lambda: k * noise, target_eps)
    return {"prob_loss_zero": enclose(law.no_loss) if gamma != Fraction(1, 2) else ZERO, "delta": cost}


@card("JL-CUT", HERE.at("X-JL-CUT"), "X-JL-CUT", "KOV-CUT-DEF (9)")
def cut_profile(r: Rows, ratio: Ratio, target_eps: Epsilon) -> Found:
    r"""A cut sketch of $r$ rows whose variances differ by the ratio $R$ is $\chi^2_r$ against $R\chi^2_r$:
    with $u_\pm = \frac{r\ln R\pm2t}{2(R-1)}$, $\delta$ is the larger of $Q(\frac r2,u_+)-e^tQ(\frac
    r2,Ru_+)$ and $P(\frac r2,Ru_-)-e^tP(\frac r2,u_-)$.
    """
    large, small, worse = sketches.cut_delta(r, ratio, target_eps)
    return {"delta_large_vs_small": large, "delta_small_vs_large": small, "delta": worse}


@card("JL-RDP", HERE.at("X-JL-RDP"), "X-JL-RDP", "KOV-VAR")
def sketch_curves(alpha: Order, w: Width, rows: Rows) -> Found:
    r"""Rényi divergences of sketches: for cuts, ratio $R = 1+2/w$, $\frac
    r2\left(-\frac{\ln(1-(\alpha-1)(R-1))}{\alpha-1}-\ln R \right)$ and $\frac r2\cdot\frac{\alpha\ln
    R-\ln(1+\alpha(R-1))}{\alpha-1}$; for covariances, at worst $-\frac
    r{2(\alpha-1)}\ln(1-\alpha(\alpha-1)/w^2)$. Infinite where a logarithm ends.
    """
    large, small = sketches.cut_renyi(rows, w, alpha)
    return {
        "cut_rdp_large_vs_small": large,
        "cut_rdp_small_vs_large": small,
        "variance_rdp_worst": sketches.covariance_renyi(rows, w, alpha),
    }


@card("JL-CAL", BLOCKI12.at("Sec. 4"), "KOV-CUT (10),(11)", "KOV-VAR")
def cut_parameters(*, eta: Error, nu: Failure, k: Times, eps: Epsilon, delta: Delta, n: Vertices, s: Inside) -> Found:
    r"""$r = \lceil8\ln(2k/\nu)/\eta^2\rceil$ rows, the published $w =
    \frac{\sqrt{32r\ln(2/\delta)}}\varepsilon\ln\frac{4r}\delta$ (far larger than needed), and, where $w\le
    n$, the ratio $1+2(1-\frac wn)/w$ and the error $\tau = \eta w\frac{s(n-s)}{n-w}$.
    """
    rows = sketches.rows_needed(eta, nu, k)
    width = sketches.published_width(rows, eps, delta)
    sketch = sketches.ReweightedGraph(width, n)
    fits = sketch.fits()
    return {
        "r": rows,
        "w_blocki_from_memory": width,
        "w_le_n": fits,
        "max_variance_ratio": sketch.variance_ratio() if fits else UNDEFINED,
        "tau_exact": sketch.additive_error(eta, s) if fits and s <= n else UNDEFINED,
    }


@card("CAL-EXACT", KOV15.at("Sec. 4"), "X-CAL", "KOV-3.3")
def exact_calibration(k: Count, delta0: Delta, eps: Epsilon, delta: Delta) -> Found:
    r"""The largest $\varepsilon_0$ with which $k$ steps that are $(\varepsilon_0,\delta_0)$-DP stay
    $(\varepsilon,\delta)$-DP under optimal composition; undefined where $1-(1-\delta_0)^k>\delta$.
    """
    try:
        return {"eps0_max": recipes.largest_step(k, delta0, eps, delta)}
    except Declined:
        return {"eps0_max": UNDEFINED}


@card("KMAX", KOV15.at("Sec. 4"), "X-CAL", "KOV-3.3")
def largest_count(eps0: Epsilon, eps: Epsilon, delta: Delta) -> Found:
    r"""The largest $k$ such that $k$ steps that are $\varepsilon_0$-DP stay $(\varepsilon,\delta)$-DP under
    optimal composition, the δ there and one step further, and the $\lfloor\varepsilon/\varepsilon_0\rfloor$
    that sums allow.
    """
    found = recipes.LargestCount(eps0, eps, delta)
    if found.unlimited:
        limit = CERTAIN if eps0 else ZERO
        basic = found.basic() if eps0 else INFINITE
        return {"k_max_exact": INFINITE, "k_basic": basic, "delta_at_kmax": limit, "delta_at_kmax_plus_1": limit}
    most = found.exact()
    return {
        "k_max_exact": most,
        "k_basic": found.basic(),
        "delta_at_kmax": found.delta_at(most),
        "delta_at_kmax_plus_1": found.delta_at(most + 1),
    }
