"""A client for a running service: the verbs of the library, over HTTP. Its accounts serve as budgets for releases.

```python
service = dpc.client.connect("http://127.0.0.1:8000", token="dpc_…")
print(service.epsilon("30 * BlackBox(epsilon=0.1, delta=0.001)", delta="0.05"))
dpc.release.count("people.csv", unit="id", epsilon=0.1, budget=service.account("census"))
```

Read `accounts` (accounts and grants at a service), then `wire` (HTTP: writes repeated under a key, and refusals).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from dpcompose.client.accounts import Account, Grant
from dpcompose.client.wire import PAUSE, NoRoom, Refusal, Unreachable, Wire, said
from dpcompose.description import Mechanism
from dpcompose.numerics.enclosure import Real, rounded


@dataclass(frozen=True, slots=True)
class Bounds:
    """An answer of the service: a number enclosed from both sides, and the theorem behind it."""

    lower: float
    upper: float
    because: str
    document: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        low, high = rounded(self.lower, ROUND_FLOOR), rounded(self.upper, ROUND_CEILING)
        return f"{self.document['question']} ∈ [{low}, {high}], because {self.because}"


def connect(url: str, *, token: str | None = None, timeout: float = 30.0) -> Client:
    """A client for the service at an address; without a token it can only ask questions."""
    return Client(url, token=token, timeout=timeout)


class Client:
    """A connection to a service, as one user."""

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30.0) -> None:
        """Nothing is sent yet."""
        self._wire = Wire(url, token, timeout)

    def epsilon(self, mechanism: Mechanism | str, *, delta: Real | str, **more: Real | str) -> Bounds:
        """The least ε at a given δ."""
        return _bounds(self.ask("epsilon", mechanism=mechanism, delta=delta, **more))

    def delta(self, mechanism: Mechanism | str, *, epsilon: Real | str, **more: Real | str) -> Bounds:
        """The least δ at a given ε."""
        return _bounds(self.ask("delta", mechanism=mechanism, epsilon=epsilon, **more))

    def renyi(self, mechanism: Mechanism | str, *, order: Real | str) -> Bounds:
        """The Rényi divergence of an order."""
        return _bounds(self.ask("renyi", mechanism=mechanism, order=order))

    def beta(self, mechanism: Mechanism | str, *, alpha: Real | str) -> Bounds:
        """The least type II error at a type I error."""
        return _bounds(self.ask("beta", mechanism=mechanism, alpha=alpha))

    def ask(self, question: str, **given: Any) -> dict[str, Any]:
        """Ask any question by the name of its command: compare, explain, growth, region, risk, calibrate, formula, …"""
        return self._wire.sent("POST", f"/v1/{quote(question, safe='')}", {k: said(v) for k, v in given.items()})

    def account(self, name: str) -> Account:
        """An account by its name; nothing is sent until the account is used."""
        return Account(self._wire, name)

    def accounts(self) -> Iterator[dict[str, Any]]:
        """All accounts that this token may see, parents first."""
        after: int | None = 0
        while after is not None:
            page = self._wire.sent("GET", f"/v1/accounts?after={after}")
            yield from page["accounts"]
            after = page["next"]

    def create(self, name: str, **given: Any) -> Account:
        """Create an account: `epsilon`, `delta`, `unit`, and whatever else `dpcompose ledger create` takes."""
        self.write("/v1/accounts", {"name": name, **{k: said(v) for k, v in given.items()}})
        return Account(self._wire, name)

    def token(self, name: str, role: str, *, accounts: Sequence[str] | None = None, days: int = 90) -> dict[str, Any]:
        """Issue a token. Its secret text is in this answer only."""
        wish: dict[str, Any] = {"name": name, "role": role, "days": days}
        return self.write("/v1/tokens", wish if accounts is None else {**wish, "accounts": list(accounts)})

    def revoke(self, token: str) -> dict[str, Any]:
        """Revoke a token, given its ID, from now on."""
        return self._wire.sent("DELETE", f"/v1/tokens/{quote(token, safe='')}", key=str(uuid.uuid4()))

    def tokens(self) -> list[dict[str, Any]]:
        """All tokens that this token may see, without their secrets."""
        return list(self._wire.sent("GET", "/v1/tokens")["tokens"])

    def verify(self) -> dict[str, Any]:
        """Replay the service's whole log from scratch, wait, and return the verdict."""
        found = self.write("/v1/verification", None)
        while found["state"] == "running":
            time.sleep(PAUSE)
            found = self._wire.sent("GET", "/v1/verification")
        return found

    def write(self, path: str, document: Mapping[str, Any] | None, key: str | None = None) -> dict[str, Any]:
        """Send a write so that it is done once, however often it must be repeated."""
        return self._wire.sent("POST", path, document, key=key or str(uuid.uuid4()))

    def look(self, path: str) -> dict[str, Any]:
        """The document at a path."""
        return self._wire.sent("GET", path)

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _bounds(document: dict[str, Any]) -> Bounds:
    return Bounds(float(document["lower"]), float(document["upper"]), str(document["because"]), document)


__all__ = ["Account", "Bounds", "Client", "Grant", "NoRoom", "Refusal", "Unreachable", "connect"]
