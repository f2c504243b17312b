"""Worker processes, which end with the command that has them."""

import ctypes
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from abut.errors import AbutError

_SET_PARENT_DEATH_SIGNAL = 1


@contextmanager
def process_pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """So many workers. An interrupt or an error ends them at once, also inside the native module,
    and so does the end of this process, also where it is killed. Raises AbutError where a worker
    is.
    """
    context = get_context("spawn")
    try:
        with ProcessPoolExecutor(processes, context, _begin, (os.getpid(),)) as pool:
            try:
                yield pool
            except BaseException:
                for worker in list((pool._processes or {}).values()):
                    worker.kill()
                raise
    except BrokenProcessPool as error:
        problem = "a worker process was killed, as the kernel does where memory is short"
        raise AbutError(problem, fix="let fewer run at a time: --jobs 1") from error


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended before it could be followed
        os._exit(1)
