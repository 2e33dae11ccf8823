"""What a notebook shows of values that are not answers: mechanisms, numbers, budgets and running totals."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR

from dpcompose.description import Composition, Mechanism
from dpcompose.filters.filter import SYMBOLS, Filter
from dpcompose.numerics.enclosure import Enclosure, rounded
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.running_total import Online
from dpcompose.spec import dumps
from dpcompose.spec.fields import Numeral
from dpcompose.spec.registry import kind_of
from dpcompose.spec.short import brief, brief_value

MOST_PARTS = 50


@sheet.register
def _(result: Composition) -> Sheet:
    """What runs: a line for each kind."""
    rows = tuple((str(count), brief(part)) for part, count in result.parts[:MOST_PARTS])
    more = len(result.parts) - MOST_PARTS
    note = f"and {more} more" if more > 0 else ""
    runs = sum(count for _, count in result.leaves())
    said = (f"{runs} run{'s' * (runs != 1)}, {result.adaptivity.name.lower().replace('_', ' ')}{_relation(result)}",)
    return Sheet(
        "dpc.composition/1", said, (Table(("runs", "mechanism"), rows, note=note),), {"mechanism": dumps(result)}
    )


@sheet.register
def _(result: Mechanism) -> Sheet:
    """The parameters of a mechanism, and their meaning."""
    kind = kind_of(result)
    rows = []
    for field in kind.fields.values():
        value = getattr(result, field.name)
        if field.derived or value is None or field.name == "adjacency":
            continue
        means = field.codec.param.symbol if isinstance(field.codec, Numeral) else ""
        unit = field.codec.param.unit if isinstance(field.codec, Numeral) else ""
        rows.append((field.name, brief_value(field.codec, value), " in ".join(filter(None, (means, unit)))))
    said = (f"{brief(result)}{_relation(result)}", " ".join(kind.about.split()))
    return Sheet("dpc.mechanism/1", said, (Table(("parameter", "", ""), tuple(rows)),), {"mechanism": dumps(result)})


def _relation(mechanism: Mechanism) -> str:
    return f" ({mechanism.adjacency.value.replace('_', '/')})" if mechanism.adjacency is not None else ""


@sheet.register
def _(result: Enclosure) -> Sheet:
    said = (f"between {rounded(result.least, ROUND_FLOOR)} and {rounded(result.most, ROUND_CEILING)}",)
    return Sheet("dpc.enclosure/1", said, (), {"lower": result.lower, "upper": result.upper})


@sheet.register
def _(result: Filter) -> Sheet:
    capped = zip(result.coordinates, result.caps, strict=True)
    rows = tuple((SYMBOLS.get(name, name), rounded(cap, ROUND_FLOOR)) for name, cap in capped)
    return Sheet("dpc.filter/1", (str(result.guarantee),), (Table(("", "cap"), rows),), {"filter": result.name})


@sheet.register
def _(result: Online) -> Sheet:
    rows = tuple((str(count), brief(kind)) for kind, count in list(result.counts.items())[:MOST_PARTS])
    said = (f"{len(result)} runs so far; ask .epsilon(delta) for what they cost together",)
    return Sheet("dpc.online/1", said, (Table(("runs", "mechanism"), rows),) if rows else (), {"runs": len(result)})
