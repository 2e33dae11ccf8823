"""From claims to an enclosure, the cheapest first, until it is tight enough."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from dpcompose.description import Adaptivity, Mechanism, Subject, adaptivity_of
from dpcompose.errors import Contradiction, Declined, NotProvable
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Profile, Renyi
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, Enclosure, Real, enclose
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.prove.claims import Derivation, known
from dpcompose.prove.narrowing import Ask, Rough, Said, is_closed, narrow, untold
from dpcompose.prove.rigor import FLOAT, Refinement, refinement
from dpcompose.prove.short_forms import FewOfMany, OneLine

ORDER = Param("α", 1, 10**9, "order", typical=(1.1, 64))
HUGE = 1e308
"""Nearly the greatest float."""


@dataclass(frozen=True, slots=True, repr=False)
class Answer(OneLine):
    """An enclosure with the claim behind each end; `float()` gives the safe one."""

    question: str
    enclosure: Enclosure
    upper_by: Claim[Any] | None
    lower_by: Claim[Any] | None
    note: str = ""
    safe_side: Side = Side.UPPER
    """The end that never understates the loss: LOWER where a greater number is more private, as for an error rate."""

    @property
    def meaning(self) -> str:
        """What the number means, where that is not obvious."""
        return ""

    @property
    def lower(self) -> float:
        """A certified lower bound on the truth."""
        return self.enclosure.lower

    @property
    def upper(self) -> float:
        """A certified upper bound on the truth."""
        return self.enclosure.upper

    @property
    def safe(self) -> float:
        """The end that never understates the loss."""
        return self.upper if self.safe_side is Side.UPPER else self.lower

    @property
    def safe_by(self) -> Claim[Any] | None:
        """The claim behind the safe end."""
        return self.upper_by if self.safe_side is Side.UPPER else self.lower_by

    @property
    def because(self) -> str:
        """Why the safe end holds, in one line."""
        claim = self.safe_by
        if self.note or claim is None:
            return self.note or "every loss lies in this range"
        chain = " ← ".join(dict.fromkeys(step.theorem.id for _, step in claim.lineage()))
        return f"{chain} ({claim.theorem.source})"

    def __float__(self) -> float:
        return self.safe

    def __str__(self) -> str:
        meaning = f" {self.meaning}" if self.meaning else ""
        return f"{self.question} ∈ {self.enclosure}{meaning}, because {self.because}"


class Cap(Answer):
    """The cost of a fully adaptive composition: the guarantee for an analyst who stays below its caps on every path.

    It is no running total: an analyst who stops after looking may have lost more than the sums of that path show.
    """

    __slots__ = ()

    @property
    def meaning(self) -> str:
        """For whom the guarantee holds."""
        return "for whoever stays below these sums, fixed in advance, on every path"


def about(subject: Mechanism, answer: Answer) -> Answer:
    """The answer for its subject: a `Cap` if steps are chosen adaptively."""
    if adaptivity_of(subject) is not Adaptivity.FULLY_ADAPTIVE or isinstance(answer, Cap):
        return answer
    return Cap(*(getattr(answer, part.name) for part in fields(answer)))


@dataclass(frozen=True, slots=True, repr=False)
class Answers(FewOfMany):
    """One answer for each argument, in order; the ends are arrays."""

    each: tuple[Answer, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.each)

    def __getitem__(self, index: int) -> Answer:
        return self.each[index]

    @property
    def lower(self) -> NDArray[np.float64]:
        """The lower ends."""
        return np.array([answer.lower for answer in self.each])

    @property
    def upper(self) -> NDArray[np.float64]:
        """The upper ends."""
        return np.array([answer.upper for answer in self.each])

    @property
    def safe(self) -> NDArray[np.float64]:
        """The safe ends."""
        return np.array([answer.safe for answer in self.each])


Arguments: TypeAlias = Sequence[Real] | NDArray[np.float64]


@overload
def epsilon(mechanism: Subject, delta: Real, tolerance: float = ..., rigor: str = ...) -> Answer: ...
@overload
def epsilon(mechanism: Subject, delta: Arguments, tolerance: float = ..., rigor: str = ...) -> Answers: ...
def epsilon(
    mechanism: Subject, delta: Real | Arguments, tolerance: float = 1e-6, rigor: str = FLOAT
) -> Answer | Answers:
    """Enclose the least ε at which the mechanism is (ε, δ)-DP; for a sequence of δ, for each of them.

    `rigor="ball"` evaluates the saddle line in ball arithmetic, which takes longer and assumes nothing about the
    machine's exponentials and logarithms.
    """
    facts, refined = known(mechanism), refinement(tolerance, rigor)
    if (each := several(delta)) is not None:
        return Answers(tuple(least_epsilon(facts, DELTA.check("delta", d), tolerance, refined) for d in each))
    return least_epsilon(facts, DELTA.check("delta", delta), tolerance, refined)


def several(given: object) -> Sequence[Real] | None:
    """Several arguments, as Python numbers; None where one is given, as by a text."""
    if isinstance(given, np.ndarray) and given.ndim:
        return list(given.tolist())
    return given if isinstance(given, Sequence) and not isinstance(given, str | bytes) else None


@effort.question()
def least_epsilon(facts: Derivation, delta: Real, tolerance: float, refined: Refinement) -> Answer:
    """The least ε, from profiles that are refined to the tolerance by the given method."""
    ask: Ask = lambda p, gap: refined(p, gap).epsilon(delta)  # noqa: E731 - a formula
    found = narrowed("ε", facts, ask, NON_NEGATIVE, tolerance, rough=lambda p: p.roughly(delta))
    if not delta and found.enclosure.gap > tolerance:
        from dpcompose.prove.greatest import greatest_loss

        least, by = greatest_loss(facts.profiles(), lambda profile: refined(profile, tolerance))
        if least > found.lower:
            found = replace(found, enclosure=_between(least, found.upper, by, found.upper_by), lower_by=by)
    return reasoned(found, delta)


def reasoned(answer: Answer, delta: Real) -> Answer:
    """The answer, with the reason where no finite ε holds, or none that is a float."""
    if math.isfinite(answer.lower):
        return replace(answer, note="no float is as large as any bound on ε") if math.isinf(answer.upper) else answer
    below = f"δ = {float(delta):g} is below what the mechanism reveals outright"
    why = below if delta else "the loss has no bound, so that for every ε some output reveals more"
    return replace(answer, note=f"no finite ε holds: {why}")


@overload
def delta(mechanism: Subject, epsilon: Real, tolerance: float = ..., rigor: str = ...) -> Answer: ...
@overload
def delta(mechanism: Subject, epsilon: Arguments, tolerance: float = ..., rigor: str = ...) -> Answers: ...
def delta(
    mechanism: Subject, epsilon: Real | Arguments, tolerance: float = 1e-6, rigor: str = FLOAT
) -> Answer | Answers:
    """Enclose the least δ at which the mechanism is (ε, δ)-DP; for a sequence of ε, for each of them."""
    facts, refined = known(mechanism), refinement(tolerance, rigor)
    if (each := several(epsilon)) is not None:
        return _deltas(facts, [EPSILON.check("epsilon", e) for e in each], tolerance, refined)
    at = EPSILON.check("epsilon", epsilon)
    return narrowed("δ", facts, lambda p, gap: refined(p, gap).delta(at), UNIT_INTERVAL, tolerance)


def _deltas(facts: Derivation, epsilons: list[Real], tolerance: float, refined: Refinement) -> Answers:
    """The answers at many ε: each profile is evaluated at all ε that are still open, at once."""
    said: list[Said] = [[] for _ in epsilons]
    answers = [Answer("δ", UNIT_INTERVAL, None, None)] * len(epsilons)
    waiting = list(range(len(epsilons)))
    for claim in facts.profiles():
        if claim.theorem.surpassed:
            continue
        try:
            found = refined(claim.guarantee, tolerance).deltas([epsilons[i] for i in waiting])
        except Declined:
            continue
        for i, value in zip(waiting, found, strict=True):
            said[i].append((claim, value))
            answers[i] = intersected("δ", said[i], UNIT_INTERVAL)
        waiting = [i for i in waiting if not is_closed(answers[i].enclosure, said[i], tolerance)]
        if not waiting:
            break
    return Answers(tuple(about(facts.subject, answer) for answer in answers))


def renyi(mechanism: Subject, order: Real) -> Answer:
    """Enclose the Rényi divergence of the given order, the larger of both directions."""
    alpha = ORDER.check("order", order)
    facts = known(mechanism)
    if not (said := _divergences(facts, alpha)):
        raise NotProvable("No theorem bounds the Rényi divergence of this mechanism")
    found = intersected(f"D_{float(alpha):g}", said, NON_NEGATIVE)
    if math.isinf(found.lower):
        found = replace(found, note="some outputs rule one of the neighbours out, with positive probability")
    return about(facts.subject, found)


@effort.question()
def _divergences(facts: Derivation, order: Real) -> Said:
    """The value of each curve at this order."""
    said: Said = []
    for claim in facts.of(Renyi):
        with suppress(Declined), effort.dispensable():
            said.append((claim, _divergence(claim, order)))
    return said


def _divergence(claim: Claim[Renyi], order: Real) -> Enclosure:
    """The value of a curve; infinite, exactly, where some mass leaks."""
    leak = claim.guarantee.delta
    if leak == 0:
        return enclose(lambda: claim.guarantee.curve.at(order))
    certain = not isinstance(leak, Enclosure) or leak.lower > 0
    return Enclosure(math.inf if certain else 0.0, math.inf)


def narrowed(  # noqa: PLR0917 - one question
    name: str,
    facts: Derivation,
    ask: Ask,
    possible: Enclosure,
    tolerance: float,
    enough: float = 0.0,
    first: Sequence[Claim[Profile]] = (),
    rough: Rough = untold,
) -> Answer:
    """Evaluate the profiles in the order of their cost, after those given as `first`, until the gap is closed.

    If one theorem bounds both ends to within `enough`, its answer is taken, as others seldom improve it.
    """
    others = (claim for claim in facts.profiles() if all(claim is not other for other in first))
    said = narrow(chain(first, others), ask, possible, tolerance, enough, rough)
    answer = intersected(name, said, possible)
    overflows = any(Side.UPPER in claim.side and HUGE < found.lower < math.inf for claim, found in said)
    if math.isfinite(answer.lower) and math.isinf(answer.upper) and not overflows:
        raise NotProvable(f"No theorem bounds {name} here", [f"{t.id}: {why}" for t, why in facts.declined])
    return about(facts.subject, answer)


def intersected(name: str, said: Said, possible: Enclosure) -> Answer:
    """The intersection of all claims."""
    lower, upper = possible.lower, possible.upper
    lower_by = upper_by = exact = None
    for claim, found in said:
        exact = found.exact if exact is None and claim.side is Side.BOTH else exact
        if Side.UPPER in claim.side and found.upper < upper:
            upper, upper_by = found.upper, claim
        if Side.LOWER in claim.side and found.lower > lower:
            lower, lower_by = found.lower, claim
    return Answer(name, replace(_between(lower, upper, lower_by, upper_by), exact=exact), upper_by, lower_by)


def _between(lower: float, upper: float, lower_by: Claim[Any] | None, upper_by: Claim[Any] | None) -> Enclosure:
    """What lies between two ends; if that is nothing, it is a defect, and the error names the claims."""
    if lower > upper:
        above, below = (claim.theorem.id if claim else "the range" for claim in (upper_by, lower_by))
        raise Contradiction(f"{above} says at most {upper!r}, {below} at least {lower!r}.")
    return Enclosure(lower, upper)
