"""Imported once, by the process from which all computing processes are forked, so that they need not import again.

It asks one question of every kind, which loads every module that is loaded on demand.
"""

from __future__ import annotations

from contextlib import suppress

from dpcompose.errors import DPError
from dpcompose.server.questions import QUESTIONS, Form, Region

PLAN = "2 * Gaussian(noise_std=2)"
SAID = {"mechanism": PLAN, "delta": "1e-6", "epsilon": "1", "order": "2", "alpha": "0.1", "counts": "1,2"}
OWN = {
    "calibrate": {"mechanism": "Gaussian(noise_std=?)", "epsilon": "1", "delta": "1e-6"},
    "advise": {"queries": "2", "epsilon": "1"},
    "compare": {"mechanism": PLAN, "delta": "1e-6"},
    "explain": {"mechanism": PLAN, "delta": "1e-6"},
}


def warm() -> None:
    """Ask one question of every kind."""
    for name, kind in QUESTIONS.items():
        said = OWN.get(name, {key: value for key, value in SAID.items() if key in kind.model_fields})
        with suppress(DPError):
            kind.model_validate(said).sent(Form.JSON)
    with suppress(DPError):
        Region(mechanism=PLAN).sent(Form.SVG)


warm()
