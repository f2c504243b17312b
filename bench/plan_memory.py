"""What a plan that packs lifetimes takes in memory: the peak RSS with it and without it.

Each program is recorded, placed by one strategy, and run in turn without and with the plan.

usage: .venv/bin/python bench/plan_memory.py [--strategy NAME] [--only NAME,...]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from plan_programs import add_only, chosen_programs
from rich.console import Console
from rich.table import Table

from abut.places import bench_places

_PLACES = bench_places()
_RUNS = 3
_MIB = 1 << 20
# A process begins with the peak of the one that it was made by: so this one, which is small.
_PEAK = """
import json, os, sys
settings, argv = json.loads(sys.argv[1]), sys.argv[2:]
out = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawnp(argv[0], argv, {**os.environ, **settings},
                        file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


def programs() -> dict[str, list[str]]:
    """Programs whose heap is most of their memory, at sizes that are recorded in seconds."""
    scripts = _PLACES.bench / "scripts"
    return {
        "traverse": [str(_PLACES.programs / "traverse"), "--depth", "17", "--walks", "2"],
        "lists": [str(_PLACES.programs / "lists"), "--nodes", "500000", "--walks", "1"],
        "lua-tables": ["lua5.4", str(scripts / "tables.lua"), "80000", "2", "index"],
        "perl-hashes": ["perl", str(scripts / "hashes.pl"), "15000", "2"],
        "python-objects": ["/usr/bin/python3", str(scripts / "objects.py"), "--orders", "15000"],
    }


def abut(*words: str) -> None:
    """Run a command of abut's. Fails where it fails."""
    subprocess.run([sys.executable, "-m", "abut", *words], stdout=subprocess.DEVNULL, check=True)


def peak(argv: list[str], plan: Path | None, folder: Path) -> tuple[float, dict[str, int]]:
    """The most resident memory in bytes, and how the plan was followed."""
    stats = folder / "stats.json"
    library = subprocess.run(
        [sys.executable, "-m", "abut", "lib"], capture_output=True, text=True, check=True
    ).stdout.strip()
    settings = {"LD_PRELOAD": library, "ABUT_STATS": str(stats)}
    if plan is not None:
        settings["ABUT_PLAN"] = str(plan)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _PEAK, json.dumps(settings), *argv],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{argv[0]}: fails")
    return int(done.stdout) * 1024.0, json.loads(stats.read_text()).get("plan", {})


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strategy", default="lifetime")
    add_only(parser)
    chosen = parser.parse_args()
    os.environ.update({"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0"})
    table = Table()
    table.add_column("program")
    for name in ("in places", "not as planned", "RSS without", "with the plan", "times"):
        table.add_column(name, justify="right")
    for name, argv in chosen_programs(programs(), chosen.only):
        with tempfile.TemporaryDirectory(prefix="abut-memory-") as scratch:
            folder = Path(scratch)
            trace, plan = folder / "run.trace", folder / "run.plan"
            abut("record", "--quiet", "-o", str(trace), "--", *argv)
            abut("place", "-s", chosen.strategy, "-o", str(plan), str(trace))
            both = [(peak(argv, None, folder), peak(argv, plan, folder)) for _ in range(_RUNS)]
        without = statistics.median(one[0][0] for one in both)
        with_plan = statistics.median(one[1][0] for one in both)
        counts = both[0][1][1]
        missed = counts.get("missed", 0) + counts.get("occupied", 0)
        table.add_row(
            name,
            f"{counts.get('placed', 0):,}",
            f"{missed:,}",
            f"{without / _MIB:.1f} MiB",
            f"{with_plan / _MIB:.1f} MiB",
            f"{with_plan / without:.3f}",
        )
    Console(width=100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
