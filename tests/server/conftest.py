"""Real services: on a file, and on a PostgreSQL server that the run starts itself."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from service import Service, service


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all tests that only look."""
    with service(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="session")
def http(served: Service) -> Iterator[httpx.Client]:
    """Nobody in particular."""
    with httpx.Client(base_url=served.url, timeout=30) as client:
        yield client
