"""The pages for people: an explorer for everybody, and a console for whoever signs in.

Templates are filled here; what they show comes from the same `/v1` that every other client asks.
"""

from __future__ import annotations

from dpcompose.server.pages.routes import routes

__all__ = ["routes"]
