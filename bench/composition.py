"""Composition beside dp-accounting: time, value and what is certain, in one run.

`make bench` brings the peers. Without them only our column is printed. A peer's value is marked where it lies below
the certified lower end: there its “upper bound” is none.
"""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path

from _workloads import WORKLOADS, Workload

import dpcompose as dpc
from dpcompose.numerics.enclosure import rounded

HERE = Path(__file__).parent
PEERS = ("pld", "closed", "rdp")
LIMIT = 60
HEAD = ("workload", "ours: ε", "gap", "ms", "peer", "its ε", "its ms", "× ours", "")


def ours(work: Workload) -> tuple[dpc.Answer, float]:
    """The answer, and the least time of several in milliseconds; everything from the description on is timed."""
    least, began = math.inf, time.perf_counter()
    while True:
        start = time.perf_counter()
        answer = dpc.epsilon(work.count * mechanism(work), delta=work.delta)
        least = min(least, time.perf_counter() - start)
        if time.perf_counter() - began > 1:
            return answer, 1e3 * least


def mechanism(work: Workload) -> dpc.Mechanism:
    """The workload's mechanism in our words."""
    if work.kind == "response":
        return dpc.BlackBox(epsilon=work.size)
    return dpc.Laplace(scale=work.size) if work.kind == "laplace" else dpc.Gaussian(noise_std=work.size)


def theirs(peer: str, index: int) -> tuple[float, float] | str:
    """A peer's value and milliseconds, or why there is none."""
    command = [sys.executable, str(HERE / "_peers.py"), peer, str(index)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    except subprocess.TimeoutExpired:
        return f"more than {LIMIT} s"
    except subprocess.CalledProcessError as error:
        return (error.stderr.strip().splitlines() or ["no answer"])[-1][:60]
    found = json.loads(run.stdout.splitlines()[-1])
    return found["value"], found["ms"]


def lines(index: int, work: Workload, peers: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """One line a peer; ours stands on the first."""
    answer, ms = ours(work)
    first = (work.name, rounded(answer.upper, ROUND_CEILING, 9), f"{answer.enclosure.gap:.0e}", f"{ms:.2f}")
    if not peers:
        yield (*first, "", "", "", "", "")
    for peer in peers:
        found = theirs(peer, index)
        if isinstance(found, str):
            yield (*first, peer, "", "", "", found)
        elif not math.isnan(found[0]):
            yield (*first, peer, f"{found[0]:.9g}", f"{found[1]:.2f}", times(found[1] / ms), remark(found[0], answer))
        else:
            continue
        first = ("", "", "", "")


def times(ratio: float) -> str:
    """How much longer a peer takes, two digits."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def remark(value: float, answer: dpc.Answer) -> str:
    """Where a peer's value stands to what is certain."""
    if value < answer.lower:
        return f"BELOW the truth, which is at least {rounded(answer.lower, ROUND_FLOOR, 9)}"
    return f"+{value / answer.upper - 1:.1e}" if answer.upper < value < math.inf else ""


def main() -> None:
    """Print one table, a line at a time."""
    found = importlib.util.find_spec("dp_accounting") is not None
    if not found:
        print("dp-accounting is not installed, so there is nothing to compare with; `make bench` installs it.")
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for index, work in enumerate(WORKLOADS):
        for line in lines(index, work, PEERS if found else ()):
            print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
