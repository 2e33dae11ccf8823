"""Events that refute a claim, and certificates that there is none."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.regions import Order, judge, witness
from regions.exact_pairs import Pair, pairs

REFUTED = [
    (30 * dpc.BlackBox(epsilon=0.1, delta=0.001), 0.8, 0.05),
    (4 * dpc.BlackBox(epsilon=1), 2, 0.1),
    (dpc.Gaussian(noise_std=1.0), 1.0, 0.1),
    (dpc.Laplace(scale=1.0), 0.5, 0.2),
    (5 * dpc.Laplace(scale=2.0), 1.0, 0.1),
    (dpc.NameAndShame(delta=0.1), 10, 0.01),
    (dpc.NameAndShame(delta=1), 10**300, 0.9),
    (40_000 * dpc.BlackBox(epsilon=0.01), 1.0, 0.2),
    (dpc.DiscreteGaussian(noise_std=1.5), 0.5, 0.01),
]


@pytest.mark.parametrize("mechanism, epsilon, delta", REFUTED, ids=str)
def test_a_claim_that_promises_too_much_is_refuted(mechanism: dpc.Mechanism, epsilon: float, delta: float) -> None:
    found = witness(mechanism, epsilon=epsilon, delta=delta)
    assert found is not None
    assert found.excess.lower > 0
    assert found.threshold == epsilon
    assert 0 <= found.q.lower <= found.q.upper <= 1
    with mp.workdps(30):
        odds = mp.exp(min(epsilon, 10**6))
        most = found.p.upper - odds * found.q.lower - delta
        least = found.p.lower - odds * found.q.upper - delta
        assert least <= found.excess.upper
        assert most >= found.excess.lower
    assert found.fnr == found.q
    assert "too much by" in str(found)


@given(pairs(4), st.sampled_from([0.0, 0.3, 1.0]), st.fractions(0, 1, max_denominator=20))
@cases(80)
def test_a_pair_is_judged_right(pair: Pair, epsilon: float, delta: Fraction) -> None:
    m = dpc.DiscretePair(p=pair[0], q=pair[1])
    verdict = judge(m, epsilon, delta)
    with mp.workdps(40):
        odds = mp.exp(mp.mpf(epsilon))
        exact = [
            [
                (mp.mpf(x.numerator) / x.denominator, mp.mpf(y.numerator) / y.denominator)
                for x, y in zip(*laws, strict=True)
            ]
            for laws in (pair, pair[::-1])
        ]
        sticks = [mp.fsum(max(x - odds * y, 0) for x, y in law) for law in exact]
        excess = max(sticks) - mp.mpf(delta.numerator) / delta.denominator
        if abs(excess) < mp.mpf(10) ** -13:
            assert verdict.holds is not False or excess > 0
            return
        assert verdict.holds is bool(excess < 0)
        if verdict.witness is None:
            assert verdict.answer.upper <= delta
            assert witness(m, epsilon, delta) is None
            return
        event = verdict.witness
        law = exact[0] if event.order is Order.FORWARD else exact[1]
        p, q = (mp.fsum(side[i] for side in law if side[0] > odds * side[1] * (1 + mp.mpf(10) ** -20)) for i in (0, 1))
        assert event.p.lower <= p <= event.p.upper
        assert event.q.lower <= q <= event.q.upper


def test_what_holds_is_certified_by_a_claim() -> None:
    verdict = judge(30 * dpc.BlackBox(epsilon=0.1, delta=0.001), 0.85, 0.05)
    assert verdict.holds is True
    assert verdict.witness is None
    assert verdict.answer.upper_by is not None
    verdict.answer.upper_by.check()
    assert witness(dpc.Composition(), epsilon=0, delta=0) is None
    assert witness(dpc.Gaussian(noise_std=1), epsilon=0, delta=1) is None


def test_what_is_undecided_is_said_to_be() -> None:
    m = dpc.BlackBox(rho=0.5)
    verdict = judge(m, 1.0, 0.2)
    assert verdict.holds is None
    with pytest.raises(dpc.NotProvable, match="Undecided"):
        witness(m, epsilon=1.0, delta=0.2)


def test_the_order_of_an_asymmetric_pair_is_told() -> None:
    m = dpc.DiscretePair(p=[0.5, 0.5], q=[0.1, 0.9])
    found = witness(m, epsilon=1.0, delta=0.2)
    assert found is not None
    assert found.order is Order.FORWARD
    assert found.p.lower <= 0.5 <= found.p.upper
    swapped = witness(dpc.DiscretePair(p=[0.1, 0.9], q=[0.5, 0.5]), epsilon=1.0, delta=0.2)
    assert swapped is not None
    assert swapped.order is Order.BACKWARD
