"""Exact noise beside OpenDP: seconds for a million draws, in one run.

`python bench/sampling.py PYTHON` names an interpreter that has OpenDP; without it this one is asked, and if it has none
only our column is printed. Ours is the least of five runs, with the first one beside it, which makes the tables; the
peer draws a tenth, once, and its time is scaled. The last column is the two-sample Kolmogorov–Smirnov p-value of its
draws and ours: both claim the same law.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from dpcompose.release.sampling import Integers, discrete_gaussian, discrete_laplace

DRAWS = 10**6
SHARE = 10
SIZES = (0.5, 10.0, 1000.0, 1e9)
LAWS: dict[str, Callable[[float, int], Integers]] = {"laplace": discrete_laplace, "gaussian": discrete_gaussian}
HEAD = ("law", "size", "ours, s", "first call, s", "one draw, µs", "OpenDP, s", "× ours", "p")
PEER = """
import json, sys, time
import opendp.prelude as dp
dp.enable_features("contrib")
law, size, count = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
whole = "i64"  # its default has 32 bits, at whose ends it would heap up wide noise
space = dp.vector_domain(dp.atom_domain(T=whole)), (dp.l1_distance if law == "laplace" else dp.l2_distance)(T=whole)
noise = getattr(dp.m, "make_" + law)(*space, scale=size)
zeros = [0] * count
began = time.perf_counter()
draws = noise(zeros)
print(json.dumps({"seconds": time.perf_counter() - began, "draws": draws}))
"""


def seconds(run: Callable[[], object], times: int = 5) -> float:
    """The least of several runs: noise only ever adds."""
    least = math.inf
    for _ in range(times):
        began = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - began)
    return least


def theirs(python: str, law: str, size: float) -> tuple[float, list[int]] | None:
    """The peer's seconds for a million draws, and a tenth of them."""
    command = [python, "-c", PEER, law, str(size), str(DRAWS // SHARE)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return None
    found = json.loads(run.stdout.splitlines()[-1])
    return SHARE * found["seconds"], found["draws"]


def same_law(ours: Integers, peers: list[int]) -> float:
    """The p-value for two samples of one law; ties, which discrete laws have, only make it larger."""
    from scipy.stats import ks_2samp

    return float(ks_2samp(ours.astype(float), np.array(peers, dtype=float), method="asymp").pvalue)


def row(python: str, law: str, size: float) -> tuple[str, ...]:
    """One law at one size."""
    draw = LAWS[law]
    first = seconds(lambda: draw(size, DRAWS), times=1)
    least = seconds(lambda: draw(size, DRAWS))
    single = seconds(lambda: draw(size, 1), times=200)
    shown = (law, f"{size:g}", f"{least:.3f}", f"{first:.3f}", f"{1e6 * single:.0f}")
    peer = theirs(python, law, size)
    if peer is None:
        return (*shown, "-", "-", "-")
    return (*shown, f"{peer[0]:.1f}", f"{peer[0] / least:.0f}", f"{same_law(draw(size, DRAWS // SHARE), peer[1]):.2f}")


def main() -> None:
    """Print the table."""
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    print(" ".join(f"{name:>13}" for name in HEAD))
    for law in LAWS:
        for size in SIZES:
            print(" ".join(f"{cell:>13}" for cell in row(python, law, size)), flush=True)


if __name__ == "__main__":
    main()
