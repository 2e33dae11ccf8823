"""What a release on the command line is charged to: nothing, a plan file, or an account of a book."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import TYPE_CHECKING, Any

from dpcompose.errors import DPError
from dpcompose.filters.charge import Charge
from dpcompose.numerics.enclosure import rounded

if TYPE_CHECKING:
    from dpcompose.ledger import Account, Grant


@dataclass(frozen=True, slots=True)
class Payer:
    """An account, by store and name; with a key, the release is done at most once."""

    store: str
    account: str
    key: str | None = None


def payer(store: str | None, account: str | None, key: str | None) -> Payer | None:
    """The account that the options name; None without one, and a refusal if they are incomplete."""
    if account is None:
        if store is not None or key is not None:
            raise DPError("--store and --key need --account, the name of the account that is charged.")
        return None
    if store is None:
        raise DPError("--account needs --store, the address of its book, such as sqlite:///budget.db.")
    return Payer(store, account, key)


@dataclass(slots=True)
class Charged:
    """An account as a budget, which remembers its grant until the release has ended."""

    account: Account
    key: str | None
    grants: list[Grant] = field(default_factory=list)

    def check(self, charge: Charge, /) -> None:
        """Refuse a charge that would not fit; nothing is charged either way."""
        self.account.check(charge)

    def spend(self, charge: Charge, /) -> None:
        """Charge, or refuse. A key that was used before is refused, as its release has been made."""
        grant = self.account.spend(charge, key=self.key)
        if not grant.fresh:
            raise DPError(
                f"The key {grant.key!r} is {grant.state} since {grant.at}: a second run would be a second release. "
                "Nothing more was charged; look for the answer that was kept, or ask under another key."
            )
        self.grants.append(grant)

    def said(self) -> str:
        """What the account has left, in words."""
        left = ", ".join(f"{rounded(n, ROUND_FLOOR)} {c}" for c, n in self.account.left.items())
        return f"Charged to the account {self.account.name!r}: {left} is left."

    def document(self) -> dict[str, Any]:
        """What the account has left, as a document."""
        used = {name: rounded(n, ROUND_CEILING) for name, n in self.account.used.items()}
        left = {name: rounded(n, ROUND_FLOOR) for name, n in self.account.left.items()}
        return {"account": self.account.name, "keys": [g.key for g in self.grants], "used": used, "left": left}


@contextmanager
def charged(asked: Payer) -> Iterator[Charged]:
    """The account while a release runs: the grant is committed at the end, or abandoned (and stays charged) on an
    error.
    """
    try:
        from dpcompose import ledger
    except ModuleNotFoundError as missing:
        raise DPError(str(missing)) from None
    with ledger.open(asked.store) as book:
        budget = Charged(book.account(asked.account), asked.key)
        try:
            yield budget
        except BaseException:
            for grant in budget.grants:
                grant.abandon("the release failed")
            raise
        for grant in budget.grants:
            grant.commit()


__all__ = ["Charged", "Payer", "charged", "payer"]
