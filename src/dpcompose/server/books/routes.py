"""The routes of the books. Reading and computing happen in separate processes; this module handles only HTTP."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from dpcompose.app.books.looking import STYLE
from dpcompose.server.access.acts import RequestedAct, Said
from dpcompose.server.access.guard import Access, Key, Who, guarded
from dpcompose.server.access.people import Principal
from dpcompose.server.bodies import Route
from dpcompose.server.books import asked as wishes
from dpcompose.server.computing import Pool, Ticket
from dpcompose.server.forms import wanted
from dpcompose.server.problems import Problem, ProblemKind

LOOK_SECONDS = 10.0
WRITE = {"parameters": [{"name": "Idempotency-Key", "in": "header", "required": True, "schema": {"type": "string"}}]}
JSON, HTML = "application/json", "text/html"
_STYLED = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
PAGE_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLED}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A statement is one page with its own style and no script."""

router = APIRouter(prefix="/v1", tags=["books"], route_class=Route, dependencies=[Depends(guarded)])


def named(account: Annotated[str, Path(min_length=1, max_length=3000)]) -> str:
    """The name of an account, decoded from an address."""
    return _unquoted("account", account)


def keyed(key: Annotated[str, Path(min_length=1, max_length=3000)]) -> str:
    """The key of a grant."""
    return _unquoted("key", key)


def _unquoted(what: str, text: str) -> str:
    try:
        found = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise Problem(ProblemKind.NOT_FOUND, f"There is no {what} of such a name.", what) from None
    if not found.isprintable():
        raise Problem(ProblemKind.NOT_FOUND, f"There is no {what} of such a name.", what)
    return found


Account = Annotated[str, Depends(named)]
GrantKey = Annotated[str, Depends(keyed)]
Short = Annotated[str, Query(max_length=500, pattern=r"^[^\x00-\x1f]*$")]
After = Annotated[int, Query(ge=0, le=2**53)]


async def done(
    request: Request, asker: Principal, task: str, *, seconds: float | None = None, **document: Any
) -> dict[str, Any]:
    """Run a task of the books in a process that can be killed while it computes."""
    pool: Pool = request.app.state.books
    told = {"name": asker.name, "role": str(asker.role), "accounts": asker.accounts}
    limit = request.app.state.settings.seconds if seconds is None else seconds
    found: dict[str, Any] = await pool.do(Ticket(asker.token, task, {"asker": told, **document}, limit))
    return found


def tagged(request: Request, document: Mapping[str, Any] | str, status: int = 200) -> Response:
    """A document with an ETag; 304 without a body if the client has that version already."""
    text = document if isinstance(document, str) else f"{json.dumps(document, ensure_ascii=False, indent=2)}\n"
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept, Cookie, Authorization"}
    if request.method == "GET" and tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if isinstance(document, str):
        headers["Content-Security-Policy"] = PAGE_POLICY
    return Response(text, status, headers, media_type=HTML if isinstance(document, str) else JSON)


def attempt_of(who: Principal, key: str) -> str:
    """The name of an attempt in the books: 16 digits made from the holder's token and the Idempotency-Key."""
    return hashlib.sha256(f"{who.token}\0{key}".encode()).hexdigest()[:16]


async def acted(
    request: Request, act: RequestedAct, task: str, status: int, *, seconds: float | None = None, **document: Any
) -> Response:
    """Run an administrative act: record that it begins, do it, record how it ended."""
    access: Access = request.app.state.access
    begun = await run_in_threadpool(access.acts.begin, act)
    if isinstance(begun, Said):
        return tagged(request, begun.document, begun.status)
    try:
        found = await done(request, act.who, task, seconds=seconds, **document)
    except Problem as refused:
        if refused.kind is not ProblemKind.UNCERTAIN:
            await run_in_threadpool(access.acts.refuse, begun, refused)
        raise
    await run_in_threadpool(access.acts.end, begun, Said(status, found))
    return tagged(request, found, status)


def hashed(wish: wishes.Wish, *more: str) -> str:
    """A hash of a request, to recognise the same request again."""
    text = json.dumps([type(wish).__name__, wish.model_dump(mode="json"), *more], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@router.get("/accounts")
async def accounts(
    request: Request, who: Who, after: After = 0, limit: Annotated[int, Query(ge=1, le=500)] = 100
) -> Response:
    """The accounts within reach, oldest first: a parent comes before its children."""
    found = await done(request, who, "accounts", seconds=LOOK_SECONDS, after=after, limit=limit)
    return tagged(request, found)


@router.post("/accounts", status_code=201, openapi_extra=WRITE)
async def create(request: Request, who: Who, key: Key, wish: wishes.NewAccount) -> Response:
    """Make an account; its caps are fixed from now on."""
    act = RequestedAct(who, "create account", wish.name, key, hashed(wish), harmless=True)
    return await acted(request, act, "create", 201, wish=wish.model_dump(), again=True)


@router.get("/accounts/{account}")
async def account(request: Request, who: Who, account: Account) -> Response:
    """One account: whom it hides, what it promises, and how much is left."""
    return tagged(request, await done(request, who, "account", seconds=LOOK_SECONDS, account=account))


@router.post("/accounts/{account}/blocks", status_code=201, openapi_extra=WRITE)
async def block(request: Request, who: Who, key: Key, account: Account, wish: wishes.NewBlock) -> Response:
    """Open a block of an account whose data grows."""
    act = RequestedAct(who, "open block", f"{account}/{wish.name}", key, hashed(wish, account), harmless=True)
    return await acted(request, act, "block", 201, account=account, wish=wish.model_dump())


@router.post("/accounts/{account}/epochs", status_code=201, openapi_extra=WRITE)
async def epoch(request: Request, who: Who, key: Key, account: Account, wish: wishes.NewEpoch) -> Response:
    """Open a new epoch with caps of its own: the guarantees add up."""
    await _unchanged(request, who, account)
    act = RequestedAct(who, "raise caps", account, key, hashed(wish, account))
    return await acted(request, act, "epoch", 201, account=account, wish=wish.model_dump())


async def _unchanged(request: Request, who: Principal, account: str) -> None:
    """Refuse a write if the account has changed since the state that the client says it has seen."""
    seen = request.headers.get("if-match")
    if seen is None or seen.strip() == "*":
        return
    now = tagged(request, await done(request, who, "account", seconds=LOOK_SECONDS, account=account))
    if now.headers["etag"] not in seen:
        raise Problem(
            ProblemKind.PRECONDITION, f"{account!r} has changed since it was looked at: look again. Nothing was done."
        )


@router.post("/accounts/{account}/quote")
async def quote(request: Request, who: Who, account: Account, wish: wishes.Charge) -> Response:
    """What a mechanism would cost, and whether it fits: nothing is charged."""
    return tagged(request, await done(request, who, "quote", account=account, wish=wish.model_dump()))


@router.post("/accounts/{account}/grants", status_code=201, openapi_extra=WRITE)
async def spend(request: Request, who: Who, key: Key, account: Account, wish: wishes.Spending) -> Response:
    """Charge a mechanism that is about to run, or hold its cost; or refuse, and charge nothing.

    The `key` in the body stands for the release: whoever asks for it again finds the same grant, `fresh` no more. The
    header stands for this very request: repeat it with the same header if the reply was lost.
    """
    named_so = attempt_of(who, key)
    found = await done(request, who, "spend", account=account, wish=wish.model_dump(), attempt=named_so)
    return tagged(request, found, 201)


@router.get("/accounts/{account}/grants/{key}")
async def grant(request: Request, who: Who, account: Account, key: GrantKey) -> Response:
    """What stands under a key."""
    return tagged(request, await done(request, who, "grant", seconds=LOOK_SECONDS, account=account, key=key))


@router.post("/accounts/{account}/grants/{key}/{step}", openapi_extra=WRITE)
async def step(
    request: Request,
    who: Who,
    account: Account,
    key: GrantKey,
    step: Literal["start", "commit", "cancel", "abandon"],
    *,
    wish: wishes.Ending | None = None,
) -> Response:
    """Start what is held, or note how it ended: what was started stays charged."""
    told = (wish or wishes.Ending()).model_dump()
    named_so = attempt_of(who, request.state.key)
    found = await done(request, who, "step", account=account, key=key, step=step, wish=told, attempt=named_so)
    return tagged(request, found)


@router.get("/accounts/{account}/history")
async def history(
    request: Request,
    who: Who,
    account: Account,
    *,
    kind: Short | None = None,
    by: Annotated[str | None, Query(alias="who", max_length=500, pattern=r"^[^\x00-\x1f]*$")] = None,
    key: Short | None = None,
    text: Short | None = None,
    since: Short | None = None,
    until: Short | None = None,
    order: Literal["oldest", "newest"] = "newest",
    below: bool = False,
    after: After | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """What happened, filtered; `next` is the `after` of the next page, and is null on the last one."""
    filters = {"kind": kind, "who": by, "key": key, "text": text, "since": since, "until": until}
    page = {"order": order, "below": below, "after": after, "limit": limit}
    found = await done(request, who, "history", seconds=LOOK_SECONDS, account=account, **filters, **page)
    return tagged(request, found)


@router.get("/accounts/{account}/holds")
async def holds(request: Request, who: Who, account: Account) -> Response:
    """What is held or running, here and below."""
    return tagged(request, await done(request, who, "holds", seconds=LOOK_SECONDS, account=account))


@router.get("/accounts/{account}/burndown")
async def burndown(request: Request, who: Who, account: Account) -> Response:
    """The share of each cap that was left after each charge."""
    return tagged(request, await done(request, who, "burndown", seconds=LOOK_SECONDS, account=account))


@router.get("/accounts/{account}/statement", responses={200: {"content": {JSON: {}, HTML: {}}}})
async def statement(request: Request, who: Who, account: Account) -> Response:
    """The privacy statement: claim, charges and proof, as JSON or as a page that prints well."""
    html = wanted(request.headers.get("accept"), (JSON, HTML)) == HTML
    found = await done(request, who, "statement", seconds=LOOK_SECONDS, account=account, html=html)
    return tagged(request, found["html"] if html else found)


__all__ = ["LOOK_SECONDS", "WRITE", "acted", "done", "hashed", "router", "tagged"]
