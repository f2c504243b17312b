"""What a report's first change is predicted to gain, and what it gains once it is made.

The programs have one fault each, and are large enough that it takes time on this machine.
Predictions are as good under load; times want a machine that does nothing else. What is in the file
--keep is not made again.

usage: .venv/bin/python bench/advice_gains.py [--machine PRESET] [--rounds N] [--keep FILE.json]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from two_programs import gain

from abut.advice.advise import advise
from abut.simulation.presets import find_preset
from abut.simulation.report import Request

ROOT = Path(__file__).resolve().parents[1]
# How much each has to do.
FAULTS = {
    "cold": 300_000,
    "interleaved": 500_000,
    "straddling": 160_000,
    "padding": 200_000,
    "sharing": 50_000_000,
    "conflict": 3_000_000,
    "temporaries": 3_000_000,
}
_REPEATS = ("sharing", "conflict", "temporaries")  # the same again and again: a little is recorded
_RECORDED = 100_000


def compiled(folder: Path) -> Path:
    """The programs, with debug information."""
    program = folder / "faults"
    source = ROOT / "tests/python/advice/faults.cpp"
    flags = ["-g", "-O2", "-std=c++20", "-pthread", "-Wl,--build-id"]
    subprocess.run(["c++", *flags, "-o", program, source], check=True)
    return program


def advice(program: Path, name: str, machine: str) -> dict[str, Any]:
    """The first culprit of the report."""
    trace = program.parent / f"{name}.trace"
    record = [sys.executable, "-m", "abut", "record", "-q", "--force", "-o", str(trace)]
    count = _RECORDED if name in _REPEATS else FAULTS[name]
    command = [str(program), name, "as-is", str(count)]
    subprocess.run([*record, "--", *command], stdout=subprocess.DEVNULL, check=True)
    first: dict[str, Any] = advise(Request(str(trace), find_preset(machine)))["culprits"][0]
    trace.unlink()
    return {key: first[key] for key in ("name", "reason", "gain", "low", "high")} | {
        "action": first["action"]["kind"] if first["action"] else "-"
    }


def main() -> int:
    """Predict, measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--machine", default="zen4")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--keep", type=Path, help="what was found already")
    parser.add_argument("--only", default=",".join(FAULTS), help="names, with commas")
    chosen = parser.parse_args()
    kept = json.loads(chosen.keep.read_text()) if chosen.keep and chosen.keep.is_file() else {}
    heads = ("fault", "change", "predicted", "on variants", "measured", "interval", "of predicted")
    table = Table(*heads, title=f"less time: predicted for {chosen.machine}, measured here")
    with tempfile.TemporaryDirectory(prefix="abut-gains-") as folder:
        program = compiled(Path(folder))
        for name in chosen.only.split(","):
            found = kept.setdefault(name, {})
            if "gain" not in found:
                found |= advice(program, name, chosen.machine)
            if "measured" not in found and chosen.rounds:
                runs = [[str(program), name, how, str(FAULTS[name])] for how in ("as-is", "mended")]
                ratio, _ = gain(*runs, chosen.rounds)
                found |= {"measured": 1 - ratio.value, "from": 1 - ratio.high, "to": 1 - ratio.low}
            if chosen.keep:
                chosen.keep.write_text(json.dumps(kept, indent=1) + "\n")
            measured = [f"{found[key]:.0%}" for key in ("measured", "from", "to") if key in found]
            table.add_row(
                name,
                found["action"],
                f"{found['gain']:.0%}",
                f"{found['low']:.0%} to {found['high']:.0%}",
                *([measured[0], f"{measured[1]} to {measured[2]}"] if measured else ["-", "-"]),
                f"{found['measured'] / found['gain']:.2f}" if measured and found["gain"] else "-",
            )
    Console(width=100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
