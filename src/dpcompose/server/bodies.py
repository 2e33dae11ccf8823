"""Bodies of requests: JSON whose numbers keep the decimals that were written, up to a limit of size."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from dpcompose.app.reading import bounded
from dpcompose.errors import InvalidDocument
from dpcompose.server.problems import Problem, ProblemKind

LONG = 18
"""A whole number with at least this many digits is kept as its text."""


class WrittenNumber(str):
    """A number as it was written."""

    __slots__ = ()


def plain(value: Any) -> Any:
    """The same document with its numbers as Python reads them, for what is only stored and shown again."""
    if isinstance(value, WrittenNumber):
        return float(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


class Exact(Request):
    """A request whose JSON keeps every number as it is written."""

    async def json(self) -> Any:
        """The body, with each decimal as its text; a repeated name is refused."""
        if not hasattr(self, "_json"):
            self._json = parsed(await self.body())
        return self._json


def parsed(body: bytes) -> Any:
    """The document in a body."""
    try:
        text = bounded(body.decode("utf-8"))
        found = json.loads(
            text, parse_float=WrittenNumber, parse_int=_whole, parse_constant=_no_number, object_pairs_hook=_each_once
        )
        if "\\ud" in text.lower():
            json.dumps(found, ensure_ascii=False).encode()  # fails for an escaped half of a surrogate pair
    except UnicodeError:
        raise Problem(ProblemKind.MALFORMED, "The body is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        said = f"Line {error.lineno}, column {error.colno}: this is not JSON ({error.msg})."
        raise Problem(ProblemKind.MALFORMED, said) from None
    except RecursionError:
        raise Problem(ProblemKind.MALFORMED, "The body nests too deeply.") from None
    except InvalidDocument as refused:
        raise Problem(ProblemKind.MALFORMED, str(refused)) from None
    return found


def _whole(text: str) -> int | str:
    return int(text) if len(text) < LONG else WrittenNumber(text)


def _no_number(text: str) -> Any:
    raise Problem(ProblemKind.MALFORMED, f"{text} is no number that JSON knows.")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Problem(ProblemKind.MALFORMED, "A name stands twice in one object of the body.")
    return found


class Route(APIRoute):
    """A route that reads its body with `Exact`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual handler, given an `Exact` request."""
        handle = super().get_route_handler()

        async def exactly(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            empty = request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers
            if kind != "application/json" and not empty:
                said = f"The body is {kind[:60] or 'of no kind'!r}, and application/json is expected."
                raise Problem(ProblemKind.MEDIA_TYPE, said)
            return await handle(Exact(request.scope, request.receive))

        return exactly


__all__ = ["Exact", "Route", "parsed", "plain"]
