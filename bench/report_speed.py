"""What a report of a long run takes: time, memory, the page's size, and how long it opens.

The run is a Lua program's, recorded with the code that accessed, if it has not been recorded yet.

usage: .venv/bin/python bench/report_speed.py [--tables N] [--walks N] [--trace FILE] [--page FILE]
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.places import bench_places
from abut.trace import Trace

_BILLION = ("400000", "15")  # tables and walks that come to some 10^9 accesses
_WAIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock and on processors, and the bytes of the largest process."""

    wall: float
    processors: float
    most_bytes: int


def record(trace: Path, tables: str, walks: str) -> None:
    """Record the program, once."""
    script = os.path.relpath(bench_places().bench / "scripts" / "tables.lua")
    words = ["record", "--quiet", "--sites", "--force", "-o", str(trace)]
    program = ["lua5.4", script, tables, walks]
    command = [sys.executable, "-m", "abut", *words, "--", *program]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def report(trace: Path, page: Path) -> Took:
    """Write the page, in a process of its own."""
    command = [sys.executable, "-m", "abut", "report", "--force", "-o", str(page), str(trace)]
    begun = time.monotonic()
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise SystemExit(f"report_speed.py: abut report ended with {started.returncode}")
    return Took(time.monotonic() - begun, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)


def opening(page: Path) -> float:
    """Seconds from asking a browser for the page until all of it is drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page()
        begun = time.monotonic()
        shown.goto(page.absolute().as_uri())
        shown.wait_for_selector("html[data-drawn]", timeout=_WAIT_MS)
        took = time.monotonic() - begun
        browser.close()
    return took


def main() -> int:
    """Measure, and show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", default=_BILLION[0])
    parser.add_argument("--walks", default=_BILLION[1])
    parser.add_argument("--trace", type=Path, default=Path("build/long.trace"))
    parser.add_argument("--page", type=Path, default=Path("build/long.html"))
    given = parser.parse_args()
    if not given.trace.exists():
        record(given.trace, given.tables, given.walks)
    info = Trace(given.trace).info
    took = report(given.trace, given.page)
    rows = {
        "program": " ".join(info.command),
        "accesses": f"{info.accesses:,}",
        "trace": f"{info.file_bytes / 1e6:.0f} MB",
        "processors": str(len(os.sched_getaffinity(0))),
        "abut report": f"{took.wall:.0f} s; {took.processors:.0f} s of processor time",
        "memory of the largest process": f"{took.most_bytes / 1e6:.0f} MB",
        "page": f"{given.page.stat().st_size / 1e6:.2f} MB",
        "opened and drawn by Chromium": f"{opening(given.page):.2f} s",
    }
    table = Table(show_header=False)
    for row in rows.items():
        table.add_row(*row)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
