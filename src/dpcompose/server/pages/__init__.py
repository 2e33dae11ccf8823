"""The pages for people: the explorer and the console."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse


def routes(*, console: bool = True) -> APIRouter:
    """Everything that a browser shows."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def welcome() -> PlainTextResponse:
        return PlainTextResponse(f"dpcompose: see /openapi.json{' and /console' if console else ''}.\n")

    return router


__all__ = ["routes"]
