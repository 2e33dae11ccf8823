"""What a peer says after thinking for a second or more is kept beside its version and its question.

It is asked again when either has changed, and every night. `PYTHONPATH=tests python -m peers.keep` asks it today.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from cases import PROFILE

FILE = Path(__file__).parent / "kept.json"
RESTS_ON = ("dp-accounting", "numpy", "scipy")


def sentence(question: str) -> str:
    """The question, and whom it is put to."""
    return ", ".join([question, *(f"{name} {version(name)}" for name in RESTS_ON)])


def said(question: str, ask: Callable[[], float]) -> float:
    """What the peer says to this question; it is asked where that is not known."""
    kept = json.loads(FILE.read_text(encoding="utf-8")).get(sentence(question))
    if kept is not None and PROFILE != "nightly":
        return float(kept)
    found = ask()
    assert kept is None or math.isclose(found, kept, rel_tol=1e-9), f"it said {kept}, and says {found}"
    return found
