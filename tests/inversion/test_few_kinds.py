"""Many different steps taken for few kinds: the bounds hold what is known of the steps themselves."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.errors import Declined
from dpcompose.inversion import Direction, LaplaceLoss, Loss, SampledGaussianLoss, SampledLaplaceLoss, profile
from dpcompose.inversion.coarser import DIFFERENT, by_few_kinds, reserve
from dpcompose.inversion.few_kinds import Corner, few_kinds
from dpcompose.inversion.methods import BY_LINE
from dpcompose.inversion.profiles import LossProfile
from dpcompose.kernel import Side
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Enclosure
from dpcompose.prove.claims import known

RANDOM = np.random.default_rng(5)
DRAWN = [(RANDOM.uniform(0.7, 1.6), RANDOM.uniform(0.01, 0.03)) for _ in range(30)]
STEPS = {
    "gaussians removed": [SampledGaussianLoss(q, s, Direction.REMOVE) for s, q in DRAWN],
    "gaussians added": [SampledGaussianLoss(q, s, Direction.ADD) for s, q in DRAWN],
    "laplaces removed": [SampledLaplaceLoss(s, q, Direction.REMOVE) for s, q in DRAWN],
    "laplaces added": [SampledLaplaceLoss(s, q, Direction.ADD) for s, q in DRAWN],
    "laplaces": [LaplaceLoss(0.1 * s) for s, _ in DRAWN],
    "both": [SampledGaussianLoss(q, s, Direction.REMOVE) if q > 0.02 else LaplaceLoss(0.1 * s) for s, q in DRAWN],
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("kinds", [1, 4, 16])
def test_few_kinds_enclose_the_sum(name: str, kinds: int) -> None:
    """From above and from below, in ε and in δ; more kinds do so more closely."""
    whole = profile([(loss, 2) for loss in STEPS[name]])
    above, below = (LossProfile(tuple(few_kinds(whole.summands, corner, kinds))) for corner in Corner)
    assert len(above.summands) <= 2 * kinds
    assert sum(s.steps for s in above.summands) == sum(s.steps for s in whole.summands)
    exact, delta = whole.epsilon(1e-5, 1e-6), whole.delta(0.1, 1e-6)
    worse, better = above.epsilon(1e-5, 1e-6), below.epsilon(1e-5, 1e-6)
    assert better.lower <= exact.upper
    assert exact.lower <= worse.upper
    assert below.delta(0.1, 1e-6).lower <= delta.upper
    assert delta.lower <= above.delta(0.1, 1e-6).upper
    if kinds == 1:
        assert better.upper < exact.lower < exact.upper < worse.lower
    if kinds == 16:
        assert worse.upper < 1.5 * exact.upper
        assert better.lower > 0.5 * exact.lower


def spread(least: float, most: float) -> st.SearchStrategy[float]:
    """Numbers of all sizes between these."""
    return st.floats(np.log(least), np.log(most)).map(lambda x: float(np.exp(x)))


RATES, NOISE, COSTS = spread(1e-6, 1.0), spread(0.1, 100.0), spread(1e-6, 5.0)
SORTS = (
    st.tuples(st.just("gaussian"), NOISE, RATES),
    st.tuples(st.just("sampled laplace"), COSTS, RATES),
    st.tuples(st.just("laplace"), COSTS, st.just(1.0)),
)
MEMBERS = st.one_of(
    *(st.lists(st.tuples(sort, st.sampled_from([1, 3, 50])), min_size=2, max_size=6) for sort in SORTS),
    st.lists(st.tuples(st.one_of(*SORTS), st.sampled_from([1, 3, 50])), min_size=2, max_size=8),
)


def mechanism(kind: str, number: float, rate: float) -> dpc.Mechanism:
    """A member as users write it."""
    if kind == "gaussian":
        return dpc.Sampled(dpc.Gaussian(noise_std=number), rate=rate)
    alone = dpc.Laplace(scale=1, sensitivity=number)
    return alone if kind == "laplace" else dpc.Sampled(alone, rate=rate)


def loss(direction: Direction, kind: str, number: float, rate: float) -> Loss:
    """The same as the engine has it, in one order of the neighbours."""
    if kind == "gaussian":
        return SampledGaussianLoss(rate, number, direction)
    return LaplaceLoss(number) if kind == "laplace" else SampledLaplaceLoss(number, rate, direction)


@pytest.mark.slow
@cases(40)
@given(MEMBERS, st.sampled_from([1, 1, 2]))
def test_no_claim_lies_beyond_the_corners(members: list[tuple[tuple[str, float, float], int]], kinds: int) -> None:
    """Whatever any theorem says of the members: few kinds of the worst cost no less, few of the best no more."""
    whole = sum((n * mechanism(*member) for member, n in members[1:]), members[0][1] * mechanism(*members[0][0]))
    orders = [profile([(loss(to, *member), n) for member, n in members]) for to in Direction]
    epsilon = 0.5
    worst, best = (
        [LossProfile(tuple(few_kinds(order.summands, corner, kinds))).delta(epsilon, 1e-3) for order in orders]
        for corner in Corner
    )
    for claim in known(whole).profiles():
        with suppress(Declined):
            found = claim.guarantee.delta(epsilon)
            if Side.UPPER in claim.side:
                assert max(one.lower for one in best) <= found.upper, claim.theorem.id
            if Side.LOWER in claim.side:
                assert found.lower <= max(one.upper for one in worst), claim.theorem.id


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_without_room_something_is_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that would take too long is not missed altogether: an enclosure of the same, from both sides."""
    whole = profile([(loss, 2) for loss in STEPS[name]])
    exact, delta = whole.epsilon(1e-5, 1e-6), whole.delta(0.1, 1e-6)
    assert reserve(whole.summands) > 0.0
    few = lambda self, _: BY_LINE if len(self.summands) <= DIFFERENT else ()  # noqa: E731
    monkeypatch.setattr(LossProfile, "_ways", few)
    monkeypatch.setattr("dpcompose.inversion.line.escalation.delta_by_balls", lambda _s, _e, found, _t: found)
    monkeypatch.setattr("dpcompose.inversion.line.escalation.epsilon_by_balls", lambda _s, found, *_: found)
    rough = profile([(loss, 2) for loss in STEPS[name]])
    with effort.question(), effort.dispensable():
        found, high = rough.epsilon(1e-5, 1e-6), rough.delta(0.1, 1e-6)
    assert 0.0 < found.lower <= exact.upper
    assert exact.lower <= found.upper < 3.0 * exact.upper
    assert 0.0 < high.lower <= delta.upper
    assert delta.lower <= high.upper < 1.0


def test_what_is_known_is_not_asked() -> None:
    """A close answer stays as it is."""
    known = Enclosure(1.0, 1.001)
    assert by_few_kinds([], known, lambda _: UNIT_INTERVAL) is known
