"""The guard of every route: who is asking, whether the route's rule admits them, and whether they ask too often."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Header, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

from dpcompose.ledger.stores import Store, store_at
from dpcompose.server.access.acts import Acts
from dpcompose.server.access.people import Principal
from dpcompose.server.access.rules import RULES, AccessRule
from dpcompose.server.access.sessions import COOKIE, Sessions
from dpcompose.server.access.tokens import Tokens
from dpcompose.server.problems import Problem, ProblemKind
from dpcompose.server.rates import Rates

KEY = re.compile(r"[\x21-\x7e]{1,200}")
GUESSES = 20
"""An address may try one wrong token a minute for every 20 requests a minute that a token may make."""
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="dpcompose"'}


@dataclass
class Access:
    """What the guard needs: tokens, sessions, acts and rates."""

    store: Store
    per_minute: int
    tokens: Tokens = field(init=False)
    sessions: Sessions = field(init=False)
    acts: Acts = field(init=False)
    rates: Rates = field(init=False)
    failures: Rates = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = Tokens(self.store)
        self.sessions = Sessions(self.tokens)
        self.acts = Acts(self.store)
        self.rates, self.failures = Rates(self.per_minute), Rates(max(1, self.per_minute // GUESSES))

    @classmethod
    def at(cls, url: str, per_minute: int) -> Access:
        """For the tables of the service in the store at an address."""
        return cls(store_at(url), per_minute)


async def guarded(
    request: Request,
    authorization: Annotated[str | None, Header(include_in_schema=False)] = None,
    idempotency_key: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> None:
    """Admit a request, with `request.state.who` and `request.state.key` set; or refuse it."""
    route: Any = request.scope["route"]
    rule = RULES[f"{request.method} {route.path}"]
    access: Access | None = request.app.state.access
    who = None if access is None else await _who(request, access, rule, authorization)
    if rule.roles is not None and access is None:
        raise Problem(ProblemKind.NOT_FOUND, "This service keeps no books.")
    if rule.roles is not None:
        _allowed(who, rule)
    if who is not None and access is not None:
        access.rates.take(who.token)
        request.state.client = who.token
        request.scope["state"]["who"] = who.token
    if rule.write and (idempotency_key is None or not KEY.fullmatch(idempotency_key)):
        said = "A write carries the header Idempotency-Key: 1 to 200 letters, such as a UUID, new for each request."
        raise Problem(ProblemKind.KEY_MISSING, said, "Idempotency-Key")
    request.state.principal, request.state.key = who, idempotency_key


def _allowed(who: Principal | None, rule: AccessRule) -> None:
    if who is None:
        raise Problem(ProblemKind.UNAUTHENTICATED, "This needs a token: Authorization: Bearer dpc_…", headers=CHALLENGE)
    if rule.roles is not None and who.role not in rule.roles:
        allowed = " or ".join(sorted(rule.roles))
        raise Problem(ProblemKind.FORBIDDEN, f"This is for {allowed}, and the token of {who.name!r} is for {who.role}.")
    if rule.whole and not who.whole:
        raise Problem(ProblemKind.FORBIDDEN, "This is for tokens that reach the whole book.")


async def _who(request: Request, access: Access, rule: AccessRule, authorization: str | None) -> Principal | None:
    if authorization is not None:
        return await with_token(request, access, authorization)
    cookie = request.cookies.get(COOKIE)
    if cookie is None or rule.roles is None:
        return None
    found = await run_in_threadpool(access.sessions.holder, cookie)
    if found is not None and request.method in UNSAFE:
        from_here(request)
        if not hmac.compare_digest(request.headers.get("x-csrf-token", "").encode(), (found.form or "").encode()):
            raise Problem(ProblemKind.CSRF, "A page sends what its session was given in the header X-CSRF-Token.")
    return found


async def with_token(request: Request, access: Access, authorization: str) -> Principal:
    """The holder of the token in a header. A wrong token is refused even where no token is needed."""
    kind, _, text = authorization.partition(" ")
    address = request.state.client
    found = None
    if kind.lower() == "bearer" and len(text) < 200:
        found = await run_in_threadpool(access.tokens.holder, text.strip())
    if found is None:
        access.failures.take(address)
        raise Problem(ProblemKind.UNAUTHENTICATED, "This token is not known, or no longer in force.", headers=CHALLENGE)
    return found


def from_here(request: Request) -> None:
    """Refuse a browser's request that comes from another site."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Problem(ProblemKind.CSRF, "The request comes from a page of another site.")
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise Problem(ProblemKind.CSRF, "The request comes from a page of another site.")


def signed_in(request: Request) -> Principal:
    """Who sent a request, on a route whose rule requires somebody to be signed in."""
    found: Principal = request.state.principal
    return found


def attempt(request: Request) -> str:
    """The Idempotency-Key of a write."""
    found: str = request.state.key
    return found


Who = Annotated[Principal, Depends(signed_in)]
Key = Annotated[str, Depends(attempt)]


def unruled(routers: Sequence[APIRouter]) -> list[str]:
    """Routes under /v1 without a rule, and rules without a route; the service starts only if there are none."""
    every = [route for router in routers for route in router.routes]
    routes = {f"{m} {r.path}" for r in every if isinstance(r, APIRoute) for m in r.methods or ()}
    under = {name for name in routes if name.split(" ")[1].startswith("/v1/")}
    return sorted(under ^ RULES.keys())


__all__ = ["Access", "Key", "Who", "from_here", "guarded", "unruled", "with_token"]
