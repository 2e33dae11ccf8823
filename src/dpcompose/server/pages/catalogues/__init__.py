"""The texts of the page, one JSON file for each language; to add a language, add a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FIRST = "en"
"""The default language."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One language: its name, the direction it is written in, and its messages."""

    language: str
    messages: Mapping[str, str]

    @property
    def name(self) -> str:
        """The language's own name for itself."""
        return self.messages["language.name"]

    @property
    def direction(self) -> str:
        """The direction of writing: `ltr` or `rtl`."""
        return self.messages["language.direction"]

    def __call__(self, key: str, **values: object) -> str:
        """A message, with its placeholders filled."""
        return self.messages[key].format(**values) if values else self.messages[key]


@cache
def catalogues() -> Mapping[str, Catalogue]:
    """Every language, the default first."""
    found = {
        path.name.removesuffix(".json"): json.loads(path.read_text(encoding="utf-8"))
        for path in files(__name__).iterdir()
        if path.name.endswith(".json")
    }
    ordered = sorted(found, key=lambda language: (language != FIRST, language))
    return {language: Catalogue(language, found[language]) for language in ordered}


def chosen(asked: str | None, accepted: str = "") -> Catalogue:
    """The language asked for by name, or the available one that a browser prefers."""
    known = catalogues()
    if asked is not None and asked in known:
        return known[asked]
    for _, tag in sorted(_preferences(accepted), key=lambda pair: -pair[0]):
        if tag in known:
            return known[tag]
    return known[FIRST]


def _preferences(accepted: str) -> list[tuple[float, str]]:
    """`ar;q=0.8, en` as pairs of a weight and the first part of a tag; what cannot be read is left out."""
    found = []
    for entry in accepted[:500].split(","):
        tag, _, weight = entry.strip().partition(";q=")
        try:
            found.append((float(weight or 1), tag.split("-")[0].casefold()))
        except ValueError:
            continue
    return found
