"""Normal noise on a vector query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import GDP
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import Param
from dpcompose.sources import DRS22, SMITH

NOISE = Param("σ", 0, 10**150, "query units", typical=(0.3, 30))
SENSITIVITY = Param("Δ", 0, 10**150, "query units", typical=(0.1, 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(Mechanism):
    """Add normal noise of standard deviation `noise_std` to a query of ℓ₂ sensitivity `sensitivity`."""

    noise_std: Annotated[Real, NOISE]
    sensitivity: Annotated[Real, SENSITIVITY] = 1
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@describes("SM-GAUSS-PL", DRS22.at("Thm. 1"), side=Side.BOTH)
def gaussian_is_gdp(m: Gaussian) -> GDP:
    r"""The worst neighbours give $N(0,1)$ against $N(\mu,1)$ with $\mu = \Delta/\sigma$, so the privacy loss is
    $N(\mu^2/2, \mu^2)$ and the mechanism is exactly $\mu$-GDP.
    """
    if m.sensitivity == 0:
        return GDP(0)
    if m.noise_std == 0:
        raise Declined("without noise there is no Gaussian")
    return GDP((Fraction(m.sensitivity) / Fraction(m.noise_std)) ** 2)


@describes("NO-NOISE", SMITH.at("Sec. 1"), side=Side.BOTH)
def silent_gaussian_reveals(m: Gaussian) -> SameAs:
    r"""With $\sigma = 0 < \Delta$ the output itself tells the neighbours apart: $\delta(\varepsilon) = 1$ for every
    $\varepsilon$, as for name-and-shame with $\delta = 1$.
    """
    if m.noise_std != 0 or m.sensitivity == 0:
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=1, adjacency=m.adjacency))
