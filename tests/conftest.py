"""Loads the profile of the property tests before the first of them is read."""

from __future__ import annotations

import cases  # noqa: F401 - loads the profile
