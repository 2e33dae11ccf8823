"""Some references are computed anew, on another line where there is one, or between other polylines."""

from __future__ import annotations

import pytest
from compute import draws
from flint import arb, ctx, fmpq
from stored import computed, read

pytestmark = pytest.mark.slow

WORKS = read()
RECOMPUTED = 100
COARSE = 1e-3
"""How far apart the polylines may be when they are drawn again: less than a second each."""


@pytest.mark.derives
@pytest.mark.parametrize("part", range(4))
def test_references_come_out_the_same(part: int) -> None:
    """The line stands on the other side of the saddle this time, and polylines have other corners."""
    for work in draws("again").sample(WORKS, RECOMPUTED)[part::4]:
        found, _ = computed(work.kind, work.numbers, work.order, work.level, how=work.how, away=-1.0, narrow=COARSE)
        with ctx.workprec(400):
            lower, upper = (arb(fmpq(end.numerator, end.denominator)) for end in work.delta)
            assert found.upper() >= lower, work.work
            assert found.lower() <= upper, work.work
