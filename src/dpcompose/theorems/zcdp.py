"""Concentrated differential privacy: one number ρ that adds."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.description import Adaptivity
from dpcompose.kernel import Parts, composes, implies
from dpcompose.notions import GDP, ZCDP, ApproxDP, Linear, Profile
from dpcompose.numerics.enclosure import Enclosure, ball, enclose
from dpcompose.sources import BS16, CKS20, HERE, WRRW23
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke, OneOrder, leak_in, total_of


@implies("PURE-ZCDP", HERE.at("PURE-ZCDP"))
def approx_to_zcdp(g: ApproxDP) -> ZCDP:
    r"""An $(\varepsilon,\delta)$-DP mechanism is $\delta$-approximately $\rho$-zCDP with
    $\rho = \varepsilon\tanh(\varepsilon/2)$, and with no smaller ρ in general.
    """
    tight = enclose(lambda: ball(g.epsilon) * (ball(g.epsilon) / 2).tanh())
    return ZCDP(0 if g.epsilon == 0 else Enclosure(0.0, tight.upper), g.delta)


@implies("GDP-ZCDP", BS16.at("Prop. 1.6"))
def gdp_to_zcdp(g: GDP) -> ZCDP:
    r"""$\mu$-GDP is $\mu^2/2$-zCDP."""
    return ZCDP(Fraction(g.mu_squared) / 2)


@composes("ZCDP-SUM", WRRW23.at("Thm. 1"), adaptivity=Adaptivity.FULLY_ADAPTIVE)
def zcdp_adds(parts: Parts[ZCDP]) -> ZCDP:
    r"""$\delta_i$-approximately $\rho_i$-zCDP mechanisms compose to $\sum\rho_i$, outside an event of probability
    $1-\prod(1-\delta_i)$; or $\sum\delta_i$ when each step is chosen, with its parameters, after the earlier
    outputs, and both sums stay below caps fixed in advance.
    """
    rho = total_of(tuple((g.rho, n) for g, n in parts.items))
    return ZCDP(rho, leak_in(parts.adaptivity, tuple((g.delta, n) for g, n in parts.items)))


@implies("ZCDP-CONV", CKS20.at("Cor. 13"), adaptivity=Adaptivity.FULLY_ADAPTIVE, cost=2)
def zcdp_to_profile(g: ZCDP) -> Profile:
    r"""$\delta(\varepsilon)\le\delta+(1-\delta)\inf_{\alpha>1}\frac{e^{(\alpha-1)(\alpha\rho-\varepsilon)}}{\alpha-1}
    \left(1-\frac1\alpha\right)^\alpha$.
    """
    return OneOrder(Linear(g.rho), g.delta, CanonneKamathSteinke)
