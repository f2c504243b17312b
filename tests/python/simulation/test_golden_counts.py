"""Counts without prefetching stay what they were, bit for bit, whatever is modelled beside them.

golden_counts.json was written by a simulator that counted as the first edition's did, which had
no core.
"""

import json
import random
import re
from pathlib import Path
from typing import Any

from abut.simulation.presets import preset_files
from abut.trace import TraceWriter
from conftest import Abut

GOLDEN = json.loads(Path(__file__).with_name("golden_counts.json").read_text())
SEED = 20261124
KIB, MIB = 1 << 10, 1 << 20


def write_trace(path: Path) -> Path:
    """200,000 accesses: in order, by a stride, at random through 48 MiB, and to one hot set."""
    chance = random.Random(SEED)
    with TraceWriter(path, command=["golden"]) as out:
        blocks = [
            out.allocate(size, address=0x10_0000_0000 + number * 64 * MIB)
            for number, size in enumerate((4 * MIB, 16 * MIB, 48 * MIB, 512 * KIB))
        ]
        for step in range(50_000):
            out.access(blocks[0], step * 24 % (4 * MIB), 8, write=step % 3 == 0)
            out.access(blocks[1], step * 4160 % (16 * MIB - 64), 16)
            out.access(blocks[2], chance.randrange(48 * MIB // 8) * 8, 8, write=step % 5 == 0)
            out.access(blocks[3], chance.randrange(128) * 4096 + 60, 8)
    return path


def write_machines(folder: Path) -> list[str]:
    """The presets, without prefetchers."""
    files = []
    for name in GOLDEN:
        text = Path(preset_files()[name]).read_text()
        file = folder / f"{name}.toml"
        file.write_text(re.sub(r"^prefetch = .*$", 'prefetch = "none"', text, flags=re.MULTILINE))
        files.append(str(file))
    return files


def counts_of(result: dict[str, Any]) -> dict[str, Any]:
    """What is counted, without times and names of what was added since."""
    kept = ("name", "accesses", "misses", "evictions", "write_backs", "taken_back")
    return {
        "levels": [{key: level[key] for key in kept} for level in result["levels"]],
        "tlb": [{key: level[key] for key in ("accesses", "misses")} for level in result["tlb"]],
        "memory_bytes": result["memory_bytes"],
        "instructions": result["instructions"],
    }


def test_counts_are_those_of_the_first_edition(tmp_path: Path, abut: Abut) -> None:
    trace = write_trace(tmp_path / "golden.trace")
    done = abut("sim", "--machine", ",".join(write_machines(tmp_path)), "--json", str(trace))
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["results"]
    assert [result["cache"]["name"] for result in results] == list(GOLDEN)
    for result in results:
        assert counts_of(result) == GOLDEN[result["cache"]["name"]], result["cache"]["name"]
