"""One training, asked of every accountant as precisely as its own knob allows: time against gap.

A knob is what the accountant offers: a tolerance, the step of a grid, an error in ε. Those without one have one point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dpcompose as dpc

RATE, NOISE, STEPS, DELTA = 0.01, 1.0, 1000, 1e-6
PLAN = STEPS * dpc.Sampled(dpc.Gaussian(noise_std=NOISE), rate=RATE)
Ask = Callable[[], float]


def ours(tolerance: float) -> Ask:
    """To a relative gap."""
    return lambda: dpc.epsilon(PLAN, delta=DELTA, tolerance=tolerance).upper


def _event() -> Any:
    from dp_accounting import dp_event as ev

    return ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(RATE, ev.GaussianDpEvent(NOISE)), STEPS)


def pld(step: float) -> Ask:
    """dp_accounting on a grid."""

    def ask() -> float:
        from dp_accounting.pld import PLDAccountant

        return float(PLDAccountant(value_discretization_interval=step).compose(_event()).get_epsilon(DELTA))

    return ask


def rdp() -> float:
    """dp_accounting at its usual orders."""
    from dp_accounting.rdp import RdpAccountant

    return float(RdpAccountant().compose(_event()).get_epsilon(DELTA))


def opacus(name: str, **knobs: float) -> Ask:
    """An accountant of Opacus."""

    def ask() -> float:
        from opacus.accountants import create_accountant

        accountant = create_accountant(name)
        accountant.history = [(NOISE, RATE, STEPS)]
        return float(accountant.get_epsilon(delta=DELTA, **knobs))

    return ask


def prv(error: float) -> Ask:
    """prv-accountant, to an error in ε."""

    def ask() -> float:
        import prv_accountant

        step = prv_accountant.PoissonSubsampledGaussianMechanism(sampling_probability=RATE, noise_multiplier=NOISE)
        accountant = prv_accountant.PRVAccountant(
            prvs=[step], max_self_compositions=[STEPS], eps_error=error, delta_error=DELTA / 1000
        )
        return float(accountant.compute_epsilon(delta=DELTA, num_self_compositions=[STEPS])[2])

    return ask


def riskcal(step: float) -> Ask:
    """The accountant of riskcal, on a grid."""

    def ask() -> float:
        from riskcal.accountants import CTDAccountant

        accountant = CTDAccountant()
        accountant.history = [(NOISE, RATE, STEPS)]
        return float(accountant.get_epsilon(delta=DELTA, grid_step=step))

    return ask


def autodp() -> float:
    """The Rényi accountant of autodp, at the best order."""
    from autodp import mechanism_zoo, transformer_zoo

    sample = transformer_zoo.AmplificationBySampling(PoissonSampling=True)
    step = sample(mechanism_zoo.GaussianMechanism(NOISE), RATE, improved_bound_flag=True)
    return float(transformer_zoo.Composition()([step], [STEPS]).get_eps(DELTA))


KNOBS: dict[str, list[tuple[str, Ask]]] = {
    "dpcompose": [(f"tolerance {t:g}", ours(t)) for t in (1e-1, 1e-3, 1e-6, 1e-9)],
    "dp_accounting PLD": [(f"grid {s:g}", pld(s)) for s in (1e-2, 1e-3, 1e-4, 1e-5)],
    "dp_accounting RDP": [("usual orders", rdp)],
    "Opacus PRV": [(f"error {e:g}", opacus("prv", eps_error=e)) for e in (1e-1, 1e-2, 1e-3)],
    "Opacus RDP": [("usual orders", opacus("rdp"))],
    "prv-accountant": [(f"error {e:g}", prv(e)) for e in (1e-1, 1e-2, 1e-3)],
    "riskcal": [(f"grid {s:g}", riskcal(s)) for s in (1e-2, 1e-3, 1e-4)],
    "autodp": [("best order", autodp)],
}
