"""The real service in a process of its own, and Debian's Chromium that looks at it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from browsing import Seen, Service

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 60.0
"""Seconds; a busy machine starts slowly."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("books")
    port, said = free_port(), folder / "said"
    command = [sys.executable, "-c", "from dpcompose.cli import main; main()", "serve", "--port", str(port)]
    command += ["--store", f"sqlite:///{folder}/books.db"]
    surroundings = {**os.environ, "DPCOMPOSE_STATE": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    with (
        said.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=surroundings) as process,
    ):
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(f"{url}/readyz", process, said)
            found = re.search(r"owner token: (\S+)", said.read_text())
            yield Service(url, found[1] if found else "")
        finally:
            process.terminate()


def wait_for(address: str, process: subprocess.Popen[bytes], said: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(address, timeout=5) as reply:  # noqa: S310 - our own address
                if reply.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the service did not start: {said.read_text()[-2000:]}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.fail("there is no Chromium here: make setup installs Debian's")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def seen(service: Service) -> Seen:
    """What a page did; a test that expects an error takes it out."""
    return Seen(urlsplit(service.url).netloc)


@pytest.fixture
def browser_page(browser: Browser, service: Service) -> Iterator[Callable[[], Page]]:
    """Browsers of other people, who are refused things in these tests."""
    contexts = []

    def another() -> Page:
        context = browser.new_context(base_url=service.url, viewport={"width": 1280, "height": 900}, locale="en-GB")
        context.set_default_timeout(20_000)
        contexts.append(context)
        return context.new_page()

    yield another
    for context in contexts:
        context.close()


@pytest.fixture
def page(browser: Browser, service: Service, seen: Seen) -> Iterator[Page]:
    """A page of a browser that knows nothing yet; it must end without an error, and ask nobody but the service."""
    context = browser.new_context(base_url=service.url, viewport={"width": 1280, "height": 900}, locale="en-GB")
    context.set_default_timeout(20_000)
    made = context.new_page()
    made.on("console", seen.said)
    made.on("pageerror", lambda error: seen.errors.append(str(error)))
    made.on("request", seen.asked)
    made.on("response", seen.answered)
    yield made
    refusals = seen.refusals()
    context.close()
    assert not seen.errors
    assert refusals == seen.expected
    assert not seen.strangers
