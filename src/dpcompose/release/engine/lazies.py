"""Lazy frames of polars: a plan that is nothing but a frame in memory, or Parquet files, is as good as these.

Every other plan is a program: a strict cast, a function of somebody's own or a line that does not parse fails at one
row, and a slice or a sort mixes them. It is refused by its plan; `collect()` makes a table of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpcompose.release.ask.sources import Limits
from dpcompose.release.engine.files import parquet_files
from dpcompose.release.engine.table import Table, attempt, computed


def scanned(stack: ExitStack, name: str, frame: Any, limits: Limits) -> Table | None:
    """The Parquet files of a lazy frame, read as they would be by their paths; None where it is a frame in memory."""
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
    """What a plan reads, below the choice of columns."""
    look: Callable[[], Any] = plan.view_current_node
    node = _seen(name, look)
    while type(node).__name__ == "SimpleProjection":
        plan.set_node(node.input)
        node = _seen(name, look)
    kind = type(node).__name__
    if kind == "DataFrameScan" and node.selection is None:
        return None
    if kind != "Scan" or _seen(name, lambda: node.scan_type)[0] != "parquet":
        raise computed(name, kind)
    options = node.file_options
    if any(part is not None for part in (node.predicate, options.n_rows, options.row_index)):
        raise computed(name, "a scan of some rows, which `where` can choose")
    files = [Path(path) for path in node.paths]
    if not files or not all(file.is_file() for file in files):
        raise computed(name, "files that are not on this machine")
    return [file.resolve() for file in files]


def _seen(name: str, look: Callable[[], Any]) -> Any:
    try:
        return look()
    except NotImplementedError:
        raise computed(name, "a step that cannot be seen") from None


__all__ = ["scanned"]
