"""Results as rows: CSV text, and pandas frames where pandas is installed."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from dpcompose.errors import InvalidParameter
from dpcompose.prove.compare import Comparison

if TYPE_CHECKING:
    import pandas as pd


def rows(comparison: Comparison) -> list[dict[str, object]]:
    """A dictionary for each theorem; numbers are exact floats, and None where a theorem declines."""
    if not isinstance(comparison, Comparison):
        raise InvalidParameter("comparison", comparison, "what compare gives")
    best = comparison.best.upper
    return [
        {
            "theorem": row.theorem,
            "lower": row.enclosure.lower if row.enclosure else None,
            "upper": row.enclosure.upper if row.enclosure else None,
            "relative": row.value / best if row.value is not None and best and not math.isinf(best) else None,
            "tightest": row is comparison.tightest,
            "source": row.source,
            "aliases": " ".join(row.aliases),
            "reason": row.reason,
        }
        for row in comparison.rows
    ]


def to_csv(comparison: Comparison) -> str:
    """The rows as comma-separated text with a head; unknown values are empty."""
    found, out = rows(comparison), io.StringIO()
    writer = csv.DictWriter(out, list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue()


def frame(comparison: Comparison) -> pd.DataFrame:
    """The rows as a pandas frame, one for each theorem, the tightest first."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise ModuleNotFoundError("frame needs pandas: install it with pip install 'dpcompose[pandas]'.") from None
    return pd.DataFrame(rows(comparison))
