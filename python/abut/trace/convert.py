"""Traces in other formats: text, Dinero's `din`, and tables as Parquet."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abut.targets import utf8, written
from abut.trace.native import failures, native_module
from abut.trace.reader import EventKind, Trace
from abut.trace.symbols import Symboliser

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("objects", "contexts", "modules", "events")
_NEVER_IS_NULL = ("died", "died_at")


def write_lines(
    trace: Trace, form: str, path: Path, progress: Callable[[float], None] = lambda _: None
) -> None:
    """Write the file: as `text` a line a step; as `din` a line an access, 0 (read) or 1 (write),
    and the address that it had, in hexadecimal. Accesses whose object's address is not known, as
    after damage, are left out of `din`. `progress` is called with the share that is done.
    """
    whole = trace.info.accesses or 1
    with failures():
        lines = native_module().TextSteps(trace.native, form, os.fspath(path))
        while (done := lines.next()) is not None:
            progress(done / whole)


def write_parquet(trace: Trace, folder: Path) -> list[Path]:
    """Write each table as a Parquet file into the folder, whole or not; the files."""
    import pyarrow.parquet as pq

    utf8(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in TABLES:
        path = folder / f"{name}.parquet"
        rows = _tables(trace, name)
        first = next(rows)
        with (
            written(path) as unfinished,
            pq.ParquetWriter(unfinished, first.schema, compression="zstd") as writer,
        ):
            writer.write_table(first)
            for more in rows:
                writer.write_table(more)
        files.append(path)
    return files


def _tables(trace: Trace, name: str) -> "Iterator[pa.Table]":
    match name:
        case "objects":
            yield objects_table(trace)
        case "contexts":
            yield contexts_table(trace)
        case "modules":
            yield modules_table(trace)
        case _:
            yield from _event_tables(trace)


def objects_table(trace: Trace) -> "pa.Table":
    """A row an object, with its number; times are in nanoseconds, null for never."""
    import pyarrow as pa

    columns = trace.objects()
    count = len(columns["size"])
    arrays: dict[str, Any] = {"object": np.arange(1, count + 1, dtype=np.int64)}
    for name, column in columns.items():
        never = column == -1 if name in _NEVER_IS_NULL else None
        arrays[name] = pa.array(column, mask=never)
    return pa.table(arrays)


def contexts_table(trace: Trace) -> "pa.Table":
    """A row a place of a call chain, the innermost first; inlined calls have rows of their own."""
    import pyarrow as pa

    contexts = trace.contexts()
    symboliser = Symboliser.of(trace)
    symboliser.learn(contexts)
    rows = [
        (number, depth, place.module, place.offset, place.function, place.file, place.line)
        for number, chain in enumerate(contexts, 1)
        for depth, place in enumerate(symboliser.chain(chain))
    ]
    columns = {
        "context": pa.int64(),
        "depth": pa.int32(),
        "module": pa.string(),
        "offset": pa.uint64(),
        "function": pa.string(),
        "file": pa.string(),
        "line": pa.int32(),
    }
    return _table_of(rows, columns)


def modules_table(trace: Trace) -> "pa.Table":
    """A row a module."""
    import pyarrow as pa

    rows = [(number, *module) for number, module in enumerate(trace.modules(), 1)]
    columns = {
        "module": pa.int64(),
        "path": pa.string(),
        "build_id": pa.string(),
        "base": pa.uint64(),
        "length": pa.uint64(),
        "unloaded": pa.bool_(),
    }
    return _table_of(rows, columns)


def _event_tables(trace: Trace) -> "Iterator[pa.Table]":
    import pyarrow as pa

    kinds = [kind.name.lower() for kind in EventKind]
    schema = pa.schema(
        [
            ("kind", pa.dictionary(pa.int8(), pa.string())),
            ("thread", pa.uint32()),
            ("context", pa.uint32()),
            *((name, pa.int64()) for name in _WIDE),
        ]
    )
    yield schema.empty_table()
    for events in trace.events():
        named = pa.DictionaryArray.from_arrays(events.kind.astype(np.int8), kinds)
        wide = [getattr(events, name) for name in _WIDE]
        columns = [named, events.thread, events.context, *wide]
        yield pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)


_WIDE = ("time", "object", "address", "size", "detail", "position")


def _table_of(rows: list[tuple[Any, ...]], columns: dict[str, Any]) -> "pa.Table":
    """With columns of these types."""
    import pyarrow as pa

    named = [dict(zip(columns, row, strict=True)) for row in rows]
    return pa.Table.from_pylist(named, pa.schema(columns))
