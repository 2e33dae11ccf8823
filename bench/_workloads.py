"""What is measured: each workload in numbers alone, so that every side builds it in its own words."""

from __future__ import annotations

from dataclasses import dataclass

STEPS = {2: 0.1, 3: 0.03, 4: 0.01, 5: 0.003, 6: 0.001, 7: 0.0003, 8: 0.0001, 9: 0.00003}
"""A step of about 1/√k for k = 10^n: the whole costs a few nats."""


@dataclass(frozen=True, slots=True)
class Workload:
    """The least ε at δ of `count` runs of one mechanism; `size` is its ε, its scale or its noise_std."""

    kind: str
    count: int
    size: float
    delta: float

    @property
    def name(self) -> str:
        """One line."""
        letter = {"response": "ε", "laplace": "b", "gaussian": "σ"}[self.kind]
        return f"{self.kind} k={self.count:.0e} {letter}={self.size:g} δ={self.delta:.0e}".replace("e+0", "e")


WORKLOADS = [
    *(Workload("response", 10**n, step, 1e-6) for n, step in STEPS.items()),
    Workload("response", 10**6, 0.001, 1e-14),
    Workload("gaussian", 1, 1.0, 1e-6),
    Workload("gaussian", 10**3, 30.0, 1e-6),
    Workload("gaussian", 10**6, 1000.0, 1e-6),
    Workload("gaussian", 10**3, 30.0, 1e-12),
    Workload("gaussian", 10**3, 30.0, 1e-14),
    Workload("laplace", 10, 3.0, 1e-6),
    Workload("laplace", 100, 10.0, 1e-6),
    Workload("laplace", 300, 17.0, 1e-6),
    Workload("laplace", 300, 17.0, 1e-14),
]
