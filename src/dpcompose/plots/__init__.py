"""Results → pictures. First a plain value that can be looked at, then `plot`, which needs matplotlib.

| to see | ask |
|---|---|
| how ε grows with the number of steps, under every theorem | `growth` |
| how δ falls as ε grows | `profile` |
| the privacy region | `plot(region(m))`; of several k `family`, by several theorems `boundaries` |
| the lines that touch it | `tangents` |
| the least type II error at each type I error | `tradeoff` |
| the Rényi curve and its best order | `renyi_curve` |
| the distribution of the privacy loss | `losses` |
| which noise is best, by the number of queries | `noises(advise(...))` |
| every theorem side by side | `plot(compare(m, delta=...))` |
| what an audit reached, over what was promised | `overlay` |

`plot(value)` gives a figure, `plot(value, axes)` paints on axes of yours, and `save(value, "x.svg")` writes a file.

Read `looks`, `canvas` and `pictures`, then the painters: `lines`, `squares`, `bars` and `advised`.
"""

from __future__ import annotations

from dpcompose.curves import (
    COUNTS,
    Boundaries,
    Boundary,
    Converted,
    Family,
    Growth,
    LossDistribution,
    Noises,
    Overlay,
    PrivacyProfile,
    Reached,
    RenyiCurve,
    Series,
    Sweep,
    Tangents,
    TradeOff,
    boundaries,
    family,
    growth,
    losses,
    noises,
    overlay,
    profile,
    renyi_curve,
    tangents,
    tradeoff,
)
from dpcompose.plots.pictures import FORMATS, figure, legend, plot, save, styled

__all__ = [
    "COUNTS",
    "FORMATS",
    "Boundaries",
    "Boundary",
    "Converted",
    "Family",
    "Growth",
    "LossDistribution",
    "Noises",
    "Overlay",
    "PrivacyProfile",
    "Reached",
    "RenyiCurve",
    "Series",
    "Sweep",
    "Tangents",
    "TradeOff",
    "boundaries",
    "family",
    "figure",
    "growth",
    "legend",
    "losses",
    "noises",
    "overlay",
    "plot",
    "profile",
    "renyi_curve",
    "save",
    "styled",
    "tangents",
    "tradeoff",
]
