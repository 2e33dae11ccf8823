"""Short forms of answers: one line, or a few digits that never understate the loss."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any, Protocol

from dpcompose.errors import InvalidParameter
from dpcompose.kernel import Claim, Side
from dpcompose.numerics.enclosure import Enclosure, rounded
from dpcompose.shown import Explained, NotebookResult


class _Answer(Protocol):
    """What a short form needs of an answer."""

    @property
    def question(self) -> str:
        """What was asked."""

    @property
    def enclosure(self) -> Enclosure:
        """Both ends."""

    @property
    def safe_side(self) -> Side:
        """The safe end."""

    @property
    def safe(self) -> float:
        """The end that never understates the loss."""

    @property
    def safe_by(self) -> Claim[Any] | None:
        """The claim behind the safe end."""


def digits_of(form: str) -> int:
    """How many significant digits a form such as `.3g` asks for."""
    digits = re.fullmatch(r"\.([1-9]\d?)g", form)
    if digits is None:
        raise InvalidParameter("format", form, "nothing, or significant digits such as '.3g'")
    return int(digits[1])


class OneLine(Explained):
    """An answer whose `repr` is one line, and which an f-string can format."""

    __slots__ = ()

    def __repr__(self: _Answer) -> str:
        by = f" by {self.safe_by.theorem.id}" if self.safe_by else ""
        return f"<{type(self).__name__} {self.question} ∈ {self.enclosure}{by}>"

    def __format__(self: _Answer, form: str) -> str:
        """`f"{answer:.3g}"` is the safe end with this many digits, rounded to its safe side; other forms give the
        sentence.
        """
        if not form:
            return str(self)
        digits = digits_of(form)
        if self.safe_side is Side.UPPER:
            return rounded(self.enclosure.most, ROUND_CEILING, digits)
        return rounded(self.enclosure.least, ROUND_FLOOR, digits)

    def cite(self: _Answer) -> str:
        """BibTeX for the theorems behind the safe end."""
        return self.safe_by.cite() if self.safe_by else ""


class _Answers(Protocol):
    """What a short form needs of several answers."""

    @property
    def each(self) -> tuple[Any, ...]:
        """The answers, in order."""


class FewOfMany(NotebookResult):
    """Many answers, of which the `repr` shows the first."""

    __slots__ = ()

    def __repr__(self: _Answers) -> str:
        first = ", ".join(str(answer.enclosure) for answer in self.each[:3])
        shown = f": {first}{', …' if len(self.each) > 3 else ''}" if first else ""
        return f"<{len(self.each)} answers{shown}>"

    def __format__(self: _Answers, form: str) -> str:
        """`f"{answers:.3g}"` is the safe end of each with this many digits; without a form, the first of them."""
        return ", ".join(format(answer, form) for answer in self.each) if form else str(self)


__all__ = ["FewOfMany", "OneLine", "digits_of"]
