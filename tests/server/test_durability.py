"""A service that is ended under load, politely or not, loses nothing and charges nothing twice."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Self

import httpx
import pytest

import dpcompose as dpc
import postgres_server
from dpcompose import ledger
from dpcompose.client import NoRoom, Refusal, Unreachable, connect
from service import PATIENCE, Service, service

pytestmark = pytest.mark.slow
STEP = dpc.Laplace(scale=400)
CLIENTS = 3


class Load:
    """Clients that spend and note what they were told, until they are stopped."""

    def __init__(self, running: Service) -> None:
        self.running, self.told, self.begun = running, {}, set()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.spend, args=(n,)) for n in range(CLIENTS)]

    def spend(self, number: int) -> None:
        i = 0
        with connect(self.running.url, token=self.running.owner, timeout=20) as mine:
            account = mine.account("load")
            while not self.stopped.is_set():
                i += 1
                key = f"{number}-{i}"
                self.begun.add(key)
                try:
                    self.told[key] = account.spend(STEP, key=key).fresh
                except NoRoom:
                    self.begun.discard(key)
                    return
                except (Unreachable, Refusal):
                    time.sleep(0.05)  # nobody knows; the key will tell

    def __enter__(self) -> Self:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join(PATIENCE)


def endured(folder: Path, store: str | None, how: signal.Signals, times: int = 1) -> None:
    with service(folder, "--rate", "1000000", store=store) as running:
        with connect(running.url, token=running.owner) as owner:
            owner.create("load", unit="person", epsilon=8, delta="1e-6")
        with Load(running) as load:
            for _ in range(times):
                before = len(load.told)
                until = time.monotonic() + PATIENCE
                while len(load.told) < before + 15 and time.monotonic() < until:
                    time.sleep(0.02)
                assert len(load.told) >= before + 15
                running.stop(how)
                running.start()
            time.sleep(0.5)
        with connect(running.url, token=running.owner) as owner:
            account = owner.account("load")
            kept = {entry["key"] for entry in account.history(kind="reserve")}
            assert load.told.keys() <= kept <= load.begun
            assert owner.verify()["holds"]
            for key in load.begun - load.told.keys():  # whose reply was lost: asked again it is charged at most once
                try:
                    account.spend(STEP, key=key)
                except (NoRoom, Refusal):
                    continue
            again = [entry["key"] for entry in account.history(kind="reserve")]
            assert len(again) == len(set(again))
            left, cost = account.left["rho"], account.quote(STEP)["cost"]["rho"]
            assert left >= 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DPCOMPOSE_STATE", running.environment["DPCOMPOSE_STATE"])
            with ledger.open(running.store) as book:
                used = book.account("load").used["rho"]
                assert used == len(again) * dpc.spec.number("cost", cost)
                assert book.verify().holds


@pytest.mark.parametrize("how, times", [(signal.SIGTERM, 1), (signal.SIGKILL, 2)])
def test_a_restart_under_load_loses_nothing(tmp_path: Path, how: signal.Signals, times: int) -> None:
    endured(tmp_path, None, how, times)


def test_a_crash_under_load_loses_nothing_on_a_server(tmp_path: Path) -> None:
    with postgres_server.server() as server:
        endured(tmp_path, server.database(), signal.SIGKILL)


def test_several_processes_count_together_and_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    with (
        service(tmp_path, "--workers", "2", "--no-console") as running,
        httpx.Client(base_url=running.url, headers={"Connection": "close"}) as http,  # or one process is asked always
    ):
        for _ in range(10):
            assert http.get("/healthz").status_code == 200
        shown = http.get("/metrics").text
        assert re.search(r'dpcompose_requests_total{method="GET",route="/healthz",status="200"} 10.0', shown)
        assert http.get("/console").status_code == 404
        assert running.process is not None
        os.kill(running.process.pid, signal.SIGKILL)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                http.get("/healthz")
            except httpx.TransportError:
                break
            time.sleep(0.2)
        assert time.monotonic() < until
        running.process.wait(PATIENCE)
