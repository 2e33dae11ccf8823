"""Accounts and grants at a service."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from dpcompose import spec
from dpcompose.client.wire import NoRoom, Wire
from dpcompose.description import Mechanism
from dpcompose.filters.charge import Charge


@dataclass(frozen=True, slots=True)
class Account:
    """An account at a service: a budget that `dpc.release` and everything else that charges can use."""

    wire: Wire
    name: str

    @property
    def path(self) -> str:
        """The path of the account at the service."""
        return f"/v1/accounts/{quote(self.name, safe='')}"

    def check(self, asked: Charge | Mechanism, /) -> None:
        """Refuse a charge that would not fit; nothing is charged either way."""
        found = self.quote(asked)
        if not found["fits"]:
            raise NoRoom({"detail": found["why"], "type": "urn:dpcompose:problem:over-budget", "status": 409})

    def spend(
        self, asked: Charge | Mechanism, /, *, key: str | None = None, purpose: str = "", blocks: Sequence[str] = ()
    ) -> Grant:
        """Charge durably, before the data is touched. A charge that does not fit is refused, and nothing is charged."""
        return self._granted(asked, key, purpose, blocks, start=True)

    def reserve(
        self, asked: Charge | Mechanism, /, *, key: str | None = None, purpose: str = "", blocks: Sequence[str] = ()
    ) -> Grant:
        """Set the cost aside without charging it yet; then `start` the grant before the data is touched, or `cancel`
        it.
        """
        return self._granted(asked, key, purpose, blocks, start=False)

    def _granted(
        self, asked: Charge | Mechanism, key: str | None, purpose: str, blocks: Sequence[str], *, start: bool
    ) -> Grant:
        wish = {**_charge(asked, blocks), "start": start}
        wish |= {"purpose": purpose or (asked.purpose if isinstance(asked, Charge) else "")}
        wish |= {} if key is None else {"key": key}
        return Grant(self, self.wire.sent("POST", f"{self.path}/grants", wish, str(uuid.uuid4())))

    def quote(self, asked: Charge | Mechanism, *, blocks: Sequence[str] = ()) -> dict[str, Any]:
        """What a charge would cost, and whether it fits; nothing is charged."""
        return self.wire.sent("POST", f"{self.path}/quote", _charge(asked, blocks))

    def grant(self, key: str) -> Grant:
        """The grant under a key."""
        return Grant(self, self.wire.sent("GET", f"{self.path}/grants/{quote(key, safe='')}"))

    @property
    def document(self) -> dict[str, Any]:
        """The account's current state, as the service describes it."""
        return self.wire.sent("GET", self.path)

    @property
    def left(self) -> Mapping[str, Fraction]:
        """The budget that is left, by coordinate, exactly."""
        return {name: Fraction(spec.number(name, text)) for name, text in self.document["left"].items()}

    def history(self, **filters: str) -> Iterator[dict[str, Any]]:
        """The account's events, newest first; filter by `kind`, `who`, `key`, `text`, `since`, `until`."""
        after = ""
        said = "".join(f"&{name}={quote(value, safe='')}" for name, value in filters.items())
        while True:
            page = self.wire.sent("GET", f"{self.path}/history?limit=500{said}{after}")
            yield from page["entries"]
            if page["next"] is None:
                return
            after = f"&after={page['next']}"

    def statement(self) -> dict[str, Any]:
        """The privacy statement of the account: what its charges guarantee."""
        return self.wire.sent("GET", f"{self.path}/statement")


class Grant:
    """Permission to run one mechanism once. As a context manager it commits at the end, or abandons on an exception."""

    def __init__(self, account: Account, document: dict[str, Any]) -> None:
        """A grant, from the document that the service sent."""
        self.account, self.document = account, document
        self._kept: Any = None

    @property
    def key(self) -> str:
        """The key under which the release was charged."""
        return str(self.document["key"])

    @property
    def state(self) -> str:
        """One of: reserved, started, committed, cancelled, abandoned."""
        return str(self.document["state"])

    @property
    def fresh(self) -> bool:
        """Whether this very call started the grant, so that its mechanism has not run yet."""
        return bool(self.document["fresh"])

    @property
    def answer(self) -> Any:
        """The released answer, if it was kept."""
        return self.document["answer"]

    def keep(self, answer: Any) -> None:
        """Set the released answer to be written into the books when the grant is committed."""
        self._kept = answer

    def start(self) -> Self:
        """Make the charge irrevocable, before the data is touched."""
        return self._take("start")

    def commit(self) -> Self:
        """Record that the answer was made."""
        return self._take("commit", **({} if self._kept is None else {"answer": self._kept}))

    def cancel(self) -> Self:
        """Give the whole cost back; possible only before the start."""
        return self._take("cancel")

    def abandon(self, why: str = "") -> Self:
        """Record that no answer came of it. The cost stays charged."""
        return self._take("abandon", why=why[:500])

    def _take(self, step: str, **said: Any) -> Self:
        path = f"{self.account.path}/grants/{quote(self.key, safe='')}/{step}"
        self.document = self.account.wire.sent("POST", path, said, str(uuid.uuid4()))
        return self

    def __enter__(self) -> Self:
        return self.start() if self.state == "reserved" else self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.state == "started":
            _ = self.commit() if kind is None else self.abandon(kind.__name__)

    def __repr__(self) -> str:
        return f"Grant({self.account.name!r}, key={self.key!r}, {self.state})"


def _charge(asked: Charge | Mechanism, blocks: Sequence[str]) -> dict[str, Any]:
    """A charge as the document that the service reads."""
    wish: dict[str, Any] = {"blocks": list(blocks)} if blocks else {}
    if isinstance(asked, Mechanism):
        return {**wish, "mechanism": spec.dumps(asked)}
    about = {"unit": asked.unit, "dataset": asked.dataset}
    about["adjacency"] = None if asked.adjacency is None else asked.adjacency.value.replace("_", "-")
    return {**wish, "mechanism": spec.dumps(asked.mechanism), **{k: v for k, v in about.items() if v is not None}}


__all__ = ["Account", "Grant"]
