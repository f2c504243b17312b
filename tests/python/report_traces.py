"""A recorded run and measurements that are made up: what the tests of the report look at."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abut.advice.advise import advise
from abut.reporters.report import report_document
from abut.simulation.caches import Level
from abut.simulation.presets import Preset, find_preset
from abut.simulation.report import Request, difference, trace_report
from abut.trace import Frame, TraceWriter
from abut.tuning.best_layout import best_layout

NODE, BUFFER = 1, 2
_DATA = '<script type="application/json" id="data">'
SMALL = Preset(
    "small",
    "two small levels",
    (Level("L1", 1024, below="L2", ways=2, cycles=1), Level("L2", 16384, ways=4, cycles=10)),
    tlb=(Level("TLB", 4 * 4096, line=4096, ways=4, cycles=1),),
    memory_cycles=100,
)
APART = 8192  # bytes from one pair to the next


def data_of(page: str) -> Any:
    """The data in a page, as it was put there."""
    return json.loads(page.partition(_DATA)[2].partition("</script>")[0])


def pairs_trace(
    path: Path,
    nodes: int,
    *,
    walks: int = 2,
    callers: int = 1,
    command: Sequence[str] = ("prog",),
    build_id: str = "",
    chunk: int = 500,
    threads: int = 1,
) -> Path:
    """Pairs of a node (context 1) and a buffer (2) on the same line, and far apart from the next.

    All are walked, then each node is used again and freed. Each access has its code; the allocator
    touches each node's header. With more callers, pairs come in turn from contexts of their own.
    With more threads, each writes words of its own in the buffer. Without a build-id, nothing of
    it can be placed.
    """
    with TraceWriter(path, command=list(command), codes=True, chunk_accesses=chunk) as out:
        module = out.module("/nowhere/prog", build_id, 0x1000, 0x1000)
        contexts = [
            [out.context([Frame(module, at), Frame(module, 0x20 + caller)]) for at in (0x10, 0x18)]
            for caller in range(callers)
        ]
        pairs = []
        for number in range(nodes):
            address = 0x10000 + APART * number
            of_node, of_buffer = contexts[number % callers]
            node = out.allocate(24, address=address, context=of_node, time=number)
            buffer = out.allocate(700, address=address + 32, context=of_buffer, time=number)
            out.access(node, -8 & (1 << 64) - 1, 8, write=True, allocator=True, code=0x1500)
            pairs.append((node, buffer))
        for _ in range(walks):
            for node, buffer in pairs:
                out.access(node, 16, code=0x1100)
                for thread in range(threads):
                    out.access(buffer, 640 + 8 * thread, write=True, code=0x1200, thread=1 + thread)
        for node, _ in pairs:
            out.access(node, 0, code=0x1100)
            out.free(node)
    return path


def document_of(
    *traces: Path,
    most_accesses: int = 10_000_000,
    comparisons: Sequence[dict[str, Any]] = (),
    tunings: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A page's document, with everything that a page can have."""
    preset = find_preset("modern")
    requests = [
        Request(str(one), preset, best_layout, most_accesses, find_advice=advise) for one in traces
    ]
    found = [trace_report(request) for request in requests]
    between = (
        difference(str(traces[0]), str(traces[1]), preset, most_accesses) if traces[1:] else None
    )
    return report_document(found, comparisons, tunings, arguments=["run.trace"], between=between)


ESTIMATE = {"value": 1.0, "low": 0.9, "high": 1.1}
COMPARISON: dict[str, Any] = {
    "benchmarks": [
        {
            "name": "prog",
            "command": ["prog"],
            "figures": {
                "wall": {
                    "glibc": {"median": ESTIMATE, "to_reference": ESTIMATE, "to_best": ESTIMATE},
                    "abut": {
                        "median": {"value": 0.5, "low": 0.4, "high": 0.6},
                        "to_reference": {"value": 0.5, "low": 0.4, "high": 0.6},
                        "to_best": ESTIMATE,
                    },
                }
            },
        }
    ],
    "reference": "glibc",
    "heaps": [{"name": "glibc"}, {"name": "abut"}],
    "settings": {"runs": 5, "warmup": 1, "seed": 1, "suite": None},
    "versions": {"abut": "0"},
    "machine": {
        "processor": "p",
        "cores": 2,
        "virtual": True,
        "system": "s",
        "kernel": "k",
        "glibc": "g",
    },
}
TUNING: dict[str, Any] = {
    "command": ["prog", "x"],
    "plan": "prog.plan",
    "strategy": "combined",
    "why": "",
    "runs": 5,
    "candidates": [
        {"strategy": "combined", "to_plain": [0.8, 0.75, 0.85], "settings": {"order": "birth"}},
        {"strategy": "order=birth", "to_plain": None, "rounds": 3, "left": "behind"},
    ],
    "held_out": [],
}
