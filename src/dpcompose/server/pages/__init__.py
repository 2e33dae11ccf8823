"""The pages for people: an explorer for everybody, and a console for whoever signs in.

Templates are filled here; what they show comes from the same `/v1` that every other client asks.

Read `routes` first, then `forms`, `plans` and `presets`: what the page offers; `assets` and `catalogues` are its
files.
"""

from __future__ import annotations

from dpcompose.server.pages.routes import routes

__all__ = ["routes"]
