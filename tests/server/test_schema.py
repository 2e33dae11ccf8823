"""The whole API, as its own schema describes it, asked by schemathesis: no answer is a defect of the service."""

from __future__ import annotations

import uuid

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from cases import scaled
from dpcompose.server.access.rules import RULES
from dpcompose.server.application import create
from dpcompose.server.settings import Settings
from service import Service

pytestmark = pytest.mark.slow
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]
SCHEMA = schemathesis.openapi.from_dict(create(Settings()).openapi())
OPERATIONS = {operation.label: operation for found in SCHEMA.get_all_operations() for operation in [found.ok()]}


@pytest.mark.parametrize("label", OPERATIONS)
def test_no_request_finds_a_defect(label: str, served: Service) -> None:
    @settings(
        max_examples=scaled(6),
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=OPERATIONS[label].as_strategy())
    def asked(case: schemathesis.Case) -> None:
        headers = {"Authorization": f"Bearer {served.owner}", "Idempotency-Key": str(uuid.uuid4())}
        case.call_and_validate(base_url=served.url, headers=headers, checks=CHECKS)

    asked()


def test_the_schema_is_whole(http: httpx.Client) -> None:
    document = http.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    shown = {f"{method.upper()} {path}" for path, ways in document["paths"].items() for method in ways}
    assert shown >= RULES.keys()
    for name, rule in RULES.items():
        method, path = name.split(" ")
        operation = document["paths"][path][method.lower()]
        keys = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "header" and p["required"]]
        assert ("Idempotency-Key" in keys) is rule.write, name
        assert operation["responses"].keys() & {"200", "201", "204"}
