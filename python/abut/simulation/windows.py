"""Parts of a long trace: enough to know the rest by, spread evenly over the run."""

import numpy as np

from abut.trace.reader import Trace

_CHUNKS = 4

Windows = list[tuple[int, int]]


def windows_of(trace: Trace, most: int, count: int | None = None) -> Windows:
    """Ranges of chunks with about `most` accesses in all; empty where the whole trace has fewer.

    `count`: how many, each as long as it must be; without it they are short, and many.
    """
    chunks, total = len(trace.chunks()), trace.info.accesses
    if total <= most:
        return []
    wanted = chunks * most / total
    length = max(1, round(wanted / count)) if count else _CHUNKS
    first = np.linspace(0, max(0, chunks - length), count or max(1, round(wanted / length)))
    windows: Windows = []
    for begin in first.astype(int).tolist():
        start = max(begin, windows[-1][1] if windows else 0)
        if start < begin + length:
            windows.append((start, min(begin + length, chunks)))
    return windows
