"""The pages for people: an explorer for everybody, and a console for users who sign in.

Templates are filled here; the data they show comes from the same `/v1` that every other client asks.

Read `routes` first, then `presets` (plans to start from); `assets` and `catalogues` hold its files and its texts. What
its form asks for is in `app.fields`, a plan in every form in `app.plans`.
"""

from __future__ import annotations

from dpcompose.server.pages.routes import routes

__all__ = ["routes"]
