"""The native module that reads traces: where it lies, and what it offers, by type."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from threading import Lock, Thread
from typing import Any, Protocol, cast

from numpy.typing import NDArray

from abut.errors import AbutError
from abut.places import build_fix, native_folder
from abut.targets import utf8

Array = NDArray[Any]
_NAME = "abut_native"
_LOADING = Lock()  # a second copy of the module, loaded by another thread, would be of no use


class NativeBatches(Protocol):
    """Batches, one after another."""

    def next(self) -> dict[str, Any] | None:
        """The next batch; None after the last."""


class NativeReader(Protocol):
    """A trace that is open."""

    def header(self) -> dict[str, Any]: ...  # noqa: D102
    def totals(self) -> dict[str, int] | None: ...  # noqa: D102
    def modules(self) -> list[tuple[str, str, int, int, bool]]: ...  # noqa: D102
    def contexts(self) -> list[list[tuple[int, int]]]: ...  # noqa: D102
    def prefixes(self, steps: int) -> tuple[Array, list[list[tuple[int, int]]]]: ...  # noqa: D102
    def chunks(self) -> list[tuple[int, int, int, int, int, int]]: ...  # noqa: D102
    def damages(self) -> list[tuple[int, str]]: ...  # noqa: D102
    def accesses(self) -> int: ...  # noqa: D102
    def event_count(self) -> int: ...  # noqa: D102
    def file_bytes(self) -> int: ...  # noqa: D102
    def events(self, chunk: int) -> dict[str, Array] | None: ...  # noqa: D102
    def objects(self, accesses: bool) -> dict[str, Array]: ...  # noqa: D102
    def check(self) -> dict[str, Any]: ...  # noqa: D102
    def batches(self, first: int, end: int, most: int, codes: bool) -> NativeBatches: ...  # noqa: D102


class NativeWriter(Protocol):
    """A trace that is being written."""

    def module(self, path: str, build_id: str, base: int, length: int) -> int: ...  # noqa: D102
    def context(self, frames: list[tuple[int, int]]) -> int: ...  # noqa: D102
    def allocate(self, *numbers: int) -> int: ...  # noqa: D102
    def resize(self, *numbers: int) -> None: ...  # noqa: D102
    def free(self, *numbers: int) -> None: ...  # noqa: D102
    def discard(self, *numbers: int) -> None: ...  # noqa: D102
    def access(self, *numbers: int) -> None: ...  # noqa: D102
    def flush(self) -> None: ...  # noqa: D102
    def finish(self, exit_status: int, ended: int) -> None: ...  # noqa: D102


def native_module() -> Any:
    """The module itself. Raises AbutError where it was not built."""
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> Any:
    folder = native_folder()
    spec = PathFinder.find_spec(_NAME, [str(folder)])
    if spec is None or spec.loader is None:
        raise AbutError(
            f"{folder}: the module that reads traces is not there, or not for Python "
            f"{sys.version_info.major}.{sys.version_info.minor}",
            fix=build_fix("abut_native"),
        )
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise AbutError(
            f"{spec.origin}: cannot be used: {error}", fix=build_fix("abut_native")
        ) from error
    return module


@contextmanager
def failures() -> Iterator[None]:
    """Turns what the module throws into AbutError."""
    try:
        yield
    except native_module().TraceFailure as error:
        what, why, fix = error.args
        if why == os.strerror(errno.EPIPE):
            raise BrokenPipeError(errno.EPIPE, why, what) from None
        raise AbutError(f"{what}: {why}", fix=fix) from None


def interruptible(call: Callable[..., Any], *arguments: Any) -> Any:
    """What a long call of the module comes to. An interrupt leaves it alone in its thread, which
    ends with this process.
    """
    done: Future[Any] = Future()

    def work() -> None:
        try:
            done.set_result(call(*arguments))
        except BaseException as error:
            done.set_exception(error)

    Thread(target=work, daemon=True).start()
    return done.result()


def open_reader(path: str) -> NativeReader:
    """Open a trace. Raises AbutError where there is none."""
    module = native_module()
    with failures():
        return cast("NativeReader", module.Reader(utf8(path)))


def open_writer(path: str, **settings: Any) -> NativeWriter:
    """Begin a trace. Raises AbutError where that cannot be."""
    module = native_module()
    with failures():
        return cast("NativeWriter", module.open_writer(utf8(path), **settings))


def finish_writer(writer: NativeWriter, exit_status: int, ended: int) -> None:
    """End a trace. Raises AbutError where not all could be written."""
    with failures():
        writer.finish(exit_status, ended)
