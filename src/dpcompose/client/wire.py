"""HTTP requests to a service: repeated until they are answered; refusals become exceptions with the same words."""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcompose import spec
from dpcompose.description import Mechanism
from dpcompose.errors import DPError
from dpcompose.filters.charge import OverBudget

try:
    import httpx
except ModuleNotFoundError as missing:
    if missing.name != "httpx":
        raise
    raise ModuleNotFoundError(
        "The client needs httpx: install it with pip install 'dpcompose[client]'.", name="httpx"
    ) from None

ATTEMPTS = 5
PAUSE = 0.2
AGAIN = {429, 502, 503, 504}
"""HTTP status codes after which a request is sent again under its key."""


class Refusal(DPError):
    """A refusal by the service, in its own words."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        """Read a problem document: `type`, `status`, `detail`, and the `parameter` with what is `allowed`."""
        super().__init__(str(problem.get("detail") or problem.get("title") or "The service refuses."))
        self.problem = dict(problem)

    @property
    def kind(self) -> str:
        """The last word of the problem's type, such as `over-budget`."""
        return str(self.problem.get("type", "")).rpartition(":")[2]


class NoRoom(Refusal, OverBudget):
    """A charge that does not fit into the account."""


class Unreachable(DPError):
    """No answer from the service. A write may or may not have been done; repeat it under the same key."""


class Wire:
    """Connections to one service."""

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        """Nothing is sent yet."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)

    def sent(
        self, method: str, path: str, document: Mapping[str, Any] | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Send a request and return the answer; a write is repeated under its key, so that it is done once."""
        headers = {} if key is None else {"Idempotency-Key": key}
        for attempt in range(1, ATTEMPTS + 1):
            try:
                reply = self._http.request(method, path, json=document, headers=headers)
            except httpx.TransportError as lost:
                if attempt == ATTEMPTS:
                    raise Unreachable(f"{self._http.base_url} does not answer: {lost}") from None
            else:
                if reply.status_code not in AGAIN or attempt == ATTEMPTS:
                    return read(reply)
            time.sleep(PAUSE * 2**attempt)
        raise AssertionError  # not reached: the last attempt returns or raises

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def said(value: Any) -> Any:
    """A value as the service reads it: a mechanism as its text, a number exactly."""
    if isinstance(value, Mechanism):
        return spec.dumps(value)
    if isinstance(value, bool | str | None) or not isinstance(value, int | float | Fraction):
        return value
    return spec.written(value)


def read(reply: httpx.Response) -> dict[str, Any]:
    """The document of a reply; raises if it is a refusal."""
    if reply.status_code == httpx.codes.NO_CONTENT:
        return {}
    try:
        found = reply.json()
    except ValueError:
        found = {"detail": f"The service answered with status {reply.status_code} and no document."}
    if reply.is_success and isinstance(found, dict):
        return found
    problem = found if isinstance(found, dict) else {}
    raise (NoRoom if str(problem.get("type", "")).endswith(":over-budget") else Refusal)(problem)


__all__ = ["PAUSE", "NoRoom", "Refusal", "Unreachable", "Wire", "said"]
