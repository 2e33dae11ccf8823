"""The application: its routes, its processes, and what surrounds them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from dpcompose import app as use
from dpcompose.errors import DPError
from dpcompose.server import asking, computing, pages, people
from dpcompose.server.access.guard import Access, guarded, unruled
from dpcompose.server.books import routes as books
from dpcompose.server.books.work import entry as keeping
from dpcompose.server.computing import Ticket
from dpcompose.server.computing.asking import entry
from dpcompose.server.observing import Metrics, listen, log
from dpcompose.server.problems import MEDIA, SCHEMA, Problem, ProblemKind, problem, shown
from dpcompose.server.questions import Form
from dpcompose.server.settings import Settings
from dpcompose.server.surroundings import Surroundings

STATUSES = {404: ProblemKind.NOT_FOUND, 405: ProblemKind.METHOD}


def create(settings: Settings | None = None) -> FastAPI:
    """The whole service, ready for a server such as uvicorn."""
    chosen = settings or Settings.from_environment()
    metrics = Metrics()
    listen()
    made = FastAPI(
        title="dpcompose",
        version=version("dpcompose"),
        docs_url=None,
        redoc_url=None,
        lifespan=_lived,
        responses={"4XX": {"description": "A refusal", "content": {MEDIA: {"schema": SCHEMA}}}},
    )
    made.state.settings, made.state.metrics, made.state.kept = chosen, metrics, asking.Kept()
    made.state.access, made.state.running = None, set()
    made.add_middleware(Surroundings, settings=chosen, metrics=metrics)
    made.exception_handler(Problem)(_refused)
    made.exception_handler(DPError)(_declined)
    made.exception_handler(RequestValidationError)(_invalid)
    made.exception_handler(HTTPException)(_nothing)
    routers = (_health(), asking.routes(), books.router, people.router)
    if unruled(routers):
        raise RuntimeError(f"routes without a rule, or rules without a route: {unruled(routers)}")
    for router in (*routers, pages.routes(console=chosen.console)):
        made.include_router(router)
    return made


@asynccontextmanager
async def _lived(made: FastAPI) -> AsyncIterator[None]:
    """Start the computing processes with the service, and end them with it."""
    settings: Settings = made.state.settings
    pools = {"questions": computing.Pool(entry, settings.processes)}
    if settings.store is not None:
        made.state.access = Access.at(settings.store, settings.per_minute)
        clerk = partial(keeping, settings.store)
        pools |= {"books": computing.Pool(clerk, settings.processes), "verifier": computing.Pool(clerk, 1)}
    for name, pool in pools.items():
        setattr(made.state, name, pool)
        await pool.start()
    watch = asyncio.create_task(_followed(settings.parent))
    try:
        yield
    finally:
        watch.cancel()
        for pool in pools.values():
            await pool.stop()


async def _followed(parent: int) -> None:
    """End this process when the one that started it is gone, as nobody else would end it."""
    while not parent or os.getppid() == parent:  # noqa: ASYNC110 - nothing tells when it goes
        await asyncio.sleep(1)
    signal.raise_signal(signal.SIGTERM)


def _health() -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/v1/schema", dependencies=[Depends(guarded)])
    async def schema() -> Response:
        """The JSON Schema of the documents that describe mechanisms."""
        return Response(f"{use.schema()}\n", media_type="application/json")

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Whether this process runs."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def readyz(request: Request) -> dict[str, str]:
        """Whether a question, and the books, would be answered now."""
        request.state.client = "readiness"
        await asking.answer(request, "formula", Form.JSON, {"card": "MIR-P4"})
        if request.app.state.access is not None:
            nobody = {"name": "", "role": "", "accounts": []}
            await request.app.state.books.do(Ticket("readiness", "ready", {"asker": nobody}, books.LOOK_SECONDS))
        return {"status": "ready"}

    @router.get("/metrics", response_class=Response)
    async def metrics(request: Request) -> Response:
        """The metrics of the service, for Prometheus."""
        request.app.state.metrics.waiting.set(request.app.state.questions.waiting)
        body, kind = request.app.state.metrics.page()
        return Response(body, media_type=kind)

    return router


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Problem)  # noqa: S101 - for the type checker
    if refused.trace:
        log("defect", level="error", trace=refused.trace)
    request.app.state.metrics.problems.labels(refused.kind.slug).inc()
    return refused.response()


async def _declined(request: Request, error: Exception) -> Response:
    assert isinstance(error, DPError)  # noqa: S101 - for the type checker
    return await _refused(request, problem(error))


async def _invalid(request: Request, error: Exception) -> Response:
    """The refusal of a body or query of the wrong shape: the first error, with its path."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - for the type checker
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"][1:]) or "body"
    said = {"missing": "is missing", "extra_forbidden": "is not known here"}.get(first["type"], "is not allowed")
    value = None if first["type"] in {"missing", "extra_forbidden"} else shown(first.get("input"))
    found = Problem(ProblemKind.INVALID_PARAMETER, f"{path} {said}: {first['msg']}.", path, value, first["msg"])
    return await _refused(request, found)


async def _nothing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker
    if isinstance(error.__cause__, Problem):  # raised while the body was read, which FastAPI calls a bad request
        return await _refused(request, error.__cause__)
    kind = STATUSES.get(error.status_code, ProblemKind.MALFORMED)
    return await _refused(
        request, Problem(kind, f"{request.method} does not lead anywhere here.", headers=error.headers or {})
    )


__all__ = ["create"]
