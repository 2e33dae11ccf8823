"""What a composition costs at least at δ = 0: its greatest loss, as far as any claim knows those of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from dpcompose.errors import Declined
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Profile
from dpcompose.numerics import effort


def greatest_loss(
    claims: Iterable[Claim[Profile]], refined: Callable[[Profile], Profile]
) -> tuple[float, Claim[Any] | None]:
    """The best lower bound on ε at δ = 0 by the greatest losses of all steps, and the claim behind it."""
    most: tuple[float, Claim[Any] | None] = (0.0, None)
    for claim in claims:
        if Side.LOWER in claim.side:
            with suppress(Declined), effort.dispensable():
                most = max(most, (refined(claim.guarantee).greatest_loss(), claim), key=lambda each: each[0])
    return most


__all__ = ["greatest_loss"]
