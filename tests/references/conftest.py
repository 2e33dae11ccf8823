"""The references live beside their tests, and are derived anew when something they rest on has changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from derived import is_current

from cases import PROFILE


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what could only say the same again; `-m derives` asks for it all the same."""
    if PROFILE == "nightly" or "derives" in config.option.markexpr or not is_current():
        return
    again = [item for item in items if item.get_closest_marker("derives")]
    config.hook.pytest_deselected(items=again)
    items[:] = [item for item in items if item not in set(again)]
