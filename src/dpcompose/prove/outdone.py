"""Which claims are implied by others, as can be seen from their lineages."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel import Claim, Side
from dpcompose.notions import Alone, ApproxDP, FiniteLoss, LossTransform


def says_no_more(claim: Claim[Any], other: Claim[Any]) -> bool:
    """Whether a claim is implied by the other one: the same theorem from premises none of which says more."""
    if claim is other:
        return True
    if claim.subject is not other.subject:
        return False
    if type(claim.guarantee) is type(other.guarantee) and not claim.counts:
        if other.side is Side.BOTH:
            return bool(_leak(claim) == _leak(other))
        if _is_promise_of(claim, other):
            return True
    return (
        claim.theorem is other.theorem
        and claim.side is other.side
        and claim.counts == other.counts
        and len(claim.premises) == len(other.premises) > 0
        and all(map(says_no_more, claim.premises, other.premises))
    )


def is_drawn(claim: Claim[Any], other: Claim[Any]) -> bool:
    """Whether the other claim composes losses that determine this claim's premises about each part: then it implies
    everything that follows from those premises.
    """
    if other.theorem.types[0] is not LossTransform or claim.side not in other.side:
        return False
    while claim.premises and not claim.counts:
        claim = claim.premises[-1]
    if claim.theorem.types[0] is LossTransform and claim.theorem is not other.theorem:
        return False  # it composes the losses in another way
    if not len(claim.counts) == len(claim.premises) <= len(other.premises) == len(other.counts):
        return False
    losses = {(id(loss.subject), n): loss for loss, n in zip(other.premises, other.counts, strict=True)}
    held = [losses.get((id(p.subject), n)) for p, n in zip(claim.premises, claim.counts, strict=True)]
    return all(loss is not None and _is_known(p, loss) for p, loss in zip(claim.premises, held, strict=True))


def is_dotted(claim: Claim[Any], other: Claim[Any]) -> bool:
    """Whether this claim is drawn from the finite pair (`Dotted`) of a fact about a single run, and the other claim
    uses that fact itself.
    """
    known = [p for p in other.premises if isinstance(p.guarantee, Alone)]
    drawn = [p for step in claim.premises for p in step.premises]
    return claim.counts == other.counts == (1,) and len(known) == len(drawn) == 1 and known[0] is drawn[0]


def _is_known(claim: Claim[Any], loss: Claim[Any]) -> bool:
    """Whether a claim about a part follows from the part's loss."""
    if loss.side is Side.BOTH or _origin(claim) is _pair_behind(loss) or _is_promise_of(claim, loss):
        return True
    return loss.theorem.side is Side.BOTH and any(claim is premise for premise in loss.premises)


def _is_promise_of(claim: Claim[Any], other: Claim[Any]) -> bool:
    """Whether an upper bound rests on a bare (ε, δ), where the other claim knows a pair with that promise."""
    origin = _origin(claim)
    bare = isinstance(origin.guarantee, ApproxDP) and origin.subject is other.subject and _pair_behind(other)
    return bool(bare) and claim.side is Side.UPPER and Side.UPPER in other.side


def _pair_behind(claim: Claim[Any]) -> Claim[Any] | None:
    """The finite pair that describes the part itself, if the claim says directly, and of both ends, what it loses."""
    match claim.premises:
        case [Claim(subject=subject, guarantee=FiniteLoss(), premises=()) as pair] if subject is claim.subject:
            return pair if claim.theorem.side is Side.BOTH else None
    return None


def _origin(claim: Claim[Any]) -> Claim[Any]:
    """The description of a part on which a claim rests."""
    while claim.premises:
        claim = claim.premises[-1]
    return claim


def _leak(claim: Claim[Any]) -> Any:
    """The probability of an infinite loss, beside the rest of the guarantee."""
    return getattr(claim.guarantee, "delta", getattr(claim.guarantee, "leak", 0))


__all__ = ["is_dotted", "is_drawn", "says_no_more"]
