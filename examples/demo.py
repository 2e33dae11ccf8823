"""Two real plans, every theorem side by side, and one picture.

Run with `make demo`: prints two comparisons and writes `out/demo.png`.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import dpcompose as dpc
from dpcompose import report

PLANS = (
    (
        "30 queries, each (0.1, 0.001)-DP: Figure 3 of the optimal-composition paper",
        30 * dpc.BlackBox(epsilon=Fraction("0.1"), delta=Fraction("0.001")),
        Fraction("0.05"),
    ),
    (
        "DP-SGD: 1000 steps on 1% samples with noise multiplier 1",
        1000 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=Fraction("0.01")),
        Fraction("1e-5"),
    ),
)
SHOWN = {  # colour-blind safe (Okabe and Ito)
    "KOV-3.1": ("#999999", "basic composition"),
    "KOV-3.2": ("#E69F00", "advanced composition"),
    "X-SHARP": ("#56B4E9", "sharpened closed form"),
    "RDP-CKS": ("#009E73", "Rényi"),
    "KOV-3.3": ("#0072B2", "optimal composition"),
}


def profiles(axes: Axes, plan: dpc.Mechanism, title: str) -> None:
    """δ against ε under each theorem."""
    grid = np.linspace(0, 3.2, 81)
    rows: dict[str, list[float]] = {name: [] for name in SHOWN}
    for epsilon in grid:
        found = {row.theorem: row.value for row in dpc.compare(plan, epsilon=float(epsilon)).rows}
        for name, values in rows.items():
            values.append(np.nan if found[name] is None else found[name])
    for name, (colour, label) in SHOWN.items():
        axes.plot(grid, rows[name], color=colour, label=f"{label} ({name})", lw=2)
    axes.set(yscale="log", ylim=(0.02, 1.2), xlabel="ε", ylabel="δ", title=title)
    axes.legend(fontsize=8, loc="upper right")


def growth(axes: Axes, title: str) -> None:
    """ε against the number of steps, at δ = 1e-6."""
    counts = np.unique(np.round(np.geomspace(1, 10_000, 25)).astype(int))
    step = dpc.BlackBox(epsilon=Fraction("0.01"))
    rows: dict[str, list[float]] = {name: [] for name in SHOWN}
    for count in counts:
        found = {row.theorem: row.value for row in dpc.compare(int(count) * step, delta=Fraction("1e-6")).rows}
        for name, values in rows.items():
            values.append(np.nan if found[name] is None else found[name])
    for name, (colour, _) in SHOWN.items():
        axes.plot(counts, rows[name], color=colour, lw=2)
    axes.set(xscale="log", yscale="log", xlabel="number of steps k", ylabel="ε", title=title)


def draw(path: Path) -> Path:
    """Draw both panels."""
    mpl.use("Agg")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    profiles(left, PLANS[0][1], "30 steps of (0.1, 0.001)")
    growth(right, "k steps of ε = 0.01, at δ = 1e-6")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def main() -> None:
    """Compare, explain, draw."""
    for title, plan, delta in PLANS:
        print(f"\n{title}\n{'=' * len(title)}")
        print(report.text(dpc.compare(plan, delta=delta)))
    print(f"\nThe picture is in {draw(Path('out/demo.png'))}.")
    print("Explore on a page: make serve, then open http://127.0.0.1:8000/.")


if __name__ == "__main__":
    main()
