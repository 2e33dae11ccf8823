"""Who is seldom in the sample costs little, whatever is done with it: δ is at most the chance to be in the sample."""

from __future__ import annotations

import math
import random

import pytest

import dpcompose as dpc
from cases import scaled
from strategies import LEAVES
from wild import described, fits, made, part

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
