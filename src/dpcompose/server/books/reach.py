"""What a user may see of a book: the accounts that their token names, with all below them, and nothing else.

An account out of reach and one that does not exist are refused in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from dpcompose.ledger import Account, Book, Refused
from dpcompose.ledger.stores import statements
from dpcompose.server.problems import Problem, ProblemKind, problem


@dataclass(frozen=True, slots=True)
class Asker:
    """The user of a request, as far as a computing process needs to know."""

    name: str
    role: str
    accounts: tuple[str, ...] | None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Asker:
        """Read from the document that the service sent."""
        accounts = document["accounts"]
        return cls(document["name"], document["role"], None if accounts is None else tuple(accounts))

    def reaches(self, path: Sequence[str]) -> bool:
        """Whether the user reaches an account, given its name and the names of all above it."""
        return self.accounts is None or not set(self.accounts).isdisjoint(path)


def account(book: Book, asker: Asker, name: str) -> Account:
    """The account of this name, if it is within reach."""
    if not asker.reaches(book.desk.read(lambda connection: above(connection, name))):
        raise nowhere(name)
    return book.account(name)


def nowhere(name: str) -> Problem:
    """The refusal of an account that is out of reach or does not exist; it does not say which of the two."""
    return Problem(
        ProblemKind.NOT_FOUND, f"There is no account {name[:100]!r} within reach of this token.", "account", name[:200]
    )


def above(connection: Connection, name: str) -> list[str]:
    """The name of an account and of all above it; a refusal if there is none."""
    row = statements.named(connection, name) if name.isprintable() else None
    if row is None:
        raise nowhere(name)
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


def told(book: Book, asker: Asker, name: str, refused: Refused) -> Problem:
    """A refusal as a problem that tells nothing about an account above that is out of reach."""
    whole = problem(refused)
    said = sentence(book, asker, name, whole.detail)
    return whole if said == whole.detail else Problem(whole.kind, said)


def sentence(book: Book, asker: Asker, name: str, why: str) -> str:
    """Why a charge does not fit: in full if the account that refuses, named first in the sentence, is within reach."""
    if asker.accounts is None or any(why.startswith(f"{row.name!r} refuses:") for row in visible(book, asker)):
        return why
    return f"An account above {name!r} refuses: it has too little left. Nothing was charged."


__all__ = ["Asker", "above", "account", "below", "nowhere", "sentence", "told", "visible"]
