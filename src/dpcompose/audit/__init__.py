"""Is this mechanism really (ε, δ)-DP? Lower bounds on ε from samples, to stand beside the upper bounds.

Every bound holds with a stated confidence, exactly: confidence limits are proven, not approximated, and the choice of
an event is paid for. A bound above a claim refutes it; a bound below proves nothing.

>>> from dpcompose import audit
>>> found = audit.from_counts(
...     true_positives=812,
...     false_negatives=188,
...     false_positives=95,
...     true_negatives=905,
...     delta=1e-5,
... )
>>> print(found.verdict((1.0, 1e-5)))
VIOLATED: ε ≥ 1.92349 at δ = 1e-5, but (1, 1e-5)-DP promises ε ≤ 1

| from | ask |
|---|---|
| what an attack guessed | `from_counts` |
| its scores | `from_scores` |
| outputs on two neighbouring inputs | `lower_bound`; many points at once: `region` |
| a mechanism that can be called | `experiment` |
| one run with many canaries | `one_run`, `one_run_scores` |
| a file of scores | `run`, `read_scores` |

`reading=GAUSSIAN` reads the same counts under the hypothesis of a Gaussian trade-off, and says so.

Read `events`, `clopper_pearson` and `samples` first (`outputs`, `choosing` and `readings` serve them), then
`one_run`; `result` holds what was found, `promises` what it is held against, `files` reads scores.
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
