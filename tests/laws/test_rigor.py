"""Whoever trusts no float gets the same answers: `rigor="ball"` meets what floats say of every kind, once and several
times, and is not much wider where a few runs are followed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases, daily
from dpcompose.inversion import LaplaceLoss, profile
from dpcompose.inversion.line.escalation import certain_ends
from dpcompose.numerics.enclosure import Enclosure
from strategies import MECHANISMS, named, some

pytestmark = pytest.mark.slow
QUESTIONS: dict[str, Callable[[dpc.Mechanism, str], dpc.Answer]] = {
    "δ": lambda m, rigor: dpc.delta(m, 0.3, rigor=rigor),
    "ε": lambda m, rigor: dpc.epsilon(m, 1e-3, rigor=rigor),
}
THIRDS = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
RARE = (Fraction(9, 10), Fraction(1, 20), Fraction(1, 20))
MIXTURES = {
    "five": 5 * dpc.MixtureOfGaussians(noise_std=1, sensitivities=[0, 1, 2], probabilities=THIRDS),
    "thirty": 30 * dpc.MixtureOfGaussians(noise_std=1, sensitivities=[0, 1, 2], probabilities=THIRDS),
    "three hundred": 300 * dpc.MixtureOfGaussians(noise_std=2, sensitivities=[0, 1, 2], probabilities=RARE),
    "one shift": 5 * dpc.MixtureOfGaussians(noise_std=1, sensitivities=[0, 2], probabilities=[Fraction(1, 2)] * 2),
}


def both(m: dpc.Mechanism, question: str) -> tuple[dpc.Answer, dpc.Answer]:
    floats, balls = (QUESTIONS[question](m, rigor) for rigor in ("float", "ball"))
    assert max(floats.lower, balls.lower) <= min(floats.upper, balls.upper), (m, question)
    return floats, balls


@pytest.mark.parametrize("cls", MECHANISMS, ids=named)
@cases(2)
@given(data=st.data())
def test_floats_and_balls_meet(cls: type, data: st.DataObject) -> None:
    m, count = data.draw(some(cls)), data.draw(st.sampled_from((1, 5)))
    for question in QUESTIONS:
        try:
            both(count * m, question)
        except dpc.NotProvable:
            continue


@pytest.mark.parametrize("name,question", daily(product(MIXTURES, QUESTIONS), 3))
def test_mixtures_in_balls_are_known_from_both_sides(name: str, question: str) -> None:
    """Floats know them within 1e-3; balls, which follow fewer frequencies, within 1e-2."""
    floats, balls = both(MIXTURES[name], question)
    assert floats.enclosure.gap <= 1e-3
    assert balls.enclosure.gap <= 1e-2


THIRD = Fraction(1, 3)
LEAKY = dpc.DiscretePair(p=(THIRD, THIRD, THIRD), q=(Fraction(0), Fraction(1, 2), Fraction(1, 2)))
BESIDE = {
    "nothing": dpc.Composition(),
    "one Laplace": 1 * dpc.Laplace(scale=1),
    "Laplaces": 10 * dpc.Laplace(scale=1),
    "Gaussians": 3 * dpc.Gaussian(noise_std=2),
    "sampled Laplaces": 50 * dpc.Sampled(dpc.Laplace(scale=1), rate=Fraction(1, 10)),
    "sampled Gaussians": 50 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=Fraction(1, 10)),
    "integers": 5 * dpc.Geometric(scale=2) + 4 * dpc.DiscreteGaussian(noise_std=3),
}


RATES = (Fraction(1), THIRD)


@pytest.mark.parametrize(
    "name,rate,rigor", [*product(BESIDE, RATES, ["float"]), *daily(product(BESIDE, RATES, ["ball"]), 3)]
)
def test_no_epsilon_holds_below_a_leak_that_is_no_float(name: str, rate: Fraction, rigor: str) -> None:
    """A third of what is drawn leaks: ε is infinite at the float below that, and what it is without the leak above."""
    plan = dpc.Sampled(LEAKY, rate=rate) + BESIDE[name]
    leak = rate * THIRD
    assert Fraction(float(leak)) < leak
    if rate == 1:
        assert dpc.epsilon(plan, float(leak), rigor=rigor).upper == math.inf
    else:  # who cannot tell the leak from δ says nothing
        with pytest.raises(dpc.NotProvable):
            dpc.epsilon(plan, float(leak), rigor=rigor)
    above = dpc.epsilon(plan, float(leak) + 1e-3, rigor=rigor)
    assert above.upper < math.inf
    assert dpc.epsilon(plan, float(leak) + 1e-3).lower <= above.upper


@pytest.mark.parametrize("delta", [0.0, 0.25], ids=["nothing", "all that leaks"])
@pytest.mark.parametrize("proposed", [(6, 7), (4, 4.5), (0, math.inf), (40, 50)])
def test_what_is_only_proposed_is_not_certified(delta: float, proposed: tuple[float, float]) -> None:
    """Five Laplaces of scale 1 cost 5 where δ is no more than what leaks beside them, and no ε above 5 is a bound from
    below, though δ is no less there.
    """
    line = profile([(LaplaceLoss(1.0), 5)], Enclosure(delta, delta))
    lower, upper = certain_ends(line.summands, line.delta_in_balls, Enclosure(*proposed), delta)
    assert lower <= 5 <= upper
