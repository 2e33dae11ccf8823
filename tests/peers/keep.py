"""Asks every peer, and keeps what took it a second or more."""

from __future__ import annotations

import json
import time

from peers.kept import FILE, sentence
from peers.test_beside import CASES

LONG = 1.0
"""Seconds of processor time."""


def main() -> None:
    """Write the file anew."""
    found: dict[str, float] = {}
    for case in CASES.values():
        began = time.process_time()
        number = case.ask()
        if time.process_time() - began >= LONG:
            found[sentence(case.question)] = number
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
