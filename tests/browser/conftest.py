"""The real service in a process of its own, and a Chromium that looks at it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browsing import Seen
from service import Service
from service import service as running

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first draws the same pages, without windows around them, in a third of the time."""
PATIENCE = 60_000
"""Milliseconds: a limit for a hang only."""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("books")) as started:
        yield started


expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
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
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield another
    for context in contexts:
        context.close()


@pytest.fixture
def page(browser: Browser, service: Service, seen: Seen) -> Iterator[Page]:
    """A page of a browser that knows nothing yet; it must end without an error, and ask nobody but the service."""
    context = browser.new_context(base_url=service.url, viewport={"width": 1280, "height": 900}, locale="en-GB")
    context.set_default_timeout(PATIENCE)
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
