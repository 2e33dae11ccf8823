"""What was measured, as Markdown: all of it, and the few lines for whoever has a minute."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from statistics import median
from typing import Any

from _layout import NOTHING, OURS, Line, one_by_one, row, short, side_by_side, table
from _workloads import TRAINING, Question, Work

from dpcompose.numerics.enclosure import rounded

MEMORY = 500
"""Megabytes that ours may take."""
BOTH = "dp-accounting PLD, both sides, grid 1e-4"
MANY = 3000
"""So many steps earn a line in the short table."""
TYPICAL = 1e-10
"""The δ of private training in the short table."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A workload, our answers δ by δ, and those of each peer."""

    work: Work
    ours: list[dict[str, Any]]
    theirs: dict[str, list[dict[str, Any]]]

    def ratio(self, peer: str, index: int) -> float:
        """How many times as long as we a peer took; not a number where it gave no answer."""
        found = self.theirs.get(peer, [{}] * len(self.ours))[index]
        return median(found["times"]) / median(self.ours[index]["times"]) if "times" in found else math.nan

    def bounds(self, index: int) -> dict[str, float]:
        """The peers whose upper end is finite and not below the truth, each with its median time."""
        lower, answers = self.ours[index]["lower"], {peer: found[index] for peer, found in self.theirs.items()}
        return {
            peer: median(found["times"])
            for peer, found in answers.items()
            if "times" in found and lower <= found["upper"] < math.inf
        }


def milliseconds(value: float) -> str:
    """Two digits at least, in milliseconds or seconds."""
    if value >= 1000:
        return f"{value / 1e3:.0f} s" if value >= 9_950 else f"{value / 1e3:.1f} s"
    return f"{value:.0f} ms" if value >= 9.95 else f"{value:.1f} ms"


def times(ratio: float) -> str:
    """Two digits, or a whole number."""
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.2g}×"


def ends(found: dict[str, Any], ours: dict[str, Any]) -> tuple[str, str]:
    """How far a peer's upper end is above what is certain, and its lower end below; what is no bound is marked."""
    lower, upper = found["lower"], found["upper"]
    if upper < ours["lower"]:
        above = f"**−{_part(ours['lower'] - upper, ours['lower'])}**"
    elif upper == math.inf:
        above = "∞"
    else:
        above = _part(upper - ours["upper"], ours["upper"]) if upper > ours["upper"] else "0"
    if lower == math.inf:
        below = "∞"
    elif lower > ours["upper"]:
        below = "**above it**"
    else:
        below = _part(max(ours["lower"] - lower, 0.0), ours["lower"]) if lower > -math.inf else NOTHING
    return above, below


def _part(difference: float, whole: float) -> str:
    return f"{difference / whole:.0e}" if whole else f"{difference:.0e}"


def reason(found: dict[str, Any]) -> str:
    """Why a peer gives no answer: too long, or it refuses."""
    said = str(found.get("failed", "not offered"))
    return "refused" if ": " in said else said.replace("more than", ">")


def power(delta: float) -> str:
    """Short: 1e-5."""
    return f"{delta:.0e}".replace("e-0", "e-")


def lines(result: Measured) -> str:
    """One workload, on the screen as soon as it is done."""
    return one_by_one({_asked(result): answers(result)})


def _asked(result: Measured) -> str:
    return f"{result.work.name}: {result.work.question}"


def answers(result: Measured) -> dict[str, list[Line]]:
    """What everybody said, by δ."""
    return {
        power(ours["delta"]) if ours["delta"] else NOTHING: [
            own(ours),
            *(theirs(peer, found[index], ours) for peer, found in result.theirs.items()),
        ]
        for index, ours in enumerate(result.ours)
    }


def own(ours: dict[str, Any]) -> Line:
    """Our own line: what is above the truth is at most the certified gap."""
    value, took = rounded(ours["upper"], ROUND_CEILING, 10), milliseconds(median(ours["times"]))
    return Line(OURS, str(value), took, "1", f"{ours['gap']:.0e}", NOTHING, f"{ours['peak']:.0f}")


def theirs(peer: str, found: dict[str, Any], ours: dict[str, Any]) -> Line:
    """A peer's line, or why it has none."""
    if "times" not in found:
        return Line(peer, NOTHING, reason(found), NOTHING, NOTHING, NOTHING, NOTHING)
    took, mine = median(found["times"]), median(ours["times"])
    ratio = times(took / mine)
    if took < mine and ours["lower"] <= found["upper"] < math.inf:
        ratio += ", looser" if found["upper"] > ours["upper"] else ", as tight"
    return Line(peer, f"{found['upper']:.10g}", milliseconds(took), ratio, *ends(found, ours), f"{found['peak']:.0f}")


def tables(results: Sequence[Measured]) -> dict[str, str]:
    """Every table of the pages, by the name of its place."""
    trained = [result for result in results if result.work in TRAINING]
    others = [result for result in results if result.work not in TRAINING]
    return {
        "training": side_by_side({result.work.name: answers(result) for result in trained}),
        "others": one_by_one({_asked(result): answers(result) for result in others}),
        "kept": table(("work", "question", "gap", "asked", "median", "least", "first", "asked", "MB"), _kept(results)),
        "facts": "\n".join(_facts(trained, results)),
        "short": short(dict(_short(results))),
    }


def _kept(results: Sequence[Measured]) -> Iterator[str]:
    """What is asked of us, and the worst over all δ."""
    for result in results:
        work, ours = result.work, result.ours
        gap, peak = max(each["gap"] for each in ours), max(each["peak"] for each in ours)
        middle = max(median(each["times"]) for each in ours)
        least = max(min(each["times"]) for each in ours)
        marks = (_mark(gap <= work.tolerance), _mark(middle <= work.budget), _mark(peak <= MEMORY))
        yield row(
            *(work.name, str(work.question), f"{gap:.0e}{marks[0]}", f"{work.tolerance:.0e}"),
            *(f"{milliseconds(middle)}{marks[1]}", milliseconds(least), milliseconds(ours[0]["first"])),
            *(milliseconds(work.budget), f"{peak:.0f}{marks[2]}"),
        )


def _mark(kept: bool) -> str:  # noqa: FBT001 - a truth value is all there is to show
    return "" if kept else " **(over)**"


def _facts(trained: Sequence[Measured], results: Sequence[Measured]) -> Iterator[str]:
    """Whether we are ahead, counted."""
    asked = [(result, index) for result in trained for index in range(len(result.ours))]
    ahead = sum(median(r.ours[i]["times"]) < min(r.bounds(i).values(), default=math.inf) for r, i in asked)
    least = [min((result.ratio(BOTH, i) for i in range(len(result.ours))), default=0.0) for result in trained]
    below = sum(
        found["upper"] < ours["lower"]
        for result in results
        for answers in result.theirs.values()
        for found, ours in zip(answers, result.ours, strict=True)
        if "times" in found
    )
    yield f"- Private training: faster than every peer whose value holds, on {ahead} of {len(asked)} questions."
    yield (
        f"- Private training: at least a hundred times as fast as PLD on both sides for "
        f"{sum(ratio >= 100 for ratio in least)} of {len(least)} works; the least ratios are "
        f"{', '.join(times(ratio) for ratio in least)}."
    )
    yield f"- “Upper bounds” of peers that lie below the truth, in all of the tables: {below}."
    sooner, tight = _sooner(results)
    yield (
        f"- Sound answers of peers that came sooner than ours, in all of the tables: {sooner}; {tight} of them are as "
        "tight as ours, the others are marked *looser*."
    )


def _sooner(results: Sequence[Measured]) -> tuple[int, int]:
    """How many sound answers came sooner than ours, and how many of these are no looser."""
    found = [
        result.theirs[peer][index]["upper"] <= ours["upper"]
        for result in results
        for index, ours in enumerate(result.ours)
        for peer, took in result.bounds(index).items()
        if took < median(ours["times"])
    ]
    return len(found), sum(found)


def _short(results: Sequence[Measured]) -> Iterator[tuple[str, tuple[Line, Line | None]]]:
    for result in results:
        deltas = result.work.deltas
        if result.work not in TRAINING and not _is_telling(result.work):
            continue
        index = deltas.index(TYPICAL) if TYPICAL in deltas else 0
        ours = result.ours[index]
        both = theirs(BOTH, result.theirs[BOTH][index], ours) if BOTH in result.theirs else None
        name = f"{'DP-SGD, ' if result.work in TRAINING else ''}{result.work.name}, δ = {power(deltas[index])}"
        yield name, (own(ours), both)


def _is_telling(work: Work) -> bool:
    """Many steps, one question, and milliseconds."""
    many = sum(part.count for part in work.parts) >= MANY
    return many and work.question is Question.EPSILON and work.budget <= 100


def replaced(page: str, new: dict[str, str]) -> str:
    """The page with new tables between its marks `<!-- bench name -->` and `<!-- /bench name -->`."""

    def place(found: re.Match[str]) -> str:
        return f"{found[1]}\n{new[found[2]]}\n{found[3]}" if found[2] in new else found[0]

    return re.sub(r"(<!-- bench (\w+) -->).*?(<!-- /bench \2 -->)", place, page, flags=re.DOTALL)
