"""A filter, or the sentence that says why there is none."""

from __future__ import annotations

from typing import Any

import dpcompose as dpc
from dpcompose.filters import Filter, filter_of


def caps_or_reason(name: str, **target: Any) -> Filter | str:
    try:
        return filter_of(name, **target)
    except dpc.DPError as reason:
        return str(reason)
