"""Lists of the program `lists`: how long heaps take to build them, and how long they take to walk.

Nodes are appended to a list drawn at random, 2^7 to 2^15 of them, in C and as `std::list`. Heaps
take turns; a phase's time is its median. Shown are the best of the others, which need not be the
same for both phases, and abut; ± is half of the 95 % interval of the ratio.

Rows may be measured a few at a time, when the machine is quiet for a minute: with `--keep`, what
was measured is kept in a file as long as the library stays the same.

usage: .venv/bin/python bench/list_speed.py [--nodes N] [--runs N] [--rows KIND:LOG,...]
       [--keep FILE]
"""

import argparse
import hashlib
import json
import re
import subprocess
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.environment import untouched_environment
from abut.heaps import Heap, find_heaps, preload
from abut.measure.statistics import Estimate, median, ratio
from abut.places import bench_places
from abut.reporters.units import ratio_with_interval

_PEERS = ("glibc", "jemalloc", "mimalloc", "tcmalloc")
_ROWS = [f"{kind}:{log_lists}" for kind in ("own", "standard") for log_lists in (7, 9, 11, 13, 15)]
_PHASE = re.compile(r"(build|walk)\D+([\d.]+)")


def phases(heap: Heap, kind: str, log_lists: int, nodes: int) -> dict[str, float]:
    """Seconds of each phase."""
    environment = {**untouched_environment(), **heap.environment}
    environment["LD_PRELOAD"] = preload(heap, environment.get("LD_PRELOAD", ""))
    program = [f"{bench_places().programs}/lists", "--times", "--order", "random", "--walks", "1"]
    size = ["--kind", kind, "--lists", str(1 << log_lists), "--nodes", str(nodes)]
    done = subprocess.run(
        [*program, *size], env=environment, capture_output=True, text=True, check=True
    )
    return {name: float(seconds) for name, seconds in _PHASE.findall(done.stderr)}


def row(heaps: list[Heap], kind: str, log_lists: int, nodes: int, runs: int) -> list[str]:
    """One row of the table: the best peer's times, abut's, and how much faster a walk is."""
    took = [
        {heap.name: phases(heap, kind, log_lists, nodes) for heap in heaps} for _ in range(runs)
    ]

    def of(heap: str, phase: str) -> Estimate:
        return median([run[heap][phase] for run in took], seed=1)

    cells = [f"{'C' if kind == 'own' else 'std::list'}, 2^{log_lists}"]
    for phase in ("build", "walk"):
        best = min(_PEERS, key=lambda heap: of(heap, phase).value)
        peer, ours = of(best, phase), of("abut", phase)
        cells += [f"{peer.value:.3f} {best}", f"{ours.value:.3f}"]
        if phase == "build":
            cells.append(ratio_with_interval(ratio(ours, peer)))
        else:
            cells.append(f"1/{ratio_with_interval(ratio(peer, ours))}")
    return cells


def kept_row(heaps: list[Heap], name: str, nodes: int, runs: int, keep: Path | None) -> list[str]:
    """The row called `name`, as `own:7`: from the file `keep`, or measured and put there."""
    kind, log_lists = name.split(":")
    if keep is None:
        return row(heaps, kind, int(log_lists), nodes, runs)
    library = next(heap.library for heap in heaps if heap.name == "abut")
    version = hashlib.sha256(Path(str(library)).read_bytes()).hexdigest()[:16]
    key = f"{name} {nodes} {runs} {version}"
    kept: dict[str, list[str]] = json.loads(keep.read_text()) if keep.exists() else {}
    if key not in kept:
        kept[key] = row(heaps, kind, int(log_lists), nodes, runs)
        keep.write_text(json.dumps(kept))
    return kept[key]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=8_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", default=",".join(_ROWS))
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    heaps, _ = find_heaps([*_PEERS, "abut"])
    title = f"seconds for {arguments.nodes:,} nodes, medians of {arguments.runs} runs"
    table = Table(title=title, title_justify="left")
    table.add_column("lists")
    for column in ("build, best", "abut", "ratio", "walk, best", "abut", "ratio"):
        table.add_column(column, justify="right")
    for name in arguments.rows.split(","):
        table.add_row(*kept_row(heaps, name, arguments.nodes, arguments.runs, arguments.keep))
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
