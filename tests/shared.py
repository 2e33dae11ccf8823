"""What all of a process shares: an exception out of the clock, at the wrong moment, leaves it changed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import flint
import numpy as np

from dpcompose.numerics.precision import ctx


class Shared(NamedTuple):
    """The bits of a ball, what numpy does about errors, and whether garbage is collected."""

    bits: int
    errors: tuple[tuple[str, object], ...]
    collected: bool


def shared() -> Shared:
    """As it is now."""
    return Shared(int(flint.ctx.prec), tuple(np.geterr().items()), gc.isenabled())


def restore(before: Shared) -> None:
    """As it was."""
    flint.ctx.prec = before.bits
    np.seterr(**dict(before.errors))  # type: ignore[call-overload] # its own answer
    (gc.enable if before.collected else gc.disable)()


@contextmanager
def restored() -> Iterator[None]:
    """Whatever happens meanwhile, afterwards all is as before; who was broken off may hold the precision's lock, so
    there is a new one.
    """
    before = shared()
    try:
        yield
    finally:
        ctx.renew()
        restore(before)
