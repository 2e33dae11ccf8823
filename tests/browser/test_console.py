"""The console in a real browser: an owner, an analyst and an auditor, each with what is theirs to do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browsing import OUT, Seen
from service import Service

pytestmark = pytest.mark.slow

NUMBERS = itertools.count(1)


def signed_in(page: Page, token: str) -> Page:
    page.goto("/console")
    page.fill("#signin-token", token)
    page.click("#signin-form button")
    page.wait_for_selector("#books:not([hidden])")
    page.wait_for_selector("body.ready")
    return page


def account(page: Page, epsilon: str = "1", parent: str = "", dataset: str = "") -> str:
    """Make an account of a new name."""
    name = f"account {next(NUMBERS)}"
    page.locator("[data-dialog=new-account]").first.click()
    page.fill("#new-name", name)
    page.fill("#new-epsilon", epsilon)
    page.fill("#new-dataset", dataset)
    page.select_option("#new-parent", parent)
    page.click("#new-account [type=submit]")
    page.locator(f"[data-account='{name}'][aria-current]").wait_for()
    return name


def token(page: Page, name: str, role: str, reaches: str = "") -> str:
    """Make a token, and read it the one time it is shown."""
    page.locator("[data-dialog=new-token]").click()
    page.fill("#token-name", name)
    page.select_option("#token-role", role)
    page.select_option("#token-accounts", reaches)
    page.click("#new-token [type=submit]")
    secret = page.locator("#token-secret").inner_text()
    page.locator("#new-token [data-close]").click()
    return secret


def quoted(page: Page, mechanism: str, purpose: str = "") -> str:
    page.fill("#quote-mechanism", mechanism)
    page.fill("#quote-purpose", purpose)
    page.click("#quote-form [type=submit]")
    page.locator("#quote-result .verdict").wait_for()
    return page.locator("#quote-result").inner_text()


def spent(page: Page, mechanism: str, purpose: str, button: str = "#spend") -> None:
    assert "It fits." in quoted(page, mechanism, purpose)
    page.click(button)
    expect(page.locator("#quote-result")).to_contain_text(re.compile("Charged|Held"))


def test_nothing_is_shown_before_the_sign_in(page: Page, seen: Seen) -> None:
    page.goto("/console")
    expect(page.locator("#signin")).to_be_visible()
    expect(page.locator("#books")).to_be_hidden()
    page.fill("#signin-token", "dpc_000000000000_" + "x" * 43)
    page.click("#signin-form button")
    expect(page.locator("#signin-form [data-error]")).to_contain_text("not known")
    seen.expected.append("unauthenticated /v1/session")


def test_an_owner_makes_a_dataset_an_analyst_and_a_token(page: Page, service: Service) -> None:
    signed_in(page, service.owner)
    census = account(page, "1", dataset="census 2030")
    expect(page.locator("#account-terms")).to_contain_text("census 2030")
    ana = account(page, "0.3", parent=census)
    expect(page.locator(f"li:has(> [data-account='{census}']) li [data-account='{ana}']")).to_be_visible()
    secret = token(page, "Ana <b>Bold</b>", "analyst", ana)
    assert re.fullmatch(r"dpc_[0-9a-f]{12}_[\w-]{43}", secret)
    expect(page.locator("#tokens")).to_contain_text("Ana <b>Bold</b>")
    assert secret not in page.content().replace(page.locator("#token-made").inner_html(), "")
    spent(page, "Laplace(scale=60)", "count by region")
    expect(page.locator("#history")).to_contain_text("count by region")
    expect(page.locator("#burndown svg.plot")).to_be_visible()
    OUT.mkdir(exist_ok=True)
    page.locator("#burndown svg.plot").wait_for()
    page.wait_for_timeout(300)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=OUT / "console-owner-desktop.png", full_page=True)


def test_an_analyst_quotes_spends_and_is_refused_with_the_reason(
    page: Page, service: Service, browser_page: Callable[[], Page]
) -> None:
    signed_in(page, service.owner)
    project = account(page, "0.5")
    hers = account(page, "0.2", parent=project)
    other = account(page, "0.2", parent=project)
    ana = signed_in(browser_page(), token(page, "Ana", "analyst", hers))
    expect(ana.locator(f"[data-account='{hers}']")).to_be_visible()
    assert ana.locator(f"[data-account='{other}']").count() == 0
    for hidden in ("#verify", "#tokens", "#acts", "[data-dialog=new-account] >> nth=0"):
        expect(ana.locator(hidden)).to_be_hidden()
    spent(ana, "Laplace(scale=80)", "first")
    said = quoted(ana, "Laplace(scale=1)", "much too much")
    assert "It is refused, and nothing was charged." in said
    assert "what would still fit" in said
    expect(ana.locator("#spend")).to_be_disabled()
    spent(ana, "Laplace(scale=90)", "held for later", "#hold")
    expect(ana.locator("#holds")).to_contain_text("held for later")
    ana.locator("#holds tr:has-text('held for later')").get_by_role("button", name="cancel").click()
    expect(ana.locator("#holds")).not_to_contain_text("held for later")
    ana.select_option("#history-kind", "cancel")
    expect(ana.locator("#history tbody tr")).to_have_count(1)
    assert "It fits." in quoted(ana, "Laplace(scale=30)", "twice")
    page.locator(f"[data-account='{hers}']").click()
    spent(page, "Laplace(scale=30)", "meanwhile")
    ana.click("#spend")
    expect(ana.locator("#quote-result .bad")).to_contain_text("refuses")
    ana.fill("#quote-mechanism", "Laplace(scale=-1)")
    ana.click("#quote-form [type=submit]")
    expect(ana.locator("#quote-mechanism-error")).to_contain_text("scale")
    expect(ana.locator("#quote-mechanism")).to_have_attribute("aria-invalid", "true")


def test_an_auditor_verifies_and_cannot_spend(page: Page, service: Service, browser_page: Callable[[], Page]) -> None:
    signed_in(page, service.owner)
    watched = account(page, "1")
    spent(page, "Gaussian(noise_std=50)", "seen by all")
    auditor = signed_in(browser_page(), token(page, "Omar", "auditor"))
    auditor.locator(f"[data-account='{watched}']").click()
    expect(auditor.locator("#history")).to_contain_text("seen by all")
    for hidden in ("#spend", "#hold", "[data-dialog=new-token]", "[data-dialog=new-account] >> nth=0"):
        expect(auditor.locator(hidden)).to_be_hidden()
    assert "It fits." in quoted(auditor, "Gaussian(noise_std=50)")
    auditor.click("#verify")
    expect(auditor.locator("#verification")).to_contain_text("The books hold.")
    refused = auditor.evaluate(
        """async name => { const session = await (await fetch('/v1/session')).json();
        const reply = await fetch(`/v1/accounts/${encodeURIComponent(name)}/grants`, {method: 'POST', headers:
          {'Content-Type': 'application/json', 'Idempotency-Key': 'x1', 'X-CSRF-Token': session.csrf},
          body: JSON.stringify({mechanism: 'Gaussian(noise_std=50)'})}); return reply.status }""",
        watched,
    )
    assert refused == 403


def test_a_revoked_token_and_a_closed_session_open_nothing(
    page: Page, service: Service, browser_page: Callable[[], Page]
) -> None:
    signed_in(page, service.owner)
    account(page)
    guest = signed_in(browser_page(), token(page, "Guest", "auditor"))
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("tr:has-text('Guest') [data-revoke]").first.click()
    expect(page.locator("tr:has-text('Guest')").first).to_contain_text("revoked")
    guest.reload()
    expect(guest.locator("#signin")).to_be_visible()
    page.click("#signout")
    expect(page.locator("#signin")).to_be_visible()
    assert not [cookie for cookie in page.context.cookies() if cookie["name"] == "dpc_session"]
    page.reload()
    expect(page.locator("#signin")).to_be_visible()


@pytest.mark.parametrize("look", ["phone", "dark", "arabic"])
def test_pictures_of_the_books(page: Page, service: Service, look: str) -> None:
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    page.set_viewport_size({"width": 390 if look == "phone" else 1280, "height": 900})
    if look == "arabic":
        page.goto("/?lang=ar")
    signed_in(page, service.owner)
    account(page, "0.8")
    if look != "arabic":
        spent(page, "Laplace(scale=40)", "count by region")
    assert page.evaluate("document.documentElement.scrollWidth") <= (390 if look == "phone" else 1280)
    OUT.mkdir(exist_ok=True)
    page.locator("#burndown svg.plot").wait_for()
    page.wait_for_timeout(300)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=OUT / f"console-owner-{look}.png", full_page=True)
