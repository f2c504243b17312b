"""Worker processes, which end with the command that has them."""

import ctypes
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

_SET_PARENT_DEATH_SIGNAL = 1


def process_pool(processes: int) -> ProcessPoolExecutor:
    """So many workers. An interrupt ends them at once, also inside the native module, and so does
    the end of this process, also where it is killed.
    """
    return ProcessPoolExecutor(processes, get_context("spawn"), _begin, (os.getpid(),))


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended before it could be followed
        os._exit(1)
