"""The addresses of the page: the explorer, the console, theorems, and files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from jinja2 import Environment, FunctionLoader, StrictUndefined

from dpcompose.app import Reply, theorems, typeset
from dpcompose.app.fields import declaration
from dpcompose.app.plans import plan as in_every_form
from dpcompose.app.reading import LONGEST, asked_for
from dpcompose.errors import DPError
from dpcompose.server.access.sessions import COOKIE
from dpcompose.server.pages.assets import assets
from dpcompose.server.pages.catalogues import Catalogue, catalogues, chosen
from dpcompose.server.pages.presets import presets
from dpcompose.server.problems import problem

LANGUAGE = "dpc_language"
"""The cookie that remembers a language, and nothing else."""
A_YEAR = 365 * 24 * 3600
Text = Annotated[str, Body(embed=True, max_length=LONGEST)]


def routes(*, console: bool = True) -> APIRouter:
    """Every address of the page, with or without the console."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    router.add_api_route("/", explorer if console else explorer_alone, methods=["GET"], name="explorer")
    router.add_api_route("/theorems/{identifier}", theorem, methods=["GET"], name="theorem")
    router.add_api_route("/bibtex", bibtex, methods=["GET"], name="bibtex")
    router.add_api_route("/explore/plan", plan, methods=["POST"], name="plan", response_class=JSONResponse)
    router.add_api_route("/assets/{path:path}", asset, methods=["GET"], name="asset")
    if console:
        router.add_api_route("/console", books, methods=["GET"], name="console")
    return router


def _template(name: str) -> str | None:
    path = files(__package__) / "templates" / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


TEMPLATES = Environment(loader=FunctionLoader(_template), autoescape=True, undefined=StrictUndefined, trim_blocks=True)


def rendered(request: Request, name: str, data: Mapping[str, Any], **more: Any) -> HTMLResponse:
    """A page in the user's language, with the data that its JavaScript modules read."""
    asked = request.query_params.get("lang")
    words = chosen(asked or request.cookies.get(LANGUAGE), request.headers.get("accept-language", ""))
    carried = {"messages": dict(words.messages), "language": words.language, **data}
    body = TEMPLATES.get_template(name).render(
        t=words, data=carried, languages=switches(request, words), path=request.url.path, **more
    )
    response = HTMLResponse(body, headers={"Vary": "Accept-Language, Cookie", "Cache-Control": "no-store"})
    if asked == words.language:
        response.set_cookie(LANGUAGE, words.language, A_YEAR, httponly=True, samesite="lax")
    return response


def switches(request: Request, words: Catalogue) -> list[dict[str, str]]:
    """Links to the same page in every other language."""
    return [
        {"language": language, "name": other.name, "href": f"?{request.url.include_query_params(lang=language).query}"}
        for language, other in catalogues().items()
        if language != words.language
    ]


def explorer(request: Request) -> HTMLResponse:
    """The explorer: compose mechanisms, and see what they cost."""
    return rendered(request, "explorer.html", declaration(), presets=presets(), console=True)


def explorer_alone(request: Request) -> HTMLResponse:
    """The explorer on a server that keeps no books."""
    return rendered(request, "explorer.html", declaration(), presets=presets(), console=False)


def books(request: Request) -> HTMLResponse:
    """The console. The page is told whether a session cookie is there; everything else it asks for itself."""
    return rendered(request, "console.html", {"signed": COOKIE in request.cookies}, console=True)


def theorem(request: Request, identifier: str) -> HTMLResponse:
    """A theorem in its own words, with its source."""
    found = [t for t in theorems(identifier[:60]).result if identifier in (t.id, *t.aliases)]
    if not found:
        return HTMLResponse("", status_code=404)
    shown = [typeset(t) for t in found]
    name = "statement.html" if "part" in request.query_params else "theorem.html"
    return rendered(request, name, {}, found=shown, bibtex=Reply(found).bibtex(), console=True)


def bibtex(ids: str) -> PlainTextResponse:
    """BibTeX for the sources of theorems, each once."""
    wanted = set(ids[:4000].split(","))
    found = [t for t in theorems().result if t.id in wanted]
    return PlainTextResponse(Reply(found).bibtex() + "\n", media_type="application/x-bibtex; charset=utf-8")


def plan(mechanism: Text, delta: Text) -> dict[str, Any]:
    """A plan in every form, or why the text is none; while a user types, that is an answer and no failure."""
    try:
        asked_for(delta=delta)
        return in_every_form(mechanism)
    except DPError as refusal:
        return {"schema": "dpc.plan/1", "refused": problem(refusal).document()}


def asset(request: Request, path: str) -> Response:
    """One file of the page, or 304 if the browser has it."""
    found = assets().get(path)
    if found is None:
        return Response(status_code=404)
    headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type=found.media_type, headers=headers)
