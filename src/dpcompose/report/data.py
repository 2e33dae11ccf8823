"""Results as JSON, with stable keys: exact floats, exact inputs as text, and the text "inf" for infinity.

| schema | of |
|---|---|
| `dpc.answer/1` | one number: `question`, `lower`, `upper`, `safe`, `because`, `meaning`, claims, `theorems` |
| `dpc.answers/1` | several of them, under `answers` |
| `dpc.comparison/1` | every theorem's row, the tightest marked, and the `best` answer |
| `dpc.theorems/1` | statements (in LaTeX), sources and conditions |
| `dpc.formula/1` | the `outputs` of a formula card |
| `dpc.cards/1` | the formula cards themselves |
| `dpc.region/1` | `area`, `corner`, `total_variation`, `vertices`, and the `inner` and `outer` polygons |
| `dpc.judgement/1` | a `verdict` on a claim, and the `witness` that refutes it |
| `dpc.growth/1`, `dpc.profile/1` | the `truth` and every theorem along an axis |
| `dpc.risk/1` | the `readings` of what an attacker can do |
| `dpc.calibration/1` | the `value` that meets a target, and the one that `misses` |
| `dpc.audit/1` | what samples refute |
| `dpc.numerics/1` | the saddle lines behind an answer, and their errors |
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from functools import singledispatch
from typing import Any

from dpcompose.kernel import Claim, Source, Theorem
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.prove.answer import Answer, Answers
from dpcompose.prove.compare import Comparison, Row
from dpcompose.report.proof import claims
from dpcompose.report.sheet import sheet
from dpcompose.report.words import promise
from dpcompose.spec import dumps, written


def to_json(result: object, **context: object) -> str:
    """A result as JSON text; the context (the question) comes first."""
    found: Any = plain(result)
    asked = {key: plain(value) for key, value in context.items()}
    whole = (
        {"schema": found.pop("schema"), **asked, **found} if isinstance(found, dict) and "schema" in found else found
    )
    return json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False)


@singledispatch
def plain(result: object) -> object:
    """A result as dictionaries, lists, text and numbers."""
    known = sheet(result)
    if known is None:
        return result
    return {"schema": known.schema, **{key: _inside(value) for key, value in known.document.items()}}


def _inside(value: object) -> object:
    """A part of a document: mappings and lists unchanged, results inside them as documents."""
    if isinstance(value, Mapping):
        return {key: _inside(item) for key, item in value.items()}
    return [_inside(item) for item in value] if isinstance(value, list) else plain(value)


@plain.register
def _(result: float) -> object:
    return result if math.isfinite(result) else str(result)


@plain.register
def _(result: Fraction) -> object:
    return written(result)


@plain.register
def _(result: Enclosure) -> object:
    return {"lower": plain(result.lower), "upper": plain(result.upper)}


@plain.register
def _(result: Answer) -> object:
    return {"schema": "dpc.answer/1", **_answer(result), "theorems": _theorems(result)}


@plain.register
def _(result: Answers) -> object:
    return {
        "schema": "dpc.answers/1",
        "answers": [_answer(answer) for answer in result.each],
        "theorems": _theorems(result),
    }


def _answer(answer: Answer) -> dict[str, object]:
    return {
        "question": answer.question,
        "lower": plain(answer.lower),
        "upper": plain(answer.upper),
        "safe": plain(answer.safe),
        "because": answer.because,
        **({"meaning": answer.meaning} if answer.meaning else {}),
        "note": answer.note,
        "upper_by": _claim(answer.upper_by),
        "lower_by": _claim(answer.lower_by),
    }


def _claim(claim: Claim[Any] | None) -> object:
    """A claim with its premises; theorems are named here, and stated once elsewhere."""
    if claim is None:
        return None
    return {
        "theorem": claim.theorem.id,
        "name": claim.theorem.proof.__name__,
        "subject": dumps(claim.subject),
        "guarantee": promise(claim.guarantee, claim.side),
        "side": str(claim.side.name).lower(),
        "counts": list(claim.counts),
        "premises": [_claim(premise) for premise in claim.premises],
    }


def _theorems(result: object) -> dict[str, object]:
    """Every theorem behind a result, by its name."""
    lineages = (claim.lineage() for claim in claims(result))
    found = {claim.theorem.proof.__name__: claim.theorem for lineage in lineages for _, claim in lineage}
    return {name: plain(theorem) for name, theorem in sorted(found.items())}


@plain.register
def _(result: Comparison) -> object:
    return {
        "schema": "dpc.comparison/1",
        "mechanism": dumps(result.subject),
        "asked": result.asked,
        "given": result.given,
        "at": written(result.at),
        "best": _answer(result.best),
        "rows": [_row(row, result) for row in result.rows],
        "theorems": _theorems(result),
    }


def _row(row: Row, result: Comparison) -> dict[str, object]:
    return {
        "theorem": row.theorem,
        "aliases": list(row.aliases),
        "lower": plain(row.enclosure.lower) if row.enclosure else None,
        "upper": plain(row.enclosure.upper) if row.enclosure else None,
        "tightest": row is result.tightest,
        "reason": row.reason,
        "source": row.source,
        "by": _claim(row.claim),
    }


@plain.register
def _(result: Source) -> object:
    names = ("key", "authors", "title", "venue", "year", "where")
    return {name: getattr(result, name) for name in names}


@plain.register
def _(result: Theorem) -> object:
    return {
        "id": result.id,
        "name": result.proof.__name__,
        "aliases": list(result.aliases),
        "verb": result.verb.value,
        "statement": result.statement,
        "source": plain(result.source),
        "side": str(result.side.name).lower(),
        "adaptivity": result.adaptivity.name.lower(),
        "relations": sorted(relation.value for relation in result.relations),
    }


@plain.register(list)
@plain.register(tuple)
def _(result: list[object] | tuple[object, ...]) -> object:
    items = [plain(item) for item in result]
    theorems = bool(result) and all(isinstance(item, Theorem) for item in result)
    return {"schema": "dpc.theorems/1", "theorems": items} if theorems else items


@plain.register(Mapping)
def _(result: Mapping[str, object]) -> object:
    return {"schema": "dpc.formula/1", "outputs": {name: plain(value) for name, value in result.items()}}
