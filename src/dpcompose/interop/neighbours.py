"""Other libraries are imported where they are used, in a version that is known here, or refused in one sentence."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dpcompose.errors import DPError

KNOWN = {"dp-accounting": "0.6", "opacus": "1.6", "opendp": "0.16"}
"""The versions whose interface is used and tested; another version may have changed it."""


class NeighbourMissing(DPError, ImportError):
    """A library that is not installed, or has a version that is not known here."""


def required(module: str, package: str) -> Any:
    """Import a module of another library, and return it."""
    try:
        found = version(package)
    except PackageNotFoundError:
        raise NeighbourMissing(
            f"{package} is not installed: pip install 'dpcompose[interop]' brings {package} {KNOWN[package]}."
        ) from None
    if not fits(found, KNOWN[package]):
        raise NeighbourMissing(
            f"{package} {found} is installed, and dpcompose knows {package} {KNOWN[package]}: "
            f"pip install '{package}=={KNOWN[package]}.*' brings it."
        )
    return import_module(module)


def fits(found: str, known: str) -> bool:
    """Whether a version begins with the numbers of the known version."""
    return re.findall(r"\d+", found)[: known.count(".") + 1] == known.split(".")


__all__ = ["KNOWN", "NeighbourMissing", "required"]
