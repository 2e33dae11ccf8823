"""The state of a plan file: what it guarantees, what is spent, what is left, and what would still fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path

from dpcompose import report, spec
from dpcompose.app.reading import Document, load
from dpcompose.app.reply import Reply
from dpcompose.description import Mechanism
from dpcompose.errors import DPError
from dpcompose.filters.filter import SYMBOLS
from dpcompose.mechanisms import Gaussian, Geometric
from dpcompose.numerics.enclosure import rounded
from dpcompose.numerics.search import last
from dpcompose.release.charge import Allowance
from dpcompose.release.charge.plan_file import PlanFile
from dpcompose.spec.limits import contents

RUNS = (1, 10, 100)
STEPS = ("1", "1.5", "2", "3", "5", "7")
LADDER = tuple(Fraction(step) * Fraction(10) ** power for power in range(-3, 7) for step in STEPS)
"""Noise in round numbers, from a thousandth to millions; the least that fits is reported."""
MOST_RUNS = 10**9


def budget(path: str | Path, mechanism: Document | None = None) -> Reply:
    """The state of a plan file; with a mechanism, also how many runs of it would fit."""
    file = Path(path)
    plan = PlanFile.read(file.name, contents(file))
    left = plan.allowance()
    asked = None if mechanism is None else load(mechanism)
    runs = None if asked is None else most_runs(left, asked)
    said = [_promise(plan, left), f"{_counted(len(plan.entries), 'charge')} so far; spent is {left.sums or 'nothing'}."]
    if asked is not None:
        said.append(f"{report.subject(asked)} fits {_counted(runs or 0, 'more time')}.")
    tables = [_spent(left)] if left.used else []
    if asked is None:
        tables.append(_fitting(left))
    document = {
        "epsilon": spec.written(left.epsilon),
        "delta": spec.written(left.delta),
        "charges": len(plan.entries),
        "coordinates": {name: _plain(*pair) for name, pair in left.used.items()},
        **({} if asked is None else {"mechanism": spec.dumps(asked), "fits": runs}),
    }
    return Reply(left, sheet=report.Sheet("dpc.budget/1", tuple(said), tuple(tables), document))


def fits(left: Allowance, mechanism: Mechanism) -> bool:
    """Whether a charge is within what is left."""
    try:
        left.check(mechanism)
    except DPError:
        return False
    return True


def most_runs(left: Allowance, mechanism: Mechanism) -> int:
    """How many runs fit if all are charged at once, up to 10⁹."""
    if not fits(left, mechanism):
        return 0
    low, high = 1, 2
    while high <= MOST_RUNS and fits(left, high * mechanism):
        low, high = high, 2 * high
    return last(lambda runs: fits(left, runs * mechanism), low, high)


def least_noise(left: Allowance, family: Callable[[Fraction], Mechanism]) -> Fraction | None:
    """The least noise on the ladder at which a family fits; None if there is none."""
    if not fits(left, family(LADDER[-1])):
        return None
    return LADDER[last(lambda rung: not fits(left, family(LADDER[rung])), -1, len(LADDER) - 1) + 1]


def _fitting(left: Allowance) -> report.Table:
    rows = tuple((str(runs), *_noises(left, runs)) for runs in RUNS)
    head = ("more queries", "Geometric(scale=…)", "Gaussian(noise_std=…)")
    return report.Table(head, rows, "What would fit, each with the least noise in round numbers (sensitivity 1):")


def _noises(left: Allowance, runs: int) -> Iterator[str]:
    for family in (lambda b: runs * Geometric(scale=b), lambda s: runs * Gaussian(noise_std=s)):
        found = least_noise(left, family)
        yield "–" if found is None else spec.written(found)


def _spent(left: Allowance) -> report.Table:
    rows = tuple((SYMBOLS.get(name, name), *_plain(*pair).values()) for name, pair in left.used.items())
    return report.Table(("", "spent", "left", "of"), rows)


def _promise(plan: PlanFile, left: Allowance) -> str:
    protects = plan.protects
    whom = f" hides one {protects.unit!r}" if protects.unit else " hides one unit, which its first charge names,"
    data = f" of {protects.dataset!r}" if protects.dataset else ""
    return f"{plan.name!r}{whom}{data} at ε = {spec.written(left.epsilon)} and δ = {spec.written(left.delta)}."


def _plain(spent: Fraction, cap: Fraction) -> dict[str, str]:
    return {
        "spent": rounded(spent, ROUND_CEILING),
        "left": rounded(cap - spent, ROUND_FLOOR),
        "cap": rounded(cap, ROUND_FLOOR),
    }


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


__all__ = ["budget", "fits", "least_noise", "most_runs"]
