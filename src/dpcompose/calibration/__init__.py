"""Inverse questions: the value of one parameter at which a mechanism just meets a target, proven from both sides.

Read `targets` (what must hold), `trial` (the mechanism as a function of its parameter, and the axis that is searched),
`sketch` (a first guess, in floats) and `search` (from the guess to the proven value); `closed_forms` holds the papers'
own answers beside the exact ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from importlib import import_module

from dpcompose.calibration.search import search_axis
from dpcompose.calibration.targets import Target, target
from dpcompose.calibration.trial import CLOSE, Family, Trial, axis_of
from dpcompose.description import FULLY_ADAPTIVE, READER, Mechanism, Subject, adaptivity_of, described
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.prove.answer import Answer
from dpcompose.prove.short_forms import digits_of
from dpcompose.shown import NotebookResult


@dataclass(frozen=True, slots=True)
class Calibrated(NotebookResult):
    """The value that meets the target, what the mechanism costs there, and the nearest value shown to miss it."""

    value: Real
    answer: Answer
    beyond: Real | None
    """The nearest value shown to miss the target; None where the range ends first, or the theorems leave it open."""
    beyond_answer: Answer | None
    mechanism: Mechanism
    """The family's member at the value."""
    target: Target

    def __repr__(self) -> str:
        return f"<Calibrated {float(self.value):.9g} meets {self.target}>"

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, form: str) -> str:
        """`f"{calibrated:.3g}"` is the value with this many digits, rounded away from what misses the target; without a
        form, the sentence.
        """
        if not form:
            return str(self)
        if self.beyond is None:
            raise NotProvable("No value is shown to miss the target: which way to round is not known.")
        return rounded(self.value, ROUND_CEILING if self.value > self.beyond else ROUND_FLOOR, digits_of(form))

    def explain(self) -> str:
        """Why the value meets the target: the theorems behind it, with statements and sources."""
        return self.answer.explain()

    def __str__(self) -> str:
        meaning = f" {self.answer.meaning}" if self.answer.meaning else ""
        met = f"{self.value} meets {self.target}: {self.answer.question} ∈ {self.answer.enclosure}{meaning}"
        if self.beyond is None or self.beyond_answer is None:
            return f"{met}; no value is shown to miss it"
        return f"{met}; {self.beyond} does not: {self.answer.question} ∈ {self.beyond_answer.enclosure}"


def calibrate(
    family: Family | str,
    *,
    epsilon: Real | None = None,
    delta: Real | None = None,
    advantage: Real | None = None,
    tpr: Real | None = None,
    fpr: Real | None = None,
    bayes_error: Real | None = None,
    prior: Real | None = None,
    within: tuple[Real, Real] | None = None,
) -> Calibrated:
    """The value at which a family of mechanisms just meets (ε, δ), or a limit on an attacker; rounded to the safe side.

    A family is a function of one parameter or a text with a `?` in it. The cost may grow or fall with the parameter,
    which may be real or whole: `lambda s: 100 * Gaussian(noise_std=s)` or `100 * Gaussian(noise_std=?)` finds the least
    noise, `lambda k: k * Laplace(scale=2)` or `? * Laplace(scale=2)` the most runs. State one limit: `epsilon` and
    `delta`; `advantage`; `tpr` at `fpr`; or `bayes_error` at `prior` (½ if not given).

    The value meets the limit for certain. Where the theorems close the gap, a value less than one part in a million
    away, or the next whole number, misses it for certain. The cost must be monotone in the parameter; otherwise there
    may be other such values.
    """
    wanted = target(
        epsilon=epsilon, delta=delta, advantage=advantage, tpr=tpr, fpr=fpr, bayes_error=bayes_error, prior=prior
    )
    return calibrate_to(family, wanted, within)


def calibrate_to(family: Family | str, target: Target, within: tuple[Real, Real] | None = None) -> Calibrated:
    """The value at which a family just meets any target, rounded to the safe side."""
    member = import_module(READER).family_in(family) if isinstance(family, str) else family
    trial = Trial(member, target)
    value, missed = search_axis(trial, axis_of(trial, within))
    answer = None if missed is None else trial.at(missed)
    return Calibrated(value, trial.at(value), missed, answer, member(value), target)


def remaining(plan: Subject, more: Subject, *, epsilon: Real, delta: Real) -> Calibrated:
    """How many more runs of `more` fit beside `plan` into (ε, δ), if all of them are planned in advance."""
    first, step = described(plan, "plan"), described(more, "more")
    if FULLY_ADAPTIVE in (adaptivity_of(first), adaptivity_of(step)):
        raise InvalidParameter(
            "plan",
            "FULLY_ADAPTIVE",
            "a plan fixed in advance; what is chosen on the way is counted by a filter with "
            "caps from the start: filter_of(…).remaining(spent, mechanism)",
        )
    return calibrate(lambda count: first + step * count, epsilon=epsilon, delta=delta)


__all__ = ["CLOSE", "Calibrated", "Family", "Target", "calibrate", "calibrate_to", "remaining", "target"]
