"""Many different steps taken for few kinds: the bounds hold what is known of the steps themselves."""

from __future__ import annotations

import numpy as np
import pytest

from dpcompose.inversion import Direction, LaplaceLoss, SampledGaussianLoss, SampledLaplaceLoss, profile
from dpcompose.inversion.coarser import DIFFERENT, by_few_kinds, reserve
from dpcompose.inversion.few_kinds import Side, few_kinds
from dpcompose.inversion.methods import BY_LINE
from dpcompose.inversion.profiles import LossProfile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Enclosure

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
    above, below = (LossProfile(tuple(few_kinds(whole.summands, side, kinds))) for side in (Side.ABOVE, Side.BELOW))
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
