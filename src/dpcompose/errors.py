"""Every refusal, drawn as a tree.

```
DPError
├── InvalidParameter     a value outside what its parameter allows      (also a ValueError)
├── InvalidDocument      a text that does not describe a mechanism      (also a ValueError)
├── AdjacencyMismatch    neighbouring relations that do not belong together
├── NotProvable          no theorem answers the question; carries every reason
├── Declined             one theorem does not apply, and says why
├── OutOfReach           there is no such thing, or not for whoever asks
├── NotPermitted         whoever asks may not do that
└── Contradiction        two theorems disagree: a defect of this library
```
"""

from __future__ import annotations

from collections.abc import Sequence


class DPError(Exception):
    """Anything this library refuses to do, in one sentence."""


def _shown(value: object) -> str:
    """The value in a few characters; numbers of thousands of digits have no short text."""
    try:
        text = " ".join(repr(value).split("\n"))
    except ValueError:
        text = "a number with too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


class InvalidParameter(DPError, ValueError):
    """A value outside what its parameter allows."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        """Name the parameter, show the value (shortened) and say what is allowed."""
        shown = _shown(value)
        super().__init__(f"{name} = {shown} is not allowed: expected {allowed}.")
        self.name, self.value, self.allowed = name, value, allowed


class InvalidDocument(DPError, ValueError):
    """A text that does not describe a mechanism."""


class AdjacencyMismatch(DPError, ValueError):
    """Neighbouring relations that do not belong together."""


class NotProvable(DPError):
    """No theorem answers the question."""

    def __init__(self, question: str, reasons: Sequence[str] = ()) -> None:
        """Say what was asked, and why each theorem declined."""
        self.reasons = tuple(dict.fromkeys(reasons))
        super().__init__("; ".join([question, *self.reasons]))


class Declined(DPError):
    """One theorem does not apply here."""


class OutOfReach(DPError):
    """What does not exist for whoever asks: it is not there, or not for them. Which of the two, is never said."""

    def __init__(self, what: str, name: str) -> None:
        """Say what was looked for, and show its name (shortened)."""
        super().__init__(f"There is no {what} {name[:100]!r} within reach of this token.")
        self.what, self.name = what, name


class NotPermitted(DPError):
    """What whoever asks may not do."""

    def __init__(self, sentence: str, parameter: str | None = None) -> None:
        """State who may, and the parameter that is to blame if there is one."""
        super().__init__(sentence)
        self.parameter = parameter


class Contradiction(DPError):
    """Two theorems disagree about one number, which only a defect of this library can cause."""
