"""Cost in pictures: time against gap for every accountant, and time against steps, kinds, 1/δ, and for a calibration.

    python bench/curves.py            # some minutes on one core
    python bench/curves.py --refresh  # and writes docs/benchmarks-curves.md and its pictures

Every accountant of the referee is asked through its adapter, in this process, one thread; a time is processor time, the
best of two calls, of six where they are short. A peer that takes longer than its patience is stopped, and not asked for
more of the same.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from _knobs import DELTA, KNOBS, PLAN, Ask

import dpcompose as dpc
from dpcompose import plots, referee
from dpcompose.plots.looks import BLACK, BLUE, DASHED, DOTTED, GREEN, ORANGE, PURPLE, SOLID, VERMILION
from dpcompose.referee.judging import Cell, asked, limited
from dpcompose.referee.works import Work

ROOT = Path(__file__).parents[1]
KEPT, PAGE, PICTURES = ROOT / "out" / "curves.json", ROOT / "docs" / "benchmarks-curves.md", ROOT / "docs" / "_static"
STEP = dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01)
LOADING = 600.0
SHORT = 0.1
"""Seconds below which a question is asked again, so that what else the machine does counts for less."""
LEFT_OUT = {"Opacus GDP"}
"""An estimate, which is no bound."""


def kinds(count: int) -> dpc.Composition:
    """So many kinds of steps, 500 steps in all."""
    parts = ((dpc.Sampled(dpc.Gaussian(noise_std=1 + i / 64), rate=0.01), 500 // count) for i in range(count))
    return dpc.Composition(tuple(parts))


SWEEPS: dict[str, tuple[str, list[tuple[float, dpc.Mechanism, float]]]] = {
    "steps": ("steps", [(k, k * STEP, 1e-6) for k in (1, 10, 100, 1000, 10**4, 10**5)]),
    "kinds": ("different kinds of steps", [(m, kinds(m), 1e-6) for m in (1, 2, 5, 10, 20, 50)]),
    "delta": ("1/δ", [(1 / d, 1000 * STEP, d) for d in (1e-3, 1e-6, 1e-9, 1e-12, 1e-20, 1e-50)]),
}


def measured(patience: float) -> Iterator[dict[str, Any]]:
    """Every accountant along every sweep; each is loaded before it is timed."""
    for adapter in (referee.named(cls.name) for cls in referee.ADAPTERS):
        asked(adapter, _work("loading", 2 * dpc.Gaussian(noise_std=2), 1e-5), LOADING)
    for sweep, (_, points) in SWEEPS.items():
        works = [_work(f"{sweep}-{x:g}", mechanism, delta) for x, mechanism, delta in points]
        for adapter in (referee.named(cls.name) for cls in referee.ADAPTERS if cls.name not in LEFT_OUT):
            for (x, _, _), work in zip(points, works, strict=True):
                cell = quickest(adapter, work, patience)
                if cell.offered:
                    yield {"sweep": sweep, "accountant": adapter.name, "x": x, **_told(cell)}
                if cell.fault:
                    break  # more of the same takes no less
    yield from turned(patience)
    yield from calibrated()


def quickest(adapter: referee.Adapter, work: Work, patience: float) -> Cell:
    """The best of two, or of six where they are short."""
    cell = asked(adapter, work, patience)
    if not cell.offered or cell.fault or cell.seconds > SHORT:
        return cell
    return min((cell, *(asked(adapter, work, patience) for _ in range(2))), key=lambda found: found.seconds)


def turned(patience: float) -> Iterator[dict[str, Any]]:
    """One training as precisely as every accountant's own knob allows."""
    truth = dpc.epsilon(PLAN, delta=DELTA, tolerance=1e-12)
    for name, knobs in KNOBS.items():
        for knob, ask in knobs:
            try:
                said, seconds = timed(ask, patience)
            except ImportError:
                break
            except Exception as error:  # noqa: BLE001 - any failure of an accountant is a finding, not an end
                yield _point("gap", name, knob, math.nan, None, "failed", f"{type(error).__name__}: {error}")
                continue
            state = "sound" if said >= truth.lower * (1 - 1e-12) else "below"
            yield _point("gap", name, knob, seconds, max(said / truth.upper - 1, 1e-12), state)


def timed(ask: Ask, patience: float) -> tuple[float, float]:
    """What is said, and the least processor time of a few calls after the first."""
    with limited(patience):
        said = ask()
    least = math.inf
    for _ in range(5):
        began = time.process_time()
        with limited(patience):
            said = ask()
        least = min(least, time.process_time() - began)
        if least > SHORT:
            break
    return said, least


def _point(  # noqa: PLR0917 - a row
    sweep: str, name: str, x: float | str, seconds: float, gap: float | None, state: str, fault: str = ""
) -> dict[str, Any]:
    return {"sweep": sweep, "accountant": name, "x": x, "seconds": seconds, "gap": gap, "state": state, "fault": fault}


def _work(name: str, mechanism: dpc.Mechanism, delta: float) -> Work:
    found = dpc.epsilon(mechanism, delta=delta, tolerance=1e-9)
    return Work(name, mechanism, delta, found.lower, found.upper, "float", "")


def _told(cell: Cell) -> dict[str, Any]:
    state = "failed" if cell.failed else "below" if cell.unsound else "sound"
    gap = max(cell.gap, 1e-12) if cell.gap is not None else None
    return {"seconds": cell.seconds, "gap": gap, "state": state, "fault": cell.fault}


def calibrated() -> Iterator[dict[str, Any]]:
    """The noise multiplier for ε = 2 at δ = 1e-6 after 1000 steps at rate 0.01, each in its own words."""
    for name, find in CALIBRATIONS.items():
        try:
            noise, seconds = timed(find, LOADING)
        except ImportError:
            continue
        spent = dpc.epsilon(1000 * dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=0.01), delta=1e-6)
        state = "sound" if spent.lower <= 2 else "below"
        yield _point("calibration", name, noise, seconds, abs(2 - spent.upper) / 2, state)


def _with_dp_accounting(name: str) -> Callable[[], float]:
    def find() -> float:
        import dp_accounting

        accountant = {"PLD": dp_accounting.pld.PLDAccountant, "RDP": dp_accounting.rdp.RdpAccountant}[name]
        found = dp_accounting.calibrate_dp_mechanism(
            accountant,
            lambda sigma: dp_accounting.SelfComposedDpEvent(
                dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(sigma)), 1000
            ),
            target_epsilon=2.0,
            target_delta=1e-6,
            bracket_interval=dp_accounting.ExplicitBracketInterval(0.5, 4.0),
            tol=1e-3,
        )
        return float(found)

    return find


def _with_opacus(name: str) -> Callable[[], float]:
    def find() -> float:
        from opacus.accountants.utils import get_noise_multiplier

        return float(
            get_noise_multiplier(target_epsilon=2.0, target_delta=1e-6, sample_rate=0.01, steps=1000, accountant=name)
        )

    return find


CALIBRATIONS: dict[str, Callable[[], float]] = {
    "dpcompose": lambda: dpc.noise_multiplier(target_epsilon=2, target_delta=1e-6, sample_rate=0.01, steps=1000),
    "dp_accounting PLD": _with_dp_accounting("PLD"),
    "dp_accounting RDP": _with_dp_accounting("RDP"),
    "Opacus PRV": _with_opacus("prv"),
    "Opacus RDP": _with_opacus("rdp"),
}


def page(points: list[dict[str, Any]]) -> str:
    """What was measured, as a page: a table a sweep, and the rows on which a peer was faster."""
    lines = ["# Cost, in pictures", "", *INTRODUCTION.strip().splitlines(), ""]
    for sweep, title in TITLES.items():
        found = [point for point in points if point["sweep"] == sweep]
        lines += [f"## {title}", "", f"![{title}](_static/bench-{sweep}.svg)", "", *_table(found), ""]
    return "\n".join([*lines, "## Where a sound peer was faster", "", *_faster(points), ""])


INTRODUCTION = """
`make bench` measures this again: `bench/curves.py`. Every accountant of the [referee](referee.md) is asked for ε at
δ = 10⁻⁶ after 1000 steps at rate 0.01 and noise multiplier 1, unless a picture says otherwise. Times are processor time
on one shared core. *Above* says how far a sound answer lies above our certified upper end, relatively; that end is
itself within 10⁻⁹ of the truth. *Below* is an answer below the truth, *failed* is none, *stopped* none in five seconds;
the accountant is then not asked for more of the same. Measured on 16 November 2026, with the versions of the referee.
"""
TITLES = {
    "gap": "Time against gap",
    "steps": "Time against the number of steps",
    "kinds": "Time against the number of kinds",
    "delta": "Time against 1/δ",
    "calibration": "The noise for ε = 2",
}


def _table(points: list[dict[str, Any]]) -> list[str]:
    names, places = list(dict.fromkeys(p["accountant"] for p in points)), sorted({p["x"] for p in points})
    if points and points[0]["sweep"] == "gap":
        rows = [f"| {p['accountant']} | {p['x']} | {_spent(p)} | {_above(p)} |" for p in points]
        return ["| accountant | asked for | time | above |", "|---|---|--:|--:|", *rows]
    if points and points[0]["sweep"] == "calibration":
        rows = [f"| {p['accountant']} | {p['x']:.6f} | {_time(p['seconds'])} | {p['gap']:.1g} |" for p in points]
        return ["| accountant | noise multiplier | time | ε below or above 2 by |", "|---|--:|--:|--:|", *rows]
    known = {(p["accountant"], p["x"]): p for p in points}
    lines: list[str] = []
    for title, cell in {"time": _spent, "above": _above}.items():
        rows = [f"| {name} | {' | '.join(cell(known.get((name, x))) for x in places)} |" for name in names]
        lines += [f"| {title} | {' | '.join(f'{x:g}' for x in places)} |", f"|---|{'--:|' * len(places)}", *rows, ""]
    return lines[:-1]


def _spent(point: dict[str, Any] | None) -> str:
    if point is None or point["state"] == "sound":
        return _time(point["seconds"]) if point else "–"
    return "stopped" if "TimeoutError" in point["fault"] else str(point["state"])


def _above(point: dict[str, Any] | None) -> str:
    sound = point if point and point["state"] == "sound" and point["gap"] is not None else None
    return f"{sound['gap']:.0e}" if sound else "–"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _faster(points: list[dict[str, Any]]) -> list[str]:
    """Rows on which a sound peer was faster than we, with by how much it is looser."""
    points = [p for p in points if p["sweep"] in SWEEPS]
    ours = {(p["sweep"], p["x"]): p for p in points if p["accountant"] == "dpcompose"}
    found = []
    for p in points:
        mine = ours.get((p["sweep"], p["x"]))
        if mine and p is not mine and p["state"] == "sound" and p["seconds"] < mine["seconds"]:
            gap = "as tight" if p["gap"] is None or p["gap"] < 1e-9 else f"looser by {100 * p['gap']:.3g} %"
            found.append(
                f"- {p['accountant']}, {p['sweep']} {p['x']:g}: {_time(p['seconds'])} where ours takes "
                f"{_time(mine['seconds'])}; {gap}"
            )
    return found or ["No sound peer was faster on any row of the three sweeps."]


COLOURS = {"dpcompose": BLACK, "dp_accounting": ORANGE, "Opacus": GREEN, "prv-accountant": VERMILION, "autodp": PURPLE}
DASHES = {"RDP": DASHED, "autodp": DASHED, "riskcal": DOTTED}
"""By the last word of a name: Rényi is dashed, riskcal lies on dp_accounting's grid. Marks of these are hollow."""


def draw(points: list[dict[str, Any]], folder: Path) -> None:
    """One picture a sweep, and one of time against gap, in the style of all pictures."""
    names = list(dict.fromkeys(p["accountant"] for p in points))
    for name in TITLES:
        label = SWEEPS[name][0] if name in SWEEPS else "how far from the truth, relatively"
        picture = plots.figure()
        with plots.styled():
            axes = picture.add_subplot(xscale="log", yscale="log", xlabel=label, ylabel="processor time, s")
            for accountant in names:
                mine = [p for p in points if (p["accountant"], p["state"], p["sweep"]) == (accountant, "sound", name)]
                xs = [max(p["gap"] or 1e-12, 1e-12) if name in {"gap", "calibration"} else p["x"] for p in mine]
                first, *_, last = accountant.split() * 2
                dash, fill = DASHES.get(last, SOLID), "none" if last in DASHES else "full"
                style = {"color": COLOURS.get(first, BLUE), "ls": dash, "marker": "o", "fillstyle": fill}
                axes.plot(xs, [p["seconds"] for p in mine], label=accountant if mine else None, **style)
        plots.legend(axes)
        plots.save(picture, folder / f"bench-{name}.svg")


def main() -> None:
    """Measure, keep, print, and write a page with pictures: beside what was kept, or in the documentation."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--patience", type=float, default=5.0, help="seconds that an accountant has for one answer")
    parser.add_argument("--refresh", action="store_true", help="write docs/benchmarks-curves.md and its pictures")
    parser.add_argument("--earlier", action="store_true", help="no new run, but out/curves.json")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.earlier:
        points = json.loads(KEPT.read_text(encoding="utf-8"))
    else:
        points = []
        for point in measured(given.patience):
            points.append(point)
            print(json.dumps({k: v for k, v in point.items() if v != ""}), flush=True)
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(points), encoding="utf-8")
    text = page([p for p in points if math.isfinite(p["seconds"]) or p["fault"]])
    print(text)
    target, pictures = (PAGE, PICTURES) if given.refresh else (KEPT.with_suffix(".md"), KEPT.parent / "_static")
    pictures.mkdir(exist_ok=True)
    target.write_text(text, encoding="utf-8")
    draw([p for p in points if math.isfinite(p["seconds"])], pictures)


if __name__ == "__main__":
    main()
