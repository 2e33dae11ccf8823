"""Printing: plain text for a program, with some lines in bold for a person.

A terminal without Greek letters gets `epsilon in [1.99309, 1.9931]`; a narrow one gets narrow lines.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator
from typing import TextIO

BOLD, GREEN, RED, PLAIN = "\x1b[1m", "\x1b[1;32m", "\x1b[1;31m", "\x1b[0m"
WEIGHTS = (
    (re.compile(r"^\* |^HOLDS: "), GREEN),
    (re.compile(r"^(REFUTED|UNDECIDED): "), RED),
    (re.compile(r"^(\S+ (∈|in) \[|(ε|epsilon) (≥|>=) |\? = )"), BOLD),
)
"""What is printed in bold or colour: the tightest theorem, the verdict, and the answer."""

WIDTH = 80
ASCII = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta", "κ": "kappa",
    "λ": "lambda", "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Δ": "Delta", "Γ": "Gamma", "Φ": "Phi", "Ψ": "Psi", "Σ": "sum", "Π": "prod", "∫": "int",
    "∈": "in", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "←": "<-", "→": "->", "×": "x", "·": "*", "±": "+-",
    "∞": "inf", "√": "sqrt", "–": "-", "—": "-", "−": "-", "…": "...", "‖": "||", "⊢": "|-", "⌊": "floor(",
    "⌋": ")", "⌈": "ceil(", "⌉": ")", "∝": "~", "∪": "or", "∩": "and", "½": "1/2", "ℓ": "l", "“": '"', "”": '"',
    "‘": "'", "’": "'", "²": "^2", "³": "^3", "\u0303": "~", "\u0302": "^", "\u0304": "_",
}  # fmt: skip


class Unwritten(Exception):
    """Raised when an answer cannot be delivered: its reader has gone, or there is no room to write it."""

    def __init__(self, reason: OSError) -> None:
        """The cause. Where the reader has gone, no message can be printed."""
        super().__init__(f"The answer could not be written: {reason.strerror or reason}.")
        self.closed = isinstance(reason, BrokenPipeError)


def show(text: str) -> None:
    """Print a text: some lines in bold for a person, unchanged for a program, in characters that the output has."""
    try:
        _written(text)
    except OSError as reason:
        raise Unwritten(reason) from None


def _written(text: str) -> None:
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    said = fitted(text)
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        said = "\n".join(map(weighted, said.split("\n")))
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()  # a reader that has gone is noticed here, not at exit


def fitted(text: str) -> str:
    """A text in the characters of standard output, in lines that fit its terminal."""
    if sys.stdout is None:
        return text
    said = spelt(text, sys.stdout)
    if not sys.stdout.isatty():
        return said
    width = columns()
    return "\n".join(line for long in said.split("\n") for line in narrowed(long, width))


def notice(sentence: str) -> None:
    """Print a sentence to standard error, so that it is not piped on with the answer.

    If that fails, only the exit code tells.
    """
    if sys.stderr is None:
        return
    said = spelt(" ".join(f"dpcompose: {sentence}".split()), sys.stderr)
    asked = os.environ.get("COLUMNS", "").isdigit()
    if sys.stderr.isatty() or asked:
        said = "\n".join(textwrap.wrap(said, columns(), subsequent_indent="  ", break_on_hyphens=False))
    try:
        sys.stderr.write(f"{said}\n")
        sys.stderr.flush()
    except OSError:
        sys.stderr = None  # or Python would try again at exit, and leave with another code


def columns() -> int:
    """The width of the terminal, and at least 20; a narrower terminal scrolls."""
    return max(shutil.get_terminal_size().columns, 20)


def narrowed(line: str, width: int) -> Iterator[str]:
    """A line broken into as many as it needs, the later ones indented."""
    if len(line) <= width:
        yield line
        return
    inside = " " * min(len(line) - len(line.lstrip()) + 2, width // 2)
    yield from textwrap.wrap(line, width, subsequent_indent=inside, break_on_hyphens=False, drop_whitespace=True)


def weighted(line: str) -> str:
    """The line, in bold if it is an important one."""
    weight = next((weight for pattern, weight in WEIGHTS if pattern.match(line)), "")
    return f"{weight}{line}{PLAIN}" if weight else line


def spelt(text: str, stream: TextIO) -> str:
    """The text in characters that the stream can encode; Greek letters spelt out where it cannot."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "\n".join(line for long in text.split("\n") for line in narrowed(_in_words(long), WIDTH))
    return text


def _in_words(line: str) -> str:
    """A line in ASCII. A word that grows takes room from the gap after or before it, so columns stay aligned."""
    pieces = re.findall(r" +|[^ ]+", line)
    told = [piece if piece[0] == " " else _spelt_out(piece) for piece in pieces]
    for i, (piece, word) in enumerate(zip(pieces, told, strict=True)):
        owed = len(word) - len(piece) if piece[0] != " " else 0
        for gap in (i + 1, i - 1, i - 3):
            if owed and 0 <= gap < len(told):
                taken = min(max(len(told[gap]) - 2, 0), owed) if told[gap][0] == " " else 0
                told[gap], owed = told[gap][taken:], owed - taken
    return "".join(told).rstrip()


def _spelt_out(word: str) -> str:
    """A word in ASCII; the spelt-out name of a letter is separated from letters beside it."""
    said, named = "", False
    for c in word:
        name = _letter(c)
        begins = len(name) > 1 and name.isalpha()
        gap = " " if said[-1:].isalnum() and (begins or (named and name[:1].isalpha())) else ""
        said, named = f"{said}{gap}{name}", begins
    return said


def _letter(c: str) -> str:
    if c.isascii() or c in ASCII:
        return ASCII.get(c, c)
    plain = "".join(d for d in unicodedata.normalize("NFKD", c) if d.isascii())
    return plain or "?"
