"""What only a browser can say of the style of the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

STYLE = Path(__file__).parents[2] / "docs" / "_static" / "house.css"
ROOT = "<math><msqrt><mn id='under'>2</mn></msqrt><mi id='after'>x</mi></math>"


def test_nothing_but_a_hair_stands_behind_a_root(browser: Browser, tmp_path: Path) -> None:
    """Chromium's room is taken back by the style; a Chromium that leaves none must not draw one over the other."""
    written = tmp_path / "root.html"
    written.write_text(f'<link rel="stylesheet" href="{STYLE.as_uri()}"><body>{ROOT}</body>', encoding="utf-8")
    page = browser.new_page()
    page.goto(written.as_uri())
    page.evaluate("document.fonts.load('16px \"STIX Two Math\"')")
    page.wait_for_function("document.fonts.check('16px \"STIX Two Math\"')")
    under, after = (page.locator(f"#{name}").bounding_box() for name in ("under", "after"))
    page.close()
    assert under
    assert after
    assert 0.0 <= after["x"] - under["x"] - under["width"] <= 2.5
