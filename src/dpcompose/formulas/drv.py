"""Cards after Dwork, Rothblum and Vadhan: sums, advanced composition, and distance to a pure pair."""

from __future__ import annotations

from dpcompose.formulas.card import Found, card
from dpcompose.formulas.inputs import Count, Delta, Deltas, Epsilon, Epsilons, Times
from dpcompose.formulas.values import advanced, leak, paired
from dpcompose.numerics.enclosure import exact_sum
from dpcompose.regions.simulation_lemma import distance_to_pure
from dpcompose.sources import DR14, DRV10


@card("BASIC", DRV10.at("Thm. III.1"), "DRV-3.16", "KOV-3.1", "SM-E3.5")
def sums(eps_list: Epsilons, delta_list: Deltas, repeat: Times = 1) -> Found:
    r"""Steps that are $(\varepsilon_i,\delta_i)$-DP compose, adaptively, to
    $(\sum\varepsilon_i,\sum\delta_i)$-DP, and even to $(\sum\varepsilon_i,1-\prod(1-\delta_i))$-DP.
    """
    pieces = paired(eps_list, delta_list, repeat)
    return {
        "eps": exact_sum([(e, n) for e, _, n in pieces]),
        "delta_sum": exact_sum([(d, n) for _, d, n in pieces]),
        "delta_product": leak(pieces),
    }


@card("DRV-3.20", DRV10.at("Thm. III.3"), "DRV-3.20", "KOV-3.2", "DRV-AZ", "DRV-CHOICE", "DRV-SMALL")
def advanced_composition(k: Count, eps: Epsilon, delta: Delta, delta_prime: Delta) -> Found:
    r"""For $0<\delta'\le1$, $k$ steps that are $(\varepsilon,\delta)$-DP compose, adaptively, to
    $(\varepsilon',k\delta+\delta')$-DP with $\varepsilon' =
    \varepsilon\sqrt{2k\ln(1/\delta')}+k\varepsilon(e^\varepsilon-1)$. Neither number is capped here.
    """
    return {
        "eps_prime": advanced([(eps, delta, k)]).branch(0, delta_prime),
        "delta_total": k * delta + delta_prime,
    }


@card("DR-3.17", DR14.at("Lemma 3.17"), "DRV-3.17")
def near_a_pure_pair(eps: Epsilon, delta: Delta) -> Found:
    r"""$X\approx_{\varepsilon,\delta}Y$ if and only if some $X'$, $Y'$ with $X'\approx_{\varepsilon,0}Y'$
    lie within total variation $\delta/(1+e^\varepsilon)$ of $X$ and $Y$.
    """
    return {"max_tv_to_pure_pair": distance_to_pure(eps, delta)}
