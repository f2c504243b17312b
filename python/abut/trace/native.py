"""The native module that reads traces: where it lies, and what its failures become."""

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
from typing import Any

from numpy.typing import NDArray

from abut.errors import AbutError
from abut.places import build_fix, native_folder

Array = NDArray[Any]
_NAME = "abut_native"
_LOADING = Lock()  # a second copy of the module, loaded by another thread, would be of no use


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
