"""Which files one request visits: those that its answer needs, and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dpcompose

ROOT = Path(dpcompose.__file__).parent
TRAINING = "1000 * Sampled(Gaussian(noise_std=1), rate=0.01)", "999 * Sampled(Gaussian(noise_std=2), rate=0.02)"
BOXES = "30 * BlackBox(epsilon=0.1, delta=0.001)", "29 * BlackBox(epsilon=0.2, delta=0.002)"
"""A question, and one like it that is asked before."""
WALK = """
import contextlib, io, sys
from dpcompose.cli import run

def asked(mechanism):
    with contextlib.redirect_stdout(io.StringIO()):
        assert run(["epsilon", mechanism, "--delta", "1e-5"]) == 0

asked(sys.argv[2])  # imports are no part of the walk
seen = set()
sys.setprofile(lambda frame, event, _: seen.add(frame.f_code.co_filename) if event == "call" else None)
asked(sys.argv[1])
sys.setprofile(None)
print(*seen, sep="\\n")
"""
# The command line reads the request, `app` understands and shows it, `spec` builds the mechanism, `prove` finds the
# theorem that answers, and the saddle line of `inversion` computes.
AGREED = {
    "app": "questions reading reply",
    "cli": "__init__ commands costs frame options screen",
    "spec": "__init__ build expression fields limits numbers registry tree write",
    "": "description index kernel parameters parts sources",
    "prove": "answer claims derivations narrowing parts rigor",
    "mechanisms": "gaussian sampled",
    "theorems/loss": "inverted transform",
    "theorems/sampling": "discrete_gaussian poisson_once",
    "report": "text words",
    "inversion": "entry error_terms methods profiles quick_bound recollection saddle",
    "inversion/line": "build jumps lattice_line line reading search spectrum",
    "inversion/few_steps": "pieces",
    "inversion/losses": "decay nodes nodes_by_tables poisson_ratio protocols repeated stacked window",
    "inversion/losses/sampled_gaussian": "decay density loss quadrature strip",
    "numerics": "effort enclosure precision rounding search special",
}


def agreed() -> set[str]:
    return {f"{folder}/{name}.py".lstrip("/") for folder, names in AGREED.items() for name in names.split()}


def visited(mechanism: str, before: str) -> set[str]:
    """The files of the library that are entered between a request and its reply."""
    run = subprocess.run([sys.executable, "-c", WALK, mechanism, before], check=True, capture_output=True, text=True)
    paths = map(Path, run.stdout.splitlines())
    return {path.relative_to(ROOT).as_posix() for path in paths if path.is_relative_to(ROOT)}


def test_a_training_run_visits_what_its_answer_needs() -> None:
    """No file outside the list is entered; and none of the list is left out, or the list would be no agreement."""
    assert visited(*TRAINING) == agreed()


def test_a_visit_outside_is_seen() -> None:
    """A black box is composed by another theorem."""
    assert "theorems/approx/optimal.py" in visited(*BOXES) - agreed()
