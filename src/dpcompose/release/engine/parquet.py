"""Parquet files whose texts may be invalid UTF-8: DuckDB fails at such a text, so texts are read as bytes.

Arrow decodes the files batch by batch, without looking into texts. Files without text columns are left to DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpcompose.release.engine.duck import DuckRows, Named, quoted
from dpcompose.release.engine.frames import plain

BATCH = 1 << 17
UUID = "uuid"


def rows(connection: Any, files: Sequence[Path], types: Mapping[str, str], *, empty: bool) -> DuckRows:
    """Some columns of all files, with their types in DuckDB; texts as bytes."""
    import pyarrow as pa

    schema = _schema(files[0], list(types))
    batches = () if empty else (batch for file in files for batch in _batches(file, schema))
    found = DuckRows(Named(connection, frame=pa.RecordBatchReader.from_batches(schema, iter(batches))))
    return found.select({quoted(name): _typed(quoted(name), kind) for name, kind in types.items()})


def _typed(column: str, kind: str) -> str:
    """A column unchanged; a UUID, which Arrow has as sixteen bytes, is converted back."""
    return f"CAST(hex({column}) AS UUID)" if kind == UUID else column


def _schema(file: Path, names: Sequence[str]) -> Any:
    """The types of the columns, from the file's own schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    said = pq.read_schema(file)
    return pa.schema([(name, _bytes(pa.nulls(0, said.field(name).type)).type) for name in names])


def _batches(file: Path, schema: Any) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        for batch in opened.iter_batches(BATCH, columns=schema.names):
            columns = [_bytes(batch.column(field.name)).cast(field.type) for field in schema]
            yield pa.record_batch(columns, schema=schema)


def _bytes(column: Any) -> Any:
    """Texts as (large) bytes; every other column in a type that DuckDB reads."""
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType):
        return _bytes(column.storage)
    found = plain(column)
    return found.cast(pa.large_binary()) if pa.types.is_binary(found.type) else found


__all__ = ["rows"]
