"""A refusal over HTTP, read as a program reads it."""

from __future__ import annotations

import httpx


def kind_of(reply: httpx.Response) -> str:
    assert reply.headers["content-type"] == "application/problem+json", reply.text
    document = reply.json()
    assert document["status"] == reply.status_code
    assert document["detail"].endswith((".", "…"))
    return str(document["type"].rpartition(":")[2])
