"""Texts that look like code, and paths that look like folders: they are texts and names."""

from __future__ import annotations

import json
import re
import socket
import uuid

import httpx
import pytest

import dpcompose as dpc
from dpcompose.client import Refusal, connect
from service import Service

pytestmark = pytest.mark.slow
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE entry; --",
    "' OR '1'='1",
    "{{7*7}}${7*7}",
    "%27%20OR%201=1",
    "\u202egnp.exe",
    "Robert'); DELETE FROM balance;--",
    "../../../../etc/passwd",
)


@pytest.fixture
def owned(served: Service) -> dict[str, str]:
    return {"Authorization": f"Bearer {served.owner}"}


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/assets/../../application.py",
        "/assets/%2e%2e/%2e%2e/application.py",
        "/assets/..%2f..%2fapplication.py",
        "/v1/accounts/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
    ],
)
def test_a_path_leads_nowhere_else(path: str, served: Service, owned: dict[str, str]) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 10) as raw:
        head = "".join(f"{name}: {value}\r\n" for name, value in owned.items())
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n".encode())
        reply = b"".join(iter(lambda: raw.recv(65536), b""))
    assert b" 404 " in reply.split(b"\r\n")[0]
    assert b"root:" not in reply
    assert b"FastAPI" not in reply


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_kept_as_a_text(text: str, served: Service, owned: dict[str, str]) -> None:
    unique = f"{text} {uuid.uuid4()}"
    with connect(served.url, token=served.owner) as owner:
        if not text.isprintable():
            with pytest.raises(Refusal):
                owner.create(unique, unit="person", epsilon=1, delta="1e-6")
            return
        account = owner.create(unique, unit=text, dataset=text, epsilon=1, delta="1e-6")
        account.spend(dpc.Laplace(scale=30), key=text, purpose=text).commit()
        account.reserve(dpc.Laplace(scale=30), key=f"{text} 2").start().abandon(text)
        made = owner.token(text, "analyst", accounts=[unique])
        owner.revoke(made["id"])
        assert account.document["unit"] == text
        assert {e["purpose"] for e in account.history(kind="reserve")} == {text, ""}
        assert [e["key"] for e in account.history(key=text)] == [text] * 3
        assert list(account.history(text="' OR 1=1 --")) == []
        assert account.grant(text).state == "committed"
        assert owner.verify()["holds"]
        page = httpx.get(f"{served.url}{account.path}/statement", headers={**owned, "Accept": "text/html"}).text
        assert text not in page or not set("<>") & set(text)
        for path in ("/v1/accounts", f"{account.path}/history", "/v1/audit", "/v1/tokens"):
            reply = httpx.get(f"{served.url}{path}", headers=owned)
            assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")


def test_a_filter_of_any_kind_is_only_a_filter(served: Service, owned: dict[str, str]) -> None:
    with connect(served.url, token=served.owner) as owner:
        account = owner.create(f"filtered {uuid.uuid4()}", unit="person", epsilon=1, delta="1e-6")
    with httpx.Client(base_url=served.url, headers=owned, timeout=30) as http:
        for name in ("kind", "who", "key", "text", "since", "until", "order", "after", "limit", "below"):
            for text in (*HOSTILE, "\0", "9" * 400):
                reply = http.get(f"{account.path}/history", params={name: text})
                assert reply.status_code in {200, 422}, (name, text, reply.text)


def test_the_log_and_the_metrics_say_nothing_of_what_was_asked(served: Service, http: httpx.Client) -> None:
    secret = f"7{uuid.uuid4().int:039d}"  # so long that no time and no name holds it by chance
    http.post("/v1/epsilon", json={"mechanism": f"BlackBox(epsilon=1/{secret})", "delta": "0"})
    http.get(f"/v1/accounts/{secret}", headers={"Authorization": f"Bearer {served.owner}"})
    log, numbers = served.log.read_text(), http.get("/metrics").text
    assert secret not in log
    assert secret not in numbers
    assert served.owner not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert {"at", "event", "id", "method", "ms", "route", "status"} <= {name for line in lines for name in line}
    assert re.search(r'dpcompose_requests_total\{method="POST",route="/v1/epsilon",status="200"\} \d', numbers)
    assert 'route="/v1/accounts/{account}"' in numbers
