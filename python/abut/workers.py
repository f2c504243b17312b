"""Worker processes, which end with the command that has them."""

import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def process_pool(processes: int) -> ProcessPoolExecutor:
    """So many workers. An interrupt ends them at once, also inside the native module."""
    default = (signal.SIGINT, signal.SIG_DFL)
    return ProcessPoolExecutor(processes, get_context("spawn"), signal.signal, default)
