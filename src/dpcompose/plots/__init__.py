"""Results as pictures. `plot(value)` gives a figure; it needs matplotlib.

A picture begins as a plain value from `dpcompose.curves`, such as `growth(...)`. `plot(value)` draws it, `plot(value,
axes)` draws it on axes of yours, and `save(value, "x.svg")` writes a file.

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
