"""An account: whose privacy it protects, how much budget it has, and how charges and grants are made."""

from __future__ import annotations

import getpass
import os
import pickle
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dpcompose.description import Adjacency, Mechanism, Subject
from dpcompose.errors import InvalidParameter
from dpcompose.filters.charge import Charge, Protects
from dpcompose.filters.odometer import Running
from dpcompose.ledger import epochs, refusals
from dpcompose.ledger.desk import Outdated
from dpcompose.ledger.errors import Refused
from dpcompose.ledger.grants import Grant
from dpcompose.ledger.history import Entry, described, history
from dpcompose.ledger.protocol import Act, Documents, DoesNotFit, Outcome, Scope, Step
from dpcompose.ledger.reports.statement import Statement, statement
from dpcompose.ledger.requests import Disjoint, Request, request_for, text
from dpcompose.ledger.rules import Guarantee, Rule, exact
from dpcompose.numerics.enclosure import Real
from dpcompose.shown import NotebookResult
from dpcompose.spec import AsWritten

if TYPE_CHECKING:
    from dpcompose.ledger.book import Book

Asked = Subject | Disjoint | Charge
SPEND = (Act.RESERVE, Act.START)
ATTEMPT = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Quote(NotebookResult):
    """What a request would cost now. Nothing was written, and no budget is set aside."""

    fits: bool
    cost: Mapping[str, Fraction]
    """By coordinate of the account, rounded up."""
    left: Mapping[str, Fraction]
    why: str
    """In one sentence: what it takes and what remains, or which account refuses and what would still fit."""

    def __str__(self) -> str:
        return self.why

    def __repr__(self) -> str:
        return f"<Quote: {self.why}>"


@dataclass(frozen=True, slots=True)
class Account(NotebookResult):
    """An account of a book. It holds no numbers of its own: every question is answered by the store."""

    book: Book
    id: int
    name: str
    chain: int
    unit: str
    adjacency: Adjacency
    dataset: str | None
    mode: str
    """`adaptive`, `plan`, `blocks`, or `block` for one of them."""
    path: tuple[tuple[int, str], ...]
    """The accounts that are charged: this one, then those above it that hold a budget."""

    def quote(self, asked: Asked, *, blocks: Sequence[str] | None = None) -> Quote:
        """What a request would cost, and whether it fits; nothing is charged or set aside."""
        request = self._request(asked, blocks)
        scopes, rows = self._scopes(request)
        own = rows[scopes[0].account]
        cost, left = exact(own.rule, scopes[0].cost), exact(own.rule, own.left)
        if any(refusals.check(rows[scope.account], scope.cost) is not None for scope in scopes):
            return Quote(fits=False, cost=cost, left=left, why=str(refusals.refused(self, request, scopes, rows)))
        return Quote(fits=True, cost=cost, left=left, why=refusals.fitting(self.name, cost, left))

    def check(self, asked: Asked, /) -> None:
        """Refuse a request that would not fit; nothing is charged either way."""
        quote = self.quote(asked)
        if not quote.fits:
            raise Refused(quote.why, scope=self.name, left=quote.left)

    def spend(
        self,
        asked: Asked,
        /,
        *,
        key: str | None = None,
        purpose: str = "",
        who: str | None = None,
        blocks: Sequence[str] | None = None,
        attempt: str | None = None,
    ) -> Grant:
        """Charge, durably, before the data is touched; or raise `Refused` and charge nothing.

        The same key with the same request is the same grant for ever, and costs nothing more. An `attempt` names this
        very call, by 16 hexadecimal digits: repeated because the reply was lost, it finds the grant as fresh as it was.
        """
        return self._granted(SPEND, asked, key=key, purpose=purpose, who=who, blocks=blocks, attempt=attempt)

    def reserve(
        self,
        asked: Asked,
        /,
        *,
        key: str | None = None,
        purpose: str = "",
        who: str | None = None,
        blocks: Sequence[str] | None = None,
        attempt: str | None = None,
    ) -> Grant:
        """Set the cost aside without starting; then `start` the grant before the data is touched, or `cancel` it."""
        return self._granted((Act.RESERVE,), asked, key=key, purpose=purpose, who=who, blocks=blocks, attempt=attempt)

    def grant(self, key: str, *, attempt: str = "") -> Grant:
        """The grant under a key, to be started, finished or cancelled."""
        return Grant(self, key, attempt, self.book.desk.look(self.id, self.chain, text("key", key)))

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) that the account guarantees: at its caps, summed over the epochs. It does not depend on what was
        spent.
        """
        return epochs.guarantee(self)

    @property
    def rule(self) -> Rule:
        """How charges add up, in the present epoch."""
        return epochs.present(self).rule

    @property
    def used(self) -> Mapping[str, Fraction]:
        """What is charged in this epoch, reservations included."""
        present = epochs.present(self)
        return exact(present.rule, present.used)

    @property
    def left(self) -> Mapping[str, Fraction]:
        """What is not charged in this epoch. The accounts above may have less."""
        present = epochs.present(self)
        return exact(present.rule, present.left)

    def remaining(self, asked: Asked, *, blocks: Sequence[str] | None = None) -> int:
        """How many more such requests fit, if nobody else spends meanwhile."""
        request = self._request(asked, blocks)
        scopes, rows = self._scopes(request)
        return min(
            left // cost for s in scopes for left, cost in zip(rows[s.account].left, s.cost, strict=True) if cost
        )

    def running(self, *, delta: Real) -> Running:
        """An upper bound on ε, at δ, for what was charged so far; it holds whenever the analyst stops."""
        return epochs.running(self, delta)

    def statement(self) -> Statement:
        """A privacy statement: a page about the account that an outsider can recompute."""
        return statement(self)

    def history(self) -> tuple[Entry, ...]:
        """All events of the account, newest last."""
        return history(self.book.desk, (self.id,))

    def raise_to(self, *, epsilon: Real, delta: Real, **more: Any) -> Guarantee:
        """Open a new epoch with caps of its own: the guarantee is then the sum over all epochs, whose caps stay."""
        return epochs.raised(self, epsilon=epsilon, delta=delta, **more)

    def open_block(self, name: str) -> Account:
        """Open a block of a growing data set, with the caps that were declared for every block."""
        if self.mode != "blocks":
            raise InvalidParameter("account", self.name, "an account that was made with blocks=True")
        return self.book.make_block(self, name)

    def take(self, key: str, token: str, act: Act, before: Documents, **said: Any) -> Outcome:
        """Take one step of the protocol for an existing key. The end of a grant is made durable by the next durable
        write.
        """
        step = Step(self.id, self.name, self.chain, text("key", key), (act,), token=token, said=said)
        return self.book.desk.take(step, before, durable=act not in (Act.COMMIT, Act.ABANDON))

    def exact_charge(self, charges: Sequence[Mapping[str, Any]]) -> Mapping[str, Fraction]:
        """The part of a charge that falls on this account."""
        own = charges[0]
        return exact(self.book.rule(int(own["epoch"])), list(map(int, own["change"])))

    def _request(self, asked: Asked, blocks: Sequence[str] | None) -> Request:
        if isinstance(asked, Charge):
            Protects(self.unit, self.adjacency, self.dataset).taking(asked)
            asked = asked.mechanism
        if (self.mode == "blocks") is not bool(blocks):
            allowed = "the blocks that are read" if self.mode == "blocks" else f"none: {self.name!r} has no blocks"
            raise InvalidParameter("blocks", blocks, allowed)
        return request_for(asked, self.adjacency, blocks)

    def _scopes(self, request: Request) -> tuple[tuple[Scope, ...], Mapping[int, epochs.Present]]:
        """The accounts to be charged with a request, and their present state in the store."""
        rows = self.book.present([account for account, _ in self._charged(request)])
        return self._priced(request, {a: (row.epoch, row.rule) for a, row in rows.items()}), rows

    def _ready(self, asked: Asked, blocks: Sequence[str] | None) -> tuple[Request, tuple[Scope, ...]]:
        """A request and its cost in each account, remembered if it was asked before; the desk notices a new epoch."""
        if not isinstance(asked, Mechanism) or blocks:
            return self._anew(asked, blocks)
        ready = self.book.ready
        known = ready.get((self.id, id(asked)))
        if known is not None and known[0] is asked:
            return known[1:]
        same = self.id, pickle.dumps(asked)  # equal numbers of different types are different requests
        known = ready.get(same)
        priced = self._anew(asked, blocks) if known is None else known[1:]
        ready[same] = ready[self.id, id(asked)] = asked, *priced
        return priced

    def _anew(self, asked: Asked, blocks: Sequence[str] | None) -> tuple[Request, tuple[Scope, ...]]:
        request = self._request(asked, blocks)
        return request, self._priced(request, self.book.rules([a for a, _ in self._charged(request)]))

    def _charged(self, request: Request) -> list[tuple[int, str]]:
        return [*self.book.blocks(self, request.blocks), *self.path]

    def _priced(self, request: Request, rules: Mapping[int, tuple[int, Rule]]) -> tuple[Scope, ...]:
        """What each account is to be charged. A unit that moves between blocks counts in two blocks, and once above
        them.
        """
        charged = self._charged(request)
        felt_twice = {a for i, (a, _) in enumerate(charged) if request.disjoint or i < len(request.blocks)}
        doubled = felt_twice if request.replaces else set()
        scopes = tuple(
            Scope(a, name, rules[a][0], request.cost(rules[a][1], doubled=a in doubled)) for a, name in charged
        )
        if not any(any(scope.cost) for scope in scopes):
            shown = AsWritten(described(request.what))
            raise InvalidParameter("mechanism", shown, "one that costs something: this one needs no budget")
        return scopes

    def _granted(
        self,
        acts: tuple[Act, ...],
        asked: Asked,
        *,
        key: str | None,
        purpose: str,
        who: str | None,
        blocks: Sequence[str] | None,
        attempt: str | None,
    ) -> Grant:
        token = secrets.token_hex(8) if attempt is None else named(attempt)
        chosen = f"auto-{token}" if key is None else text("key", key)
        about = asked.purpose if isinstance(asked, Charge) and not purpose else purpose
        said = {"purpose": text("purpose", about, empty=True), "who": text("who", _user() if who is None else who)}
        while True:
            request, scopes = self._ready(asked, blocks)
            step = Step(self.id, self.name, self.chain, chosen, acts, scopes, request.what, token, said)
            try:
                return Grant(self, chosen, token, self.book.desk.take(step, {}))
            except Outdated:
                self.book.forget()
            except DoesNotFit:
                raise self._refused(request) from None

    def _refused(self, request: Request) -> Refused:
        scopes, rows = self._scopes(request)
        return refusals.refused(self, request, scopes, rows)

    def __repr__(self) -> str:
        return f"Account({self.name!r}, unit={self.unit!r}, {self.mode})"


def named(attempt: str) -> str:
    """The name of an attempt."""
    if not ATTEMPT.fullmatch(attempt):
        raise InvalidParameter("attempt", attempt, "16 hexadecimal digits")
    return attempt


def _user() -> str:
    return _user_of(tuple(os.environ.get(name) for name in ("LOGNAME", "USER", "LNAME", "USERNAME")))


@lru_cache(maxsize=8)
def _user_of(_said: tuple[str | None, ...]) -> str:
    """The name of the user. The argument is the environment: the name is looked up again when it changes."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


__all__ = ["Account", "Quote"]
