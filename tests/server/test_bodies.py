"""What arrives: numbers as they are written, and refusals that name the value; and what every answer carries."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator

import httpx
import pytest

import dpcompose as dpc
from dpcompose.errors import NotPermitted, OutOfReach
from dpcompose.server.problems import KINDS, ProblemKind, problem
from problems import kind_of
from service import Service

ONE = {"mechanism": "BlackBox(epsilon=1)", "delta": "0"}


def test_every_refusal_of_the_library_has_a_kind() -> None:
    def below(c: type) -> Iterator[type]:
        yield c
        for inner in c.__subclasses__():
            yield from below(inner)

    assert dpc.ledger
    for error in below(dpc.DPError):
        assert next(KINDS[c.__name__] for c in error.__mro__ if c.__name__ in KINDS) is not ProblemKind.DEFECT or (
            error is dpc.Contradiction
        )
    assert len({kind.slug for kind in ProblemKind}) == len(ProblemKind)


def test_what_is_out_of_reach_is_named_as_it_was_asked_for() -> None:
    found = problem(OutOfReach("account", "a  b" * 100)).document()
    assert (found["status"], found["type"]) == (404, "urn:dpcompose:problem:not-found")
    assert found["detail"] == f"There is no account {'a  b' * 25!r} within reach of this token."
    assert (found["parameter"], found["value"], "allowed" in found) == ("account", "a  b" * 50, False)


def test_what_is_not_permitted_is_forbidden() -> None:
    found = problem(NotPermitted("Name the parent.", "parent")).document()
    assert (found["status"], found["type"]) == (403, "urn:dpcompose:problem:forbidden")
    assert (found["detail"], found["parameter"]) == ("Name the parent.", "parent")
    assert "parameter" not in problem(NotPermitted("It is somebody else's.")).document()


@pytest.mark.parametrize(
    "asked, parameter, allowed",
    [
        ({"mechanism": "BlackBox(epsilon=1)", "delta": "2"}, "delta", "a number from 0 to 1"),
        ({"mechanism": "BlackBox(epsilon=1)"}, "delta", None),
        ({"mechanism": "BlackBox(epsilon=-1)", "delta": 0}, "epsilon (column 18)", "a number from 0 to 1e300"),
        (
            {"mechanism": {"kind": "gaussian", "noise_std": -1, "schema": "dpc.mechanism/1"}, "delta": 0},
            "noise_std",
            "a number from 0 to 1e150",
        ),
        ({"mechanism": "Gaussian(", "delta": 0}, "mechanism", None),
        ({"mechanism": "/etc/hostname.json", "delta": 0}, "mechanism", None),
        ({**ONE, "extra": 1}, "extra", None),
        ({**ONE, "delta": ["0"]}, "delta", None),
        ({**ONE, "delta": True}, "delta", None),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(
    asked: object, parameter: str, allowed: str | None, http: httpx.Client
) -> None:
    reply = http.post("/v1/epsilon", json=asked)
    assert (reply.status_code, reply.json()["parameter"]) == (422, parameter)
    assert allowed is None or reply.json()["allowed"] == allowed


def test_a_number_means_what_is_written(http: httpx.Client) -> None:
    def ask(delta: str) -> str:
        body = f'{{"mechanism": "BlackBox(epsilon=1)", "delta": {delta}}}'
        reply = http.post("/v1/epsilon", content=body, headers={"Content-Type": "application/json"})
        return str(reply.json()["delta"])

    digits = "0.10000000000000000000000000000000000001"
    assert ask(digits) == ask(f'"{digits}"') == digits


@pytest.mark.parametrize(
    "body, status",
    [
        (b"", 422),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b'{"a": NaN}', 400),
        (b'{"a": 1, "a": 2}', 400),
        (b"[" * 100_000, 400),
        (b'{"mechanism": ' + b'{"a":' * 90 + b"1" + b"}" * 90 + b', "delta": 0}', 422),
        (b'"\\ud800"', 400),
        (b'{"mechanism": "x", "delta": ' + b"9" * 5000 + b"}", 422),
        (json.dumps({"mechanism": "+".join(["BlackBox(epsilon=1)"] * 20_000), "delta": 0}).encode(), 413),
        (json.dumps({"mechanism": "(" * 200_000, "delta": 0}).encode(), 422),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_at_once(body: bytes, status: int, http: httpx.Client) -> None:
    began = time.monotonic()
    reply = http.post("/v1/epsilon", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in {status, 400 if status == 422 else status}, reply.text
    kind_of(reply)
    assert time.monotonic() - began < 20  # hangs fail, slow machines do not


def test_a_bomb_is_not_unpacked_and_a_long_body_is_not_read(served: Service) -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert kind_of(httpx.post(f"{served.url}/v1/epsilon", content=bomb, headers=packed)) == "unsupported-media-type"
    long = {"Content-Type": "application/json"}
    assert kind_of(httpx.post(f"{served.url}/v1/epsilon", content=b" " * 300_000, headers=long)) == "too-large"

    def endless() -> Iterator[bytes]:
        for _ in range(2000):
            yield b" " * 1000

    try:
        reply = httpx.post(f"{served.url}/v1/epsilon", content=endless(), headers=long)
    except httpx.TransportError:
        return  # cut off while sending, which is as good
    assert kind_of(reply) == "too-large"


def test_other_kinds_and_other_methods_are_refused(http: httpx.Client) -> None:
    assert kind_of(http.post("/v1/epsilon", data=ONE)) == "unsupported-media-type"
    assert kind_of(http.get("/v1/epsilon")) == "method-not-allowed"
    assert kind_of(http.get("/v1/nothing")) == "not-found"
    assert kind_of(http.post("/v1/epsilon", json=ONE, headers={"Accept": "image/png"})) == "not-acceptable"
    assert kind_of(http.get("/" + "x" * 9000)) in {"too-large", "malformed-request"}


@pytest.mark.parametrize("path", ["/", "/v1/epsilon", "/healthz", "/nothing", "/v1/accounts", "/openapi.json"])
def test_every_answer_has_the_headers(path: str, http: httpx.Client) -> None:
    headers = http.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers
