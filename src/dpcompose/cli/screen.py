"""What reaches the screen: plain text when it is read by a program, a little weight when by a person."""

from __future__ import annotations

import os
import sys

WEIGHTS = {
    r"(?m)^\* .*$": "bold green",
    r"(?m)^(\S+ ∈ \[|ε ≥ |\? = ).*$": "bold",
    r"(?m)^HOLDS: .*$": "bold green",
    r"(?m)^(REFUTED|UNDECIDED): .*$": "bold red",
}
"""The tightest theorem, the answer, and the verdict."""


def show(text: str) -> None:
    """Print a text, unchanged but for its weight."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()  # a reader that has gone is noticed here, not at exit
        return
    from rich.console import Console
    from rich.text import Text

    styled = Text(text)
    for pattern, weight in WEIGHTS.items():
        styled.highlight_regex(pattern, weight)
    Console(highlight=False).print(styled, soft_wrap=True)
