"""One law, several descriptions: as so many outcomes, as a mechanism or a pair, counted or written out.

Whatever is asked, the enclosures of two descriptions of one law meet. Every kind of the library has another
description here, or is said to have none.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

import dpcompose as dpc
from cases import scaled
from dpcompose.kernel import SameAs, Side
from dpcompose.parameters import Param
from dpcompose.prove.claims import facts
from strategies import MECHANISMS, agree, named
from wild import RELATIONS, WRAPPERS, described, fits, leaf, made, number

pytestmark = pytest.mark.slow

ROUNDING = 1e-9
"""Masses written as floats describe a law that is off by less."""
P = [Fraction(n, 64) for n in (16, 12, 10, 8, 6, 4, 3, 2, 2, 1)]
Q = [Fraction(n, 64) for n in (8, 12, 4, 8, 10, 4, 9, 1, 4, 4)]
QUESTIONS: dict[str, Callable[[dpc.Mechanism], dpc.Answer]] = {
    "ε": lambda m: dpc.epsilon(m, 1e-3),
    "δ": lambda m: dpc.delta(m, 0.4),
    "D₂": lambda m: dpc.renyi(m, 2),
    "D₁": lambda m: dpc.renyi(m, 1),
    "β": lambda m: dpc.beta(m, 0.2),
}


def split(count: int, adjacency: dpc.Adjacency | None = None) -> dpc.DiscretePair:
    """The law above with every outcome told apart by a coin of its own, into so many outcomes in all."""
    pieces = [count // len(P) + (i < count % len(P)) for i in range(len(P))]
    p, q = ([x / n for x, n in zip(law, pieces, strict=True) for _ in range(n)] for law in (P, Q))
    return dpc.DiscretePair(p=p, q=q, adjacency=adjacency)


def response(epsilon: float, adjacency: dpc.Adjacency | None = None) -> dpc.DiscretePair:
    top = 1 / (1 + math.exp(-epsilon))
    return dpc.DiscretePair(p=[top, 1 - top], q=[1 - top, top], adjacency=adjacency)


def three(epsilon: float, gamma: float) -> dpc.DiscretePair:
    """What a staircase of this shape loses where the answer moves by one sensitivity: ε, nothing, or −ε."""
    r = math.exp(-epsilon)
    even = abs(1 - 2 * gamma) * (1 - r) / (2 * (gamma + r * (1 - gamma))) * (r if gamma < 0.5 else 1.0)
    top = (1 - even) / (1 + r)
    return dpc.DiscretePair(p=[top, even, r * top], q=[r * top, even, top])


def integers(noise_std: float, shift: int) -> dpc.DiscretePair:
    """Discrete Gaussian noise cut where less than e^-200 is left."""
    reach = range(-20 * math.ceil(noise_std), 20 * math.ceil(noise_std) + shift + 1)
    p, q = ([math.exp(-((x - centre) ** 2) / (2 * noise_std**2)) for x in reach] for centre in (0, shift))
    return dpc.DiscretePair(p=[x / sum(p) for x in p], q=[x / sum(q) for x in q])


def geometric(scale: float, shift: int) -> dpc.DiscretePair:
    """Outcomes beyond both centres put together, which loses nothing."""
    r = math.exp(-1 / scale)
    inner = [(1 - r) / (1 + r) * r**x for x in range(1, shift)]
    p = [1 / (1 + r), *inner, r**shift / (1 + r)]
    return dpc.DiscretePair(p=p, q=p[::-1])


def mixed(epsilon: float, rate: float) -> dpc.DiscretePair:
    """A response of those who are sampled: theirs with this chance, and otherwise that of all others."""
    p, q = ([float(x) for x in law] for law in (response(epsilon).p, response(epsilon).q))
    p = [rate * x + (1 - rate) * y for x, y in zip(p, q, strict=True)]
    return dpc.DiscretePair(p=p, q=q, adjacency=dpc.ADD_REMOVE)


WRAPPED: dict[str, Callable[[dpc.Mechanism], dpc.Mechanism]] = {
    "alone": lambda m: m,
    "twice": lambda m: 2 * m,
    "sampled": lambda m: dpc.Sampled(m, rate=0.3),
    "3 sampled": lambda m: 3 * dpc.Sampled(m, rate=0.3),
    "sampled twice": lambda m: dpc.Sampled(dpc.Sampled(m, rate=0.5), rate=0.5),
    "drawn": lambda m: dpc.SampledWithoutReplacement(m, size=2, of=5),
}
SAME: dict[str, tuple[dpc.Mechanism, dpc.Mechanism]] = {
    "10 and 2000 outcomes": (split(10), split(2000)),
    "10 and 2001 outcomes": (split(10), split(2001)),
    "2000 and 2001 outcomes": (split(2000), split(2001)),
}
NORMAL = dpc.Gaussian(noise_std=2)
REPLACED = dpc.Gaussian(noise_std=2, adjacency=dpc.REPLACE_ONE)
ANOTHER: dict[type[dpc.Mechanism], tuple[dpc.Mechanism, dpc.Mechanism]] = {
    dpc.BlackBox: (dpc.BlackBox(epsilon=0.7), response(0.7)),
    dpc.RandomizedResponse: (dpc.RandomizedResponse(epsilon=0.7), response(0.7)),
    dpc.Gaussian: (NORMAL, dpc.BlackBox(mu=0.5)),
    dpc.Laplace: (dpc.Laplace(scale=6, sensitivity=3), dpc.Group(dpc.Laplace(scale=6), size=3)),
    dpc.Geometric: (dpc.Geometric(scale=2, sensitivity=2), geometric(2, 2)),
    dpc.DiscreteGaussian: (dpc.DiscreteGaussian(noise_std=1.5, sensitivity=2), integers(1.5, 2)),
    dpc.Staircase: (dpc.Staircase(epsilon=0.7, gamma=0.3), three(0.7, 0.3)),
    dpc.NameAndShame: (
        dpc.NameAndShame(delta=Fraction(1, 10)),
        dpc.DiscretePair(p=(Fraction(1, 10), Fraction(9, 10), 0), q=(0, Fraction(9, 10), Fraction(1, 10))),
    ),
    dpc.DiscretePair: (split(10), split(20)),
    dpc.TreeAggregation: (dpc.TreeAggregation(noise_std=4, steps=8), NORMAL),
    dpc.BandedMatrix: (
        dpc.BandedMatrix(noise_std=4, coefficients=[1], steps=8, separation=2, participations=4),
        NORMAL,
    ),
    dpc.MixtureOfGaussians: (
        dpc.MixtureOfGaussians(noise_std=2, sensitivities=[0, 1], probabilities=[Fraction(7, 10), Fraction(3, 10)]),
        dpc.Sampled(NORMAL, rate=Fraction(3, 10)),
    ),
    dpc.Sampled: (dpc.Sampled(response(0.7), rate=0.3), mixed(0.7, 0.3)),
    dpc.SampledWithoutReplacement: (
        dpc.SampledWithoutReplacement(REPLACED, size=3, of=3),
        REPLACED,
    ),
    dpc.SampledWithReplacement: (
        dpc.SampledWithReplacement(REPLACED, size=1, of=3),
        dpc.SampledWithoutReplacement(REPLACED, size=1, of=3),
    ),
    dpc.SampledSum: (dpc.SampledSum(REPLACED, rate=1, contribution=1), REPLACED),
    dpc.Shuffled: (dpc.Shuffled(REPLACED, of=1), REPLACED),
    dpc.ShuffledBatches: (dpc.ShuffledBatches(REPLACED, batches=1), REPLACED),
    dpc.TruncatedSample: (dpc.TruncatedSample(NORMAL, rate=0.3, limit=9, of=9), dpc.Sampled(NORMAL, rate=0.3)),
    dpc.RepeatAndSelect: (dpc.RepeatAndSelect(NORMAL, mean=1, shape=1), NORMAL),
    dpc.Group: (dpc.Group(NORMAL, size=2), dpc.Gaussian(noise_std=2, sensitivity=2)),
}
"""Of every kind one, and the same law in other words."""
NONE: dict[type[dpc.Mechanism], str] = {
    dpc.Exponential: "family",
    dpc.AboveThreshold: "family",
    dpc.PermuteAndFlip: "family",
    dpc.ReportNoisyMax: "family",
}
"""Kinds that have no other description, and why: they stand for many pairs of laws, of which none is the worst."""
SUMS: dict[str, tuple[dpc.Mechanism, dpc.Mechanism]] = {
    "counted": (3 * split(10), split(10) + split(20) + split(30)),
    "counted long": (2 * split(10), split(10) + split(2001)),
    "geometric": (2 * dpc.Geometric(scale=2, sensitivity=2), dpc.Geometric(scale=2, sensitivity=2) + geometric(2, 2)),
    "gaussian": (4 * dpc.Gaussian(noise_std=2), dpc.Gaussian(noise_std=1)),
    "sampled gaussians": (
        2 * dpc.Sampled(2 * dpc.Gaussian(noise_std=2), rate=0.3),
        2 * dpc.Sampled(dpc.BlackBox(mu=0.5) + dpc.Gaussian(noise_std=2), rate=0.3),
    ),
    "a sampled sum": (dpc.Sampled(2 * split(10), rate=0.3), dpc.Sampled(split(10) + split(20), rate=0.3)),
    "group of a sum": (
        dpc.Group(dpc.Geometric(scale=3) + dpc.Laplace(scale=3), size=2),
        dpc.Geometric(scale=3, sensitivity=2) + dpc.Laplace(scale=3, sensitivity=2),
    ),
    "groups of groups": (
        dpc.Group(dpc.Group(dpc.BlackBox(epsilon=0.2), size=2), size=2),
        dpc.Group(dpc.BlackBox(epsilon=0.2), size=4),
    ),
}


def meet(first: dpc.Answer, second: dpc.Answer) -> bool:
    slack = ROUNDING * max(1.0, min(first.upper, second.upper))
    return first.lower <= second.upper + slack and second.lower <= first.upper + slack


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("same", SAME)
def test_descriptions_of_one_law_meet(same: str, wrapped: str) -> None:
    first, second = (WRAPPED[wrapped](m) for m in SAME[same])
    slow = wrapped == "drawn" or ("2001" in same and wrapped != "alone")
    for name in ("ε", "D₂") if slow else QUESTIONS:  # error rates of these take half a minute
        answers = QUESTIONS[name](first), QUESTIONS[name](second)
        assert meet(*answers), (name, *answers)


def test_every_kind_has_another_description_or_a_reason() -> None:
    assert {*ANOTHER, *NONE} == set(MECHANISMS)
    assert not ANOTHER.keys() & NONE.keys()
    assert all(isinstance(first, kind) and first != second for kind, (first, second) in ANOTHER.items())
    assert Counter(NONE.values()) == {"family": 4}


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("kind", ANOTHER, ids=named)
def test_every_kind_meets_its_other_description(kind: type[dpc.Mechanism], count: int) -> None:
    """Alone and twice. One beside the other would be another law: the two may face opposite ways."""
    first, second = ANOTHER[kind]
    for name, asked in QUESTIONS.items():
        answers = asked(count * first), asked(count * second)
        assert meet(*answers), (name, *answers)


@pytest.mark.parametrize("same", SUMS)
def test_sums_written_in_two_ways_meet(same: str) -> None:
    for name in ("ε", "D₂") if same == "counted long" else QUESTIONS:
        answers = QUESTIONS[name](SUMS[same][0]), QUESTIONS[name](SUMS[same][1])
        assert meet(*answers), (name, *answers)


def test_the_law_bites() -> None:
    """A law that is off by more than rounding is told apart."""
    other = dpc.DiscretePair(p=[0.6, 0.4], q=[0.4, 0.6])
    assert not meet(dpc.delta(dpc.BlackBox(epsilon=0.7), 0.2), dpc.delta(other, 0.2))


LOPSIDED = dpc.DiscretePair(p=(Fraction(1, 6), Fraction(1, 2), Fraction(1, 3)), q=(Fraction(1, 3), Fraction(2, 3), 0))


def often_nothing(rng: random.Random, name: str, param: Param) -> str:
    """A number from the ends of its range, and often 0: most mechanisms that equal others have no noise, or no rate."""
    return "0" if param.low == 0 and rng.random() < 0.3 else number(rng, name, param)


@pytest.mark.parametrize("cls", MECHANISMS, ids=named)
@pytest.mark.parametrize("relation", sorted(set(RELATIONS)))
def test_what_a_mechanism_equals_costs_the_same_beside_an_asymmetric_pair(cls: type, relation: str) -> None:
    """In either orientation: who is the same as another must not know more of which input has the record."""
    rng = random.Random(f"same {cls.__name__} {relation}")  # noqa: S311 - drawn again by its seed
    for _ in range(scaled(10)):
        text = described(rng, cls, relation, leaf(rng, relation) if cls in WRAPPERS else "", often_nothing)
        if not fits(text, relation):
            continue
        m = made(text)
        for claim in facts(m):
            if isinstance(claim.guarantee, SameAs) and claim.side is Side.BOTH:
                for pair in (LOPSIDED, dpc.DiscretePair(p=LOPSIDED.q, q=LOPSIDED.p)):
                    answers = [dpc.delta(pair + one, 1) for one in (m, claim.guarantee.mechanism)]
                    assert agree(answers), text
