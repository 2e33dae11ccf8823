"""Adding a part never lowers a bound: of any kind, in any wrapper, down to the least numbers there are.

Each claim about the whole is asked, not only the one that wins: its upper end must not lie below what one part alone is
known to cost.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import dpcompose as dpc
from cases import scaled
from dpcompose.parameters import Param, Whole
from strategies import LEAVES, MECHANISMS
from wild import (
    COUNTS,
    RELATIONS,
    WRAPPERS,
    Late,
    composition,
    described,
    fits,
    limited,
    made,
    not_below,
    part,
)

SIZES = ("5e-324", "1e-310", "1e-300", "1e-200", "1e-163", "1e-154", "1e-120", "1e-101", "1e-99", "1e-50", "1e-9")
COSTS = ("epsilon", "delta", "rho", "mu", "rate", "sensitivity", "contribution")
"""The less of these, the less is lost."""
HIDES = ("noise_std", "scale")
"""The more of these, the less is lost."""


def hardly(rng: random.Random, name: str, param: Param) -> str:
    """A number with which a mechanism hardly loses anything, where there is one."""
    if isinstance(param, Whole):
        return str(max(int(param.low), rng.choice((1, 1, 2, 3))))
    if name in HIDES:
        return rng.choice(("1", f"min(1 / F({rng.choice(SIZES)}), 10**150)"))
    return rng.choice(("0.5", *SIZES)) if name in COSTS else "1"


def faint(rng: random.Random, cls: type[dpc.Mechanism], relation: str) -> str:
    """One of this kind, in it another faint one where it is a wrapper."""
    if cls is dpc.DiscretePair:
        return "DiscretePair(p=((1 + F({0})) / 2, (1 - F({0})) / 2), q=(F(1, 2), F(1, 2)))".format(rng.choice(SIZES))
    inner = faint(rng, rng.choice(LEAVES), relation) if cls in WRAPPERS else ""
    return described(rng, cls, relation, inner, hardly)


def runs(rng: random.Random, kinds: Sequence[type[dpc.Mechanism]], relations: Sequence[str]) -> tuple[str, str]:
    """So many of a kind, and a relation under which there are such."""
    while True:
        relation = rng.choice(relations)
        found = faint(rng, rng.choice(kinds), relation)
        if fits(found, relation):
            return f"{rng.choice((1, 1, 3, 10**9))} * {found}", relation


@pytest.mark.parametrize("number", range(scaled(50)))
def test_beside_faint_parts(number: int) -> None:
    """Where one part is lost among roundings it still counts, at ε = 0 and just above it: each kind beside any."""
    rng = random.Random(f"faint {number}")  # noqa: S311 - a draw, no secret
    first, relation = runs(rng, [MECHANISMS[number % len(MECHANISMS)]], RELATIONS)
    second, _ = runs(rng, MECHANISMS, [relation])
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


@pytest.mark.parametrize("number", range(scaled(20)))
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
