"""The laws bite: each fault that once was in the library, planted again, is caught by the law that was made for it.

Faults of numerics are planted in `test_numeric_mutations.py`, well-known bugs in `test_mutations.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import fields
from fractions import Fraction
from functools import partial
from typing import Any
from unittest.mock import PropertyMock, patch

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose import kernel
from dpcompose.inversion import entry
from dpcompose.inversion.entry import FAINT
from dpcompose.inversion.losses.finite import ListedLoss
from dpcompose.kernel import STANDARD, Parts, Theorem
from dpcompose.mechanisms.discrete_gaussian import DiscreteGaussianLaw
from dpcompose.notions import FiniteLoss, Pair, Profile, Renyi
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.release.sketches import covariance_price
from dpcompose.release.sketches.price import Price
from dpcompose.theorems.loss import inverted
from dpcompose.theorems.loss.inverted import WorstOf
from dpcompose.theorems.renyi.finite_curves import finite_to_renyi
from dpcompose.theorems.renyi.readings import FourReadings, Largest
from dpcompose.theorems.sampling.poisson_once import SampledNormal
from laws import test_facing as facing
from laws import test_orders as orders
from laws.test_every_claim import ALL, violations
from laws.test_leaks import keeps_all
from laws.test_mutations import planted
from laws.test_totality import FOUND
from oracles.ordered_pairs import Worst, facings, together, turned
from wild import complaint, outcome

pytestmark = pytest.mark.slow

F = Fraction


def caught(law: Callable[[], None]) -> bool:
    """Whether the law sees something wrong; at run time theorems may see it first."""
    try:
        law()
    except (AssertionError, dpc.Contradiction):
        return True
    return False


class Forgetful(Theorem):
    """A theorem that composes parts as they are listed, under whatever relation."""

    def __call__(self, *about: Any) -> Any:
        with patch.object(kernel, "faced", lambda _, items: (Parts(tuple(items)), True)):
            return super().__call__(*about)


@contextmanager
def parts_face_as_listed(name: str) -> Iterator[None]:
    """One theorem forgets that under replace one each part may face either way."""
    kept = STANDARD.theorems[name]
    wrong = Forgetful(**{field.name: getattr(kept, field.name) for field in fields(kept)})
    with patch.dict(STANDARD.theorems, {name: wrong}), patch.object(STANDARD, "_found", {}):
        yield


def mirrored_long_pairs() -> None:
    """The law of facing, where X-TOP is the one that knows."""
    runs = facing.RUNS["mirrored"]
    facing.keeps(facing.WAYS["long"](runs), Worst(tuple(facings(runs))), facing.COSTS)


def test_a_theorem_that_forgets_replace_one() -> None:
    """Caught by the law of facing."""
    mirrored_long_pairs()
    with parts_face_as_listed("greatest_losses"):
        assert caught(mirrored_long_pairs)


def mirrored_short_pairs() -> None:
    """The same, where all losses are listed."""
    runs = facing.RUNS["mirrored"]
    facing.keeps(facing.WAYS["short"](runs), Worst(tuple(facings(runs))), facing.COSTS)


@pytest.mark.parametrize("name", ["finite_composition", "saddle_line", "renyi_adds"])
def test_any_other_theorem_that_forgets_it(name: str) -> None:
    """Whichever it is: no theorem reasons about facings by itself."""
    mirrored_short_pairs()
    with parts_face_as_listed(name):
        assert caught(mirrored_short_pairs)


def one_order_for_both(profile: Profile) -> tuple[Pair, ...]:
    """The worse order, as if it were each of them."""
    return (Pair(profile, profile),)


@pytest.mark.parametrize(
    "guilty, law",
    [
        (SampledNormal, lambda: orders.test_noise_on_a_poisson_sample("steep Gaussian", 0.2)),
        (WorstOf, lambda: orders.keeps(*orders.WORKS["sampled"])),
        (WorstOf, lambda: orders.keeps(*orders.WORKS["sampled, beside a pair"])),
    ],
)
def test_the_worse_order_read_as_each(guilty: type[Profile], law: Callable[[], None]) -> None:
    """Caught by the law of orders: true from above, it is false from below."""
    law()
    with patch.object(guilty, "pairs", one_order_for_both):
        assert caught(law)


def test_a_law_that_lists_what_one_input_makes_likely() -> None:
    """Caught by the law that both inputs are listed whole."""
    law = DiscreteGaussianLaw(F(9, 4), 91)
    keeps_all(law, law)
    with patch.object(DiscreteGaussianLaw, "outputs", property(lambda _: [*range(-90, 91)])):
        assert caught(lambda: keeps_all(law, law))


def larger_of_both(g: FiniteLoss) -> Renyi:
    """One curve for a pair, which is added to either order of its neighbours."""
    found = finite_to_renyi(g)
    curve = Largest(found.curve.readings[:2]) if isinstance(found.curve, FourReadings) else found.curve
    return Renyi(curve, found.delta)


@pytest.mark.parametrize("ways", [("long", "listed"), ("listed", "listed")])
def test_a_curve_of_one_order_added_to_the_other(ways: tuple[str, str]) -> None:
    """Caught by the law of facing, which also reads divergences where parts face as listed."""
    runs = [facing.RARE, turned(facing.RARE)]
    whole = together(runs)
    subject = facing.all_of(runs, *(partial(getattr(facing, way), relation=None) for way in ways))

    def law() -> None:
        facing.keeps(subject, Worst((whole, turned(whole))), facing.COSTS)

    law()
    with planted("finite_to_renyi", larger_of_both):
        assert caught(law)


def a_sketch_states_its_relation() -> None:
    """A sketch priced for replaced records and a count priced for added ones do not go into one sum."""
    price = covariance_price(eta=0.5, nu=0.05, epsilon=1, delta=F("1e-6"), adjacency=dpc.REPLACE_ONE)
    for charge in (price.mechanism, price.by_renyi()):
        with pytest.raises(dpc.AdjacencyMismatch):
            charge + dpc.Geometric(scale=1)


def test_a_sketch_that_loses_its_relation() -> None:
    """Caught by the law that every price states it."""
    a_sketch_states_its_relation()
    with ExitStack() as without:
        for cls in (Price, *Price.__subclasses__()):
            without.enter_context(patch.object(cls, "relation", PropertyMock(return_value=None)))
        with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
            a_sketch_states_its_relation()


def test_floats_that_overflow_on_the_way() -> None:
    """Caught by the law of totality: an exception that no page names."""
    work = "compare(Geometric(scale=5e-324, sensitivity=2), delta=1e-6)"
    assert work in FOUND
    assert not complaint(outcome(work, 60))
    with patch.object(inverted, "_within_floats", nullcontext):
        assert complaint(outcome(work, 60)).startswith("OverflowError")


def a_faint_loss_leaks_what_it_leaks(loss: ListedLoss) -> Enclosure | None:
    """As if negative losses were none."""
    greatest = float(np.max(loss.losses, initial=0.0))
    return loss.leak if greatest < FAINT else None


def test_negative_losses_taken_for_none() -> None:
    """Caught by the law of every claim: what leaks, and gains nothing otherwise, was counted as a mere leak."""
    subject, truth = ALL["sure beside a box and a gaussian"]
    assert not violations(subject, truth())
    as_leak, honest = entry.as_leak, entry.as_leak.dispatch(ListedLoss)
    as_leak.register(ListedLoss, a_faint_loss_leaks_what_it_leaks)
    try:
        assert violations(subject, truth())
    finally:
        as_leak.register(ListedLoss, honest)
    assert not violations(subject, truth())
