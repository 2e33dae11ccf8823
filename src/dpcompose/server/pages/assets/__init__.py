"""The files of the page: styles, JavaScript modules and pictures. This module reads each once and serves it."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff": "font/woff",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, as it is sent."""

    body: bytes
    media_type: str
    tag: str


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by its path. Only these paths are served."""
    found: dict[str, Asset] = {}
    pending = [("", files(__name__))]
    while pending:
        prefix, folder = pending.pop()
        for path in folder.iterdir():
            if path.is_dir() and not path.name.startswith("__"):
                pending.append((f"{prefix}{path.name}/", path))
            elif path.is_file() and not path.name.endswith((".py", ".pyc")):
                found[f"{prefix}{path.name}"] = _asset(path.name, path.read_bytes())
    return dict(sorted(found.items()))


def _asset(name: str, body: bytes) -> Asset:
    suffix = name[name.rfind(".") :]
    kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Asset(body, kind, f'"{hashlib.sha256(body).hexdigest()[:20]}"')
