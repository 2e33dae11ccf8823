"""Real stores: a file, and a PostgreSQL server that the run starts itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import postgres_server
from dpcompose import ledger


@pytest.fixture(scope="session")
def server() -> Iterator[postgres_server.Server]:
    with postgres_server.server() as running:
        yield running


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("DPCOMPOSE_STATE", str(folder))
    return folder


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/budget.db"
    return request.getfixturevalue("server").database()


@pytest.fixture
def book(url: str) -> Iterator[ledger.Book]:
    with ledger.open(url) as opened:
        yield opened
