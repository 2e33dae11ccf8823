"""One peer on one workload, in a process of its own: prints milliseconds and the value as JSON.

The settings are those that serve the peer best: the grid of a randomized response is its own ε, so that nothing is
rounded; a Gaussian and a Laplace keep the peer's defaults.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable

from _workloads import WORKLOADS, Workload


def pld(work: Workload) -> float:
    """Loss distributions on a grid, composed by FFT."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as module

    build = {
        "response": lambda: module.from_privacy_parameters(
            common.DifferentialPrivacyParameters(work.size, 0.0), value_discretization_interval=work.size
        ),
        "gaussian": lambda: module.from_gaussian_mechanism(work.size),
        "laplace": lambda: module.from_laplace_mechanism(work.size),
    }[work.kind]
    return float(build().self_compose(work.count).get_epsilon_for_delta(work.delta))


def closed(work: Workload) -> float:
    """Optimal composition as the paper's formula states it, grid point by grid point."""
    from dp_accounting.pld import accountant, common

    if work.kind != "response":
        return math.nan
    steps = common.DifferentialPrivacyParameters(work.size, 0.0)
    return float(accountant.advanced_composition(steps, work.count, work.delta) or math.nan)


def rdp(work: Workload) -> float:
    """Rényi accounting, with its usual orders."""
    import dp_accounting

    if work.kind == "response":
        return math.nan
    event = {"gaussian": dp_accounting.GaussianDpEvent, "laplace": dp_accounting.LaplaceDpEvent}[work.kind](work.size)
    accountant = dp_accounting.rdp.RdpAccountant()
    accountant.compose(event, work.count)
    return float(accountant.get_epsilon(work.delta))


PEERS: dict[str, Callable[[Workload], float]] = {"pld": pld, "closed": closed, "rdp": rdp}


def main() -> None:
    """Measure the least of several runs, within about ten seconds."""
    peer, work = PEERS[sys.argv[1]], WORKLOADS[int(sys.argv[2])]
    least, began = math.inf, time.perf_counter()
    value = peer(work)  # also imports
    while least == math.inf or (time.perf_counter() - began < 10 and least < 3):
        start = time.perf_counter()
        value = peer(work)
        least = min(least, time.perf_counter() - start)
        if time.perf_counter() - began > 2:
            break
    print(json.dumps({"ms": 1e3 * least, "value": value}))


if __name__ == "__main__":
    main()
