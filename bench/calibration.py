"""The noise for private training, beside the calibrators of dp-accounting and Opacus: time, value and what is certain.

Peers are optional: they run in this interpreter's environment or in the one that `BENCH_PYTHON` names, such as one with
dp-accounting 0.6.0, opacus 1.6.0 and torch 2.13.0. Ours must show that the value suffices and that one part in a
million less does not. A peer is given a bracket within a factor of two of the answer, and its own default tolerance.
Times are processor times with one thread, which depend little on what else the machine does.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING

LIMIT = 60
ONE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
HEAD = ("workload", "ours: σ", "certified to", "ms", "peer", "its σ", "its ms", "× ours", "")


@dataclass(frozen=True, slots=True)
class Training:
    """So many steps of a Gaussian on Poisson samples; rate 1 means no sampling."""

    rate: float
    steps: int
    epsilon: float
    delta: float

    @property
    def name(self) -> str:
        """One line."""
        return f"q={self.rate:.3g} T={self.steps} ε={self.epsilon:g} δ={self.delta:.0e}"


WORKLOADS = (
    Training(0.01, 1000, 1.0, 1e-6),
    Training(0.004, 15_000, 3.0, 1e-5),
    Training(256 / 60_000, 14_062, 8.0, 1e-5),
    Training(0.001, 100_000, 0.5, 1e-9),
    Training(0.1, 500, 2.0, 1e-6),
    Training(1.0, 100, 1.0, 1e-6),
)


def ours(work: Training) -> tuple[float, float, float]:
    """The value, the relative distance to a value shown to miss, and the least time of several in milliseconds."""
    import dpcompose as dpc

    def family(noise: float) -> dpc.Mechanism:
        step = dpc.Gaussian(noise_std=noise)
        return work.steps * (step if work.rate == 1 else dpc.Sampled(step, rate=work.rate))

    found, ms = timed(lambda: dpc.calibrate(family, epsilon=work.epsilon, delta=work.delta))
    assert found.beyond is not None  # noqa: S101 - the engine closes the gap on all of these
    return float(found), 1 - float(found.beyond) / float(found), ms


def dp_accounting_pld(work: Training, near: float) -> float:
    """Loss distributions on a grid."""
    return _dp_accounting(work, near, "pld")


def dp_accounting_rdp(work: Training, near: float) -> float:
    """Rényi accounting."""
    return _dp_accounting(work, near, "rdp")


def _dp_accounting(work: Training, near: float, kind: str) -> float:
    import dp_accounting
    from dp_accounting import pld, rdp
    from dp_accounting.mechanism_calibration import ExplicitBracketInterval, calibrate_dp_mechanism

    def event(noise: float) -> dp_accounting.DpEvent:
        step = dp_accounting.GaussianDpEvent(noise)
        sampled = step if work.rate == 1 else dp_accounting.PoissonSampledDpEvent(work.rate, step)
        return dp_accounting.SelfComposedDpEvent(sampled, work.steps)

    accountant = {"pld": pld.PLDAccountant, "rdp": rdp.RdpAccountant}[kind]
    bracket = ExplicitBracketInterval(near / 2, near * 2)
    return float(calibrate_dp_mechanism(accountant, event, work.epsilon, work.delta, bracket))


def opacus_prv(work: Training, near: float) -> float:  # noqa: ARG001 - it brackets for itself
    """Opacus, with its default accountant."""
    from opacus.accountants.utils import get_noise_multiplier

    return float(
        get_noise_multiplier(
            target_epsilon=work.epsilon,
            target_delta=work.delta,
            sample_rate=work.rate,
            steps=work.steps,
            accountant="prv",
        )
    )


PEERS: dict[str, Callable[[Training, float], float]] = {
    "dp_accounting pld": dp_accounting_pld,
    "dp_accounting rdp": dp_accounting_rdp,
    "opacus prv": opacus_prv,
}


def timed(call: Callable[[], object]) -> tuple[object, float]:
    """The result and the least processor time of several, after one that warms up."""
    result, least, began = call(), math.inf, time.perf_counter()
    while least == math.inf or (least < 3 and time.perf_counter() - began < 6):
        start = time.process_time()
        result = call()
        least = min(least, time.process_time() - start)
    return result, 1e3 * least


def theirs(peer: str, work: Training, near: float) -> tuple[float, float] | str:
    """A peer's value and milliseconds, from a process of its own, or why there is none."""
    command = [os.environ.get("BENCH_PYTHON", sys.executable), __file__, peer, json.dumps([asdict(work), near])]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True, env=os.environ | ONE)
    except subprocess.TimeoutExpired:
        return f"more than {LIMIT} s"
    except subprocess.CalledProcessError as error:
        return (error.stderr.strip().splitlines() or ["no answer"])[-1][:60]
    value, ms = json.loads(run.stdout.splitlines()[-1])
    return value, ms


def lines(work: Training) -> Iterator[tuple[str, ...]]:
    """One line a peer; ours stands on the first."""
    from dpcompose.numerics.enclosure import rounded

    value, missed, ms = ours(work)
    first = (work.name, rounded(value, ROUND_CEILING, 8), f"{missed:.1e}", f"{ms:.1f}")
    for peer in PEERS:
        found = theirs(peer, work, value)
        if isinstance(found, str):
            yield (*first, peer, "", "", "", found)
        else:
            sigma, took = found
            short = sigma < value * (1 - missed)
            remark = "TOO LITTLE noise, by our certificate" if short else f"+{sigma / value - 1:.1e}"
            yield (*first, peer, f"{sigma:.8g}", f"{took:.0f}", f"{took / ms:.0f}", remark)
        first = ("", "", "", "")


def main() -> None:
    """Print one table, or, for a peer's process, one result."""
    if len(sys.argv) > 1:
        given, near = json.loads(sys.argv[2])
        print(json.dumps(timed(lambda: PEERS[sys.argv[1]](Training(**given), near))))
        return
    os.environ.update(ONE)  # before ours is imported
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for work in WORKLOADS:
        for line in lines(work):
            print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
