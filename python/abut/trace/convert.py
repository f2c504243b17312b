"""Traces in other formats: text, Dinero's `din`, and tables as Parquet."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from abut.trace.native import Array
from abut.trace.reader import Batch, EventKind, Events, Trace
from abut.trace.steps import steps, text_of
from abut.trace.symbols import Symboliser

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("objects", "contexts", "modules", "events")
_NEVER_IS_NULL = ("died", "died_at")
_DIN_READ, _DIN_WRITE = 0, 1


def write_text(trace: Trace, out: TextIO) -> None:
    """One line a step."""
    for step in steps(trace):
        out.write(text_of(step) + "\n")


def write_din(trace: Trace, out: TextIO) -> None:
    """One line an access: 0 (read) or 1 (write), and the address that it had, in hexadecimal.

    Accesses whose object's address is not known, as after damage, are left out.
    """
    for kinds, addresses in din_batches(trace):
        rows = zip(kinds.tolist(), addresses.tolist(), strict=True)
        out.write("".join(f"{kind} {address:x}\n" for kind, address in rows))


def din_batches(trace: Trace) -> Iterator[tuple[Array, Array]]:
    """Kinds and addresses (unsigned) of the accesses, as objects lay when they were recorded."""
    where = np.zeros(1, np.int64)  # by object; number 0 stands for none, at address 0
    for batch in trace.batches():
        births = batch.events.kind == EventKind.ALLOCATE
        where = _with_births(where, batch.events, births)
        yield _addresses(where, batch)


def _with_births(where: Array, events: Events, births: Array) -> Array:
    born = events.object[births]
    if len(born) and born.max() >= len(where):
        where = np.concatenate([where, np.zeros(born.max() + 1 + len(where), np.int64)])
    where[born] = events.address[births]
    return where


def _addresses(where: Array, batch: Batch) -> tuple[Array, Array]:
    """Between two moves of objects, all addresses stay."""
    moves = np.flatnonzero(batch.events.kind == EventKind.MOVE)
    bases = np.empty(len(batch), np.int64)
    done = 0
    for move in moves.tolist():
        until = int(batch.events.position[move]) - batch.first_access
        bases[done:until] = _bases(where, batch, done, until)
        done = until
        moved = int(batch.events.object[move])
        if moved < len(where):
            where[moved] = batch.events.address[move]
    bases[done:] = _bases(where, batch, done, len(batch))
    known = (bases != 0) | (batch.object == 0)
    kinds = np.where(batch.write, _DIN_WRITE, _DIN_READ)
    # Columns are signed, and addresses are not: the sum is the same number of 64 bits.
    return kinds[known], (bases + batch.offset)[known].view(np.uint64)


def _bases(where: Array, batch: Batch, begin: int, end: int) -> Array:
    """Where the objects of these accesses lie; 0 for none, and for those that are not known."""
    objects = batch.object[begin:end]
    inside = (objects >= 0) & (objects < len(where))
    found: Array = where[np.where(inside, objects, 0)]
    return found


def write_parquet(trace: Trace, folder: Path) -> list[Path]:
    """Write each table as a Parquet file into the folder; the files."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in TABLES:
        path = folder / f"{name}.parquet"
        rows = _tables(trace, name)
        first = next(rows)
        with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
            writer.write_table(first)
            for more in rows:
                writer.write_table(more)
        written.append(path)
    return written


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
    symboliser = Symboliser(trace.modules())
    symboliser.learn(contexts)
    rows = [
        (number, depth, place.module, place.offset, place.function, place.file, place.line)
        for number, chain in enumerate(contexts, 1)
        for depth, place in enumerate(symboliser.chain(chain))
    ]
    schema = pa.schema(
        [
            ("context", pa.int64()),
            ("depth", pa.int32()),
            ("module", pa.string()),
            ("offset", pa.uint64()),
            ("function", pa.string()),
            ("file", pa.string()),
            ("line", pa.int32()),
        ]
    )
    return _table_of(rows, schema)


def modules_table(trace: Trace) -> "pa.Table":
    """A row a module."""
    import pyarrow as pa

    rows = [(number, *module) for number, module in enumerate(trace.modules(), 1)]
    schema = pa.schema(
        [
            ("module", pa.int64()),
            ("path", pa.string()),
            ("build_id", pa.string()),
            ("base", pa.uint64()),
            ("length", pa.uint64()),
            ("unloaded", pa.bool_()),
        ]
    )
    return _table_of(rows, schema)


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


def _table_of(rows: list[tuple[Any, ...]], schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa

    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    arrays = [
        pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
