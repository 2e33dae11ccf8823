"""Every kind of refusal in one table: problem+json (RFC 9457), with names that programs can rely on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import singledispatch
from typing import Any

from fastapi.responses import Response

from dpcompose import errors

MEDIA = "application/problem+json"
PREFIX = "urn:dpcompose:problem:"
LONGEST = 200
"""The number of characters of a refused value that are shown."""


SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "parameter": {"type": "string"},
        "value": {"type": "string"},
        "allowed": {"type": "string"},
    },
}
"""The JSON Schema of a problem."""


class ProblemKind(Enum):
    """A kind of problem. The status and title of a name never change."""

    MALFORMED = ("malformed-request", 400, "The request cannot be read")
    KEY_MISSING = ("idempotency-key-missing", 400, "A write needs an Idempotency-Key")
    UNAUTHENTICATED = ("unauthenticated", 401, "Sign in first")
    FORBIDDEN = ("forbidden", 403, "This token may not do that")
    CSRF = ("csrf", 403, "The request does not come from a page of this service")
    NOT_FOUND = ("not-found", 404, "There is no such thing")
    METHOD = ("method-not-allowed", 405, "This cannot be done there")
    NOT_ACCEPTABLE = ("not-acceptable", 406, "The answer has no such form")
    TIMEOUT = ("request-timeout", 408, "The request took too long to arrive")
    OVER_BUDGET = ("over-budget", 409, "It does not fit into the budget")
    KEY_CONFLICT = ("key-conflict", 409, "The key stands for something else")
    WRONG_STATE = ("wrong-state", 409, "The grant is in another state")
    EXISTS = ("exists", 409, "The name is taken")
    UNKNOWN_OUTCOME = ("unknown-outcome", 409, "An earlier attempt did not say how it ended")
    PRECONDITION = ("precondition-failed", 412, "It has changed meanwhile")
    TOO_LARGE = ("too-large", 413, "The request is too large")
    MEDIA_TYPE = ("unsupported-media-type", 415, "The body is of a kind that is not read")
    INVALID_PARAMETER = ("invalid-parameter", 422, "A value is not allowed")
    INVALID_DOCUMENT = ("invalid-document", 422, "The document does not describe a mechanism")
    ADJACENCY = ("adjacency-mismatch", 422, "Neighbouring relations do not belong together")
    NOT_PROVABLE = ("not-provable", 422, "No theorem answers the question")
    KEY_REUSED = ("idempotency-key-reused", 422, "The Idempotency-Key was used for another request")
    TOO_EXPENSIVE = ("too-expensive", 422, "The question takes too long to compute")
    REFUSED = ("refused", 422, "The request is refused")
    RATE = ("too-many-requests", 429, "Too many requests")
    DEFECT = ("defect", 500, "A defect of dpcompose")
    BUSY = ("busy", 503, "The service is busy")
    STORE = ("store-unavailable", 503, "The books cannot be used now")
    UNCERTAIN = ("uncertain", 503, "Nobody knows whether it was charged")
    REWOUND = ("rewound", 503, "The books are older than what was seen of them")

    def __init__(self, slug: str, status: int, title: str) -> None:
        """Name, status and title."""
        self.slug, self.status, self.title = slug, status, title


@dataclass(eq=False)
class Problem(Exception):
    """One refusal, ready to be sent; it can be passed from one process to another."""

    kind: ProblemKind
    detail: str
    parameter: str | None = None
    value: str | None = None
    allowed: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    trace: str = ""
    """Where a defect occurred; it is logged and never sent."""

    def document(self) -> dict[str, Any]:
        """The document that is sent."""
        found: dict[str, Any] = {"type": f"{PREFIX}{self.kind.slug}", "title": self.kind.title}
        found |= {"status": self.kind.status, "detail": self.detail}
        said = {"parameter": self.parameter, "value": self.value, "allowed": self.allowed}
        return found | {name: text for name, text in said.items() if text is not None} | dict(self.more)

    def response(self) -> Response:
        """The HTTP response."""
        body = json.dumps(self.document(), ensure_ascii=True)
        headers = {**self.headers, "Cache-Control": "no-store"}
        return Response(body, self.kind.status, headers, media_type=MEDIA)


KINDS: Mapping[str, ProblemKind] = {
    "InvalidParameter": ProblemKind.INVALID_PARAMETER,
    "InvalidDocument": ProblemKind.INVALID_DOCUMENT,
    "AdjacencyMismatch": ProblemKind.ADJACENCY,
    "NotProvable": ProblemKind.NOT_PROVABLE,
    "Contradiction": ProblemKind.DEFECT,
    "OverBudget": ProblemKind.OVER_BUDGET,
    "Refused": ProblemKind.OVER_BUDGET,
    "KeyConflict": ProblemKind.KEY_CONFLICT,
    "WrongState": ProblemKind.WRONG_STATE,
    "Exists": ProblemKind.EXISTS,
    "OutOfReach": ProblemKind.NOT_FOUND,
    "NotPermitted": ProblemKind.FORBIDDEN,
    "StoreError": ProblemKind.STORE,
    "Uncertain": ProblemKind.UNCERTAIN,
    "Rewound": ProblemKind.REWOUND,
    "DPError": ProblemKind.REFUSED,
}
"""The kind of problem for each refusal of the library, by the name of its class."""


def problem(error: errors.DPError) -> Problem:
    """A refusal of the library as a problem, with the library's message."""
    kind = next(KINDS[c.__name__] for c in type(error).__mro__ if c.__name__ in KINDS)
    return Problem(kind, _sentence(error), **_fields(error))


def _sentence(error: errors.DPError) -> str:
    """The message on one line; a name that is refused keeps the very spaces that were asked for."""
    said = str(error)
    return said if isinstance(error, errors.OutOfReach | errors.NotPermitted) else " ".join(said.split())


@singledispatch
def _fields(error: errors.DPError) -> dict[str, Any]:
    """What a refusal says beside its sentence: whose account refuses, if it names one."""
    return {"more": {"scope": error.scope}} if hasattr(error, "scope") else {}


@_fields.register
def _(error: errors.InvalidParameter) -> dict[str, Any]:
    return {"parameter": error.name, "value": shown(error.value), "allowed": error.allowed}


@_fields.register
def _(_error: errors.InvalidDocument) -> dict[str, Any]:
    return {"parameter": "mechanism"}


@_fields.register
def _(error: errors.OutOfReach) -> dict[str, Any]:
    return {"parameter": error.what, "value": error.name[:LONGEST]}


@_fields.register
def _(error: errors.NotPermitted) -> dict[str, Any]:
    return {"parameter": error.parameter}


def shown(value: object) -> str:
    """A refused value, shortened for display."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # a number of thousands of digits has no short text
        return "a number with too many digits"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


__all__ = ["KINDS", "MEDIA", "SCHEMA", "Problem", "ProblemKind", "problem", "shown"]
