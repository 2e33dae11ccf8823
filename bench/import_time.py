"""What `import dpcompose` costs, beside importing numpy and scipy.special. The aim: at most 1.5 times."""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 7


def seconds(statement: str) -> float:
    """The least of several fresh interpreters: noise only ever adds."""
    least = float("inf")
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        least = min(least, time.perf_counter() - began)
    return least


def main() -> None:
    """Print one line."""
    empty = seconds("pass")
    base = seconds("import numpy, scipy.special") - empty
    ours = seconds("import dpcompose") - empty
    verdict = "within" if ours <= 1.5 * base else "ABOVE"
    print(f"import dpcompose {ours * 1e3:.0f} ms = {ours / base:.2f} x numpy + scipy.special ({verdict} 1.5)")


if __name__ == "__main__":
    main()
