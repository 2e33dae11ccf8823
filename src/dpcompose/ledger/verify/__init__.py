"""The verifier: it replays the log from scratch and believes nothing that it can recompute.

It shares no code with what writes a book: it reads the tables, hashes, adds up and prices common mechanisms by itself.
Only mechanisms whose cost needs the whole engine are given to the library's filters; the verdict says how many.

Read `reading`, then `replay`, which calls `prices`, `caps`, `slots` and `witnesses`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcompose.errors import DPError, InvalidDocument
from dpcompose.ledger.verify.reading import opened
from dpcompose.ledger.verify.replay import Replay
from dpcompose.ledger.verify.witnesses import Witnesses

Seen = tuple[int, int, int, str]
"""An account, its chain, and the height and hash of an entry that somebody saw."""
EVERY = 2000
"""How many entries lie between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a replay."""

    problems: tuple[str, ...]
    entries: int
    accounts: int
    recomputed: int
    """Different requests whose cost was recomputed by the verifier's own formulas."""
    read_again: int
    """Different requests whose cost was recomputed by the library's filters."""
    checkpoints: int
    """Signatures that were checked."""

    @property
    def holds(self) -> bool:
        """Whether nothing wrong was found."""
        return not self.problems

    def __str__(self) -> str:
        verdict = "holds" if self.holds else f"has {len(self.problems)} problem(s)"
        said = (
            f"The book {verdict}: {self.entries} entries of {self.accounts} accounts were replayed, "
            f"{self.recomputed} costs recomputed, {self.read_again} read again, {self.checkpoints} signatures checked."
        )
        return "\n".join([said, *(f"- {problem}" for problem in self.problems)])


def verified(
    address: str,
    *,
    seen: Sequence[Seen] = (),
    against: Sequence[Path] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Replay the book at an address; `seen` and the checkpoint files in `against` must still be part of it."""
    with opened(address) as tables:
        witnesses = Witnesses(seen, tables.checkpoints(), _checkpoints(against), tables.store())
        replay = Replay(witnesses)
        total = tables.count() if progress is not None else 0
        for done, row in enumerate(tables.entries(), 1):
            replay.entry(row)
            if progress is not None and done % EVERY == 0:
                progress(done, total)
        if progress is not None:
            progress(total, total)
        replay.finish(tables)
    counts = replay.prices
    return Verdict(
        tuple(replay.problems),
        replay.entries,
        len(replay.accounts),
        counts.recomputed,
        counts.read_again,
        witnesses.signatures,
    )


def _checkpoints(paths: Sequence[Path]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in paths:
        try:
            said = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise DPError(f"The checkpoint {str(path)!r} cannot be read: {error.strerror}.") from None
        except ValueError:
            said = None
        listed = said if isinstance(said, list) else [said]
        if not all(isinstance(c, dict) and {"checkpoint", "signature"} <= c.keys() for c in listed):
            raise InvalidDocument(f"{str(path)!r} holds no checkpoints: expected what `checkpoint` wrote.")
        found += listed
    return found


__all__ = ["Verdict", "verified"]
