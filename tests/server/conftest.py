"""Real services: on a file, and on a PostgreSQL server that the run starts itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import httpx
import pytest

import postgres_server
from dpcompose import client
from service import Service, service

FAST = ("--rate", "1000000")
"""Tests ask faster than people."""


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service on a file, for all tests that do not end it."""
    with service(tmp_path_factory.mktemp("served"), *FAST) as running:
        yield running


@pytest.fixture(scope="session")
def on_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service on PostgreSQL, in two processes."""
    folder = tmp_path_factory.mktemp("postgres")
    with (
        postgres_server.server() as server,
        service(folder, *FAST, "--workers", "2", store=server.database()) as running,
    ):
        yield running


@pytest.fixture(params=["served", pytest.param("on_postgres", marks=pytest.mark.slow)])
def both(request: pytest.FixtureRequest) -> Service:
    """On either store."""
    found: Service = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def http(served: Service) -> Iterator[httpx.Client]:
    """Nobody in particular."""
    with httpx.Client(base_url=served.url, timeout=30) as asking:
        yield asking


@pytest.fixture(scope="session")
def fresh() -> Callable[[], str]:
    """Names that were not used yet."""
    numbers = itertools.count()
    return lambda: f"account {next(numbers)}"


@pytest.fixture
def owner(both: Service) -> Iterator[client.Client]:
    """Whoever may do everything, on either store."""
    with client.connect(both.url, token=both.owner) as connected:
        yield connected
