"""Cut sketches of graphs with up to 10⁷ edges, streamed: time, processor time, peak memory, and the error of real cuts.

The edges are made by a hash, chunk by chunk, twice: once to look for mistakes, once for the sketch. Weights are 1 to
20, and hidden is a change of 1. First the certified widths stand beside the published ones.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

from dpcompose import ADD_REMOVE, REPLACE_ONE, release
from dpcompose.release.sketches import covariance_price, cut_price

SIZES = [(10**4, 10**5), (10**5, 10**6), (10**6, 10**7)]
CHUNK = 1 << 18
ETA, NU, QUERIES = 0.5, 0.05, 20
GOALS = [(0.5, 0.05, 1, 1, 1e-6), (0.2, 0.05, 100, 1, 1e-6), (0.2, 0.05, 100, 0.1, 1e-9), (0.1, 0.01, 10**4, 4, 1e-6)]


def scattered(numbers: np.ndarray, salt: int) -> np.ndarray:
    """A hash of 64-bit words (splitmix64)."""
    x = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))


def edges(vertices: int, count: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Sources, targets and weights, a chunk at a time."""
    for start in range(0, count, CHUNK):
        i = np.arange(start, min(start + CHUNK, count))
        u, v = (scattered(i, salt) % np.uint64(vertices) for salt in (1, 2))
        yield (
            u.astype(np.int64),
            v.astype(np.int64),
            (scattered(i, 3) % np.uint64(20) + np.uint64(1)).astype(np.float64),
        )


def sides(vertices: int) -> np.ndarray:
    """One set of vertices for each query, of shares from 1/20 to 1/2."""
    names = np.arange(vertices)
    return np.array([scattered(names, 100 + q) % np.uint64(40) <= np.uint64(q + 1) for q in range(QUERIES)])


def truths(vertices: int, count: int, inside: np.ndarray) -> np.ndarray:
    """The cuts themselves, for comparison."""
    total = np.zeros(QUERIES)
    for u, v, weight in edges(vertices, count):
        total += ((inside[:, u] != inside[:, v]) * weight).sum(axis=1)
    return total


def one(vertices: int, count: int) -> dict[str, float]:
    """One sketch, measured in this process."""
    wall, processor = time.perf_counter(), time.process_time()
    sketch = release.cut_sketch(
        lambda: edges(vertices, count), vertices=vertices, eta=ETA, nu=NU, queries=QUERIES, epsilon=1, delta=1e-6
    )
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    inside = sides(vertices)
    truth = truths(vertices, count, inside)
    found = [sketch.cut(side) for side in inside]
    errors = np.array([abs(f.value - t) for f, t in zip(found, truth, strict=True)])
    promised = np.array([f.eta * t + f.tau for f, t in zip(found, truth, strict=True)])
    return {
        "rows": sketch.price.rows,
        "seconds": wall,
        "processor": processor,
        "gigabytes": peak,
        "held": int((errors <= promised).sum()),
        "typical": float(np.median(errors / truth)),
        "used": float((errors / promised).max()),
    }


def widths() -> None:
    """What is certified beside what was published."""
    print(f"{'η':>5} {'ν':>5} {'k':>6} {'ε':>4} {'δ':>6} | {'rows':>11} | {'cut w':>16} | {'row moves':>17} | row more")
    for eta, nu, queries, epsilon, delta in GOALS:
        goal = {"eta": eta, "nu": nu, "queries": queries, "epsilon": epsilon, "delta": delta}
        cut = cut_price(vertices=10**9, **goal)
        moved, added = (covariance_price(adjacency=a, **goal) for a in (REPLACE_ONE, ADD_REMOVE))
        print(
            f"{eta:>5} {nu:>5} {queries:>6} {epsilon:>4} {delta:>6.0e} | {cut.rows:>4} ({cut.published_rows:>4}) | "
            f"{cut.width:>6.1f} ({cut.published_width.upper:>7.0f}) | "
            f"{moved.width:>6.1f} ({moved.published_width.upper:>8.0f}) | {added.width:>7.2f}"
        )


def main() -> None:
    """The widths, then the table of growth; each size in a fresh interpreter, so that memory is its own."""
    widths()
    print(f"\n{'vertices':>10} {'edges':>11} {'rows':>5} {'seconds':>8} {'cpu s':>8} {'peak GB':>8}  cuts")
    for vertices, count in SIZES:
        command = [sys.executable, __file__, str(vertices), str(count)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(
            f"{vertices:>10,} {count:>11,} {found['rows']:>5} {found['seconds']:>8.1f} {found['processor']:>8.1f} "
            f"{found['gigabytes']:>8.2f}  {found['held']} of {QUERIES} as promised, median error "
            f"{found['typical']:.0%}, at most {found['used']:.0%} of the promise   (load {os.getloadavg()[0]:.1f})",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(one(int(sys.argv[1]), int(sys.argv[2]))))
    else:
        main()
