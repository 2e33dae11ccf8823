"""Every claim there and back, at the ends of every range: at the ε that it says to do, δ is no more than allowed.

A search for ε that ends at some far level without having seen it do must not say that it does.
"""

from __future__ import annotations

import math
import random
import sys
from contextlib import suppress

import pytest

import dpcompose as dpc
from dpcompose.kernel import Side
from dpcompose.prove.claims import known
from strategies import LEAVES, MECHANISMS
from wild import described, fits, leaf, limited, made

pytestmark = pytest.mark.slow
DELTAS = (1e-300, 1e-9, 0.01, 0.3)
FARTHEST = 1e300


def _there_and_back(subject: dpc.Mechanism, delta: float) -> int:
    """How many claims were asked; the farthest level is a question like any other, and a search may end there."""
    said: dict[float, str] = {}
    for claim in known(subject).profiles():
        if Side.UPPER in claim.side:
            with suppress(dpc.Declined):
                assert 0 <= claim.guarantee.delta(sys.float_info.max).upper <= 1, claim.theorem.id
            with suppress(dpc.Declined):
                said[claim.guarantee.epsilon(delta).upper] = claim.theorem.id
    for level, theorem in said.items():
        if level <= FARTHEST:
            back = dpc.delta(subject, level).lower
            assert back <= delta, f"{theorem} of {subject}: ε ≤ {level!r}, and there δ ≥ {back!r} > {delta}"
    return len(said)


@pytest.mark.parametrize("cls", MECHANISMS)
def test_no_claim_says_that_a_level_does_where_it_does_not(cls: type[dpc.Mechanism]) -> None:
    rng = random.Random(f"far {cls.__name__}")  # noqa: S311 - drawn again by its seed
    asked = 0
    for _ in range(12):
        relation = rng.choice(("ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT"))
        text = described(rng, cls, relation, "" if cls in LEAVES else leaf(rng, relation))
        if fits(text, relation):
            with limited(20):
                asked += _there_and_back(made(text), rng.choice(DELTAS))
    assert asked


def test_a_bound_that_leaks_more_than_a_search_looks_for_still_says_where_it_falls() -> None:
    boxes = 3 * dpc.TruncatedSample(dpc.BlackBox(epsilon=0.5, delta=1e-9), rate=0.1, limit=12, of=100)
    assert dpc.epsilon(boxes, 1e-5).upper < 0.4


def test_what_no_float_bounds_is_answered_all_the_same() -> None:
    for noise in (5e-324, 1e-200, 1e-155):
        found = dpc.epsilon(dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=0.5), delta=1e-6)
        assert found.upper == math.inf
        assert "no float" in found.because
