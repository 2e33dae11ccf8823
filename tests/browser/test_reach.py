"""For whoever cannot see, has no mouse, or a small screen: labels, contrast, keyboard, width; and pictures."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browsing import OUT

pytestmark = pytest.mark.slow

PLAN = "/?m=30+*+BlackBox(epsilon%3D0.1,+delta%3D0.001)+%2B+4+*+BlackBox(epsilon%3D0.05)&d=0.05"
ADDRESSES = {"explorer": PLAN, "console": "/console", "theorem": "/theorems/KOV-3.3"}

NAMELESS = """() => [...document.querySelectorAll('input, select, textarea, button, a[href], [role=img], [role=tab]')]
  .filter(e => e.checkVisibility() && !e.closest('[aria-hidden=true]'))
  .filter(e => !((e.labels && [...e.labels].some(l => l.textContent.trim())) || e.getAttribute('aria-label')
    || document.getElementById(e.getAttribute('aria-labelledby') ?? '')?.textContent.trim()
    || (e.matches('button, a, [role=tab]') && e.textContent.trim())))
  .map(e => e.outerHTML.slice(0, 120))"""

TWICE = """() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i) }"""

SMALL = """() => [...document.querySelectorAll('button, select, input, summary')]
  .filter(e => e.checkVisibility()).map(e => [e.getBoundingClientRect(), e.outerHTML.slice(0, 80)])
  .filter(([box]) => box.width < 24 || box.height < 24).map(([box, html]) => `${box.width}x${box.height} ${html}`)"""

# Every text against what is painted behind it, as WCAG 2 computes contrast: 4.5, or 3 for large letters.
PALE = """() => {
  const numbers = text => {
    const found = text.match(/[\\d.]+(e-?\\d+)?/g).map(Number);
    const unit = text.startsWith('color') ? 1 : 255;
    return [...found.slice(0, 3).map(v => v / unit), found[3] ?? 1];
  };
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3])).concat(1);
  const ground = e => {
    if (!e) return [1, 1, 1, 1];
    const own = numbers(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, ground(e.parentElement));
  };
  const light = c => c.slice(0, 3).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const apart = '[hidden], .unseen, .skip, :disabled, .stale, math, script, noscript, .placeholder';
    if (!own || !e.checkVisibility() || e.closest(apart)) continue;
    const style = getComputedStyle(e);
    const behind = ground(e.closest('svg') ? e.closest('svg').parentElement : e);
    const ink = over(numbers(e.closest('svg') ? style.fill : style.color), behind);
    const [a, b] = [light(ink), light(behind)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const contrast = (a + .05) / (b + .05);
    if (contrast < (large ? 3 : 4.5)) found.push(`${contrast.toFixed(2)} ${e.className} ${e.textContent.slice(0, 40)}`);
  }
  return found;
}"""


def visited(page: Page, name: str) -> Page:
    """A page, with everything on it that comes when one scrolls."""
    page.goto(ADDRESSES[name])
    if name != "theorem":
        page.wait_for_selector("body.ready")
    if name == "explorer":
        for panel in (
            "theorems",
            "attacker",
            "growth",
            "region",
            "profile",
            "tradeoff",
            "orders",
            "calibrate",
            "advise",
        ):
            page.locator(f"#{panel}").scroll_into_view_if_needed()
            page.locator(f"#{panel}:not(.stale)").wait_for()
            page.wait_for_timeout(50)
        page.evaluate("scrollTo(0, 0)")
    return page


LOOKS: dict[str, dict[str, Any]] = {
    "desktop": {"width": 1280},
    "phone": {"width": 390},
    "dark": {"width": 1280, "scheme": "dark"},
    "arabic": {"width": 1280, "language": "ar"},
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ADDRESSES)
def test_every_text_can_be_read_and_every_control_has_a_name(page: Page, name: str, look: str) -> None:
    wish = LOOKS[look]
    page.set_viewport_size({"width": wish["width"], "height": 900})
    page.emulate_media(color_scheme=wish.get("scheme", "light"))
    if "language" in wish:
        page.goto(f"/?lang={wish['language']}")
    visited(page, name)
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / f"{name}-{look}.png", full_page=True)
    assert page.locator("html").get_attribute("lang") == wish.get("language", "en")
    assert page.evaluate(PALE) == []
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(TWICE) == []
    assert page.locator("h1").count() == 1
    assert page.locator("main").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= wish["width"]
    assert page.evaluate(SMALL) == []


def test_the_contrast_check_can_fail(page: Page) -> None:
    visited(page, "theorem")
    page.evaluate("document.querySelector('h1').style.color = '#bbbbbb'")
    assert page.evaluate(PALE)
    page.evaluate("document.getElementById('theme').removeAttribute('aria-label')")
    page.evaluate("document.getElementById('theme').textContent = ''")
    assert page.evaluate(NAMELESS)


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    page.goto(PLAN)
    page.wait_for_selector("body.ready")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    reach(page, "#delta")
    page.keyboard.press("Control+A")
    page.keyboard.type("0.1")
    reach(page, "#add")
    page.keyboard.press("Enter")
    expect(page.locator("[data-path='items[2].count']")).to_be_focused()
    reach(page, "#expression")
    page.keyboard.press("Control+A")
    page.keyboard.type("20 * BlackBox(epsilon=0.1)")
    expect(page.locator("#answer .at")).to_contain_text("δ = 0.1")
    expect(page.locator("#answer .headline")).to_have_text("ε ≤ 0.210575")
    page.locator("#theorems .bar").first.wait_for()
    reach(page, "#theorems .bar button")
    page.keyboard.press("Enter")
    expect(page.locator("#detail")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#theorems .bar button").first).to_be_focused()
    reach(page, "#k")
    page.locator("#region svg.plot").wait_for()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#k-value")).to_have_text("k = 19")
    reach(page, "#region svg.plot")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#region .tip")).to_be_visible()
    expect(page.locator("#announcer")).to_contain_text("false alarms")


def reach(page: Page, what: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(120):
        if page.locator(what).first.evaluate("(e, all) => document.activeElement?.matches(all)", what):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never came to {what}")
