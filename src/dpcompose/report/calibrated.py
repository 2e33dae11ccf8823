"""Calibrated values as sheets: the value that meets the target, and one that just misses it."""

from __future__ import annotations

from dpcompose.calibration import Calibrated
from dpcompose.numerics.enclosure import Real
from dpcompose.prove.answer import Answer
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.report.words import closely, number, subject
from dpcompose.spec import dumps, written


@sheet.register
def _(result: Calibrated) -> Sheet:
    value = number(result.value)  # what promises something is never rounded
    rows = [("meets it", f"? = {value}: {_certificate(result.answer)}")]
    missed = None
    if result.beyond is not None and result.beyond_answer is not None:
        rows.append(("misses it", f"? {_nearly(result.beyond)}: {_certificate(result.beyond_answer)}"))
        missed = {"value": _plain(result.beyond), "answer": result.beyond_answer}
    left_open = () if missed else ("No value is shown to miss it.",)
    return Sheet(
        "dpc.calibration/1",
        (f"? = {value} meets {result.target}", f"so run {subject(result.mechanism)}", *left_open),
        (Table(("", ""), tuple(rows)),),
        {
            "value": _plain(result.value),
            "mechanism_found": dumps(result.mechanism),
            "target": str(result.target),
            "answer": result.answer,
            "misses": missed,
        },
    )


def _certificate(answer: Answer) -> str:
    meaning = f" {answer.meaning}" if answer.meaning else ""
    return f"{answer.question} ∈ {closely(answer.enclosure)}{meaning}, because {answer.because}"


def _nearly(value: Real) -> str:
    return f"= {value}" if isinstance(value, int) else f"≈ {float(value):.12g}"


def _plain(value: Real) -> int | str:
    """A count as a number, any other value as exact text."""
    return value if isinstance(value, int) else written(value)
