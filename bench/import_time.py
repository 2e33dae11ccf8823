"""What importing costs, beside numpy and scipy.special, and what a first answer and a refusal take, in CPU time."""

from __future__ import annotations

import resource
import subprocess
import sys

RUNS = 7
ASKED = {
    "DP-SGD": ("epsilon", "1000 * Sampled(Gaussian(noise_std=1.1), rate=0.01)", "--delta", "1e-5"),
    "Laplace": ("epsilon", "30 * Laplace(scale=10)", "--delta", "1e-6"),
    "compare": ("compare", "30 * Laplace(scale=10)", "--delta", "1e-6"),
    "calibrate": ("calibrate", "30 * Laplace(scale=?)", "--epsilon", "1", "--delta", "1e-6"),
    "a wrong name": ("epsilon", "30 * Laplac(scale=10)", "--delta", "1e-6"),
    "a wrong parameter": ("epsilon", "30 * Laplace(scal=10)", "--delta", "1e-6"),
    "a wrong option": ("epsilon", "30 * Laplace(scale=10)", "--dleta", "1e-6"),
    "a wrong command": ("epsilo", "30 * Laplace(scale=10)", "--delta", "1e-6"),
    "mechanisms": ("mechanisms",),
    "help": ("--help",),
}
AIMS = {"answer": 0.35, "refusal": 0.15}


def seconds(*arguments: str) -> float:
    """The least CPU time of several fresh interpreters: noise only ever adds."""
    least = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=False, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return least


def main() -> None:
    """Print a line for each."""
    empty = seconds("-c", "pass")
    base = seconds("-c", "import numpy, scipy.special") - empty
    ours = seconds("-c", "import dpcompose") - empty
    verdict = "within" if ours <= 1.5 * base else "ABOVE"
    print(f"import dpcompose {ours * 1e3:.0f} ms = {ours / base:.2f} x numpy + scipy.special ({verdict} 1.5)")
    for name, arguments in ASKED.items():
        aim = AIMS["refusal" if name.startswith("a wrong") else "answer"]
        taken = seconds("-m", "dpcompose", *arguments)
        print(f"{name:<18} {taken:.2f} s of CPU ({'within' if taken <= aim else 'ABOVE'} {aim})")


if __name__ == "__main__":
    main()
