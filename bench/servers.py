"""Throughput and latency of a server under each heap: Redis, and the load that comes with it.

Each round starts a fresh server for each heap, in an order of its own, and sends the same requests:
to one thread, and to two that read and write. What is written has the form of `abut compare
--json`: microseconds a request, which is one over the throughput; the latency that one request in a
hundred exceeds, in milliseconds, as the client measures it; the server's peak memory in bytes.
Intervals are the least and the most of all rounds. Server and client share the processors.

Heaps under which the server does not start are left out: Redis 8 mixes malloc with jemalloc's own
calls, and crashes where another heap serves only the first.

usage: .venv/bin/python bench/servers.py [--heaps NAME,...] [--runs N] [--requests N] --output FILE
"""

import argparse
import contextlib
import csv
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from abut.heaps import Heap, find_heaps, preload
from abut.machine import this_machine
from abut.measure.versions import package_version, versions_of

TESTS = ("set", "get", "lpush", "lrange_100", "hset", "zadd")
TOO_OLD = "redis-benchmark of Redis 6.2 or later is needed"
C_LIBRARY = "libc.so.6"  # Debian's server is linked with jemalloc, which this goes before
Samples = dict[str, dict[str, dict[str, list[float]]]]  # by load, figure and heap


@contextlib.contextmanager
def served(heap: Heap, threads: int = 1) -> Iterator[tuple[int, str]]:
    """A server's process and socket, once it listens. Raises ChildProcessError if it never does."""
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/redis.sock"
        server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder,
             "--io-threads", str(threads), "--io-threads-do-reads", "yes" if threads > 1 else "no"],
            env=os.environ | heap.environment | {"LD_PRELOAD": preload(heap, "") or C_LIBRARY},
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            wait_for(server, socket)
            yield server.pid, socket
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def wait_for(server: subprocess.Popen[bytes], socket: str) -> None:
    """Until the server listens; some seconds at most."""
    for _ in range(500):
        if Path(socket).exists():
            return
        if server.poll() is not None:
            break
        time.sleep(0.01)
    raise ChildProcessError(f"redis-server does not listen at {socket}")


def serves(heap: Heap) -> bool:
    """Whether the server starts under it."""
    try:
        with served(heap):
            return True
    except ChildProcessError:
        print(f"servers.py: {heap.name}: redis-server does not start under it", file=sys.stderr)
        return False


def measure(heap: Heap, threads: int, requests: int) -> dict[str, dict[str, float]]:
    """One server's figures, by load."""
    with served(heap, threads) as (process, socket):
        command = ["redis-benchmark", "-s", socket, "--csv", "-t", ",".join(TESTS)]
        command += ["-n", str(requests), "-r", "200000", "-d", "120"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        memory = peak_memory(process)
    rows = list(csv.DictReader(printed.splitlines()))
    if not rows or "rps" not in rows[0]:
        sys.exit(f"servers.py: {TOO_OLD}")
    return {
        f"{test}, {threads} thread{'s' * (threads > 1)}": {
            "wall": 1e6 / float(row["rps"]),
            "p99": float(row["p99_latency_ms"]),
            "rss": memory,
        }
        for test in TESTS
        for row in rows
        if row["test"].lower().split(" (")[0] == test
    }


def peak_memory(process: int) -> float:
    """Bytes that the process had resident at most."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * float(status.partition("VmHWM:")[2].split()[0])


def estimate(values: Sequence[float]) -> dict[str, float]:
    """The median, the least and the most."""
    return {"value": median(values), "low": min(values), "high": max(values)}


def benchmark(name: str, figures: dict[str, dict[str, list[float]]]) -> dict[str, Any]:
    """What `abut compare` writes of a program, of a load; ratios are to the first heap's."""

    def cells(by_heap: dict[str, list[float]]) -> dict[str, Any]:
        first = next(iter(by_heap.values()))
        return {
            heap: {
                "median": estimate(values),
                "to_reference": estimate([v / f for v, f in zip(values, first, strict=True)]),
            }
            for heap, values in by_heap.items()
        }

    return {"name": name, "figures": {figure: cells(heaps) for figure, heaps in figures.items()}}


def main() -> None:
    """Measure, and write it down."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--heaps", default="glibc,jemalloc,mimalloc,tcmalloc,abut")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--requests", type=int, default=300_000)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    found, missing = find_heaps(given.heaps.split(","))
    heaps = [heap for heap in found if serves(heap)]
    samples: Samples = {}
    order = random.Random(1)
    for _ in range(given.runs):
        for threads in (1, 2):
            for heap in order.sample(heaps, len(heaps)):
                for load, figures in measure(heap, threads, given.requests).items():
                    for figure, value in figures.items():
                        by_heap = samples.setdefault(load, {}).setdefault(
                            figure, {heap.name: [] for heap in heaps}
                        )
                        by_heap[heap.name].append(value)
    document = {
        "machine": dataclasses.asdict(this_machine()),
        "versions": {**versions_of(heaps), "redis": package_version("redis-server")},
        "settings": {"suite": "servers", "runs": given.runs, "requests": given.requests},
        "heaps": [{"name": heap.name} for heap in heaps],
        "missing_heaps": [heap.name for heap in (*missing, *found) if heap not in heaps],
        "benchmarks": [benchmark(name, figures) for name, figures in samples.items()],
    }
    given.output.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
