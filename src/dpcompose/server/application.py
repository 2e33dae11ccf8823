"""The application: its routes, its processes, and what surrounds them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from dpcompose.server import asking, computing, pages
from dpcompose.server.computing.asking import entry
from dpcompose.server.observing import Metrics, log
from dpcompose.server.problems import MEDIA, Kind, Problem, shown
from dpcompose.server.questions import Form
from dpcompose.server.settings import Settings
from dpcompose.server.surroundings import Surroundings

STATUSES = {404: Kind.NOT_FOUND, 405: Kind.METHOD}
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
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


def create(settings: Settings | None = None) -> FastAPI:
    """The whole service, ready for a server such as uvicorn."""
    chosen = settings or Settings.from_environment()
    metrics = Metrics()
    made = FastAPI(
        title="dpcompose",
        version=version("dpcompose"),
        docs_url=None,
        redoc_url=None,
        lifespan=_lived,
        responses={"4XX": {"description": "A refusal", "content": PROBLEM}},
    )
    made.state.settings, made.state.metrics, made.state.kept = chosen, metrics, asking.Kept()
    made.add_middleware(Surroundings, settings=chosen, metrics=metrics)
    made.exception_handler(Problem)(_refused)
    made.exception_handler(RequestValidationError)(_invalid)
    made.exception_handler(HTTPException)(_nothing)
    made.include_router(_health())
    made.include_router(asking.routes())
    made.include_router(pages.routes(console=chosen.console))
    return made


@asynccontextmanager
async def _lived(made: FastAPI) -> AsyncIterator[None]:
    """The processes start with the service, and end with it."""
    settings: Settings = made.state.settings
    made.state.questions = computing.Pool(entry, settings.processes)
    await made.state.questions.start()
    try:
        yield
    finally:
        await made.state.questions.stop()


def _health() -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Whether the process is alive."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def readyz(request: Request) -> dict[str, str]:
        """Whether a question would be answered now."""
        await asking.answer(request, "formula", Form.JSON, {"card": "MIR-P4"})
        return {"status": "ready"}

    @router.get("/metrics", response_class=Response)
    async def metrics(request: Request) -> Response:
        """The numbers of the service, for Prometheus."""
        request.app.state.metrics.waiting.set(request.app.state.questions.waiting)
        body, kind = request.app.state.metrics.page()
        return Response(body, media_type=kind)

    return router


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)  # noqa: S101 - for the type checker
    if problem.trace:
        log("defect", level="error", trace=problem.trace)
    request.app.state.metrics.problems.labels(problem.kind.slug).inc()
    return problem.response()


async def _invalid(request: Request, error: Exception) -> Response:
    """A body or a query that does not have the declared shape: the first thing that is wrong, by its path."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - for the type checker
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"][1:]) or "body"
    said = {"missing": "is missing", "extra_forbidden": "is not known here"}.get(first["type"], "is not allowed")
    value = None if first["type"] in {"missing", "extra_forbidden"} else shown(first.get("input"))
    found = Problem(Kind.INVALID_PARAMETER, f"{path} {said}: {first['msg']}.", path, value, first["msg"])
    return await _refused(request, found)


async def _nothing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker
    kind = STATUSES.get(error.status_code, Kind.MALFORMED)
    return await _refused(
        request, Problem(kind, f"{request.method} does not lead anywhere here.", headers=error.headers or {})
    )


__all__ = ["MEDIA", "SCHEMA", "create"]
