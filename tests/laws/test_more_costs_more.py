"""Adding a part never lowers a bound: of any kind, in any wrapper, down to the least numbers there are.

Each claim about the whole is asked, not only the one that wins: its upper end must not lie below what one part alone is
known to cost.
"""

from __future__ import annotations

import random

import pytest

import dpcompose as dpc
from cases import scaled
from wild import COUNTS, Late, composition, limited, made, not_below, part

SIZES = ("5e-324", "1e-310", "1e-300", "1e-200", "1e-163", "1e-154", "1e-120", "1e-101", "1e-99", "1e-50", "1e-9")
FAINT = (
    "BlackBox(epsilon={0})",
    "BlackBox(epsilon={0}, delta={0})",
    "BlackBox(rho={0})",
    "BlackBox(mu={0})",
    "RandomizedResponse(epsilon={0})",
    "Gaussian(noise_std=1, sensitivity={0})",
    "Laplace(scale=1, sensitivity={0})",
    "Geometric(scale=min(1 / F({0}), 10**150))",
    "DiscreteGaussian(noise_std=min(1 / F({0}), 10**150))",
    "Staircase(epsilon={0})",
    "Exponential(epsilon={0})",
    "NameAndShame(delta={0})",
    "DiscretePair(p=((1 + F({0})) / 2, (1 - F({0})) / 2), q=(F(1, 2), F(1, 2)))",
    "Sampled(BlackBox(epsilon={0}), rate=0.5)",
    "Sampled(BlackBox(epsilon=1), rate={0})",
    "Sampled(Gaussian(noise_std=1), rate={0})",
    "Sampled(Laplace(scale=1, sensitivity={0}), rate=0.5)",
    "Group(BlackBox(epsilon={0}), size=3)",
)


def faint(rng: random.Random) -> str:
    """So many runs of one kind that hardly loses anything."""
    return f"{rng.choice((1, 1, 3, 10**9))} * {rng.choice(FAINT).format(rng.choice(SIZES))}"


@pytest.mark.parametrize("number", range(scaled(70)))
def test_beside_faint_parts(number: int) -> None:
    """Where one part is lost among roundings it still counts, at ε = 0 and just above it."""
    rng = random.Random(f"faint {number}")  # noqa: S311 - a draw, no secret
    first, second = faint(rng), faint(rng)
    whole = made(f"{first} + {second}")
    for text in (first, second):
        not_below(made(text), whole, 0)
        not_below(made(text), whole, rng.choice((5e-324, 1e-300, 1e-150)))


NAMED = [
    ("Gaussian(noise_std=1e150, sensitivity=1e-12)", "BlackBox(epsilon=1e-200)"),
    ("1000000000 * Exponential(epsilon=5e-324)", "BlackBox(epsilon=0)"),
    ("Gaussian(noise_std=1e150, sensitivity=1e-12)", "Laplace(scale=1e150, sensitivity=1e-150)"),
    ("Laplace(scale=1e150, sensitivity=1e-170)", "3 * BlackBox(epsilon=1)"),
]


@pytest.mark.parametrize("first, second", NAMED)
def test_underflow_that_was_found(first: str, second: str) -> None:
    """Squares and products that floats do not hold."""
    whole = made(f"{first} + {second}")
    for text in (first, second):
        not_below(made(text), whole, 0)
    dpc.compare(whole, epsilon=0)
    dpc.compare(whole, delta=1e-6)


@pytest.mark.parametrize("number", range(scaled(40)))
def test_beside_anything(number: int) -> None:
    """Wild parts and wild wholes: ε, δ, divergences and advantages never fall; neither do two of a kind below one."""
    rng = random.Random(f"more {number}")  # noqa: S311 - a draw, no secret
    relation = rng.choice(("ADD_REMOVE", "REPLACE_ONE"))
    one = f"{rng.choice(COUNTS)} * {part(rng, relation)}"
    more = f"{one} + {composition(rng, relation)}"
    delta, epsilon, order = rng.choice((0, 1e-300, 1e-9, 0.1)), rng.choice((0, 1e-300, 0.3, 5)), rng.choice((1, 2, 40))
    questions = (
        lambda m: dpc.epsilon(m, delta),
        lambda m: dpc.delta(m, epsilon),
        lambda m: dpc.renyi(m, order),
        dpc.advantage,
    )
    ask = questions[number % len(questions)]
    try:
        with limited(20):
            less, whole = ask(made(one)), ask(made(more))
    except (dpc.NotProvable, Late):  # `test_totality` asks how long it takes, and what is refused
        return
    assert whole.upper >= less.lower, (one, more)
