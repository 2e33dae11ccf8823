"""Every accountant on the same work, in one run: times side by side, and where each value stands to the truth.

    python bench/accounting.py --quick                 # a minute: a few workloads
    python bench/accounting.py                         # some five minutes
    python bench/accounting.py --refresh               # and writes the tables of README.md and docs/benchmarks.md

`make bench` brings the peers; those that are not installed are left out. Every workload runs in a process of its own
with one thread, and a peer that needs more than five seconds of it for one answer, and twice our time, is stopped. A
time is processor time, the median of nine repeats after a first call; what takes half a second is measured once. A
peer's value is held against our certified ends: above the lower one it may well be a bound; below it, it is none.

What was measured is kept in `out/accounting.json`; `--earlier out/accounting.json` makes the tables from there.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Self

import _tables
from _peers import HOMES, PEERS
from _tables import Measured
from _workloads import ALONE, OTHERS, QUICK, TRAINING, WORKS, Work

HERE = Path(__file__).parent
PAGES = (HERE.parent / "docs" / "benchmarks.md", HERE.parent / "README.md")
KEPT = HERE.parent / "out" / "accounting.json"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LIMIT, SHORT_LIMIT = 5.0, 2.0


def ours(work: Work, repeats: int) -> list[dict[str, Any]]:
    """Our answers, from a fresh process."""
    command = [sys.executable, str(HERE / "_ours.py"), work.key, str(repeats)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | ONE_THREAD)
    return [json.loads(line) for line in run.stdout.splitlines()]


class Peers:
    """The packages that are installed, each in a process of its own, which answers until this is left."""

    def __enter__(self) -> Self:
        found = [name for name, module in HOMES.items() if importlib.util.find_spec(module)]
        for name in HOMES.keys() - found:
            print(f"{name} is not installed and left out; `make bench` installs it.")
        self.processes = {name: self._started(name) for name in found}
        return self

    @staticmethod
    def _started(name: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(HERE / "_peers.py"), name]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, text=True, env=os.environ | ONE_THREAD, **pipes)

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            process.communicate()

    def asked(self, work: Work, repeats: int, limit: float) -> dict[str, list[dict[str, Any]]]:
        """What every peer says of a work, δ by δ; those that cannot say it are left out."""
        peers = {peer: process for name, process in self.processes.items() for peer in PEERS if peer.startswith(name)}
        told = {peer: self._answer(process, [peer, work.key, repeats, limit]) for peer, process in peers.items()}
        for found in told.values():
            found.extend([found[-1]] * (len(work.deltas) - len(found)))  # a smaller δ would not be faster
        return {peer: found for peer, found in told.items() if not all("left out" in each for each in found)}

    @staticmethod
    def _answer(process: subprocess.Popen[str], question: list[Any]) -> list[dict[str, Any]]:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - both are piped
        print(json.dumps(question), file=process.stdin, flush=True)
        return [json.loads(line) for line in iter(process.stdout.readline, "done\n")] or [{"failed": "no answer"}]


def run(works: Sequence[Work], repeats: int, limit: float) -> list[Measured]:
    """Measure work after work, and show each as it is done; a peer has the limit, or twice the time that we take."""
    results: list[Measured] = []
    with Peers() as peers:
        for work in works:
            own = ours(work, repeats)
            patience = max(limit, 2e-3 * max(median(each["times"]) for each in own))
            theirs = {} if work in ALONE else peers.asked(work, repeats, patience)
            results.append(Measured(work, own, theirs))
            print(_tables.lines(results[-1]), flush=True)
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps([[each.work.key, each.ours, each.theirs] for each in results]), encoding="utf-8")
    return results


def read(path: Path) -> list[Measured]:
    """An earlier run."""
    return [Measured(WORKS[key], ours, theirs) for key, ours, theirs in json.loads(path.read_text(encoding="utf-8"))]


def main() -> None:
    """Print table after table, and write them where the pages have a place for them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", action="store_true", help="a few workloads, three repeats")
    extent.add_argument("--earlier", type=Path, help="no new run, but the tables of this one")
    parser.add_argument("--limit", type=float, help="seconds that a peer has for one answer")
    parser.add_argument("--refresh", action="store_true", help="write the tables of README.md and docs/benchmarks.md")
    parser.add_argument("--markdown", type=Path, action="append", help="write the tables of this page")
    chosen = parser.parse_args()
    if chosen.earlier:
        results = read(chosen.earlier)
    else:
        works, repeats, limit = (QUICK, 3, SHORT_LIMIT) if chosen.quick else ((*TRAINING, *OTHERS, *ALONE), 9, LIMIT)
        results = run(works, repeats, chosen.limit or limit)
    tables = _tables.tables(results)
    print("\n\n".join(f"## {name}\n\n{text}" for name, text in tables.items()))
    for page in (*(PAGES if chosen.refresh else ()), *(chosen.markdown or ())):
        page.write_text(_tables.replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
