"""The application: routes, and what surrounds every one of them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError

from dpcompose.errors import DPError
from dpcompose.server import pages, problems
from dpcompose.server.problems import Kind, Problem
from dpcompose.server.questions import QUESTIONS, Question, answered
from dpcompose.server.settings import Settings


def create(settings: Settings | None = None) -> FastAPI:
    """The whole service, ready for a server such as uvicorn."""
    chosen = settings or Settings.from_environment()
    made = FastAPI(title="dpcompose", version=version("dpcompose"), docs_url=None, redoc_url=None)
    made.state.settings = chosen
    made.exception_handler(Problem)(_refused)
    made.exception_handler(DPError)(_declined)
    made.exception_handler(RequestValidationError)(_invalid)
    made.include_router(_health())
    made.include_router(_questions())
    made.include_router(pages.routes(console=chosen.console))
    return made


def _questions() -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["questions"])
    for name, kind in QUESTIONS.items():
        router.post(f"/{name}", operation_id=name, description=kind.__doc__)(_route(name, kind))
    return router


def _route(name: str, kind: type[Question]) -> Any:
    async def ask(question: Question) -> Response:
        text = await run_in_threadpool(answered, name, question.model_dump())
        return Response(text, media_type="application/json")

    ask.__annotations__["question"] = kind
    return ask


def _health() -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/healthz")
    def healthz() -> dict[str, str]:
        """Whether the process is alive."""
        return {"status": "ok"}

    @router.get("/readyz")
    def readyz() -> dict[str, str]:
        """Whether it can answer."""
        return {"status": "ready"}

    return router


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)  # noqa: S101 - for the type checker
    return problem.response()


async def _declined(_: Request, error: Exception) -> Response:
    assert isinstance(error, DPError)  # noqa: S101 - for the type checker
    return problems.problem(error).response()


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - for the type checker
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"][1:]) or "body"
    return Problem(Kind.INVALID_PARAMETER, f"{path}: {first['msg']}.", path).response()


__all__ = ["create"]
