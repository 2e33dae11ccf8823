"""Example plans to start from."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def presets() -> list[dict[str, Any]]:
    """Groups of plans, each with its δ and the panel to look at first."""
    text = (files(__package__) / "presets.toml").read_text(encoding="utf-8")
    groups: list[dict[str, Any]] = tomllib.loads(text)["groups"]
    return groups
