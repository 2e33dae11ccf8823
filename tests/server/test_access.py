"""Who may do what: every route for every role, tenants, sessions, and the record of it all."""

from __future__ import annotations

import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from fastapi.routing import APIRoute

import dpcompose as dpc
from dpcompose.client import NoRoom, Refusal, connect
from dpcompose.server import people
from dpcompose.server.access.guard import unruled
from dpcompose.server.access.rules import RULES
from dpcompose.server.application import create
from dpcompose.server.books import routes as books
from dpcompose.server.settings import Settings
from service import Service

pytestmark = pytest.mark.slow
TREES = ("north", "south")
ROLES = ("nobody", "owner", "analyst", "auditor", "tenant", "expired", "revoked")
BODIES = {
    "POST /v1/session": {"token": "dpc_000000000000_" + "x" * 43},
    "POST /v1/accounts": {"name": "north", "unit": "person", "epsilon": 1, "parent": "north"},
    "POST /v1/accounts/{account}/quote": {"mechanism": "Laplace(scale=1000)"},
    "POST /v1/accounts/{account}/grants": {"mechanism": "Laplace(scale=1000)", "start": False},
    "POST /v1/accounts/{account}/blocks": {"name": "b"},
    "POST /v1/accounts/{account}/epochs": {"epsilon": "-1"},
    "POST /v1/tokens": {"name": "x", "role": "auditor", "days": 0},
    "POST /v1/acknowledgements": {"why": ""},
}
"""Bodies that reach the route and leave the books as they are."""


@pytest.fixture(scope="module")
def tokens(served: Service) -> Iterator[dict[str, str]]:
    """A token of every kind, and two trees of accounts."""
    with connect(served.url, token=served.owner) as owner:
        for name in TREES:
            owner.create(name, unit="person", epsilon=1, delta="1e-6")
            owner.create(f"{name} child", unit="person", epsilon="0.5", delta="1e-7", parent=name)
        made = {
            "analyst": owner.token("ana", "analyst", accounts=["north child"]),
            "auditor": owner.token("ada", "auditor"),
            "tenant": owner.token("tess", "owner", accounts=["north"]),
            "south": owner.token("sol", "analyst", accounts=["south"]),
            "revoked": owner.token("rex", "owner"),
        }
        owner.revoke(made["revoked"]["id"])
        texts = {name: str(token["token"]) for name, token in made.items()}
        yield texts | {"owner": served.owner, "expired": re.sub("_.*_", "_0123456789ab_", served.owner)}


def headers(tokens: dict[str, str], role: str) -> dict[str, str]:
    found = {"Idempotency-Key": str(uuid.uuid4())}
    return found if role == "nobody" else {**found, "Authorization": f"Bearer {tokens[role]}"}


def ask(
    http: httpx.Client, tokens: dict[str, str], name: str, role: str, account: str = "north child"
) -> httpx.Response:
    method, path = name.split(" ")
    filled = path.replace("{account}", account).replace("{key}", "none").replace("{step}", "cancel")
    filled = filled.replace("{token}", "0" * 12)
    body = {"json": BODIES.get(name, {})} if method == "POST" else {}
    return http.request(method, filled, headers=headers(tokens, role), **body)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", RULES)
def test_every_route_lets_in_whom_its_rule_names(
    name: str, role: str, http: httpx.Client, tokens: dict[str, str]
) -> None:
    if name == "POST /v1/session" and role != "nobody":
        return  # whoever signs in has no session yet; the token is in the body, and a wrong one is 401 for everybody
    rule = RULES[name]
    reply = ask(http, tokens, name, role)
    kind = reply.headers.get("content-type") == "application/problem+json" and reply.json()["type"].rpartition(":")[2]
    if role in {"expired", "revoked"}:
        assert (reply.status_code, kind) == (401, "unauthenticated")
    elif rule.roles is None:
        assert reply.status_code in ({401} if name == "POST /v1/session" else {200, 422})
    elif role == "nobody":
        assert (reply.status_code, kind) == (401, "unauthenticated")
    else:
        needed = {"tenant": "owner"}.get(role, role)
        allowed = needed in rule.roles and not (rule.whole and role in {"analyst", "tenant"})
        assert (kind == "forbidden") is not allowed, (reply.status_code, reply.text)
        assert reply.status_code not in {401, 500, 503}


def test_a_route_without_a_rule_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unruled((books.router, people.router)) != []  # the questions are missing here
    other = APIRoute("/v1/accounts/{account}/secrets", lambda: None, methods=["GET"])
    monkeypatch.setattr(books.router, "routes", [*books.router.routes, other])
    with pytest.raises(RuntimeError, match="secrets"):
        create(Settings())


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.write])
def test_every_write_needs_a_key(name: str, http: httpx.Client, tokens: dict[str, str]) -> None:
    method, path = name.split(" ")
    filled = path.replace("{account}", "north").replace("{key}", "k").replace("{step}", "cancel")
    reply = http.request(
        method,
        filled.replace("{token}", "0" * 12),
        headers={"Authorization": f"Bearer {tokens['owner']}"},
        **({"json": BODIES.get(name, {})} if method == "POST" else {}),
    )
    assert reply.json()["type"].endswith("idempotency-key-missing")


@pytest.mark.parametrize("role", ["south", "analyst", "tenant"])
@pytest.mark.parametrize("name", [name for name in RULES if "{account}" in name])
def test_an_account_of_somebody_else_is_nowhere(
    name: str, role: str, http: httpx.Client, tokens: dict[str, str]
) -> None:
    theirs = "north" if role == "south" else "south"
    there, nowhere = (ask(http, tokens, name, role, account) for account in (theirs, "no such account"))
    if there.status_code != 403:  # by role, whatever the account
        assert (there.status_code, nowhere.status_code) == (404, 404)
        assert there.text.replace(theirs, "no such account") == nowhere.text


def test_a_tenant_sees_and_gives_only_what_it_has(served: Service, tokens: dict[str, str]) -> None:
    with connect(served.url, token=tokens["tenant"]) as tess:
        assert {a["account"] for a in tess.accounts()} == {"north", "north child"}
        mine = tess.token("tom", "analyst", accounts=["north child"])
        assert mine["id"] in {t["id"] for t in tess.tokens()}
        assert all(set(t["accounts"]) <= {"north", "north child"} for t in tess.tokens())
        tess.revoke(mine["id"])
        with pytest.raises(Refusal, match="no token"):
            tess.revoke(tokens["south"].split("_")[1])
        for accounts in (None, ["south"], ["south child"]):
            with pytest.raises(Refusal):
                tess.token("spy", "auditor", accounts=accounts)
        with pytest.raises(Refusal):
            tess.create("mine", unit="person", epsilon=1, delta="1e-6")
        with pytest.raises(Refusal):
            tess.create("mine", unit="person", epsilon=1, delta="1e-6", parent="south")


def test_a_refusal_tells_nothing_about_accounts_out_of_reach(served: Service, tokens: dict[str, str]) -> None:
    with connect(served.url, token=served.owner) as owner, connect(served.url, token=tokens["analyst"]) as ana:
        owner.create("full", unit="person", epsilon=1, delta="1e-6")
        owner.create("its child", unit="person", epsilon=1, delta="1e-6", parent="full")
        owner.account("full").spend(dpc.Laplace(scale=5), purpose="secret purpose")
        mine = owner.token("bob", "analyst", accounts=["its child"])
        with connect(served.url, token=mine["token"]) as bob:
            account = bob.account("its child")
            for refused in (account.spend, account.check):
                with pytest.raises(NoRoom) as caught:
                    refused(dpc.Laplace(scale=6))
                assert "'full'" not in str(caught.value)
                assert "owner" not in str(caught.value)
            account.spend(dpc.Laplace(scale=30))
            charged = [c["account"] for e in account.history() for c in e.get("charges", [])]
            assert set(charged) == {"its child"}
            assert account.document["parent"] is None
        assert {a["account"] for a in ana.accounts()} == {"north child"}


def test_an_analyst_ends_only_what_is_their_own(served: Service, tokens: dict[str, str]) -> None:
    with connect(served.url, token=served.owner) as owner, connect(served.url, token=tokens["analyst"]) as ana:
        owner.account("north child").reserve(dpc.Laplace(scale=100), key="of the owner")
        with pytest.raises(Refusal, match="somebody else's"):
            ana.account("north child").grant("of the owner").cancel()
        ana.account("north child").reserve(dpc.Laplace(scale=100), key="of ana").cancel()
        owner.account("north child").grant("of the owner").cancel()
        assert {e["who"] for e in owner.account("north child").history(key="of ana", kind="reserve")} == {"ana"}


def test_tokens_are_hashed_shown_once_and_expire(served: Service, tokens: dict[str, str]) -> None:
    with sqlite3.connect(served.store.removeprefix("sqlite:///")) as store:
        rows = store.execute("SELECT id, hash FROM service_token").fetchall()
        sessions = [row[0] for row in store.execute("SELECT id FROM service_session")]
        acts = " ".join(str(row) for row in store.execute("SELECT * FROM service_act"))
        assert all(mark.startswith("$argon2id$") for _, mark in rows)
        assert all(len(session) == 64 for session in sessions)
        assert not [text for text in tokens.values() if text.split("_", 2)[2] in acts]
        mine = tokens["south"].split("_")[1]
        assert httpx.get(f"{served.url}/v1/session", headers=headers(tokens, "south")).status_code == 200
        store.execute("UPDATE service_token SET expires = '2020-01-01T00:00:00.000000Z' WHERE id = ?", (mine,))
        store.commit()
        assert httpx.get(f"{served.url}/v1/session", headers=headers(tokens, "south")).status_code == 401
        store.execute("UPDATE service_token SET expires = '2999-01-01T00:00:00.000000Z' WHERE id = ?", (mine,))
    log = served.log.read_text()
    assert not [text for text in tokens.values() if text in log]


@contextmanager
def signed_in(served: Service, token: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.url) as browser:
        reply = browser.post("/v1/session", json={"token": token})
        assert reply.status_code == 200, reply.text
        browser.headers["X-CSRF-Token"] = reply.json()["csrf"]
        yield browser


def test_a_browser_has_a_cookie_that_scripts_cannot_read(served: Service, tokens: dict[str, str]) -> None:
    reply = httpx.post(f"{served.url}/v1/session", json={"token": tokens["auditor"]})
    cookie = reply.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
    assert tokens["auditor"] not in cookie
    behind = {"X-Forwarded-Proto": "https"}
    proxied = httpx.post(f"{served.url}/v1/session", json={"token": tokens["auditor"]}, headers=behind)
    assert "Secure" in proxied.headers["set-cookie"]
    assert "max-age" in proxied.headers["strict-transport-security"]


def test_a_write_from_elsewhere_is_refused(served: Service, tokens: dict[str, str]) -> None:
    wish = {"mechanism": "Laplace(scale=1000)", "start": False}
    path, key = "/v1/accounts/north%20child/grants", {"Idempotency-Key": "csrf"}
    with signed_in(served, tokens["analyst"]) as browser:
        right = browser.headers["X-CSRF-Token"]
        for wrong in ({"X-CSRF-Token": ""}, {"X-CSRF-Token": "x" + right}, {"Origin": "http://evil.example"}):
            reply = browser.post(path, json=wish, headers={**key, **wrong})
            assert (reply.status_code, reply.json()["type"].rpartition(":")[2]) == (403, "csrf")
        crossed = browser.post(path, json=wish, headers={**key, "Sec-Fetch-Site": "cross-site"})
        assert crossed.status_code == 403
        form = browser.post(path, data={"mechanism": "Laplace(scale=1)"}, headers=key)
        assert form.status_code == 415
        good = browser.post(path, json=wish, headers={**key, "Origin": served.url, "Sec-Fetch-Site": "same-origin"})
        assert good.status_code == 201


def test_signing_out_and_revoking_end_a_session(served: Service, tokens: dict[str, str]) -> None:
    with signed_in(served, tokens["auditor"]) as browser:
        assert browser.get("/v1/session").json()["name"] == "ada"
        kept = dict(browser.cookies)
        assert browser.delete("/v1/session").status_code == 204
        assert httpx.get(f"{served.url}/v1/session", cookies=kept).status_code == 401
    with connect(served.url, token=served.owner) as owner:
        made = owner.token("guest", "auditor")
        with signed_in(served, made["token"]) as browser:
            assert browser.get("/v1/accounts").status_code == 200
            owner.revoke(made["id"])
            assert browser.get("/v1/accounts").status_code == 401


def test_every_administrative_act_is_on_record(served: Service, tokens: dict[str, str]) -> None:
    with connect(served.url, token=served.owner) as owner:
        made = owner.token("recorded", "auditor")
        owner.revoke(made["id"])
        owner.create("on record", unit="person", epsilon=1, delta="1e-6")
        with pytest.raises(Refusal):
            owner.create("on record", unit="person", epsilon=2, delta="1e-6")
        found = owner.look("/v1/audit?limit=20")["acts"]
    told = [(act["act"], act["subject"], act["outcome"], act["name"]) for act in found]
    for expected in (
        ("create account", "on record", "refused", "owner"),
        ("create account", "on record", "done", "owner"),
        ("revoke token", made["id"], "done", "owner"),
        ("create token", "recorded", "done", "owner"),
    ):
        assert expected in told
    assert tokens
    pages = []
    with connect(served.url, token=served.owner) as owner:
        before = ""
        while before is not None:
            page = owner.look(f"/v1/audit?limit=7{before}")
            pages += [act["id"] for act in page["acts"]]
            before = None if page["next"] is None else f"&before={page['next']}"
    assert pages == list(range(pages[0], 0, -1))
