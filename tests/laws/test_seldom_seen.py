"""Who is seldom in the sample costs little, whatever is done with it: δ is at most the chance to be in the sample. And
where there is next to no noise, it is no less.
"""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

import dpcompose as dpc
from cases import daily, scaled
from dpcompose.kernel import Side
from strategies import LEAVES
from wild import described, fits, made, part, said

pytestmark = pytest.mark.slow
RATES = (1e-9, 1e-3, 0.1, 0.5)
ROUNDED = 1 + 1e-5
RELATIONS = ("ADD_REMOVE", "REPLACE_ONE")


def _sampled(inner: str, rate: float, relation: str) -> list[str]:
    """On every kind of sample that is drawn record by record, or of fixed size, and takes it."""
    whole = round(1 / rate)
    samples = (
        f"Sampled({inner}, rate={rate})",
        f"TruncatedSample({inner}, rate={rate}, limit=2, of=9)",
        f"SampledWithoutReplacement({inner}, size=1, of={whole})",
    )
    return [text for text in samples if fits(text, relation)]


def _holds(rng: random.Random, inner: str, relation: str) -> int:
    rate, count, epsilon = rng.choice(RATES), rng.choice((1, 2, 10)), rng.choice((0, 0.1, 1, 7))
    samples = _sampled(inner, rate, relation)
    for text in samples:
        found = dpc.delta(count * made(text), epsilon)
        assert found.upper <= -math.expm1(count * math.log1p(-rate)) * ROUNDED, f"{found} of {count} * {text}"
    return len(samples)


@pytest.mark.parametrize("cls", LEAVES)
def test_any_mechanism_on_a_sample(cls: type[dpc.Mechanism]) -> None:
    rng = random.Random(cls.__name__)  # noqa: S311 - drawn again by its seed
    drawn = ((described(rng, cls, relation), relation) for _ in range(scaled(3)) for relation in RELATIONS)
    assert sum(_holds(rng, inner, relation) for inner, relation in drawn)


@pytest.mark.parametrize("block", range(scaled(5)))
def test_anything_on_a_sample(block: int) -> None:
    rng = random.Random(block)  # noqa: S311 - drawn again by its seed
    assert sum(_holds(rng, part(rng, relation), relation) for _ in range(4) for relation in ("ADD_REMOVE", "ZERO_OUT"))


LOUD = {
    **{
        f"discrete Gaussian, σ = {noise}, shift {shift}": f"DiscreteGaussian(noise_std={noise}, sensitivity={shift}"
        for noise in (0.5, 2.5, 5, 5.1, 20)
        for shift in (math.ceil(noise * ratio) for ratio in (20, 36, 40, 60, 400))
    },
    "Gaussian": "Gaussian(noise_std=1, sensitivity=60",
    "Laplace": "Laplace(scale=1, sensitivity=300",
    "geometric": "Geometric(scale=0.5, sensitivity=200",
    "staircase": "Staircase(epsilon=300, sensitivity=3",
    "response": "RandomizedResponse(epsilon=300",
}
KEEPING = {
    "ADD_REMOVE": "Sampled({}, rate=0.1)",
    "REPLACE_ONE": "SampledWithoutReplacement({}, size=1, of=10)",
}
"""Samples that keep whoever is drawn."""


@pytest.mark.parametrize("name,relation", daily(product(LOUD, RELATIONS), 5))
def test_next_to_no_noise_on_a_sample_shows_who_is_in_it(name: str, relation: str) -> None:
    """Whoever is drawn is seen, but with a probability below 1e-15: no claim's upper end lies below that chance."""
    inner = f"{LOUD[name]}, adjacency={relation})"
    for sampled in (inner, f"{inner} + NameAndShame(delta=1e-16)"):
        for count in (2, 20):
            seen = -math.expm1(count * math.log1p(-0.1)) * (1 - 1e-12)
            whole = count * made(KEEPING[relation].format(sampled))
            assert dpc.delta(whole, 1).upper >= seen
            for claim, found in said(whole, Side.UPPER, 1):
                assert found.upper >= seen, claim.theorem.id
