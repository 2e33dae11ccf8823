"""Which of the two neighbouring datasets P belongs to."""

from __future__ import annotations

from enum import Enum


class Direction(Enum):
    """P is the dataset with the record (it is removed), or the one without (it is added)."""

    REMOVE = "remove"
    ADD = "add"
