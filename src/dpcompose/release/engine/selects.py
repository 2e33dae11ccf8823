"""What a SELECT chooses, from its text alone: columns of one table, and rows by comparisons with constants.

The text is never run. It is parsed into a tree, and what it chooses is read by the one path by which every table is
read, so it is as total, and as private, as the table itself. Anything else in a SELECT (a cast, a function, a join, a
window) might fail at one row, or let one unit change the rows of others, and is refused from the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeAlias

from dpcompose.release.ask.filters import Condition
from dpcompose.release.engine.kinds import Kind
from dpcompose.release.engine.rows import Rows, present
from dpcompose.release.engine.table import Columns, DataTable, compared, computed
from dpcompose.release.refusals import InvalidData

Node: TypeAlias = Mapping[str, Any]
Read: TypeAlias = Callable[[tuple[str, ...], tuple[str, ...]], DataTable]
"""A table by the parts of its name, or by the paths of its Parquet files; a Python frame has neither."""
Narrow: TypeAlias = Callable[[DataTable, Sequence[tuple[str, str]], Sequence[Condition]], DataTable]
"""From a table, the new and old names of some columns, and conditions, to the narrowed table."""
PARQUET = {"parquet_scan", "read_parquet"}
FRAMES = {"arrow_scan", "arrow_scan_dumb", "pandas_scan", "python_arrow_scan"}
COUNTING = {"generate_series", "range", "repeat"}
"""Functions that generate rows without data."""
SIGNS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "!=",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
}
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
PLACED = {"alias", "class", "query_location", "query_location_length", "type"}
"""Fields of a node that describe its position, not its meaning."""


def selected(connection: Any, name: str, text: str) -> Node:
    """The tree of exactly one SELECT; anything else is refused."""
    import duckdb

    statements = duckdb.extract_statements(text)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise InvalidData("The query is not exactly one SELECT.")
    ((said,),) = connection.execute("SELECT json_serialize_sql(?)", [str(statements[0].query)]).fetchall()
    tree = json.loads(said)
    if tree.get("error"):
        raise computed(name, "no plain SELECT")
    node: Node = tree["statements"][0]["node"]
    return node


def chosen(node: Node, name: str, read: Read, narrow: Narrow | None = None) -> DataTable:
    """The table that a SELECT chooses: some columns of another table, and the rows that meet some conditions."""
    narrow = narrow or narrowed
    if node["type"] != "SELECT_NODE":
        raise computed(name, node["type"])
    _nothing_else(name, node, {"type", "select_list", "from_table", "where_clause", "cte_map", "aggregate_handling"})
    if node["aggregate_handling"] != "STANDARD_HANDLING":
        raise computed(name, "GROUP BY")
    base = _from(node["from_table"], name, _with(node, name, read, narrow), narrow)
    called = {node["from_table"].get("alias", "").lower(), node["from_table"].get("table_name", "").lower()} - {""}
    columns = [pair for item in node["select_list"] for pair in _columns(item, name, base, called)]
    where = [_condition(part, name, base, called) for part in _conjuncts(node["where_clause"])]
    return narrow(base, columns, where)


def _with(node: Node, name: str, read: Read, narrow: Narrow) -> Read:
    """A reader of the same tables and of those that a SELECT defines in its WITH."""
    before: dict[str, Node] = {}
    for key, value in _named(node):
        _nothing_else(name, value, {"materialized", "query", "query_node"})
        before[key] = value.get("query_node") or value["query"]["node"]

    def also(table: tuple[str, ...], paths: tuple[str, ...]) -> DataTable:
        named = before.get(table[0].lower()) if len(table) == 1 and not paths else None
        return read(table, paths) if named is None else chosen(named, name, read, narrow)

    return also


def _named(node: Node) -> list[tuple[str, Node]]:
    return [(one["key"].lower(), one["value"]) for one in node.get("cte_map", {}).get("map", [])]


def is_written(node: Any, named: frozenset[str] = frozenset()) -> bool:
    """Whether all rows are written in the text of a SELECT, as VALUES or a series of numbers: then they are no data."""
    if isinstance(node, list):
        return all(is_written(one, named) for one in node)
    if not isinstance(node, dict):
        return True
    known = named.union(key for key, _ in _named(node))
    if node.get("type") == "BASE_TABLE" and (node["schema_name"] or node["table_name"].lower() not in known):
        return False
    if node.get("type") == "TABLE_FUNCTION" and node["function"]["function_name"].lower() not in COUNTING:
        return False
    return all(is_written(one, known) for one in node.values())


def mentioned(node: Any) -> dict[str, bool]:
    """The columns that a SELECT mentions, and whether under another name as well."""
    if isinstance(node, list):
        return {column: other for one in node for column, other in mentioned(one).items()}
    if not isinstance(node, dict):
        return {}
    found = mentioned(list(node.values()))
    if node.get("class") == "COLUMN_REF":
        column = node["column_names"][-1]
        found[column] = found.get(column, False) or node["alias"] not in {"", column}
    return found


def _nothing_else(name: str, node: Node, known: set[str]) -> None:
    """Refuse a node with a part that is not known to be harmless."""
    for part, said in node.items():
        if part not in known and said:
            raise computed(name, part.replace("_", " "))


def _from(node: Node, name: str, read: Read, narrow: Narrow) -> DataTable:
    """The table after FROM."""
    kind = node["type"]
    if kind not in {"BASE_TABLE", "SUBQUERY", "TABLE_FUNCTION"} or node.get("sample") or node.get("column_name_alias"):
        raise computed(name, kind)
    if kind == "SUBQUERY":
        return chosen(node["subquery"]["node"], name, read, narrow)
    if kind == "BASE_TABLE":
        if node.get("at_clause"):
            raise computed(name, kind)
        parts = (node["catalog_name"], node["schema_name"], node["table_name"])
        return read(tuple(filter(None, parts)), ())
    function = node["function"]
    if function["function_name"].lower() in FRAMES:
        return read((), ())
    if function["function_name"].lower() not in PARQUET or not _arguments(function):
        raise computed(name, f"{function['function_name']}()")
    first = _arguments(function)[0]
    paths = [_constant(path) for path in (_arguments(first) if first["class"] == "FUNCTION" else [first])]
    if not paths or not all(path and path[1] for path in paths):
        raise computed(name, f"{function['function_name']}()")
    return read((), tuple(path[0] for path in paths if path))


def _arguments(function: Node) -> list[Node]:
    """The arguments of a function, in any version of DuckDB."""
    return function.get("children") or [one["expression"] for one in function.get("arguments", [])]


def _columns(item: Node, name: str, base: DataTable, called: set[str]) -> list[tuple[str, str]]:
    """The new and the old name of each column in one item of a select list."""
    if item["class"] == "STAR":
        _nothing_else(name, item, PLACED | {"relation_name"})
        return [(column, column) for column, _ in base.kinds]
    column = _column(item, name, base, called)
    return [(item["alias"] or column, column)]


def _column(item: Node, name: str, base: DataTable, called: set[str]) -> str:
    """The column of a table that is meant; DuckDB ignores capitals."""
    if item["class"] != "COLUMN_REF":
        raise computed(name, item.get("function_name") or item["class"])
    *before, last = (part.lower() for part in item["column_names"])
    found = [column for column, _ in base.kinds if column.lower() == last]
    if len(found) != 1 or not (not before or (before[-1] in called and len(before) == 1)):
        raise InvalidData(f"{name} has no column {'.'.join(item['column_names'])!r}.")
    return found[0]


def _conjuncts(node: Node | None) -> Iterator[Node]:
    if node is not None and node["type"] == "CONJUNCTION_AND":
        for part in node["children"]:
            yield from _conjuncts(part)
    elif node is not None:
        yield node


def _condition(node: Node, name: str, base: DataTable, called: set[str]) -> Condition:
    """A column compared with a constant."""
    if node["type"] not in SIGNS:
        raise computed(name, node["type"])
    left, right, sign = node["left"], node["right"], SIGNS[node["type"]]
    if left["class"] != "COLUMN_REF":
        left, right, sign = right, left, TURNED.get(sign, sign)
    column, constant = _column(left, name, base, called), _constant(right)
    if constant is None or (base.kind(column) is Kind.TEXT and not constant[1]):
        raise computed(name, f"a comparison of {column!r} with what is no constant of its type")
    return Condition(column, sign, constant[0])


def _constant(node: Node) -> tuple[str, bool] | None:
    """A constant as it is written, and whether it is a text; in any version of DuckDB."""
    if node["class"] == "CAST" and node["child"]["class"] == "CONSTANT":
        kind = node["cast_type"]["id"] if "cast_type" in node else node["type_expr"]["type_name"]
        inner = _constant(node["child"]) if kind in {"BOOLEAN", "DATE"} else None
        return inner and ({"t": "true", "f": "false"}.get(inner[0], inner[0]), False)
    if node["class"] != "CONSTANT":
        return None
    if "literal" in node:
        return str(node["literal"].get("text", "")), node["literal"]["kind"] == "STRING"
    value, kind = node["value"].get("value"), node["value"]["type"]
    if kind["id"] == "DECIMAL":
        value = format(Decimal(str(value)).scaleb(-kind["type_info"]["scale"]), "f")
    return None if node["value"]["is_null"] else (str(value), kind["id"] == "VARCHAR")


def narrowed(base: DataTable, columns: Sequence[tuple[str, str]], where: Sequence[Condition]) -> DataTable:
    """A table with some of the columns, renamed, and the rows that meet all conditions."""
    base.check({f"where{i}": one.column for i, one in enumerate(where)})
    old, kinds, conditions = dict(columns), dict(base.kinds), compared(where, base)

    def rows(wanted: Columns, empty: bool) -> Rows:  # noqa: FBT001 - as everywhere here
        also = {f"where{len(wanted) + i}": one.column for i, one in enumerate(conditions)}
        found = base.rows({role: old[column] for role, column in wanted.items()} | also, empty)
        if not also:
            return found
        found = present(found, also, [role for role, column in also.items() if kinds[column] is Kind.REAL])
        for role, one in zip(also, conditions, strict=True):
            found = found.where(f"{role} {one.sign} {one.value}")
        return found.select({role: role for role in wanted} or {"one": "1"})

    return replace(base, kinds=[(new, kinds[column]) for new, column in columns], rows=rows)


__all__ = ["chosen", "is_written", "mentioned", "narrowed", "selected"]
