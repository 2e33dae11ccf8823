"""Works from the ends of every range, each a text that makes it again: for the laws and for the long runs."""

from __future__ import annotations

import random
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import dpcompose as dpc
from dpcompose.kernel import Claim, Side
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.parameters import Param, Whole, declared
from dpcompose.prove.claims import known
from shared import restored
from strategies import LEAVES, MECHANISMS

ENDS = (0, 5e-324, 1e-310, 1e-300, 1e-200, 1e-150, 1e-100, 1e-50, 1e-16, 1e-9, 1e-6)
MIDDLE = (1e-3, 0.02, 0.1, 0.3, 0.5, 1, 2, 2.5, 7, 40)
FAR = (700, 1e6, 1e9, 1e50, 1e100, 1e150, 1e300)
RATES = (0, 5e-324, 1e-300, 1e-16, 1e-9, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9, 1 - 1e-16, 1)
COUNTS = (1, 1, 2, 3, 10, 100, 10**4, 10**6, 10**9)
RELATIONS = ("ADD_REMOVE", "REPLACE_ONE", "ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT")
SECONDS = 10.0
WRAPPERS = tuple(cls for cls in MECHANISMS if cls not in LEAVES)
NAMES: dict[str, Any] = {name: getattr(dpc, name) for name in dpc.__all__} | {"F": Fraction}


def made(text: str) -> Any:
    """What the text says."""
    return eval(text, dict(NAMES))  # noqa: S307 - a text of our own making


class Late(BaseException):
    """Raised by the clock; nothing in the library catches it."""


Draw = Callable[[random.Random, str, Param], str]
"""How a number is chosen for a parameter of this name."""


@dataclass(frozen=True)
class Outcome:
    """What became of a question: the answer or the exception, and the processor time it took."""

    answer: Any
    error: BaseException | None
    seconds: float


def number(rng: random.Random, _: str, param: Param) -> str:
    """A value the parameter allows, more often than not from an end of its range."""
    if isinstance(param, Whole):
        allowed = [n for n in (0, 1, 2, 3, 7, 100, 10**6, 10**9, int(param.high)) if param.low <= n <= param.high]
        return str(rng.choice(allowed))
    pool = RATES if param.high == 1 else (*ENDS, *MIDDLE, *MIDDLE, *FAR)
    return repr(rng.choice([x for x in pool if param.low <= x <= param.high]))


def pair(rng: random.Random) -> str:
    """Two finite laws, sometimes with outcomes that only one of them has, sometimes hardly different."""
    size = rng.randint(2, 4)
    laws = []
    for _ in range(2):
        weights = [Fraction(rng.choice((0, 1, 1, 2, 5, Fraction(1, 10**9), Fraction(1, 10**300)))) for _ in range(size)]
        total = sum(weights) or 1
        laws.append([w / total for w in weights] if sum(weights) else [Fraction(1, size)] * size)
    p, q = ("(" + ", ".join(f"F({w.numerator}, {w.denominator})" for w in law) + ",)" for law in laws)
    return f"DiscretePair(p={p}, q={q})"


def listed(rng: random.Random, cls: type[dpc.Mechanism]) -> list[str]:
    """What a kind asks for beside numbers."""
    if cls is dpc.BandedMatrix:
        return [f"coefficients={tuple(rng.choice((0, 1e-300, 0.1, 0.5, 1)) for _ in range(rng.randint(1, 3)))}"]
    if cls is dpc.MixtureOfGaussians:
        shifts = tuple(rng.choice((0, 1e-150, 0.1, 1, 7, 1e6)) for _ in range(rng.randint(1, 3)))
        chances = ", ".join(f"F(1, {len(shifts)})" for _ in shifts)
        return [f"sensitivities={shifts}, probabilities=({chances},)"]
    return []


def chosen(rng: random.Random, cls: type[dpc.Mechanism]) -> list[str]:
    """The numbers that are stated: of a black box what is known, of others all but some that may be left out."""
    if cls is dpc.BlackBox:
        known = rng.choice(("epsilon", "epsilon", "rho", "mu"))
        return [known] if known == "mu" or rng.random() < 0.5 else [known, "delta"]
    optional = {f.name for f in fields(cls) if f.default is None}
    return [name for name in declared(cls) if name not in optional or rng.random() < 0.5]


def described(rng: random.Random, cls: type[dpc.Mechanism], relation: str, inner: str = "", draw: Draw = number) -> str:
    """A mechanism of one kind, around another if it is a wrapper, its numbers drawn from what it declares."""
    if cls is dpc.DiscretePair:
        return pair(rng)
    if cls is dpc.BlackBox and rng.random() < 0.2:
        return f"BlackBox(renyi={{{rng.choice((1.5, 2, 8))}: {draw(rng, 'epsilon', declared(cls)['epsilon'])}}})"
    if cls is dpc.SampledSum:  # of nothing else
        inner = described(rng, dpc.Gaussian, relation, draw=draw)
    said = {name: draw(rng, name, declared(cls)[name]) for name in chosen(rng, cls)}
    for name in {"size", "limit"} & said.keys() if "of" in said else ():  # a part of them, rather than any number
        said[name] = str(rng.choice((0, 1, int(said["of"]) // 2, int(said["of"]) - 1, said["of"], said[name])))
    if cls is dpc.BandedMatrix:  # room for its bands
        said |= {name: str(max(3, int(said[name]))) for name in ("separation", "steps")}
    if relation != "ADD_REMOVE" and any(f.init and f.default is dpc.ADD_REMOVE for f in fields(cls)):
        said["adjacency"] = relation
    words = ([inner] if inner else []) + [f"{name}={value}" for name, value in said.items()] + listed(rng, cls)
    return f"{cls.__name__}({', '.join(words)})"


def fits(text: str, relation: str) -> bool:
    """Whether there is such a mechanism, and it goes with others under the relation."""
    try:
        return made(text).adjacency in (None, made(relation))
    except (dpc.InvalidParameter, dpc.AdjacencyMismatch):
        return False


def leaf(rng: random.Random, relation: str) -> str:
    """A mechanism of any kind that has no other inside."""
    return described(rng, rng.choice(LEAVES), relation)


def wrapped(rng: random.Random, inner: str, relation: str) -> str:
    """Inside any wrapper that takes it; a group takes everything."""
    tried = (described(rng, cls, relation, inner) for cls in rng.sample(WRAPPERS, len(WRAPPERS)))
    return next((text for text in tried if fits(text, relation)), inner)


def part(rng: random.Random, relation: str) -> str:
    """A mechanism, sometimes wrapped, sometimes twice, sometimes a composition in a wrapper."""
    found = leaf(rng, relation)
    if rng.random() < 0.1:
        found = f"({rng.choice((2, 10))} * {found} + {leaf(rng, relation)})"
    while rng.random() < 0.4:
        found = wrapped(rng, found, relation)
    return found


def composition(rng: random.Random, relation: str) -> str:
    """Up to three kinds, up to 10⁹ times."""
    parts = [f"{rng.choice(COUNTS)} * {part(rng, relation)}" for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    return " + ".join(parts)


def asked(rng: random.Random, subject: str) -> str:
    """A question about it; those that take long are asked less often."""
    delta = rng.choice((0, 5e-324, 1e-300, 1e-50, 1e-9, 1e-6, 0.01, 0.5, 1 - 1e-16, 1))
    epsilon = rng.choice((0, 5e-324, 1e-300, 1e-9, 0.1, 1, 3, 700, 1e6, 1e300))
    order = rng.choice((1, 1 + 2**-52, 1.5, 2, 1000, 10**9))
    alpha = rng.choice((0, 5e-324, 1e-9, 0.05, 0.3, 0.5, 1 - 1e-16, 1))
    questions = {
        f"epsilon({subject}, {delta!r})": 8,
        f"delta({subject}, {epsilon!r})": 12,
        f"renyi({subject}, {order!r})": 12,
        f"compare({subject}, delta={delta!r})": 2,
        f"compare({subject}, epsilon={epsilon!r})": 2,
        f"advantage({subject})": 4,
        f"beta({subject}, {alpha!r})": 1,
        f"bayes_error({subject}, {alpha!r})": 2,
        f"tpr({subject}, {alpha!r})": 1,
        f"posterior_odds({subject}, delta={delta!r})": 1,
    }
    return rng.choices(list(questions), weights=list(questions.values()))[0]


def works(seed: object) -> Iterator[str]:
    """Questions without end, the same for the same seed."""
    rng = random.Random(f"wild {seed}")  # noqa: S311 - a draw, no secret
    while True:
        yield asked(rng, composition(rng, rng.choice(RELATIONS)))


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Late` after so much processor time, and again: what calls back from C may swallow it once."""

    def late(*_: object) -> None:
        raise Late(f"no answer within {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, late)
    with restored():  # what is broken off as it sets the precision back, does not
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.05)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)


def outcome(text: str, seconds: float = SECONDS) -> Outcome:
    """Ask, with a limit on the time; warnings are errors."""
    began, answer, error = time.process_time(), None, None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            with limited(seconds):
                answer = made(text)
        except (Exception, Late) as found:  # noqa: BLE001 - all of them are what is looked for
            error = found
    return Outcome(answer, error, time.process_time() - began)


def complaint(found: Outcome) -> str:
    """What is wrong with an outcome; nothing if it is an answer, or a refusal that the documentation names."""
    if isinstance(found.error, dpc.NotProvable | dpc.InvalidParameter | dpc.AdjacencyMismatch):
        return ""
    if found.error is not None:
        return f"{type(found.error).__name__}: {str(found.error)[:200]}"
    best = getattr(found.answer, "best", found.answer)
    if not best.lower <= best.upper:  # also where one of them is not a number
        return f"NoEnclosure: {best.lower!r}, {best.upper!r}"
    return ""


def not_below(one: dpc.Mechanism, whole: dpc.Mechanism, epsilon: float) -> None:
    """No claim about the whole lies below any about the part; nor does the answer."""
    alone = max([dpc.delta(one, epsilon).lower, *(found.lower for _, found in said(one, Side.LOWER, epsilon))])
    for claim, found in said(whole, Side.UPPER, epsilon):
        assert found.upper >= alone, f"{claim.theorem.id}: {found!r}, and {one!r} alone {alone!r}"
    assert dpc.delta(whole, epsilon).upper >= alone


def said(subject: dpc.Mechanism, of: Side, epsilon: float) -> Iterator[tuple[Claim[Any], Enclosure]]:
    """What every claim about one end says, but those that decline."""
    for claim in known(subject).profiles():
        if of in claim.side:
            with suppress(dpc.Declined):
                yield claim, claim.guarantee.delta(epsilon)
