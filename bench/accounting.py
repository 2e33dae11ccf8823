"""Every accountant on the same work, in one run: times side by side, and where each value stands to the truth.

    python bench/accounting.py --quick                 # two minutes: a few workloads
    python bench/accounting.py                         # a quarter of an hour
    python bench/accounting.py --refresh               # and writes the tables of README.md and docs/benchmarks.md

`make bench` brings the peers; those that are not installed are left out. Every workload and every peer has a process
of its own with one thread, and a peer that needs more than a minute for one answer is stopped. A time is processor
time, the median of nine repeats after a first call; what takes longer than a second or two is measured once. A
peer's value is held against our certified ends: above the lower one it may well be a bound; below it, it is none.

What was measured is kept in `out/accounting.json`; `--earlier out/accounting.json` makes the tables from there.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import _tables
from _peers import HOMES, PEERS
from _tables import Measured
from _workloads import ALONE, OTHERS, QUICK, TRAINING, WORKS, Work

HERE = Path(__file__).parent
PAGES = (HERE.parent / "docs" / "benchmarks.md", HERE.parent / "README.md")
KEPT = HERE.parent / "out" / "accounting.json"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LIMIT, SHORT_LIMIT, LOADING = 60.0, 10.0, 600.0


def answers(script: str, *arguments: str, limit: float) -> Iterator[dict[str, Any]]:
    """The lines of a process as they come; a line that takes too long is the last."""
    command = [sys.executable, str(HERE / script), *arguments]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if script == "_peers.py" else None,
        text=True,
        env=os.environ | ONE_THREAD,
    ) as process:
        assert process.stdout is not None  # noqa: S101 - it is piped
        try:
            patience = LOADING  # what is measured starts when the peer is loaded
            while select.select([process.stdout], [], [], patience)[0]:
                line, patience = process.stdout.readline(), limit
                if not line:
                    return
                if line != "ready\n":
                    yield json.loads(line)
            yield {"failed": f"more than {limit:.0f} s"}
        finally:
            process.kill()


def measured(work: Work, peers: Sequence[str], repeats: int, limit: float) -> Measured:
    """Ours, then every peer."""
    ours = list(answers("_ours.py", work.key, str(repeats), limit=600))
    theirs = {}
    for peer in peers:
        found = list(answers("_peers.py", peer, work.key, str(repeats), limit=limit)) or [{"failed": "no answer"}]
        found += [found[-1]] * (len(work.deltas) - len(found))  # a smaller δ would not be faster
        if not all("left out" in each for each in found):
            theirs[peer] = found
    return Measured(work, ours, theirs)


def present() -> list[str]:
    """The peers that are installed."""
    found = [name for name, module in HOMES.items() if importlib.util.find_spec(module.split(".")[0])]
    for name in HOMES.keys() - found:
        print(f"{name} is not installed and left out; `make bench` installs it.")
    return [peer for peer in PEERS if any(peer.startswith(name) for name in found)]


def run(works: Sequence[Work], repeats: int, limit: float) -> list[Measured]:
    """Measure work after work, and show each as it is done."""
    peers, results = present(), []
    for work in works:
        results.append(measured(work, () if work in ALONE else peers, repeats, limit))
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
