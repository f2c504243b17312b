"""What a report of a long run takes: time, memory, the page's size, and how long it opens.

Pages are left beside the traces. Without a trace, a run of some 10^9 accesses is recorded. Figures
are medians of some reports, with the least and the most.

usage: .venv/bin/python bench/report_speed.py [--runs N] [TRACE...]
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from abut.places import bench_places
from abut.trace import Trace

_BILLION = ("400000", "15")  # tables and walks that come to some 10^9 accesses
_LONG = Path("build/long.trace")
_WAIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock and on processors, and the bytes of the largest process."""

    wall: float
    processors: float
    most_bytes: int


def record(trace: Path) -> None:
    """Record the long run."""
    script = os.path.relpath(bench_places().bench / "scripts" / "tables.lua")
    words = ["record", "--quiet", "--sites", "--force", "-o", str(trace)]
    program = ["lua5.4", script, *_BILLION]
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


def spread(values: Iterable[float], form: str, unit: str) -> str:
    """The median, and from where to where the values reach: "67 s (64 to 71)"."""
    found = sorted(values)
    return f"{median(found):{form}} {unit} ({found[0]:{form}} to {found[-1]:{form}})"


def main() -> int:
    """Measure, and show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("traces", nargs="*", type=Path)
    chosen = parser.parse_args()
    traces = chosen.traces or [_LONG]
    if traces == [_LONG] and not _LONG.exists():
        record(_LONG)
    title = f"medians of {chosen.runs} reports"
    table = Table(
        "program", "accesses", "time", "processor time", "memory", "page", "opens in", title=title
    )
    for trace in traces:
        info, page = Trace(trace).info, trace.with_suffix(".html")
        runs = [(report(trace, page), opening(page)) for _ in range(chosen.runs)]
        table.add_row(
            " ".join(info.command),
            f"{info.accesses:,}",
            spread((took.wall for took, _ in runs), ".0f", "s"),
            spread((took.processors for took, _ in runs), ".0f", "s"),
            spread((took.most_bytes / 1e6 for took, _ in runs), ".0f", "MB"),
            f"{page.stat().st_size / 1e6:.2f} MB",
            spread((opened for _, opened in runs), ".2f", "s"),
        )
    Console(width=110).print(table)
    print(f"processors: {len(os.sched_getaffinity(0))}; memory is that of the largest process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
