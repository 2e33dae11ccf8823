"""Ways in which floats give up; whoever asked falls back to a wider, still sound answer."""

from __future__ import annotations


class Unreachable(ArithmeticError):
    """Floats of bounded cost certify nothing here."""


class TooManyNodes(Unreachable):
    """The quadrature would need this many nodes."""

    def __init__(self, count: int) -> None:
        super().__init__(f"the quadrature would need {count} nodes")
