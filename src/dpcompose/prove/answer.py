"""From claims to an enclosure, the cheapest first, until it is tight enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from dpcompose.description import Mechanism
from dpcompose.errors import Contradiction, Declined, NotProvable
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Profile, Renyi
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT, Enclosure, Real, enclose
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.prove.claims import Known, known
from dpcompose.shown import Shown

NEGLIGIBLE = 1e-12
ORDER = Param("α", 1, 10**9, "order", typical=(1.1, 64))
TOLERANCE = Param("tolerance", 0, 1, "relative")


@dataclass(frozen=True, slots=True)
class Answer(Shown):
    """An enclosure with the claim behind each end; `float()` gives the safe one."""

    question: str
    enclosure: Enclosure
    upper_by: Claim[Any] | None
    lower_by: Claim[Any] | None
    note: str = ""
    safe_side: Side = Side.UPPER
    """Which end never understates the loss: the lower one where more is more private, as for an error rate."""

    @property
    def lower(self) -> float:
        """No value below this is the truth."""
        return self.enclosure.lower

    @property
    def upper(self) -> float:
        """No value above this is the truth."""
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
        return f"{self.question} ∈ {self.enclosure}, because {self.because}"

    def cite(self) -> str:
        """BibTeX for the theorems behind the safe end."""
        return self.safe_by.cite() if self.safe_by else ""


@dataclass(frozen=True, slots=True)
class Answers(Shown):
    """One answer for each argument, in order, with the ends as arrays."""

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
def epsilon(mechanism: Mechanism, delta: Real, tolerance: float = ...) -> Answer: ...
@overload
def epsilon(mechanism: Mechanism, delta: Arguments, tolerance: float = ...) -> Answers: ...
def epsilon(mechanism: Mechanism, delta: Real | Arguments, tolerance: float = 1e-6) -> Answer | Answers:
    """Enclose the least ε at which the mechanism is (ε, δ)-DP; for a sequence of δ, each of them."""
    facts = known(mechanism)
    if isinstance(delta, Sequence | np.ndarray):
        return Answers(tuple(_epsilon(facts, DELTA.check("delta", d), tolerance) for d in delta))
    return _epsilon(facts, DELTA.check("delta", delta), tolerance)


def _epsilon(facts: Known, delta: Real, tolerance: float) -> Answer:
    return reasoned(narrowed("ε", facts, lambda p: p.epsilon(delta), NON_NEGATIVE, tolerance), delta)


def reasoned(answer: Answer, delta: Real) -> Answer:
    """Say why, where no finite ε holds."""
    if not math.isinf(answer.lower):
        return answer
    return _with_note(answer, f"no finite ε holds: δ = {float(delta):g} is below what the mechanism reveals outright")


@overload
def delta(mechanism: Mechanism, epsilon: Real, tolerance: float = ...) -> Answer: ...
@overload
def delta(mechanism: Mechanism, epsilon: Arguments, tolerance: float = ...) -> Answers: ...
def delta(mechanism: Mechanism, epsilon: Real | Arguments, tolerance: float = 1e-6) -> Answer | Answers:
    """Enclose the least δ at which the mechanism is (ε, δ)-DP; for a sequence of ε, each of them."""
    facts = known(mechanism)
    if isinstance(epsilon, Sequence | np.ndarray):
        return Answers(tuple(_delta(facts, EPSILON.check("epsilon", e), tolerance) for e in epsilon))
    return _delta(facts, EPSILON.check("epsilon", epsilon), tolerance)


def _delta(facts: Known, epsilon: Real, tolerance: float) -> Answer:
    return narrowed("δ", facts, lambda p: p.delta(epsilon), UNIT, tolerance)


def renyi(mechanism: Mechanism, order: Real) -> Answer:
    """Enclose the Rényi divergence of the given order, the larger of both directions."""
    alpha = ORDER.check("order", order)
    said = [(claim, _divergence(claim, alpha)) for claim in known(mechanism).of(Renyi)]
    if not said:
        raise NotProvable("No theorem bounds the Rényi divergence of this mechanism")
    found = intersected(f"D_{float(alpha):g}", said, NON_NEGATIVE)
    if math.isinf(found.lower):
        found = _with_note(found, "some outputs rule one of the neighbours out, with positive probability")
    return found


def _divergence(claim: Claim[Renyi], order: Real) -> Enclosure:
    """The curve; infinite, and exactly so, where some mass leaks."""
    leak = claim.guarantee.delta
    if leak == 0:
        return enclose(lambda: claim.guarantee.curve.at(order))
    certain = not isinstance(leak, Enclosure) or leak.lower > 0
    return Enclosure(math.inf if certain else 0.0, math.inf)


def narrowed(
    name: str, facts: Known, ask: Callable[[Profile], Enclosure], possible: Enclosure, tolerance: float
) -> Answer:
    """Ask every profile in the order of its cost until the gap is closed."""
    TOLERANCE.check("tolerance", tolerance)
    said: list[tuple[Claim[Any], Enclosure]] = []
    answer = Answer(name, possible, None, None)
    for claim in facts.profiles():
        try:
            said.append((claim, ask(claim.guarantee.to(tolerance))))
        except Declined:
            continue
        answer = intersected(name, said, possible)
        from_both = any(Side.LOWER in spoken.side for spoken, _ in said)
        if answer.enclosure.gap <= tolerance or (from_both and answer.upper - answer.lower <= NEGLIGIBLE):
            break
    if answer.upper_by is None and math.isinf(answer.upper) and not math.isinf(answer.lower):
        raise NotProvable(f"No theorem bounds {name} here", [f"{t.id}: {why}" for t, why in facts.declined])
    return answer


def intersected(name: str, said: list[tuple[Claim[Any], Enclosure]], possible: Enclosure) -> Answer:
    """What all claims say together; a contradiction is a defect and says whose."""
    lower, upper = possible.lower, possible.upper
    lower_by = upper_by = None
    for claim, found in said:
        if Side.UPPER in claim.side and found.upper < upper:
            upper, upper_by = found.upper, claim
        if Side.LOWER in claim.side and found.lower > lower:
            lower, lower_by = found.lower, claim
    if lower > upper:
        raise Contradiction(
            f"{name}: {upper_by.theorem.id if upper_by else 'the range'} says at most {upper!r}, "
            f"{lower_by.theorem.id if lower_by else 'the range'} at least {lower!r}."
        )
    return Answer(name, Enclosure(lower, upper), upper_by, lower_by)


def _with_note(answer: Answer, note: str) -> Answer:
    return Answer(answer.question, answer.enclosure, answer.upper_by, answer.lower_by, note)
