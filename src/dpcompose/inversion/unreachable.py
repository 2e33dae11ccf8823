"""Ways in which the float tier gives up a line; the profile then falls back to a wider, still sound
answer.
"""

from __future__ import annotations


class Unreachable(ArithmeticError):
    """No line of bounded cost can be certified here."""


class TooManyNodes(Unreachable):
    """The quadrature would need this many nodes."""

    def __init__(self, count: int) -> None:
        super().__init__(f"the quadrature would need {count} nodes")
