"""Every wrong argument is refused in one sentence that names it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import dpcompose as dpc
from dpcompose.errors import InvalidParameter
from dpcompose.regions import (
    accuracy,
    alpha,
    bayes_error,
    beta,
    judge,
    laplace_pair,
    posterior,
    posterior_odds,
    region,
    tpr,
    within,
    witness,
)

M = dpc.Gaussian(noise_std=1)
NAN = float("nan")
WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: beta(M, 1.5), "alpha"),
    (lambda: beta(M, -0.1), "alpha"),
    (lambda: beta(M, NAN), "alpha"),
    (lambda: beta(M, [0.1, NAN]), "alpha"),
    (lambda: beta(M, [0.1, 1.1]), "alpha"),
    (lambda: beta(M, "0.1"), "alpha"),
    (lambda: beta(M, 0.1, tolerance=2), "tolerance"),
    (lambda: alpha(M, 2), "beta"),
    (lambda: tpr(M, 2), "fpr"),
    (lambda: beta(M, 0.1, order="forward"), "order"),
    (lambda: alpha(M, 0.1, order=None), "order"),
    (lambda: region(M, order=1), "order"),
    (lambda: bayes_error(M, 1.1), "prior"),
    (lambda: accuracy(M, NAN), "prior"),
    (lambda: posterior(M, -1), "prior"),
    (lambda: posterior_odds(M, -1), "prior_odds"),
    (lambda: posterior_odds(M, 1, 2), "delta"),
    (lambda: region(M).contains(2, 0), "fnr"),
    (lambda: region(M).contains(0, NAN), "fpr"),
    (lambda: region(M).tangent(NAN), "epsilon"),
    (lambda: region(M, tolerance=-1), "tolerance"),
    (lambda: witness(M, epsilon=-1, delta=0), "epsilon"),
    (lambda: judge(M, 1, 1.5), "delta"),
    (lambda: within(0, 0, epsilon=-1, delta=0), "epsilon"),
    (lambda: laplace_pair(1, NAN), "z"),
]


@pytest.mark.parametrize("ask, name", WRONG)
def test_a_wrong_argument_is_named(ask: Callable[[], object], name: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^{name}"):
        ask()


def test_no_points_give_no_answers() -> None:
    assert len(beta(M, [])) == 0
