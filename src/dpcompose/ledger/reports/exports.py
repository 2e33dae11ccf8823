"""The log as a table: CSV, Parquet or JSON. Every row can be traced back to its entry by its hash."""

from __future__ import annotations

import csv
import json
import os
import secrets
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.errors import DPError, InvalidParameter
from dpcompose.ledger.history import described
from dpcompose.ledger.stores import statements

if TYPE_CHECKING:
    from dpcompose.ledger.book import Book

AT_ONCE = 2000
COLUMNS = ("chain", "height", "at", "account", "kind", "key", "who", "purpose", "mechanism", "charges", "body", "hash")


def rows(book: Book) -> Iterator[dict[str, Any]]:
    """Every entry, chain by chain, a few thousand at a time."""
    after = (-1, 0)
    while True:
        found = book.desk.read(partial(statements.page, after=after, most=AT_ONCE))
        for row in found:
            document = json.loads(row.body)
            said = {name: document.get(name, "") for name in ("at", "account", "key", "who", "purpose")}
            charges = json.dumps(document.get("charges", []), ensure_ascii=False)
            what = described(document.get("what"))
            yield {
                "chain": row.chain,
                "height": row.height,
                **{name: str(value) for name, value in said.items()},
                "kind": row.kind,
                "mechanism": what,
                "charges": charges,
                "body": row.body,
                "hash": row.hash,
            }
        if len(found) < AT_ONCE:
            return
        after = (found[-1].chain, found[-1].height)


def export(book: Book, path: Path) -> int:
    """Write all entries to a .csv, .parquet or .json file, whole or not at all; returns their number."""
    writers: dict[str, Callable[[Path, Iterator[dict[str, Any]]], int]] = {
        ".csv": _csv,
        ".json": _json,
        ".parquet": _parquet,
    }
    write = writers.get(path.suffix.lower())
    if write is None:
        raise InvalidParameter("file", str(path), f"a name that ends in {', '.join(writers)}")
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        count = write(scratch, rows(book))
        os.replace(scratch, path)  # noqa: PTH105 - over what is there
    except OSError as error:
        raise DPError(f"The file {str(path)!r} cannot be written: {error.strerror}.") from None
    finally:
        scratch.unlink(missing_ok=True)
    return count


def _csv(path: Path, every: Iterator[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in every:
            writer.writerow({name: _harmless(value) for name, value in row.items()})
            count += 1
    return count


def _harmless(value: object) -> object:
    """A text changed so that a spreadsheet does not run it as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t"} else value


def _json(path: Path, every: Iterator[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for row in every:
            whole = {**row, "charges": json.loads(row["charges"]), "body": json.loads(row["body"])}
            file.write(f"{',' * bool(count)}\n{json.dumps(whole, ensure_ascii=False)}")
            count += 1
        file.write("\n]\n")
    return count


def _parquet(path: Path, every: Iterator[dict[str, Any]]) -> int:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise DPError("Parquet needs pyarrow: install it with pip install 'dpcompose[data]'.") from None
    fields = [(name, pa.int64() if name in {"chain", "height"} else pa.string()) for name in COLUMNS]
    schema, count = pa.schema(fields), 0
    with parquet.ParquetWriter(path, schema) as writer:
        batch: list[dict[str, Any]] = []
        for row in every:
            batch.append(row)
            count += 1
            if len(batch) == AT_ONCE:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema))
    return count


__all__ = ["export", "rows"]
