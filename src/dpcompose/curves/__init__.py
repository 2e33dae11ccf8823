"""The values behind pictures and tables, as plain data; one module for each kind of question.

Read `sweeps` (ε by count, δ by ε) first; then `error_rates` (regions, trade-offs, tangents), `renyi_orders`,
`loss_laws` and `noise_contest`. `dpcompose.plots` draws them; `dpcompose.app` prints them.
"""

from __future__ import annotations

from dpcompose.curves.error_rates import (
    Boundaries,
    Boundary,
    Family,
    Overlay,
    Reached,
    Tangents,
    TradeOff,
    boundaries,
    family,
    overlay,
    tangents,
    tradeoff,
)
from dpcompose.curves.loss_laws import LossDistribution, losses
from dpcompose.curves.noise_contest import Noises, noises
from dpcompose.curves.renyi_orders import Converted, RenyiCurve, renyi_curve
from dpcompose.curves.sweeps import COUNTS, Growth, PrivacyProfile, Series, Sweep, growth, profile

__all__ = [
    "COUNTS",
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
    "growth",
    "losses",
    "noises",
    "overlay",
    "profile",
    "renyi_curve",
    "tangents",
    "tradeoff",
]
