"""Gaussian differential privacy: exact for Gaussians, and closed under composition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpcompose.description import Adaptivity
from dpcompose.exact.normal import normal_delta, normal_epsilon
from dpcompose.kernel import Parts, Side, composes, implies
from dpcompose.notions import GDP, Profile, SymmetricProfile
from dpcompose.numerics.enclosure import Enclosure, Real, exact_sum
from dpcompose.sources import BW18, DRS22


@dataclass(frozen=True, slots=True)
class NormalProfile(SymmetricProfile):
    """N(0, 1) against N(μ, 1)."""

    mu_squared: Real

    def delta(self, epsilon: Real) -> Enclosure:
        """The closed form, in balls."""
        return normal_delta(self.mu_squared, epsilon)

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse, certified by two evaluations."""
        return normal_epsilon(self.mu_squared, delta)


@composes("GDP-SUM", DRS22.at("Cor. 3.3"), side=Side.BOTH, adaptivity=Adaptivity.FULLY_ADAPTIVE, cost=0)
def gdp_adds(parts: Parts[GDP]) -> GDP:
    r"""$\mu_i$-GDP mechanisms compose to $\sqrt{\sum\mu_i^2}$-GDP, exactly for Gaussians; also when parameters
    depend on earlier outputs and $\sum\mu_i^2$ stays below a cap fixed in advance.
    """
    return GDP(exact_sum([(Fraction(g.mu_squared), n) for g, n in parts.items]))


@implies("X-GAUSS", BW18.at("Thm. 8"), side=Side.BOTH, adaptivity=Adaptivity.FULLY_ADAPTIVE, cost=0)
def gdp_to_profile(g: GDP) -> Profile:
    r"""$\delta(\varepsilon) = \Phi\!\left(-\frac\varepsilon\mu+\frac\mu2\right)
    -e^\varepsilon\,\Phi\!\left(-\frac\varepsilon\mu-\frac\mu2\right)$, exactly for Gaussians.
    """
    return NormalProfile(g.mu_squared)
