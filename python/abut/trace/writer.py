"""Traces written from Python: of what was recorded elsewhere, or made up. Not for speed."""

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from abut.errors import AbutError
from abut.targets import utf8
from abut.trace.native import failures, native_module
from abut.trace.reader import Frame


class TraceWriter:
    """A trace that is being written; what is asked for in an order is read back in that order.

    As a context manager it ends the trace, with the exit status 0, unless `finish` was called;
    after an exception it leaves the trace as a killed recorder would.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        command: Sequence[str] = (),
        machine: str = "",
        recorder: str = "python",
        overwrite: bool = False,
        codes: bool = False,
        chunk_accesses: int = 1 << 19,
    ) -> None:
        self._path, self._finished = os.fspath(path), False
        with failures():
            self._native = native_module().open_writer(
                utf8(path),
                command=list(command),
                machine=machine,
                recorder=recorder,
                overwrite=overwrite,
                codes=codes,
                chunk_accesses=chunk_accesses,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and not self._finished:
            self.finish()

    @property
    def _open(self) -> Any:
        if self._finished:
            raise AbutError(f"{self._path}: is finished", fix="write all of it before finish()")
        return self._native

    def module(self, path: str, build_id: str = "", base: int = 0, length: int = 0) -> int:
        """A new module's number."""
        return int(self._open.module(path, build_id, base, length))

    def context(self, frames: Sequence[Frame]) -> int:
        """The number of a call chain, innermost frame first."""
        return int(self._open.context([(frame.module, frame.offset) for frame in frames]))

    def allocate(
        self,
        size: int,
        *,
        address: int = 0,
        align: int = 16,
        thread: int = 1,
        context: int = 0,
        time: int = 0,
    ) -> int:
        """A new object's number: 1, 2, 3 in order of birth."""
        return int(self._open.allocate(thread, context, time, address, size, align))

    def resize(
        self,
        item: int,
        size: int,
        *,
        address: int,
        moved: bool,
        thread: int = 1,
        context: int = 0,
        time: int = 0,
    ) -> None:
        """Object `item` has another size now, in place or moved to `address`."""
        self._open.resize(thread, context, time, item, address, size, moved)

    def free(self, item: int, *, thread: int = 1, context: int = 0, time: int = 0) -> None:
        """Object `item` is freed."""
        self._open.free(thread, context, time, item)

    def discard(self, address: int, size: int, *, thread: int = 1, time: int = 0) -> None:
        """What was in these bytes is forgotten: they were given back to the kernel."""
        self._open.discard(thread, time, address, size)

    def access(
        self,
        item: int,
        offset: int,
        size: int = 8,
        *,
        write: bool = False,
        allocator: bool = False,
        thread: int = 1,
        code: int = 0,
    ) -> None:
        """An access to object `item`, or, where that is 0, to the address `offset`."""
        self._open.access(item, offset, size, write, allocator, thread, code)

    def flush(self) -> None:
        """End the chunk: what it holds outlives this process."""
        self._open.flush()

    def finish(self, exit_status: int = 0, ended: int = 0) -> None:
        """End the trace; nothing may follow. Raises AbutError where not all could be written."""
        native, self._finished = self._open, True
        with failures():
            native.finish(exit_status, ended)
