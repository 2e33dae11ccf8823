"""What went wrong in a browser, whom it asked, and where its pictures are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Request, Response

OUT = Path(__file__).parents[1] / "out"
"""Pictures to look at; nobody keeps them."""
LATE = {"too-expensive", "busy"}


@dataclass
class Seen:
    """What went wrong in a browser, and whom it asked."""

    host: str
    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    refused: list[Response] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Refusals that a test provokes: what each is called, and where."""

    def said(self, message: ConsoleMessage) -> None:
        """Refusals are written on the console too, without saying which: they are looked at by themselves."""
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    def answered(self, response: Response) -> None:
        if response.status >= 400:
            self.refused.append(response)

    def refusals(self) -> list[str]:
        """Whatever was refused, but for questions that a busy machine could not answer in time."""
        slugs = [(str(r.json()["type"]).rpartition(":")[2], r) for r in self.refused]
        return [f"{slug} {urlsplit(r.url).path}" for slug, r in slugs if slug not in LATE]

    def asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.netloc != self.host:
            self.strangers.append(request.url)
