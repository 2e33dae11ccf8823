"""The form of an answer that a client prefers, from the header Accept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dpcompose.server.problems import Problem, ProblemKind

F = TypeVar("F", bound=str)


def wanted(accept: str | None, forms: Sequence[F]) -> F:
    """The preferred form; of equally preferred ones the first."""
    if not accept:
        return forms[0]
    best: tuple[float, F] | None = None
    for form in forms:
        liked = max((weight for kind, weight in _ranges(accept) if _covers(kind, form)), default=0.0)
        if liked and (best is None or liked > best[0]):
            best = (liked, form)
    if best is None:
        raise Problem(ProblemKind.NOT_ACCEPTABLE, f"This answer can be sent as {', '.join(forms)}.")
    return best[1]


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for part in accept[:1000].split(","):
        kind, *options = (piece.strip().lower() for piece in part.split(";"))
        weight = next((option[2:] for option in options if option.startswith("q=")), "1")
        exact = 1e-6 * (2 - kind.count("*"))  # a named media type outweighs a wildcard
        found.append((kind, (_number(weight) and _number(weight) + exact)))
    return found


def _number(text: str) -> float:
    try:
        return min(1.0, max(0.0, float(text)))
    except ValueError:
        return 0.0


def _covers(kind: str, form: str) -> bool:
    return kind in ("*/*", "*", form, f"{form.partition('/')[0]}/*")


__all__ = ["wanted"]
