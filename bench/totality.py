"""The long run of totality: random works from the ends of every range. Prints what falls, and a summary.

    nice python bench/totality.py --works 100000 --seed 1

A work is a composition of any kinds, wrappers and relation, with parameters from 0 and 5e-324 to 1e300 and counts to
10⁹, and a question about it. It falls if it raises anything but a refusal that the documentation names, contradicts
itself, is not a number, or takes more than ten seconds of processor time. Each is printed as the expression that makes
it again. A finished batch is a line of `out/totality-<seed>.jsonl`, and a second run goes on where the first one
stopped; `--again` asks once more what fell.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from wild import complaint, outcome, works

BATCH = 100


def asked(text: str) -> dict[str, Any]:
    """A work, what is wrong with its outcome, what became of it, and the seconds it took."""
    found = outcome(text)
    became = "answered" if found.error is None else type(found.error).__name__
    return {"work": text, "wrong": complaint(found), "became": became, "seconds": found.seconds}


def batch(place: tuple[int, int]) -> dict[str, Any]:
    """A hundred works, drawn from the seed and the number of the batch alone."""
    random.seed(0)
    done = [asked(text) for text in islice(works(place), BATCH)]
    return {
        "batch": place[1],
        "became": Counter(one["became"] for one in done),
        "kinds": Counter(one["work"].split("(")[0] for one in done),
        "seconds": sum(one["seconds"] for one in done),
        "slowest": max(done, key=lambda one: one["seconds"]),
        "fallen": [one for one in done if one["wrong"]],
    }


def shown(one: dict[str, Any]) -> str:
    """A work that fell."""
    return f"FELL [{one['seconds']:.1f} s] {one['wrong']}\n  {one['work']}"


def main() -> None:
    """Work through the batches that are left, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="ask what fell once more, and nothing else")
    given = parser.parse_args()
    path = Path("out") / f"totality-{given.seed}.jsonl"
    path.parent.mkdir(exist_ok=True)
    done = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    if given.again:
        still = [one for old in done for one in map(asked, (f["work"] for f in old["fallen"])) if one["wrong"]]
        print("\n".join(map(shown, still)) or "What fell stands now.")
        return
    places = [(given.seed, number) for number in range(len(done), -(-given.works // BATCH))]
    with path.open("a", encoding="utf-8") as out, Pool(given.jobs, maxtasksperchild=20) as pool:
        for found in pool.imap(batch, places):
            done.append(found)
            out.write(json.dumps(found, ensure_ascii=False) + "\n")
            out.flush()
            for one in found["fallen"]:
                print(shown(one), flush=True)
    report(done)


def report(done: list[dict[str, Any]]) -> None:
    """The summary."""
    became, kinds, fallen = Counter[str](), Counter[str](), [one for found in done for one in found["fallen"]]
    for found in done:
        became.update(found["became"])
        kinds.update(found["kinds"])
    slowest = max((found["slowest"] for found in done), key=lambda one: one["seconds"])
    print(f"{became.total()} works, {sum(found['seconds'] for found in done):.0f} s of processor time")
    print(f"asked: {dict(kinds.most_common())}\nbecame: {dict(became.most_common())}")
    print(f"fell: {dict(Counter(one['wrong'].split(':')[0] for one in fallen)) or 'none'}")
    print(f"slowest: {slowest['seconds']:.1f} s\n  {slowest['work']}")


if __name__ == "__main__":
    main()
