"""Every claim, not only the winner: each theorem's own enclosure against brute force, over the whole library.

A false theorem that loses to a tighter one is never seen in an answer. Here it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.errors import Declined
from dpcompose.kernel import STANDARD, Claim, Side
from dpcompose.notions import ZCDP, ApproxDP, Profile, Renyi, SampledOnce
from dpcompose.numerics.enclosure import Enclosure, ball, enclose
from dpcompose.prove.claims import facts, known
from oracles.brute_pairs import (
    Laws,
    Work,
    gaussian,
    integers,
    laplacian,
    leaky,
    listed,
    on_a_sample,
    plain,
    run,
    run_facing,
    times,
)

pytestmark = pytest.mark.slow

LEVELS, DELTAS, ORDERS = (0.0, 0.5), (0.02,), (1, 2, 3.5)
P, Q = (Fraction(1, 2), Fraction(3, 8), Fraction(1, 8)), (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
LEAKING = ((Fraction(1, 2), Fraction(1, 2), 0), (Fraction(1, 4), Fraction(5, 8), Fraction(1, 8)))
SURE = ((1, 0), (Fraction(13, 18), Fraction(5, 18)))
"""Read backward, it leaks, and gains nothing otherwise."""
KINDS: dict[str, tuple[Callable[..., dpc.Mechanism], tuple[Laws, Laws]]] = {
    "box": (lambda **to: dpc.BlackBox(epsilon=0.4, delta=0.05, **to), leaky(0.4, 0.05)),
    "pure box": (lambda **to: dpc.BlackBox(epsilon=0.7, **to), leaky(0.7, 0.0)),
    "response": (
        lambda **to: dpc.RandomizedResponse(epsilon=1, categories=3, **to),
        listed(*(np.array(law) / (math.e + 2) for law in ([math.e, 1, 1], [1, math.e, 1]))),
    ),
    "geometric": (
        lambda **to: dpc.Geometric(scale=2, sensitivity=2, **to),
        integers(lambda x: np.exp(-abs(x) / 2), 2, 120),
    ),
    "narrow": (
        lambda **to: dpc.DiscreteGaussian(noise_std=1.5, **to),
        integers(lambda x: np.exp(-(x**2) / 4.5), 1, 20),
    ),
    "wide": (lambda **to: dpc.DiscreteGaussian(noise_std=6, **to), integers(lambda x: np.exp(-(x**2) / 72), 1, 70)),
    "gaussian": (lambda **to: dpc.Gaussian(noise_std=2, **to), gaussian(0.5)),
    "laplace": (lambda **to: dpc.Laplace(scale=2, **to), laplacian(0.5)),
    "pair": (lambda **to: dpc.DiscretePair(p=P, q=Q, **to), listed(P, Q)),
    "leaking": (lambda **to: dpc.DiscretePair(p=LEAKING[0], q=LEAKING[1], **to), listed(*LEAKING)),
    "sure": (lambda **to: dpc.DiscretePair(p=SURE[0], q=SURE[1], **to), listed(*SURE)),
}
RATE = Fraction(3, 10)


def works() -> Iterator[tuple[str, dpc.Mechanism, Callable[[], Work]]]:
    """Kinds, wrapped and not, once and twice, under both relations; and mixtures."""
    for name, (make, pair) in KINDS.items():
        m, other = make(), make(adjacency=dpc.REPLACE_ONE)
        both = tuple(times(side, side) for side in pair)
        thin, fixed = on_a_sample(pair, 0.3), on_a_sample(pair, 0.4)
        drawn = {"size": 2, "of": 5}
        for count in (1, 2):
            yield f"{count} {name}", count * m, lambda c=count, p=pair: run([plain(p)] * c)
            yield f"{count} {name}, replaced", count * other, lambda c=count, p=pair: run_facing([plain(p)] * c)
            yield (
                f"{count} sampled {name}",
                count * dpc.Sampled(m, rate=RATE),
                lambda c=count, t=thin: run([t] * c),
            )
        yield f"twice sampled {name}", dpc.Sampled(dpc.Sampled(m, rate=0.5), rate=0.6), lambda t=thin: run([t])
        yield f"sampled 2 {name}", dpc.Sampled(2 * m, rate=RATE), lambda b=both: run([on_a_sample(b, 0.3)])
        yield f"drawn {name}", dpc.SampledWithoutReplacement(other, **drawn), lambda t=fixed: run_facing([t])
        if name not in {"pair", "leaking", "sure"}:  # what two of them do when they face each other is another pair
            yield (
                f"drawn 2 {name}",
                dpc.SampledWithoutReplacement(2 * other, **drawn),
                lambda b=both: run_facing([on_a_sample(b, 0.4)]),
            )
        yield (
            f"{name} beside a sampled geometric",
            m + dpc.Sampled(KINDS["geometric"][0](), rate=RATE),
            lambda p=pair: run([plain(p), on_a_sample(KINDS["geometric"][1], 0.3)]),
        )
    for name in ("pair", "leaking", "sure"):
        make, pair = KINDS[name]
        yield (
            f"{name} beside a box and a gaussian",
            make() + KINDS["box"][0]() + KINDS["gaussian"][0](),
            lambda p=pair: run([plain(p), plain(KINDS["box"][1]), plain(KINDS["gaussian"][1])]),
        )
        yield (
            f"sampled {name} beside a box",
            dpc.Sampled(make(), rate=RATE) + KINDS["box"][0](),
            lambda p=pair: run([on_a_sample(p, 0.3), plain(KINDS["box"][1])]),
        )
    for name, twice in GROUPED.items():
        m = KINDS[name][0]()
        yield f"group of {name}", dpc.Group(m, size=2), lambda t=twice: run([plain(t)])
        yield f"group of 2 {name}", dpc.Group(2 * m, size=2), lambda t=twice: run([plain(t)] * 2)
        yield (
            f"2 sampled groups of {name}",
            2 * dpc.Sampled(dpc.Group(m, size=2), rate=RATE),
            lambda t=twice: run([on_a_sample(t, 0.3)] * 2),
        )


GROUPED: dict[str, tuple[Laws, Laws]] = {
    "geometric": integers(lambda x: np.exp(-abs(x) / 2), 4, 120),
    "narrow": integers(lambda x: np.exp(-(x**2) / 4.5), 2, 20),
    "gaussian": gaussian(1.0),
    "laplace": laplacian(1.0),
}
ALL = {name: (work, truth) for name, work, truth in works()}


def violations(work: dpc.Mechanism, truth: Work) -> list[str]:
    """What any claim about the work, or about a part that is all of it, says that is not so."""
    found = []
    whole = known(work)
    parts = whole.subject.parts
    alone = facts(parts[0][0]) if len(parts) == 1 and parts[0][1] == 1 else ()
    deltas, curves = {e: truth.delta(e) for e in LEVELS}, {a: truth.renyi(a) for a in ORDERS}
    for claim in (*whole.claims, *alone):
        found += [f"{claim.theorem.id} {said} {claim.side}" for said in _false(claim, truth, deltas, curves)]
    return found


def _false(claim: Claim[Any], truth: Work, deltas: dict[float, Any], curves: dict[Any, Any]) -> Iterator[str]:
    promise = claim.guarantee
    if isinstance(promise, Profile):
        for level, ends in deltas.items():
            said = _asked(lambda e=level: promise.delta(e))
            if said and not _meets(claim, said, *ends):
                yield f"δ({level}) in {said}, not {ends}"
        yield from _false_inverses(claim, truth)
    elif isinstance(promise, ApproxDP) and Side.UPPER in claim.side:
        most = promise.delta.upper if isinstance(promise.delta, Enclosure) else float(promise.delta)
        if truth.delta(float(promise.epsilon))[0] > most + 1e-12:
            yield f"{promise}"
    elif isinstance(promise, Renyi | ZCDP) and promise.delta == 0:
        curve = promise.curve.at if isinstance(promise, Renyi) else lambda a: ball(promise.rho) * ball(a)
        said = {order: enclose(lambda a=order: curve(a), gap=1.0) for order in curves}
        yield from (
            f"D_{a} in {said[a]}, not {ends}" for a, ends in curves.items() if not _meets(claim, said[a], *ends)
        )


def _false_inverses(claim: Claim[Any], truth: Work) -> Iterator[str]:
    for delta in DELTAS:
        said = _asked(lambda d=delta: claim.guarantee.epsilon(d))
        if said and Side.UPPER in claim.side and said.upper < math.inf and truth.delta(said.upper)[0] > delta:
            yield f"ε({delta}) ≤ {said.upper}"
        if said and Side.LOWER in claim.side and said.lower > 0 and truth.delta(said.lower * (1 - 1e-9))[1] < delta:
            yield f"ε({delta}) ≥ {said.lower}"


def _asked(question: Callable[[], Enclosure]) -> Enclosure | None:
    try:
        return question()
    except Declined:
        return None


def _meets(claim: Claim[Any], said: Enclosure, low: float, high: float) -> bool:
    above, below = Side.UPPER not in claim.side or said.upper >= low, Side.LOWER not in claim.side or said.lower <= high
    return above and below


@pytest.mark.parametrize("name", ALL)
def test_no_claim_is_false(name: str) -> None:
    work, truth = ALL[name]
    assert not violations(work, truth())


def test_the_oracle_agrees_with_what_is_known_by_hand() -> None:
    """Randomized response of 1 has δ(0) = tanh ½, and a Gaussian of μ = ½ has D₂ = ¼."""
    low, high = run([plain(leaky(1.0, 0.0))]).delta(0.0)
    assert low <= math.tanh(0.5) <= high <= low + 1e-8
    low, high = run([plain(gaussian(0.5))]).renyi(2)
    assert low <= 0.25 <= high <= low + 1e-3
    low, high = run([on_a_sample(leaky(1.0, 0.1), 0.5)]).delta(0.0)
    assert low <= 0.5 * (0.1 + 0.9 * math.tanh(0.5)) <= high


# ------------------------------------------------------------------------------------------ the law bites


def too_flat(m: dpc.Sampled, inner: ApproxDP) -> ApproxDP:
    """A loser: q·ε is below ln(1+q(e^ε−1)), but other theorems say less still at most δ."""
    return ApproxDP(Fraction(m.rate) * Fraction(inner.epsilon), Fraction(m.rate) * Fraction(inner.delta))


def unthinned(m: dpc.Sampled, inner: Profile) -> SampledOnce:
    """Amplification by q², where a record is drawn with probability q."""
    return SampledOnce(Fraction(m.rate) ** 2, inner)


def forgotten_leak(m: dpc.Sampled, inner: ApproxDP) -> ApproxDP:
    """The δ of the mechanism inside does not vanish."""
    e = enclose(lambda: (ball(m.rate) * ball(inner.epsilon).expm1()).log1p()).upper
    return ApproxDP(e, 0)


PLANTED = [
    ("sampling_amplifies", too_flat, "1 sampled pure box"),
    ("sampling_amplifies", forgotten_leak, "1 sampled box"),
    ("bent_by_poisson", unthinned, "sampled 2 laplace"),
    ("bent_by_poisson", unthinned, "sampled 2 wide"),
]


@pytest.mark.parametrize("name, wrong, work", PLANTED)
def test_a_false_theorem_is_seen_although_others_win(name: str, wrong: Any, work: str) -> None:
    subject, truth = ALL[work]
    planted = replace(STANDARD.theorems[name], proof=wrong)
    with patch.dict(STANDARD.theorems, {name: planted}), patch.object(STANDARD, "_found", {}):
        assert violations(subject, truth())
    assert not violations(subject, truth())
