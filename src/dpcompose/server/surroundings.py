"""What every request passes through: limits, then headers of the answer, a line in the log, and metrics."""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dpcompose.server.observing import Metrics, log
from dpcompose.server.problems import Problem, ProblemKind
from dpcompose.server.rates import Rates
from dpcompose.server.settings import Settings

BODY_SECONDS = 10.0
"""Seconds within which a body must arrive."""
LONGEST_TARGET = 8192
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
ENCODED = b"/v1/accounts/"
"""Paths below this are not decoded before routing, as names of accounts may contain a slash."""


class Surroundings:
    """A layer around the whole application, pages included."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        """`settings` holds the operator's limits."""
        self.app, self.settings, self.metrics = app, settings, metrics
        self.rates = Rates(10 * settings.per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, from its first byte to its last."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = SentSoFar(scope, send)
        began = time.monotonic()
        try:
            self._admitted(scope)
            await self.app(scope, self._limited(receive), seen.send)
        except Problem as refused:
            await seen.refuse(refused, receive)
        except Exception:  # noqa: BLE001 - the client is told that there is a defect, the log which
            log("defect", level="error", id=seen.id, trace=traceback.format_exc(limit=-8))
            await seen.refuse(
                Problem(ProblemKind.DEFECT, f"This is a defect of dpcompose; the log has it as {seen.id}."), receive
            )
        finally:
            self._told(scope, seen, time.monotonic() - began)

    def _admitted(self, scope: Scope) -> None:
        """Refuse, from the head alone, a request whose body need not be read."""
        headers, client = Headers(scope=scope), scope.get("client")
        address = client[0] if client else "unknown"
        scope.setdefault("state", {})["client"] = address
        self.rates.take(address)
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        if len(raw) + len(scope.get("query_string", b"")) > LONGEST_TARGET:
            raise Problem(ProblemKind.TOO_LARGE, f"An address has at most {LONGEST_TARGET} bytes.")
        if raw.startswith(ENCODED):
            scope["path"] = raw.decode("ascii", "replace")
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise Problem(ProblemKind.MEDIA_TYPE, "A compressed body is not read: send it as it is.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > self.settings.most_bytes:
            raise Problem(ProblemKind.TOO_LARGE, f"A body has at most {self.settings.most_bytes} bytes.")

    def _limited(self, receive: Receive) -> Receive:
        """The receiver of the body, which refuses a long or a slow one."""
        until, size = time.monotonic() + BODY_SECONDS, 0
        whole = False

        async def limited() -> Message:
            nonlocal size, whole
            if whole:
                return await receive()  # from here on it only waits for the client to leave
            try:
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                raise Problem(
                    ProblemKind.TIMEOUT, f"The body did not arrive within {BODY_SECONDS:g} seconds."
                ) from None
            size += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if size > self.settings.most_bytes:
                raise Problem(ProblemKind.TOO_LARGE, f"A body has at most {self.settings.most_bytes} bytes.")
            return message

        return limited

    def _told(self, scope: Scope, seen: SentSoFar, seconds: float) -> None:
        route: Any = scope.get("route")
        template = str(getattr(route, "path", "(no route)"))
        self.metrics.answered(scope["method"], template, seen.status, seconds)
        who = scope["state"].get("who") if "state" in scope else None
        log(
            "request",
            id=seen.id,
            method=scope["method"],
            route=template,
            status=seen.status,
            ms=round(1000 * seconds, 1),
            **({"who": who} if who else {}),
        )


class SentSoFar:
    """How much of an answer has been sent."""

    def __init__(self, scope: Scope, send: Send) -> None:
        """Nothing has been sent."""
        self.id = secrets.token_hex(6)
        self.status = 0
        self._scope, self._send = scope, send

    async def send(self, message: Message) -> None:
        """Send a message on, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers["X-Request-ID"] = self.id
            if self._scope["path"].startswith("/v1/"):
                headers.setdefault("Cache-Control", "no-store")
            if self._scope.get("scheme") == "https":
                headers["Strict-Transport-Security"] = "max-age=31536000"
        await self._send(message)

    async def refuse(self, refused: Problem, receive: Receive) -> None:
        """Send a refusal, unless an answer has begun."""
        if not self.status:
            await refused.response()(self._scope, receive, self.send)


__all__ = ["HEADERS", "Surroundings"]
