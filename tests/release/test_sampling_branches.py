"""The samplers' laws, exactly: every branch is taken and its probability compared with the law's own formula."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest
from flint import ctx

from dpcompose.numerics.enclosure import Ball
from dpcompose.release.sampling import digits, stairs
from dpcompose.release.sampling.lookup import TabledLaw
from dpcompose.release.sampling.source import OS, RandomSource
from dpcompose.release.sampling.stairs import Stair
from dpcompose.release.sampling.thinning import Rejection

F = Fraction


def real(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


class Branches:
    """Stands in for `draw`: takes the branches it is told, and multiplies their probabilities."""

    def __init__(self, choices: tuple[int, ...]) -> None:
        self.choices, self.weight = list(choices), Ball(1)

    def draw(self, law: TabledLaw, size: int, _: RandomSource) -> np.ndarray:
        choice = self.choices.pop(0)
        above = law.survival(choice - 1) if choice else Ball(1)
        self.weight *= above - (law.survival(choice) if choice < law.count else 0)
        return np.full(size, choice, dtype=np.int64)


def branches(choices: Iterator[tuple[int, ...]], run: Callable[[], int], patch: pytest.MonkeyPatch) -> dict[int, Ball]:
    """Every outcome of `run` with its probability, over all the choices."""
    found: dict[int, Ball] = defaultdict(lambda: Ball(0))
    for choice in choices:
        told = Branches(choice)
        patch.setattr(digits, "draw", told.draw)
        outcome = run()
        assert not told.choices  # every choice was asked for
        found[outcome] += told.weight
    return found


@pytest.mark.parametrize(
    "scale, places",
    [
        (F(1, 3), []),
        (F(5), []),
        (F(20), [range(4)]),
        (F(50000, 7), [(0, 1, 100, 255), (0, 1, 2, 3)]),
        (F(10) ** 30, [(0, 1, 77, 255)] * 12 + [(0,)]),
    ],
)
def test_the_digits_and_the_sign_make_the_discrete_laplace_law(
    scale: Fraction, places: list[range], monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = [*places[:2], *((d[1],) if len(d) > 1 else d for d in places[2:])]
    with ctx.workprec(300):
        r = (Ball(-1) * scale.denominator / scale.numerator).exp()
        found = branches(
            product((0, 1, 2, 3), *choices, (0, 1)),
            lambda: int(digits.two_sided(scale, 1, OS)[0]),
            monkeypatch,
        )
        for outcome, weight in found.items():
            law = (1 - r) / (1 + r) * r ** abs(outcome)
            assert weight.overlaps(law)
            assert abs(weight / law - 1) < 1e-30
    assert len(found) == 8 * np.prod([len(c) for c in choices], dtype=int)
    if scale == 20:
        assert set(found) == set(range(-16, 16))


def test_a_geometric_draw_starts_again_at_the_end_of_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    with ctx.workprec(200):
        rate = F(1, 4)
        told = Branches((128, 128, 3))
        monkeypatch.setattr(digits, "draw", told.draw)
        assert digits._leading(rate, 1, OS)[0] == 259
        law = (-Ball(259) / 4).exp() * -(-Ball(1) / 4).expm1()
        assert abs(told.weight / law - 1) < 1e-30


@pytest.mark.parametrize("variance", [F(1, 9), F(1), F(100), F(2, 3) ** 2, F(7, 3), F(1234567, 89)])
def test_proposal_times_acceptance_is_the_discrete_gaussian(variance: Fraction) -> None:
    scale = int(mpmath.floor(mpmath.sqrt(real(variance)))) + 1
    ratios = []
    with ctx.workprec(300):
        for distance in range(6 * scale):
            kept = 1 - Rejection(variance, scale, distance).survival(0)
            proposed = (-Ball(distance) / scale).exp()
            n, m = variance.as_integer_ratio()
            ratios.append(kept * proposed / (-(Ball(distance) ** 2) * m / (2 * n)).exp())
        assert all(abs(ratio / ratios[0] - 1) < 1e-30 for ratio in ratios)


@pytest.mark.parametrize(
    "epsilon, sensitivity, gamma, grid",
    [
        (F(1), F(1), F(3, 10), F(1, 10)),
        (F(1, 2), F(1), F(1, 2), F(1, 3)),
        (F(2), F(5, 3), F(2, 7), F(1, 4)),  # no step ends on the grid
        (F(1), F(1), F(1), F(1, 8)),
        (F(1), F(1), F(0), F(1, 8)),
        (F(3), F(1, 4), F(1, 5), F(1)),  # the grid is coarser than the noise
    ],
)
def test_the_stairs_pieces_make_its_density(
    epsilon: Fraction, sensitivity: Fraction, gamma: Fraction, grid: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    stair, b = Stair.of(epsilon, sensitivity, gamma, grid), mpmath.exp(-real(epsilon))
    found: dict[int, mpmath.mpf] = defaultdict(lambda: mpmath.mpf(0))
    share = real(1 - gamma) * b / (real(gamma) + real(1 - gamma) * b)
    odds = share if 0 < gamma < 1 else 0
    for steps, lower, negative in product(range(60), (0, 1) if odds else (0,), (0, 1)):
        size = stair.tread - stair.upper if lower else stair.upper
        tell(monkeypatch, steps, lower, negative)
        weight = (1 - b) * b**steps * (odds if lower else 1 - odds) / (2 * size)
        for place in stair.draw(size, OS):
            found[int(place)] += weight
    for cell in range(-40, 40):
        mass = staircase_mass(epsilon, sensitivity, gamma or F(1), abs(cell + F(1, 2)) * grid, grid)
        assert found[cell] == pytest.approx(float(mass), rel=1e-12, abs=3 * float(b**60))


def tell(patch: pytest.MonkeyPatch, steps: int, lower: int, negative: int) -> None:
    """Make the staircase take this branch, and every place in it once."""
    patch.setattr(stairs, "one_sided", lambda _, size, __: np.full(size, steps))
    patch.setattr(stairs, "draw", lambda law, size, _: np.full(size, negative if law == stairs.FAIR else lower))
    patch.setattr(stairs, "uniform", lambda _, size, __: np.arange(size))


def staircase_mass(e: Fraction, delta: Fraction, gamma: Fraction, middle: Fraction, width: Fraction) -> mpmath.mpf:
    """The integral of the density over a cell on the positive side, by its definition."""
    b = mpmath.exp(-real(e))
    height = (1 - b) / (2 * real(delta) * (real(gamma) + b * (1 - real(gamma))))
    start, end = middle - width / 2, middle + width / 2
    ends = sorted({start, end, *(x for i in range(200) for x in (i * delta, (i + gamma) * delta) if start < x < end)})
    total = mpmath.mpf(0)
    for left, right in pairwise(ends):
        steps, rest = divmod((left + right) / 2, delta)
        total += real(right - left) * height * b ** (int(steps) + (rest >= gamma * delta))
    return total
