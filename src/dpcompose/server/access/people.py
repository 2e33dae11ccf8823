"""A signed-in user: role and reach, once a token or a cookie has been checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What the holder of a token may do."""

    OWNER = "owner"
    """Makes accounts and tokens, raises caps, and may spend."""
    ANALYST = "analyst"
    """Spends from the accounts that the token names."""
    AUDITOR = "auditor"
    """Reads and verifies everything, and changes nothing."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who signed in."""

    token: str
    """The ID of the token, which is no secret."""
    name: str
    role: Role
    accounts: tuple[str, ...] | None
    """The accounts that the token reaches, with all below them; None for the whole book."""
    expires: str
    form: str | None = None
    """The secret that a browser must send with every write; None for a program, which sends its token."""

    @property
    def whole(self) -> bool:
        """Whether the token reaches every account of the book."""
        return self.accounts is None

    def reaches(self, path: Sequence[str]) -> bool:
        """Whether the token reaches an account, given the account's name and the names of all above it."""
        return self.accounts is None or not set(self.accounts).isdisjoint(path)


__all__ = ["Principal", "Role"]
