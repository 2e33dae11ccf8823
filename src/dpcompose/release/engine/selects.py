"""What a SELECT reads, from its text alone: tables and views by name, and functions that make tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dpcompose.release.refusals import InvalidData

FUNCTIONS = frozenset({"generate_series", "parquet_scan", "range", "read_parquet", "unnest"})
"""Those whose columns have types that do not depend on what is in a file."""


def selected(text: str) -> str:
    """The text of exactly one SELECT; anything else is refused."""
    import duckdb

    statements = duckdb.extract_statements(text)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise InvalidData("The query is not exactly one SELECT.")
    return str(statements[0].query)


def sources_of(connection: Any, query: str) -> list[tuple[str, bool]]:
    """The names that stand where tables do, and whether each is a function."""
    ((said,),) = connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()
    tree = json.loads(said)
    if tree.get("error"):
        raise InvalidData("The query is not a plain SELECT.")
    return list(_named(tree))


def _named(node: Any) -> Iterator[tuple[str, bool]]:
    if isinstance(node, list):
        for part in node:
            yield from _named(part)
    elif isinstance(node, dict):
        if node.get("type") == "BASE_TABLE":
            yield str(node["table_name"]), False
        elif node.get("type") == "TABLE_FUNCTION":
            yield str(node["function"].get("function_name")).lower(), True
        for part in node.values():
            yield from _named(part)


__all__ = ["FUNCTIONS", "selected", "sources_of"]
