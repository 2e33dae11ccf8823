"""The explorer in a real browser: compose, read the answer, follow links, take things away."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

import dpcompose as dpc
from dpcompose import app, spec

pytestmark = pytest.mark.slow

THIRTY = "30 * BlackBox(epsilon=0.1, delta=0.001)"


def opened(page: Page, plan: str = THIRTY, delta: str = "0.05", **more: str) -> Page:
    """The explorer with a plan, once the answer stands."""
    page.goto(f"/?{urlencode({'m': plan, 'd': delta, **more})}")
    page.wait_for_selector("body.ready")
    return page


def shown(page: Page, what: str) -> None:
    """Scroll to a card until what it shows is there; what comes in above may push it away."""
    card = page.locator(what.split(maxsplit=1)[0])
    for _ in range(60):
        card.scroll_into_view_if_needed()
        if page.locator(what).count():
            return
        page.wait_for_timeout(100)
    pytest.fail(f"{what} never came: {card.inner_text()}")


def headline(page: Page) -> str:
    return page.locator("#answer .headline").inner_text()


def certified(plan: str, delta: str) -> float:
    """What the library answers, without a page."""
    return float(dpc.epsilon(spec.loads(plan), Decimal(delta)).upper)


def test_the_answer_is_the_librarys(page: Page) -> None:
    opened(page)
    assert headline(page) == "ε ≤ 0.846303"
    assert page.locator("#answer .ends").inner_text().endswith("0.846302 ≤ ε ≤ 0.846303")
    assert float(page.get_attribute("#answer", "data-upper") or "nan") == certified(THIRTY, "0.05")


def test_compose_in_the_form_and_read_the_expression(page: Page) -> None:
    opened(page)
    page.select_option("#add-kind", "laplace")
    page.click("#add")
    page.locator("[data-path='items[1].count']").fill("4")
    page.locator("[data-path='items[1].scale']").fill("20")
    expect(page.locator("#expression")).to_have_value(f"{THIRTY} + 4 * Laplace(scale=20)")
    upper = certified(f"{THIRTY} + 4 * Laplace(scale=20)", "0.05")
    expect(page.locator("#answer")).to_have_attribute("data-upper", str(upper))


def test_type_the_expression_and_see_the_form(page: Page) -> None:
    opened(page)
    page.fill("#expression", "7 * Sampled(Gaussian(noise_std=3), rate=0.1) + Geometric(scale=5)")
    expect(page.locator("[data-path='items[0].rate']")).to_have_value("0.1")
    expect(page.locator("[data-path='items[0].mechanism.noise_std']")).to_have_value("3")
    expect(page.locator("[data-path='items[1].scale']")).to_have_value("5")


def test_reorder_sample_and_remove(page: Page) -> None:
    opened(page, "2 * Gaussian(noise_std=9) + 3 * Laplace(scale=8)", "1e-6")
    first = page.locator(".item").first
    first.get_by_role("button", name="Move down").click()
    expect(page.locator("#expression")).to_have_value("3 * Laplace(scale=8) + 2 * Gaussian(noise_std=9)")
    page.locator(".item").first.get_by_role("button", name="Run on a random sample").click()
    expect(page.locator("#expression")).to_have_value(re.compile(r"3 \* Sampled\(Laplace\(scale=8\), rate=.*\) \+"))
    page.locator(".item").nth(1).get_by_role("button", name="Remove").click()
    expect(page.locator("#expression")).to_have_value(re.compile(r"^3 \* Sampled\([^+]*$"))


def test_a_refusal_stands_at_its_field_in_the_librarys_words(page: Page) -> None:
    opened(page, "3 * Gaussian(noise_std=2)", "1e-6")
    page.locator("[data-path='items[0].noise_std']").fill("-2")
    error = page.locator(".field-noise_std .error")
    expect(error).to_have_text("items[0].noise_std = -2 is not allowed: expected a number from 0 to 1e150.")
    assert page.locator("[data-path='items[0].noise_std']").get_attribute("aria-invalid") == "true"
    page.fill("#delta", "2")
    page.locator("[data-path='items[0].noise_std']").fill("2")
    expect(page.locator("#delta-error")).to_contain_text("delta = 2 is not allowed")
    page.fill("#delta", "1e-6")
    expect(page.locator("#delta-error")).to_be_empty()
    page.fill("#expression", "3 * Gaussian(noise_std=")
    expect(page.locator("#expression-error")).to_contain_text("olumn")


def test_every_theorem_side_by_side_with_its_proof(page: Page) -> None:
    opened(page)
    page.locator("#theorems .bar").first.wait_for()
    rows = [row for row in app.compare(THIRTY, "0.05").result.rows if row.value is not None]
    assert page.locator("#theorems .bar").count() == len(rows)
    assert page.locator("#theorems .tightest .identifier").inner_text() == "KOV-3.3"
    page.locator("[data-theorem-row='KOV-3.2'] button").click()
    dialog = page.locator("#detail")
    expect(dialog.locator(".statement math").first).to_be_visible()
    expect(dialog).to_contain_text("Boosting and Differential Privacy")
    expect(dialog.locator(".proof")).to_contain_text("(0.1, 0.001)-DP")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_slider_moves_the_region(page: Page) -> None:
    opened(page)
    place = page.locator("#region [data-panel]")
    shown(page, "#region svg.plot")
    expect(place).to_have_attribute("data-area", re.compile(r"0\.3409"))
    before = page.locator("#region path[data-series=region]").get_attribute("d")
    page.locator("#k").fill("5")
    expect(page.locator("#k-value")).to_have_text("k = 5")
    five = dpc.region(5 * dpc.BlackBox(epsilon=Decimal("0.1"), delta=Decimal("0.001"))).area.upper
    expect(place).to_have_attribute("data-area", str(five))
    assert page.locator("#region path[data-series=region]").get_attribute("d") != before
    assert "k=5" in page.url


def test_a_link_leads_back_to_the_same_state(page: Page) -> None:
    opened(page)
    page.fill("#expression", "12 * Gaussian(noise_std=7)")
    page.fill("#delta", "1e-7")
    upper = certified("12 * Gaussian(noise_std=7)", "1e-7")
    expect(page.locator("#answer")).to_have_attribute("data-upper", str(upper))
    link, before = page.url, headline(page)
    page.goto("/console")
    page.goto(link)
    page.wait_for_selector("body.ready")
    assert headline(page) == before
    assert page.locator("#expression").input_value() == "12 * Gaussian(noise_std=7)"
    assert page.locator("#delta").input_value() == "1e-7"


def test_arabic_reads_from_right_to_left_and_formulas_do_not(page: Page) -> None:
    opened(page)
    page.get_by_role("link", name="العربية").click()
    page.wait_for_selector("html[lang=ar][dir=rtl]")
    page.wait_for_selector("body.ready")
    assert headline(page) == "ε ≤ 0.846303"
    assert page.locator("#expression").input_value() == THIRTY
    left, right = (page.locator(selector).bounding_box() for selector in (".results", ".plan"))
    assert left
    assert right
    assert left["x"] < right["x"]
    assert page.locator("#expression").evaluate("e => getComputedStyle(e).direction") == "ltr"
    shown(page, "#growth svg.plot")
    assert page.locator("#growth svg.plot").get_attribute("direction") == "ltr"
    page.goto("/")
    assert page.locator("html").get_attribute("lang") == "ar"  # it is remembered


def test_the_attacker_in_plain_words(page: Page) -> None:
    opened(page)
    sentence = page.locator("#attacker .first")
    expect(sentence).to_contain_text("Of 1,000 people in the data it picks out at most")
    tpr = dpc.tpr(spec.loads(THIRTY), Decimal("0.01"))
    picked = int(page.get_attribute("#attacker", "data-picked") or 0)
    assert 1000 * tpr.upper <= picked <= 1000 * tpr.upper + 1
    assert page.locator("#attacker .crowd circle:not(.safe)").count() == picked


def test_calibrate_and_put_it_into_the_plan(page: Page) -> None:
    opened(page, "100 * Gaussian(noise_std=20)", "1e-6")
    shown(page, "#calibrate .found")
    expect(page.locator("#calibrate .found")).to_contain_text("noise_std = 42.24681")
    page.locator("#calibrate [data-result] button").click()
    expect(page.locator("#expression")).to_have_value("100 * Gaussian(noise_std=42.24681)")
    expect(page.locator("#answer")).to_have_attribute("data-upper", re.compile(r"^(0\.99999|1(\.0)?$)"))


def test_advice_can_be_used(page: Page) -> None:
    opened(page)
    shown(page, "#advise tr.tightest")
    page.locator("#advise tr.tightest button").click()
    expect(page.locator("#expression")).to_have_value(re.compile(r"^100 \* DiscreteGaussian\(noise_std=42\.24"))


def taken(page: Page, form: str) -> str:
    """The plan in one of its forms."""
    page.click(f"#export-{form}")
    expect(page.locator("#export-text")).to_have_attribute("aria-labelledby", f"export-{form}")
    expect(page.locator("#export-text")).not_to_be_empty()
    return page.locator("#export-text").inner_text()


def test_what_is_taken_away_says_the_same(page: Page) -> None:
    opened(page)
    plan = spec.loads(THIRTY)
    assert spec.from_document(json.loads(taken(page, "json"))) == plan
    toml = taken(page, "toml")
    assert tomllib.loads(toml)["kind"] == "composition"
    assert spec.loads(toml) == plan
    names: dict[str, Any] = {}
    exec(taken(page, "python").replace("print(", "found = ("), names)  # noqa: S102 - our own page
    assert names["found"].upper == certified(THIRTY, "0.05")
    assert taken(page, "command").strip() == f"dpcompose compare '{THIRTY}' --delta 0.05"
    assert "KOV15" in taken(page, "bibtex")
    assert taken(page, "link") == page.url


def test_an_answer_comes_while_one_types(page: Page) -> None:
    """The page says how long each answer took, from the last key on; how long that is depends on the machine."""
    opened(page)
    times = []
    for delta in ("0.051", "0.052", "0.053", "0.054", "0.055"):
        page.fill("#delta", delta)
        expect(page.locator("#answer .at")).to_contain_text(delta)
        times.append(int(page.get_attribute("#answer", "data-milliseconds") or 0))
    assert min(times) > 0


def test_a_picture_is_a_file(page: Page, tmp_path: Path) -> None:
    opened(page)
    shown(page, "#region svg.plot")
    for kind, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as download:
            page.locator(f"#region [data-picture={kind}]").click()
        download.value.save_as(tmp_path / kind)
        saved = (tmp_path / kind).read_bytes()
        assert saved.startswith(begins)
        assert len(saved) > 2000
        assert b"light-dark(" not in saved


def test_the_orders_lead_to_what_the_theorem_says(page: Page) -> None:
    opened(page, "100 * Gaussian(noise_std=20)", "1e-6", show="orders")
    shown(page, "#orders svg.plot")
    assert page.locator("#orders .marks circle").count() == 2
    page.locator("#orders svg.plot").focus()
    page.keyboard.press("Home")
    expect(page.locator("#orders .tip-head")).to_have_text("α = 1.25")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    two = dpc.renyi(spec.loads("100 * Gaussian(noise_std=20)"), 2)
    expect(page.locator("#orders .tip")).to_contain_text(f"≤ {two.upper:.6g}")


def test_presets_are_links(page: Page) -> None:
    opened(page)
    page.locator("#presets summary").click()
    page.get_by_role("link", name="Fifty noisy selections").click()
    expect(page.locator("#expression")).to_have_value("50 * ReportNoisyMax(epsilon=0.1)")
    assert "ReportNoisyMax" in page.url
    page.go_back()
    expect(page.locator("#expression")).to_have_value(THIRTY)


def test_numbers_never_promise_too_much(page: Page) -> None:
    """Six digits of a hundred doubles, rounded outward by the page, against exact decimals."""
    opened(page)
    values = [(i * 7919 % 1009 + 1) / 997 * 10.0 ** (i % 19 - 9) for i in range(100)]
    said = page.evaluate(
        "async values => { const w = await import('/assets/shared/words.js');"
        " return values.map(v => [w.down(v), w.up(v)]) }",
        values,
    )
    for value, (low, high) in zip(values, said, strict=True):
        assert Decimal(low) <= Decimal(value) <= Decimal(high)
        assert Decimal(high) - Decimal(low) <= abs(Decimal(value)) * Decimal("1.1e-5")
        assert len(Decimal(high).normalize().as_tuple().digits) <= 6
