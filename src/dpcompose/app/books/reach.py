"""What somebody may see of a book: the accounts that their token names, with all below them, and nothing else.

An account out of reach and one that does not exist are refused in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from dpcompose.errors import OutOfReach
from dpcompose.filters.charge import OverBudget
from dpcompose.ledger import Account, Book, Refused
from dpcompose.ledger.stores import statements


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: their name, their role (an `owner` may do everything), and their accounts; None for the whole book."""

    name: str
    role: str
    accounts: tuple[str, ...] | None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Asker:
        """Read from a document."""
        accounts = document["accounts"]
        return cls(document["name"], document["role"], None if accounts is None else tuple(accounts))

    def reaches(self, path: Sequence[str]) -> bool:
        """Whether an account is within reach, given its name and the names of all above it."""
        return self.accounts is None or not set(self.accounts).isdisjoint(path)


def account(book: Book, asker: Asker, name: str) -> Account:
    """The account of this name, if it is within reach."""
    if not asker.reaches(book.desk.read(lambda connection: above(connection, name))):
        raise OutOfReach("account", name)
    return book.account(name)


def above(connection: Connection, name: str) -> list[str]:
    """The name of an account and of all above it; a refusal if there is none."""
    row = statements.named(connection, name) if name.isprintable() else None
    if row is None:
        raise OutOfReach("account", name)
    path = [str(row.name)]
    while row.parent is not None:
        row = statements.numbered(connection, row.parent)
        path.append(str(row.name))
    return path


def visible(book: Book, asker: Asker) -> Iterator[Any]:
    """The rows of all accounts within reach, oldest first, so a parent comes before its children."""
    reached: set[int] = set()
    for row in book.desk.read(statements.every_account):
        if asker.accounts is None or row.name in asker.accounts or row.parent in reached:
            reached.add(row.id)
            yield row


def below(book: Book, account: Account) -> list[int]:
    """The numbers of an account and of all below it."""
    found = {account.id}
    for row in book.desk.read(statements.every_account):
        if row.parent in found:
            found.add(row.id)
    return sorted(found)


def told(book: Book, asker: Asker, name: str, refused: Refused) -> OverBudget:
    """A refusal, or one that tells nothing about the account that refuses, if that is out of reach."""
    why = str(refused)
    said = sentence(book, asker, name, why)
    return refused if said == why else OverBudget(said)


def sentence(book: Book, asker: Asker, name: str, why: str) -> str:
    """Why a charge does not fit: in full if the account that refuses, named first in the sentence, is within reach."""
    if asker.accounts is None or any(why.startswith(f"{row.name!r} refuses:") for row in visible(book, asker)):
        return why
    return f"An account above {name!r} refuses: it has too little left. Nothing was charged."


__all__ = ["Asker", "above", "account", "below", "sentence", "told", "visible"]
