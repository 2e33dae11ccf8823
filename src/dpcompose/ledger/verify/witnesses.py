"""Entries that somebody has seen or signed, which must still be in the log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Witnesses:
    """Heights and hashes by chain, each with the witness. Entries that are found are crossed off."""

    def __init__(
        self,
        seen: Sequence[tuple[int, int, int, str]],
        kept: Sequence[tuple[int, int, str, str, str]],
        given: Sequence[dict[str, Any]],
        store: str,
    ) -> None:
        """Collect what was seen: by the high-water mark, in the book's checkpoints, and in checkpoints that were given
        away.
        """
        self.expected: dict[tuple[int, int], list[tuple[str, str]]] = {}
        self.problems: list[str] = []
        self.signatures = 0
        for _, chain, height, mark in seen:
            if height:
                self._expect(chain, height, mark, "what this machine has seen")
        for chain, height, key, body, signature in kept:
            said = self._signed(body, signature, f"checkpoint {chain}/{height}")
            if said is None:
                continue
            if (said["chain"], said["height"], said["key"], said["store"]) != (chain, height, key, store):
                self.problems.append(f"checkpoint {chain}/{height} speaks of something else: it was moved.")
            self._expect(chain, height, said["hash"], "a checkpoint of this book")
        for one in given:
            text = json.dumps(one["checkpoint"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            said = self._signed(text, str(one["signature"]), "a checkpoint that was handed out")
            if said is None:
                continue
            if said["store"] != store:
                self.problems.append("a checkpoint that was handed out belongs to another book.")
                continue
            self._expect(said["chain"], said["height"], said["hash"], "a checkpoint that was handed out")

    def _expect(self, chain: int, height: int, mark: str, who: str) -> None:
        self.expected.setdefault((chain, height), []).append((mark, who))

    def _signed(self, body: str, signature: str, name: str) -> dict[str, Any] | None:
        self.signatures += 1
        try:
            said: dict[str, Any] = json.loads(body)
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(said["key"]))
            key.verify(bytes.fromhex(signature), body.encode())
        except (ValueError, KeyError, TypeError, InvalidSignature):
            self.problems.append(f"{name} has no valid signature.")
            return None
        return said

    def met(self, chain: int, height: int, mark: str) -> Iterator[str]:
        """What is wrong with an entry that somebody has seen."""
        for wanted, who in self.expected.pop((chain, height), ()):
            if wanted != mark:
                yield f"{chain}/{height}: the entry is another one than in {who}: the log was rewritten."

    def missing(self) -> Iterator[str]:
        """Entries that somebody has seen and that are gone."""
        for (chain, height), said in sorted(self.expected.items()):
            yield f"{chain}/{height}: the entry is gone, but known from {said[0][1]}: the log was cut or rewound."


__all__ = ["Witnesses"]
