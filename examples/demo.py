"""Two real plans, every theorem side by side, and one picture.

Run with `make demo`: prints two comparisons and writes `out/demo.png`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import dpcompose as dpc
from dpcompose import plots, report
from dpcompose.plots import Sweep

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
TRAINING = dpc.Sampled(dpc.Gaussian(noise_std=1), rate=Fraction("0.01"))
COUNTS = (1, 10, 100, 300, 1000, 3000, 10_000)
PLACES = tuple(Fraction(i, 10) for i in range(0, 33, 2))


def only(found: Sweep, *theorems: str) -> Sweep:
    """A curve with the lines that a reader knows, the highest first; the certified band is always there."""
    known = {series.theorem: series for series in found.series}
    return replace(found, series=tuple(known[theorem] for theorem in theorems))


def draw(path: Path) -> Path:
    """Two panels in the style of all pictures: every theorem, and the certified truth as a band below them."""
    queries = only(dpc.profile(PLANS[0][1], PLACES), "KOV-3.2", "X-SHARP", "RDP-CKS", "KOV-3.3")
    training = only(dpc.growth(TRAINING, COUNTS, delta=Fraction("1e-5")), "RDP-CONV", "RDP-CKS", "X-LINE")
    figure = plots.figure()
    figure.set_size_inches(7.2, 7.6)
    with plots.styled():
        above, below = figure.subplots(2, 1, gridspec_kw={"hspace": 0.1})
        dpc.plot(queries, above)
        above.set_title("30 queries of (0.1, 0.001): advanced composition charges twice the true ε")
        above.legend(loc="upper right")  # there is room inside, and the picture stays large on a telephone
        dpc.plot(training, below)
        below.set_title("DP-SGD: after 1000 steps Rényi accounting charges 1.15 times the true ε")
        below.legend(loc="upper left")
    path.parent.mkdir(exist_ok=True)
    return plots.save(figure, path)


def main() -> None:
    """Compare, explain, draw."""
    for title, plan, delta in PLANS:
        print(f"\n{title}\n{'=' * len(title)}")
        print(report.compared(dpc.compare(plan, delta=delta), every=False))
    print(f"\nThe picture is in {draw(Path('out/demo.png'))}.")
    print("Explore on a page: make serve, then open http://127.0.0.1:8000/.")


if __name__ == "__main__":
    main()
