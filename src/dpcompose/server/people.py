"""The routes for people: signing in, tokens, the record of acts, and the state of the books as a whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Connection

from dpcompose.app.books.terms import line
from dpcompose.server.access.acts import BEGUN, DONE, RequestedAct, Said
from dpcompose.server.access.guard import Access, Key, Who, from_here, guarded, with_token
from dpcompose.server.access.people import Principal, Role
from dpcompose.server.access.sessions import COOKIE, HOURS, Begun
from dpcompose.server.bodies import Route
from dpcompose.server.books import asked as wishes
from dpcompose.server.books.routes import LOOK_SECONDS, WRITE, acted, done, hashed, tagged
from dpcompose.server.computing import Pool, Ticket
from dpcompose.server.problems import Problem, ProblemKind

VERIFY_SECONDS = 900.0
SOON = 1.5
"""Seconds that a request for a verification waits; longer ones are looked up later."""

router = APIRouter(prefix="/v1", tags=["people"], route_class=Route, dependencies=[Depends(guarded)])


def _about(who: Principal) -> dict[str, Any]:
    accounts = None if who.accounts is None else list(who.accounts)
    return {"schema": "dpc.session/1", "name": who.name, "role": str(who.role), "accounts": accounts} | {
        "expires": who.expires,
        "csrf": who.form,
    }


@router.post("/session")
async def sign_in(request: Request, wish: wishes.SignIn) -> Response:
    """Exchange a token for a cookie that scripts cannot read; `csrf` goes into the X-CSRF-Token of every write."""
    from_here(request)
    access: Access | None = request.app.state.access
    if access is None:
        raise Problem(ProblemKind.NOT_FOUND, "This service keeps no books.")
    who = await with_token(request, access, f"Bearer {wish.token}")

    sessions: list[Begun] = []

    def both(connection: Connection) -> Said:
        sessions.append(access.sessions.begun(connection, who))
        return Said(200, {})

    await run_in_threadpool(access.acts.once, RequestedAct(who, "sign in", who.name), both)
    begun = sessions[-1]
    reply = tagged(request, _about(begun.principal))
    secure = request.url.scheme == "https"
    reply.set_cookie(COOKIE, begun.cookie, 3600 * HOURS, httponly=True, samesite="lax", secure=secure, path="/")
    reply.headers["Cache-Control"] = "no-store"
    return reply


@router.get("/session")
async def session(request: Request, who: Who) -> Response:
    """The user who is signed in."""
    return tagged(request, _about(who))


@router.delete("/session", status_code=204)
async def sign_out(request: Request, who: Who) -> Response:
    """End the session, and delete the cookie in the browser."""
    access: Access = request.app.state.access
    cookie = request.cookies.get(COOKIE)

    def both(connection: Connection) -> Said:
        if cookie is not None:
            access.sessions.ended(connection, cookie)
        return Said(204, {})

    await run_in_threadpool(access.acts.once, RequestedAct(who, "sign out", who.name), both)
    reply = Response(status_code=204)
    reply.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
    return reply


@router.get("/tokens")
async def tokens(request: Request, who: Who) -> Response:
    """The tokens that the caller may see, newest first; never their secrets."""
    access: Access = request.app.state.access
    rows, reached = await run_in_threadpool(access.tokens.every), await _reached(request, who)
    found = [_listed(row) for row in rows if _within(reached, row)]
    return tagged(request, {"schema": "dpc.tokens/1", "tokens": found})


def _listed(row: Any) -> dict[str, Any]:
    said = {"id": row.id, "name": row.name, "role": row.role, "created": row.created, "expires": row.expires}
    return {**said, "accounts": None if row.accounts is None else json.loads(row.accounts), "revoked": row.revoked}


async def _reached(request: Request, who: Principal) -> set[str] | None:
    """The names of all accounts that a user reaches; None for the whole book."""
    return None if who.whole else set((await done(request, who, "reached", seconds=LOOK_SECONDS))["accounts"])


def _within(reached: set[str] | None, row: Any) -> bool:
    """Whether a token reaches no more than the user who looks at it."""
    return reached is None or (row.accounts is not None and set(json.loads(row.accounts)) <= reached)


@router.post("/tokens", status_code=201, openapi_extra=WRITE)
async def new_token(request: Request, who: Who, key: Key, wish: wishes.NewToken) -> Response:
    """Make a token. Its text is shown in this answer, and never again."""
    access: Access = request.app.state.access
    line("name", wish.name)
    if wish.role is Role.ANALYST and wish.accounts is None:
        lacking = "accounts is missing: an analyst spends from accounts that the token names."
        raise Problem(ProblemKind.INVALID_PARAMETER, lacking, "accounts", None, "a list of accounts")
    if wish.accounts is None and who.accounts is not None:
        raise Problem(ProblemKind.FORBIDDEN, "This token gives away no more than it has: name accounts.", "accounts")
    await done(request, who, "names", accounts=wish.accounts or [])

    def make(connection: Connection) -> Said:
        made = access.tokens.made(connection, wish.name, wish.role, wish.accounts, wish.days)
        document = {"schema": "dpc.token/1", "id": made.id, "name": wish.name, "role": str(wish.role)}
        return Said(201, {**document, "accounts": wish.accounts, "expires": made.expires, "token": made.text})

    act = RequestedAct(who, "create token", wish.name, key, hashed(wish))
    said = await run_in_threadpool(access.acts.once, act, make, _without_secret)
    return tagged(request, said.document, said.status)


def _without_secret(said: Said) -> Said:
    return replace(said, document={**said.document, "token": None})


@router.delete("/tokens/{token}", openapi_extra=WRITE)
async def revoke(
    request: Request, who: Who, key: Key, token: Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]
) -> Response:
    """Revoke a token: from now on it and its sessions are invalid."""
    access: Access = request.app.state.access
    row = await run_in_threadpool(access.tokens.row, token)
    if row is None or not _within(await _reached(request, who), row):
        raise Problem(ProblemKind.NOT_FOUND, f"There is no token {token!r} within reach of this one.", "token", token)

    def work(connection: Connection) -> Said:
        access.tokens.revoked(connection, token)
        return Said(200, {"schema": "dpc.token/1", "id": token, "name": row.name, "revoked": True})

    said = await run_in_threadpool(
        access.acts.once, RequestedAct(who, "revoke token", token, key, f"revoke {token}"), work
    )
    return tagged(request, said.document, said.status)


@router.get("/audit")
async def audit(
    request: Request,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """Every administrative act, newest first; `next` is the `before` of the next page."""
    access: Access = request.app.state.access
    rows = await run_in_threadpool(access.acts.page, before, limit)
    names = ("id", "at", "token", "name", "role", "act", "subject", "outcome", "status")
    found = [{name: getattr(row, name) for name in names} for row in rows]
    return tagged(request, {"schema": "dpc.acts/1", "acts": found, "next": rows[-1].id if len(rows) == limit else None})


@router.get("/verification")
async def verification(request: Request) -> Response:
    """The result of the last verification of the books."""
    access: Access = request.app.state.access
    rows = await run_in_threadpool(access.acts.page, None, 1, "verify")
    return tagged(request, _verdict(rows[0] if rows else None))


def _verdict(row: Any) -> Mapping[str, Any]:
    if row is None:
        return {"schema": "dpc.verification/1", "state": "never"}
    state = {BEGUN: "running", DONE: "done"}.get(row.outcome, "failed")
    said = json.loads(row.said) if row.said else {}
    return {**said, "schema": "dpc.verification/1", "state": state, "at": row.at, "who": row.name}


@router.post("/verification", status_code=201, openapi_extra=WRITE)
async def verify(request: Request, who: Who, key: Key) -> Response:
    """Replay the whole log from scratch. If it takes long, it goes on, and its result is looked up later."""
    access: Access = request.app.state.access
    begun = await run_in_threadpool(access.acts.begin, RequestedAct(who, "verify", "the book", key, "verify"))
    if not isinstance(begun, Said):
        running = asyncio.create_task(_verified(request, who, begun))
        request.app.state.running.add(running)
        running.add_done_callback(request.app.state.running.discard)
        await asyncio.wait([running], timeout=SOON)
    rows = await run_in_threadpool(access.acts.page, None, 1, "verify")
    found = _verdict(rows[0])
    return tagged(request, found, 202 if found["state"] == "running" else 201)


async def _verified(request: Request, who: Principal, begun: int) -> None:
    access: Access = request.app.state.access
    pool: Pool = request.app.state.verifier
    asker = {"name": who.name, "role": str(who.role), "accounts": None}
    try:
        found = await pool.do(Ticket(who.token, "verify", {"asker": asker}, VERIFY_SECONDS))
    except Problem as refused:
        await run_in_threadpool(access.acts.refuse, begun, refused)
    else:
        await run_in_threadpool(access.acts.end, begun, Said(201, found))


@router.post("/checkpoints", status_code=201, openapi_extra=WRITE)
async def checkpoint(request: Request, who: Who, key: Key) -> Response:
    """Sign the log as it is, for somebody else to keep."""
    return await acted(
        request, RequestedAct(who, "checkpoint", "the book", key, "sign", harmless=True), "checkpoint", 201
    )


@router.post("/acknowledgements", status_code=201, openapi_extra=WRITE)
async def acknowledge(request: Request, who: Who, key: Key, wish: wishes.Acknowledged) -> Response:
    """After a restored backup: book what was lost as spent, so that the book may be used again."""
    act = RequestedAct(who, "acknowledge", "the book", key, hashed(wish), harmless=True)
    return await acted(request, act, "acknowledge", 201, wish=wish.model_dump())


__all__ = ["router"]
