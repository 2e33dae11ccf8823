"""The pages for people: an explorer for everybody, and a console for users who sign in.

Templates are filled here; the data they show comes from the same `/v1` that every other client asks.

Read `routes` first, then `forms`, `plans` and `presets` (what the page offers); `assets` and `catalogues` hold its
files and its texts.
"""

from __future__ import annotations

from dpcompose.server.pages.routes import routes

__all__ = ["routes"]
