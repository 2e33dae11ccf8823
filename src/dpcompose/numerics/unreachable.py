"""Exceptions by which a computation in floats gives up; its caller falls back to a wider, still sound answer."""

from __future__ import annotations


class OutOfReach(ArithmeticError):
    """No computation in floats at a bounded cost certifies an answer here."""


class TooManyNodes(OutOfReach):
    """The quadrature would need this many nodes."""

    def __init__(self, count: int) -> None:
        super().__init__(f"the quadrature would need {count} nodes")
