"""Who somebody is, once a token or a cookie has been checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a token is for."""

    OWNER = "owner"
    """Makes accounts and tokens, raises caps, and may spend."""
    ANALYST = "analyst"
    """Spends from the accounts that the token names."""
    AUDITOR = "auditor"
    """Sees and verifies everything, and changes nothing."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who signed in."""

    token: str
    """The ID of the token, which is no secret."""
    name: str
    role: Role
    accounts: tuple[str, ...] | None
    """The accounts that it reaches, with all below them; None for the whole book."""
    expires: str
    form: str | None = None
    """What a browser must send with every write; None for a program, which sends its token."""

    @property
    def whole(self) -> bool:
        """Whether the token is good for every account of the book."""
        return self.accounts is None

    def reaches(self, path: Sequence[str]) -> bool:
        """Whether it reaches an account, given its name and the names of all above it."""
        return self.accounts is None or not set(self.accounts).isdisjoint(path)


__all__ = ["Principal", "Role"]
