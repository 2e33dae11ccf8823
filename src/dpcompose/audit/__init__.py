"""Is this mechanism really (ε, δ)-DP? Lower bounds on ε from samples, to stand beside the upper bounds.

Every bound holds with the confidence that is stated: confidence limits are exact, not approximated, and the choice
among several events is paid for. A bound above a claimed ε refutes the claim; a bound below it proves nothing.

Read `events`, `clopper_pearson` and `samples` first (with `outputs`, `choosing` and `readings`, which they use), then
`one_run`; `result` holds what was found, `promises` what it is compared to, `files` reads scores.
"""

from __future__ import annotations

from dpcompose.audit.events import AtLeast, AtMost, Between, Event, OneOf
from dpcompose.audit.files import Scores, read_scores, run
from dpcompose.audit.one_run import one_run, one_run_scores
from dpcompose.audit.promises import Promise
from dpcompose.audit.readings import ANY, GAUSSIAN, Point, Reading
from dpcompose.audit.result import Audit, Separation, Verdict, Witness
from dpcompose.audit.samples import LowerRegion, experiment, from_counts, from_scores, lower_bound, region

__all__ = [
    "ANY",
    "GAUSSIAN",
    "AtLeast",
    "AtMost",
    "Audit",
    "Between",
    "Event",
    "LowerRegion",
    "OneOf",
    "Point",
    "Promise",
    "Reading",
    "Scores",
    "Separation",
    "Verdict",
    "Witness",
    "experiment",
    "from_counts",
    "from_scores",
    "lower_bound",
    "one_run",
    "one_run_scores",
    "read_scores",
    "region",
    "run",
]
