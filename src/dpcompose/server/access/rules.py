"""Which roles may use which route: one table; a route that is not in it does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpcompose.server.access.people import Role
from dpcompose.server.questions import QUESTIONS

EVERYBODY = frozenset(Role)
OWNER = frozenset({Role.OWNER})
SPENDERS = frozenset({Role.OWNER, Role.ANALYST})
WATCHERS = frozenset({Role.OWNER, Role.AUDITOR})


@dataclass(frozen=True, slots=True)
class AccessRule:
    """What a route requires of its caller."""

    roles: frozenset[Role] | None
    """None: no sign-in is required."""
    whole: bool = False
    """Whether the token must reach the whole book."""
    write: bool = False
    """Whether the request must carry an Idempotency-Key."""


OPEN = AccessRule(None)
SEES = AccessRule(EVERYBODY)
SPENDS = AccessRule(SPENDERS, write=True)
OWNS = AccessRule(OWNER, write=True)
WATCHES = AccessRule(WATCHERS, whole=True)

ACCOUNT = "/v1/accounts/{account}"
RULES: Mapping[str, AccessRule] = {
    **{f"POST /v1/{name}": OPEN for name in QUESTIONS},
    "GET /v1/schema": OPEN,
    "POST /v1/session": OPEN,
    "GET /v1/session": SEES,
    "DELETE /v1/session": SEES,
    "GET /v1/accounts": SEES,
    "POST /v1/accounts": OWNS,
    f"GET {ACCOUNT}": SEES,
    f"GET {ACCOUNT}/history": SEES,
    f"GET {ACCOUNT}/holds": SEES,
    f"GET {ACCOUNT}/burndown": SEES,
    f"GET {ACCOUNT}/statement": SEES,
    f"POST {ACCOUNT}/quote": SEES,
    f"POST {ACCOUNT}/blocks": OWNS,
    f"POST {ACCOUNT}/epochs": OWNS,
    f"POST {ACCOUNT}/grants": SPENDS,
    f"GET {ACCOUNT}/grants/{{key}}": SEES,
    f"POST {ACCOUNT}/grants/{{key}}/{{step}}": SPENDS,
    "GET /v1/verification": WATCHES,
    "POST /v1/verification": AccessRule(WATCHERS, whole=True, write=True),
    "POST /v1/checkpoints": AccessRule(WATCHERS, whole=True, write=True),
    "POST /v1/acknowledgements": AccessRule(OWNER, whole=True, write=True),
    "GET /v1/tokens": AccessRule(WATCHERS),
    "POST /v1/tokens": OWNS,
    "DELETE /v1/tokens/{token}": OWNS,
    "GET /v1/audit": WATCHES,
}

__all__ = ["RULES", "AccessRule"]
