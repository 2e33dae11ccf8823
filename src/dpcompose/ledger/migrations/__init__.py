"""The history of the database schema: `env` runs the migrations, each file in `versions` is one step."""

from __future__ import annotations

from pathlib import Path

NEWEST = "0002"
"""The schema that this version of the library reads and writes."""
PLACE = Path(__file__).parent

__all__ = ["NEWEST", "PLACE"]
