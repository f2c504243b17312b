"""Starts threads that allocate a little and then sleep; prints what each of them costs in memory.

usage: idle_threads.py [threads]
"""

import sys
import threading
from pathlib import Path


def resident_kib() -> int:
    """Resident memory of this process, as the kernel counts it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise SystemExit("idle_threads.py: /proc/self/status has no VmRSS; is this Linux?")


def idle(began: threading.Barrier, end: threading.Event) -> None:
    """Hold a few blocks of different sizes until the end."""
    held = [bytearray(size) for size in (16, 50, 120, 400, 3000)]
    began.wait()
    end.wait()
    del held


def main() -> None:
    """Measure before and after the threads have begun."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    threading.stack_size(256 * 1024)
    began, end = threading.Barrier(count + 1), threading.Event()
    threads = [threading.Thread(target=idle, args=(began, end)) for _ in range(count)]
    before = resident_kib()
    for thread in threads:
        thread.start()
    began.wait()
    print(f"{(resident_kib() - before) / count:.1f} KiB for each of {count} idle threads")
    end.set()
    for thread in threads:
        thread.join()


main()
