r"""How a number was computed: the saddle line behind it, and the errors that make up the width of the answer.

Every theorem but X-LINE is a closed form, evaluated in balls that round outward. X-LINE computes δ along a line $\Re z
= t$: a trapezoid sum over frequencies, with period $W$, each of whose errors is bounded.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from dpcompose import inversion
from dpcompose.inversion.line.jumps import Find, choose_bulk, expand
from dpcompose.inversion.line.search import GIVEN_UP, within
from dpcompose.inversion.line.spectrum import Goal
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.kernel import Claim
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.prove.answer import Answer
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.report.words import up
from dpcompose.theorems.loss.inverted import Inverted

TERMS = {
    "aliasing": "copies of the profile a period away",
    "truncation": "the frequencies beyond the last",
    "quadrature_and_rounding": "integrals and floats",
    "domain": "rare large losses left out",
    "smoothing": "two lines around an atom",
}

CLOSED = "Numerics: the answer is a closed form, evaluated in balls, which round outward; nothing else is approximated."
BY_LINE = "Numerics: the answer is read off a saddle line (X-LINE), as the larger of the orders below."

BEYOND = "No line: no finite loss exceeds ε, so δ is what leaks outright."
GIVEN = "No line: so far out it cannot be drawn, and a coarser bound stands in."


@dataclass(frozen=True, slots=True)
class Numerics:
    """The lines behind an answer, one for each order of the pair; none for a closed form."""

    level: float
    lines: tuple[inversion.ErrorBudget | str, ...]
    """The errors of each line, or the reason why there is no line in that order."""


def numerics(answer: Answer, epsilon: Real | None = None, tolerance: float = 1e-6) -> Numerics:
    """Build the lines behind an answer again, at its ε or at the ε that is given."""
    level = answer.upper if epsilon is None else Enclosure.exactly(epsilon).upper
    behind = [claim for claim in (answer.safe_by, answer.upper_by, answer.lower_by) if _is_line(claim)]
    if not behind or not math.isfinite(level):
        return Numerics(level, ())
    profiles = behind[0].guarantee.inversions()  # type: ignore[union-attr]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return Numerics(level, tuple(_budget(profile, level, tolerance) for profile in profiles if profile.summands))


def _is_line(claim: Claim[object] | None) -> bool:  # type: ignore[type-var]
    return claim is not None and isinstance(claim.guarantee, Inverted)


def _budget(profile: inversion.LossProfile, epsilon: float, tolerance: float) -> inversion.ErrorBudget | str:
    """The errors of the line that the engine builds at ε for this relative gap; or why there is no line."""
    if epsilon >= profile.supremum:
        return BEYOND
    find: Find = lambda cumulants, start: at_epsilon(cumulants, epsilon, start)  # noqa: E731
    relative = within(tolerance / 4.0)
    try:
        _, guess = choose_bulk(profile.summands, find, -20.0, relative, 1.0)
        log_delta = max(min(guess.log_delta, 0.0), -1e5)
        bulk, saddle = choose_bulk(profile.summands, find, log_delta, relative, 1.0)
        return expand(bulk, Goal(saddle, epsilon, log_delta, relative)).budget(epsilon)
    except GIVEN_UP:
        return GIVEN


@sheet.register
def _(result: Numerics) -> Sheet:
    said = BY_LINE if result.lines else CLOSED
    tables = tuple(_table(line, i, len(result.lines)) for i, line in enumerate(result.lines))
    method = "saddle line" if result.lines else "closed form"
    lines = [line if isinstance(line, str) else asdict(line) for line in result.lines]
    return Sheet("dpc.numerics/1", (said,), tables, {"method": method, "epsilon": result.level, "lines": lines})


def _table(line: inversion.ErrorBudget | str, place: int, count: int) -> Table:
    order = "Either order" if count == 1 else ("First order", "Second order")[place]
    if isinstance(line, str):
        return Table(("",), ((line,),), order)
    rows = [
        ("method", line.method, ""),
        ("t", f"{line.tilt:.6g}", "where the line crosses the axis"),
        ("W", f"{line.period:.6g}", "the period of the sum"),
        ("frequencies", str(line.frequencies), f"of which {line.evaluated} were evaluated"),
        ("cancellation", f"{line.cancellation / math.log(10):.2g}", "decimal digits lost"),
        *((name.replace("_", " "), up(getattr(line, name)), said) for name, said in TERMS.items()),
    ]
    return Table(("", "", ""), tuple(rows), f"{order}; errors relative to δ")
