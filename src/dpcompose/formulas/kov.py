"""Cards after Kairouz, Oh and Viswanath: the optimal composition and its closed forms."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.errors import InvalidParameter
from dpcompose.exact.binomial import two_point_tails
from dpcompose.formulas.card import Found, Output, card
from dpcompose.formulas.fallback import black_boxes, delta_or, epsilon_or
from dpcompose.formulas.inputs import Count, Delta, Deltas, Epsilon, Epsilons, Groups, Times
from dpcompose.formulas.values import (
    INFINITE,
    Pieces,
    advanced,
    heterogeneous,
    homogeneous,
    leak,
    less,
    optimal,
    paired,
    sharpened,
)
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.regions.simulation_lemma import SingleRegion
from dpcompose.sources import HERE, KOV15, MV16
from dpcompose.theorems.approx.closed_forms import Concentration, refined
from dpcompose.theorems.approx.steps import beyond_leak

MOST_VERTICES = 20_000


@card("KOV-3.3-grid", KOV15.at("Thm. 3.3"), "KOV-3.3", "KOV-EXP", "KOV-DOM", "SM-UV")
def grid(k: Count, eps: Epsilon, delta: Delta, i: Count) -> Found:
    r"""$k$ steps that are $(\varepsilon,\delta)$-DP are
    $((k-2i)\varepsilon,\,1-(1-\delta)^k(1-\delta_i))$-DP for $i = 0,\dots,\lfloor k/2\rfloor$, and nothing
    smaller holds, with $$\delta_i = \sum_{\ell=0}^{i-1}\binom
    k\ell\frac{e^{(k-\ell)\varepsilon}-e^{(k-2i+\ell)\varepsilon}}{(1+e^\varepsilon)^k}.$$
    """
    if i > k // 2:
        raise InvalidParameter("i", i, f"a whole number from 0 to k//2 = {k // 2}")
    level, whole = (k - 2 * i) * eps, optimal([(eps, delta, k)])
    return {"eps_g": level, "delta_i": whole.pure_delta(level), "delta_total": whole.delta(level)}


@card("KOV-3.3-profile", KOV15.at("Thm. 3.3"), "KOV-3.3", "X-PROF", "DRV-SMALL")
def profile(k: Count, eps: Epsilon, delta: Delta, target_eps: Epsilon) -> Found:
    r"""At any level $t\ge0$, with $m = \#\{\ell:(k-2\ell)\varepsilon>t\}$, $q = 1/(1+e^\varepsilon)$ and $p
    = 1-q$, $$\delta_{\mathrm{pure}}(t) = \sum_{\ell<m}\binom k\ell
    p^{k-\ell}q^\ell\left(1-e^{t-(k-2\ell)\varepsilon}\right),\qquad \delta(t) =
    1-(1-\delta)^k(1-\delta_{\mathrm{pure}}(t)).$$
    """
    whole = optimal([(eps, delta, k)])
    return {
        "delta_pure": whole.pure_delta(target_eps),
        "delta_total": whole.delta(target_eps),
        "m": max(0, -((target_eps / eps - k) // 2)) if eps else 0,
    }


@card("KOV-3.3-inverse", KOV15.at("Thm. 3.3"), "KOV-3.3", "X-INV")
def inverse(k: Count, eps: Epsilon, delta: Delta, delta_target: Delta) -> Found:
    r"""The least $\varepsilon_g\ge0$ at which $k$ steps that are $(\varepsilon,\delta)$-DP are
    $(\varepsilon_g,\delta^*)$-DP: infinite if $d = 1-(1-\delta^*)/(1-\delta)^k$ is negative, else where the
    exact profile of the pure steps meets $d$.
    """
    return {
        "slack_d": beyond_leak(delta_target, ((delta, k),)),
        "eps_g": optimal([(eps, delta, k)]).epsilon(delta_target),
    }


@card("KOV-FIG1", KOV15.at("Fig. 1"), "KOV-FIG1", "KOV-T2.1", "KOV-R (2)", "KOV-C2.3")
def single_region(eps: Epsilon, delta: Delta) -> Found:
    r"""The region of one $(\varepsilon,\delta)$-DP step has the corner
    $\left(\frac{1-\delta}{1+e^\varepsilon}, \frac{1-\delta}{1+e^\varepsilon}\right)$, meets the axes at
    $1-\delta$, and its support line of slope $-1$ meets them at $\frac{2(1-\delta)}{1+e^\varepsilon}$, one
    minus the total variation.
    """
    region = SingleRegion(eps, delta)
    return {
        "corner": region.corner(),
        "axis_intercept": region.axis_intercept(),
        "slope_minus1_intercept": region.slope_one_intercept(),
        "total_variation": region.total_variation(),
    }


@card("KOV-FIG2", KOV15.at("Fig. 2"), "KOV-FIG2", "KOV-3.3", "KOV-R(M) (3)", "KOV-R2.2")
def composed_region(k: Count, eps: Epsilon, delta: Delta) -> Found:
    r"""The region of $k$ steps has the vertices $(P_{MD},P_{FA})_j =
    (1-\delta)^k\left(P[\mathrm{Bin}(k,p)<j], P[\mathrm{Bin}(k,q)\ge j]\right)$, $j = 0,\dots,k+1$.
    """
    if k > MOST_VERTICES:
        raise InvalidParameter("k", k, f"at most {MOST_VERTICES}, for every vertex is listed")
    with ctx.workprec(128):
        kept = 1 - ball(delta)
        kept = kept**k
        vertices = [tuple(_scaled(kept, x) for x in pair) for pair in two_point_tails(k, eps)]
    return {"vertices_PMD_PFA": vertices, "total_variation": optimal([(eps, delta, k)]).delta(0)}


def _scaled(kept: Ball, tail: Enclosure) -> Enclosure:
    return Enclosure.of(kept * ball(tail)) & UNIT_INTERVAL if tail.upper else ZERO


@card("KOV-FIG3", KOV15.at("Fig. 3"), "KOV-FIG3-top", "KOV-3.1", "KOV-3.2", "KOV-3.3")
def three_theorems(k: Count, eps: Epsilon, delta: Delta, target_eps: Epsilon) -> Found:
    r"""Three theorems at one level $t$: $(k\varepsilon,k\delta)$;
    $\min\{1,k\delta+e^{-(t-\beta)^2/2k\varepsilon^2}\}$ from $\beta = k\varepsilon(e^\varepsilon-1)$ on, 1
    below it; and the exact $\delta(t)$.
    """
    pieces = [(eps, delta, k)]
    return {
        "thm3_1_eps": k * eps,
        "thm3_1_delta": k * delta,
        "thm3_2_delta_at_target": advanced(pieces).delta(target_eps),
        "thm3_3_delta_at_target": optimal(pieces).delta(target_eps),
    }


def _branches(found: Concentration, slack: Fraction) -> dict[str, Output]:
    """The three bounds of a closed form, and the least of them."""
    bounds = [Enclosure.exactly(found.steps.basic()), found.branch(0, slack), found.branch(1, slack)]
    least = Enclosure(min(e.lower for e in bounds), min(e.upper for e in bounds))
    return {"branch1": bounds[0], "branch2": bounds[1], "branch3": bounds[2], "eps_tilde": least}


@card("KOV-3.4", KOV15.at("Thm. 3.4"), "KOV-3.4", "KOV-3.4s")
def equal_steps(k: Count, eps: Epsilon, delta: Delta, delta_tilde: Delta) -> Found:
    r"""$k$ steps that are $(\varepsilon,\delta)$-DP are
    $(\tilde\varepsilon,1-(1-\delta)^k(1-\tilde\delta))$-DP with the least of $k\varepsilon$,
    $m+\varepsilon\sqrt{2k\ln(e+\sqrt{k\varepsilon^2}/\tilde\delta)}$ and
    $m+\varepsilon\sqrt{2k\ln(1/\tilde\delta)}$, $m = k\varepsilon\frac{e^\varepsilon-1}{e^\varepsilon+1}$.
    """
    pieces = [(eps, delta, k)]
    return {
        **_branches(homogeneous(pieces), delta_tilde),
        "delta_total": leak(pieces, delta_tilde),
        "exact_eps_at_delta_tilde": optimal([(eps, Fraction(0), k)]).epsilon(delta_tilde),
    }


@card("KOV-3.5", KOV15.at("Thm. 3.5"), "KOV-3.5")
def any_steps(eps_list: Epsilons, delta_list: Deltas, delta_tilde: Delta, repeat: Times = 1) -> Found:
    r"""Steps that are $(\varepsilon_\ell,\delta_\ell)$-DP, the list taken `repeat` times, are
    $(\tilde\varepsilon,1-(1-\tilde\delta)\prod(1-\delta_\ell))$-DP with the least of $\sum\varepsilon_\ell$,
    $m+s\sqrt{2\ln(e+s/\tilde\delta)}$ and $m+s\sqrt{2\ln(1/\tilde\delta)}$; here
    $m = \sum\varepsilon_\ell\tanh(\varepsilon_\ell/2)$ and $s^2 = \sum\varepsilon_\ell^2$.
    """
    pieces = paired(eps_list, delta_list, repeat)
    return {**_branches(heterogeneous(pieces), delta_tilde), "delta_total": leak(pieces, delta_tilde)}


@card("SHARP", HERE.at("X-SHARP"), "X-SHARP")
def true_variance(eps_list: Epsilons, delta_list: Deltas, delta_tilde: Delta, repeat: Times = 1) -> Found:
    r"""As KOV-3.5, with $s^2$ replaced by the true variance $V =
    \sum\varepsilon_\ell^2/\cosh^2(\varepsilon_\ell/2)$ of the worst losses: never worse.
    """
    pieces = paired(eps_list, delta_list, repeat)
    found = sharpened(pieces)
    return {
        "drift": enclose(found.steps.drift),
        "variance_proxy": enclose(found.steps.variance),
        **_branches(found, delta_tilde),
        "delta_total": leak(pieces, delta_tilde),
    }


@card("HET-EXACT", MV16.at("Thm. 1.5"), "X-HET")
def different_steps(eps_list: Epsilons, delta_list: Deltas, target_eps: Epsilon, delta_target: Delta) -> Found:
    r"""Steps that are $(\varepsilon_i,\delta_i)$-DP cost exactly $\delta(t) =
    1-\prod(1-\delta_i)(1-\delta_{\mathrm{pure}}(t))$, $$\delta_{\mathrm{pure}}(t) =
    \sum_S\frac{\max\{0,\,e^{\sum_S\varepsilon_i}-e^te^{\sum_{S^c}\varepsilon_i}\}}
    {\prod(1+e^{\varepsilon_i})}.$$
    """
    pieces = paired(eps_list, delta_list)
    return {"leak": leak(pieces), **_both_questions(pieces, target_eps, delta_target)}


def _both_questions(pieces: Pieces, level: Fraction, target: Fraction) -> dict[str, Output]:
    whole = optimal(pieces)
    return {
        "delta_at_target_eps": delta_or(lambda: whole.delta(level), lambda: black_boxes(pieces), level),
        "eps_at_delta_target": epsilon_or(lambda: whole.epsilon(target), lambda: black_boxes(pieces), target),
    }


@card("HET-GROUP", MV16.at("Thm. 1.5"), "X-HET")
def grouped_steps(groups: Groups, target_eps: Epsilon, delta_target: Delta) -> Found:
    r"""As HET-EXACT for pure steps, given as pairs $(\varepsilon_i,k_i)$: $k_i$ steps that are
    $\varepsilon_i$-DP.
    """
    pieces = [(e, Fraction(0), count) for e, count in groups]
    return {**_both_questions(pieces, target_eps, delta_target), "k_total": sum(count for _, count in groups)}


@card("ERR-INTERP", KOV15.at("Thm. 3.3"), "X-PROF")
def between_grid_points(k: Count, eps: Epsilon, target_eps: Epsilon) -> Found:
    r"""Between the points of the grid $(k-2i)\varepsilon$ the exact δ is linear in $e^t$, so that
    interpolation is exact; the δ of the next lower point (or of 0) is sound but loose. Linear in $t$ would
    be unsound, and is not returned.
    """
    whole = optimal([(eps, Fraction(0), k)])
    if not eps or target_eps >= k * eps:
        return dict.fromkeys(("delta", "linear_in_exp_eps", "SOUND_LOOSE_lower_grid_delta"), ZERO)
    above = k - 2 * max(0, -((target_eps / eps - k) // 2) - 1)
    low, high = max(above - 2, 0) * eps, above * eps
    left, right = whole.pure_delta(low), whole.pure_delta(high)

    def line() -> Ball:
        share = (ball(target_eps - low).expm1() / ball(high - low).expm1()).nonnegative_part()
        return (1 - share) * ball(left) + share * ball(right)

    return {
        "delta": whole.pure_delta(target_eps),
        "linear_in_exp_eps": enclose(line) & UNIT_INTERVAL,
        "SOUND_LOOSE_lower_grid_delta": left,
    }


@card("ERR-MISREAD34", KOV15.at("Thm. 3.4"), "KOV-3.4")
def misread_radical(k: Count, eps: Epsilon, delta_tilde: Delta) -> Found:
    r"""In the second branch of Theorem 3.4 the logarithm is of $e+\sqrt{k\varepsilon^2}/\tilde\delta$. Read
    as $\sqrt k\varepsilon^2$ it would fall below the exact ε: whether it does here is `wrong_is_unsound`.
    """
    found = homogeneous([(eps, Fraction(0), k)])
    exact = optimal([(eps, Fraction(0), k)]).epsilon(delta_tilde)

    def misread() -> Ball:  # √k ε² instead of √k ε: the branch at δ̃/ε
        steps = found.steps
        return refined(steps.drift(), steps.energy(), ball(delta_tilde / eps))

    wrong = enclose(misread) if k and eps and delta_tilde else INFINITE
    return {
        "branch2_correct": found.branch(0, delta_tilde),
        "exact_eps": exact,
        "wrong_is_unsound": less(wrong, exact),
    }
