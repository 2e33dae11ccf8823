"""Lazy frames of polars: columns of a frame in memory or of Parquet files, and of a frame also what is compared and
calculated row by row and never fails.

Every other plan is a program: a strict cast, a function of somebody's own or a line that does not parse fails at one
row, and a slice or a sort mixes them. It is refused by its plan; `collect()` makes a table of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpcompose.release.ask.sources import Limits
from dpcompose.release.engine.files import parquet_files
from dpcompose.release.engine.table import DataTable, attempt, computed

STEPS: Mapping[str, str] = {"Filter": "predicate", "HStack": "exprs", "Select": "expr", "SimpleProjection": ""}
"""Steps of a plan that work row by row, and the field of their expressions."""
HARMLESS: Mapping[str, Sequence[str]] = {
    "BinaryExpr": ("left", "right"),
    "Column": (),
    "Literal": (),
    "Ternary": ("predicate", "truthy", "falsy"),
}
"""Expressions that cannot fail, and the fields of their parts."""
COMPARING = {"And", "Eq", "Gt", "GtEq", "Lt", "LtEq", "NotEq", "Or"}
INTEGERS = {f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
NUMBERS = INTEGERS | {"Float32", "Float64"}
PLAIN = NUMBERS | {"Boolean", "Date", "String"}
"""Types whose comparison cannot fail; lists may differ in length, and categories in their texts."""


def scanned(stack: ExitStack, name: str, frame: Any, limits: Limits) -> DataTable | None:
    """The table of a lazy frame that scans Parquet files, read as by their paths; None for a frame in memory."""
    files = attempt(name, lambda: _files(name, _plan(name, frame)))
    if files is None:
        return None
    found, wanted = parquet_files(stack, name, files, limits), list(attempt(name, frame.collect_schema))
    kinds = dict(found.kinds)
    if not kinds.keys() >= set(wanted):
        raise computed(name, "columns that its files do not have")
    shown = tuple(file.name for file in files) if len(files) > 1 else ()
    return replace(found, kinds=[(column, kinds[column]) for column in wanted], files=shown)


def _plan(name: str, frame: Any) -> Any:
    try:
        return frame._ldf.visit()  # noqa: SLF001 - polars shows its plan to other engines here
    except NotImplementedError:
        raise computed(name, "a step that cannot be seen") from None


def _files(name: str, plan: Any) -> list[Path] | None:
    """The files that a plan scans, if the plan does nothing but choose columns."""
    look: Callable[[], Any] = plan.view_current_node
    node, calculated = _seen(name, look), False
    while (kind := type(node).__name__) in STEPS:
        given = getattr(node, STEPS[kind], [])
        plan.set_node(node.input)  # its columns have the types that are declared
        for one in given if isinstance(given, list) else [given]:
            _check(name, plan, one.node)
        calculated |= kind != "SimpleProjection"
        node = _seen(name, look)
    if kind == "DataFrameScan" and node.selection is None:
        return None
    if calculated or kind != "Scan" or _seen(name, lambda: node.scan_type)[0] != "parquet":
        raise computed(name, kind)
    options = node.file_options
    if any(part is not None for part in (node.predicate, options.n_rows, options.row_index)):
        raise computed(name, "a scan of some rows, which `where` can choose")
    files = [Path(path) for path in node.paths]
    if not files or not all(file.is_file() for file in files):
        raise computed(name, "files that are not on this machine")
    return [file.resolve() for file in files]


def _check(name: str, plan: Any, place: int) -> None:
    """Refuse an expression that may fail at a row; integer overflow wraps, and division by zero is missing."""
    node = _seen(name, lambda: plan.view_expression(place))
    kind = type(node).__name__
    if kind == "BinaryExpr":
        able = PLAIN if str(node.op).rpartition(".")[2] in COMPARING else NUMBERS
        if not {str(plan.get_dtype(node.left)), str(plan.get_dtype(node.right))} <= able:
            raise computed(name, "values that are neither numbers nor plain")
    widens = kind == "Cast" and str(node.dtype) == "Float64" and str(plan.get_dtype(node.expr)) in INTEGERS
    if kind not in HARMLESS and not widens:
        raise computed(name, kind)
    for part in HARMLESS.get(kind, ("expr",)):
        _check(name, plan, getattr(node, part))


def _seen(name: str, look: Callable[[], Any]) -> Any:
    try:
        return look()
    except NotImplementedError:
        raise computed(name, "a step that cannot be seen") from None


__all__ = ["scanned"]
