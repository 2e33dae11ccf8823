"""The routes of the questions: read a question, look for a stored answer, else have a process compute it, send it."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from dpcompose.server.access.guard import guarded
from dpcompose.server.bodies import Route
from dpcompose.server.computing import Pool, Ticket
from dpcompose.server.forms import wanted
from dpcompose.server.questions import QUESTIONS, Form, Question

MOST_KEPT = 512
LONGEST_KEPT = 65_536


class Kept:
    """Answers by question. A question always has the same answer, so it is computed once."""

    def __init__(self) -> None:
        """Without any answer."""
        self._found: OrderedDict[str, bytes] = OrderedDict()

    def find(self, key: str) -> bytes | None:
        """The stored answer, if there is one."""
        if key in self._found:
            self._found.move_to_end(key)
        return self._found.get(key)

    def keep(self, key: str, body: bytes) -> None:
        """Store an answer, and drop the one that was not asked for longest."""
        if len(body) <= LONGEST_KEPT:
            self._found[key] = body
            while len(self._found) > MOST_KEPT:
                self._found.popitem(last=False)


def routes() -> APIRouter:
    """A route for every question."""
    router = APIRouter(prefix="/v1", tags=["questions"], route_class=Route, dependencies=[Depends(guarded)])
    for name, kind in QUESTIONS.items():
        router.add_api_route(
            f"/{name}",
            _route(name, kind),
            methods=["POST"],
            operation_id=name,
            summary=(kind.__doc__ or "").split(":")[0].rstrip("."),
            description=kind.__doc__ or "",
            response_class=Response,
            responses={200: {"content": {str(form): {} for form in kind.forms}}},
        )
    return router


def _route(name: str, kind: type[Question]) -> Any:
    async def ask(question: Question, request: Request) -> Response:
        form = wanted(request.headers.get("accept"), kind.forms)
        asked = question.model_dump(exclude_defaults=True)
        kept: Kept = request.app.state.kept
        key = json.dumps([name, form, asked], sort_keys=True)
        body = kept.find(key)
        if body is None:
            body = await answer(request, name, form, asked)
            kept.keep(key, body)
        return Response(body, media_type=form, headers={"Vary": "Accept"})

    ask.__annotations__ |= {"question": kind, "request": Request, "return": Response}
    return ask


async def answer(request: Request, name: str, form: Form, asked: dict[str, Any]) -> bytes:
    """The answer to a question, computed in a process that can be killed."""
    pool: Pool = request.app.state.questions
    seconds = request.app.state.settings.seconds
    document = {"name": name, "form": str(form), "asked": asked}
    found: bytes = await pool.do(Ticket(request.state.client, "ask", document, seconds))
    return found


__all__ = ["Kept", "routes"]
