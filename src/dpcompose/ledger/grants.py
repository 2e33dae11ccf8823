"""A grant: permission to run one mechanism, once. Its cost stays charged from its start on."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from dpcompose.errors import InvalidParameter
from dpcompose.ledger.chain import canonical
from dpcompose.ledger.errors import WrongState
from dpcompose.ledger.protocol import Act, Outcome, State
from dpcompose.ledger.requests import text
from dpcompose.shown import NotebookResult

if TYPE_CHECKING:
    from dpcompose.ledger.accounts import Account

MOST_ANSWER = 65_536


class Grant(NotebookResult):
    """What an account allowed under a key.

    As a context manager it commits at the end, or abandons if an exception leaves it; both stay charged. `fresh` says
    whether this very call started the grant. If not, its answer may have been published already: running the mechanism
    again would be another release.
    """

    def __init__(self, account: Account, key: str, token: str, outcome: Outcome) -> None:
        """A grant in the state that the store reported."""
        self.account, self.key, self.token = account, key, token
        self._kept: Any = None
        self._know(outcome)

    def _know(self, outcome: Outcome) -> None:
        self.state: State = outcome.state
        self._documents = dict(outcome.documents)

    @property
    def fresh(self) -> bool:
        """Whether this call started the grant, so that its mechanism has not run yet."""
        return self.state is State.STARTED and self._documents["start"]["token"] == self.token

    @property
    def at(self) -> str:
        """When it was reserved, in UTC."""
        return str(self._documents["reserve"]["at"])

    @property
    def who(self) -> str:
        """Who reserved it."""
        return str(self._documents["reserve"].get("who", ""))

    @property
    def cost(self) -> Mapping[str, Fraction]:
        """What the account was charged, by coordinate."""
        return self.account.exact_charge(self._documents["reserve"]["charges"])

    @property
    def answer(self) -> Any:
        """The released answer, if it was kept; None otherwise."""
        return self._documents.get("commit", {}).get("answer")

    def keep(self, answer: Any) -> None:
        """Set the released answer to be written into the books on commit; who asks again under the key receives it."""
        try:
            size = len(canonical(answer))
        except (TypeError, ValueError) as error:
            raise InvalidParameter("answer", answer, f"a document that JSON can write ({error})") from None
        if size > MOST_ANSWER:
            raise InvalidParameter("answer", f"{size} characters", f"at most {MOST_ANSWER}")
        self._kept = answer

    def start(self) -> Self:
        """Make the charge irrevocable, durably, before the data is touched."""
        return self._take(Act.START)

    def commit(self) -> Self:
        """Record that the answer was made. The charge stands since the start, so losing this record loses nothing."""
        return self._take(Act.COMMIT, **({} if self._kept is None else {"answer": self._kept}))

    def cancel(self) -> Self:
        """Give the whole cost back; possible only before the start."""
        return self._take(Act.CANCEL)

    def abandon(self, why: str = "") -> Self:
        """Record that no answer came of it. The cost stays charged."""
        return self._take(Act.ABANDON, why=text("why", why[:500], empty=True))

    def _take(self, act: Act, **said: Any) -> Self:
        self._know(self.account.take(self.key, self.token, act, self._documents, **said))
        return self

    def __enter__(self) -> Self:
        if self.state is State.RESERVED:
            self.start()
        if self.state in (State.CANCELLED, State.ABANDONED):
            raise WrongState(f"{self.key!r} is {self.state}: another run needs another key.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.state is not State.STARTED:
            return
        if kind is None:
            self.commit()
        else:
            self.abandon(kind.__name__)  # the message may depend on the data, so it is not stored

    def __repr__(self) -> str:
        return f"Grant({self.account.name!r}, key={self.key!r}, {self.state})"


__all__ = ["Grant"]
