"""The long run of totality: random works from the ends of every range. Prints what falls, and a summary.

    nice python bench/totality.py --works 100000 --seed 1 --jobs 1

A work is a composition of any kinds, wrappers and relation, with parameters from 0 and 5e-324 to 1e300 and counts to
10⁹, and a question about it. It falls if it raises anything but a refusal that the documentation names, contradicts
itself, is not a number, or takes more than ten seconds of processor time. Each is printed as the expression that makes
it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from itertools import islice
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from wild import complaint, outcome, works

BATCH = 100


def batch(place: tuple[int, int]) -> list[tuple[str, str, str, float]]:
    """A hundred works, drawn from the seed and the number of the batch alone: text, complaint, refusal, seconds."""
    random.seed(0)
    done = []
    for text in islice(works(place), BATCH):
        found = outcome(text)
        refusal = "" if found.error is None else type(found.error).__name__
        done.append((text, complaint(found), refusal, found.seconds))
    return done


def main() -> None:
    """Work through the batches and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the batch to begin with")
    given = parser.parse_args()
    places = [(given.seed, given.first + i) for i in range(-(-given.works // BATCH))]
    refused, fallen, slowest, total, began = Counter[str](), Counter[str](), (0.0, ""), 0, time.monotonic()
    with Pool(given.jobs, maxtasksperchild=20) as pool:
        for done in pool.imap(batch, places):
            for text, wrong, refusal, seconds in done:
                total += 1
                refused[refusal or "answered"] += 1
                slowest = max(slowest, (seconds, text))
                if wrong:
                    fallen[wrong.split(":")[0]] += 1
                    print(f"FELL [{seconds:.1f} s] {wrong}\n  {text}", flush=True)
            if total % (20 * BATCH) == 0:
                print(f"… {total} works, {fallen.total()} fell, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{total} works: {dict(refused.most_common())}")
    print(f"fell: {dict(fallen.most_common()) or 'none'}")
    print(f"slowest: {slowest[0]:.1f} s of processor time\n  {slowest[1]}")


if __name__ == "__main__":
    main()
