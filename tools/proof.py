"""Makes the measured tables of the proof page from scratch, and writes them into the pages.

    python tools/proof.py [--quick] [--only STEP,...] [--folder FOLDER] [--again]

Each step runs one command, which writes a file into the folder; what is there is not made again, so
that an interrupted proof goes on where it stopped. Of each file, medians with intervals go into
docs/proof, and the tables made of those into docs/proof.md and README.md, in places that are marked
`<!-- proof STEP TABLE -->`. The last steps write the measured places of other pages, see
docs_data.py. A quick proof measures a little of each table, and leaves all pages as they are: it
shows that the commands work. Needs a release build, and a machine that does nothing else.
"""

import argparse
import json
import mmap
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docs_data import load_now
from proof_tables import TABLES

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "docs" / "proof"
PAGES = (ROOT / "docs" / "proof.md", ROOT / "README.md")
PYTHON = ROOT / ".venv" / "bin"
PEERS = "glibc,jemalloc,mimalloc,tcmalloc,abut"
POLICIES = (
    "abut+place=off,abut,abut+order=birth,abut+place=auto:pools,abut+thp=system,abut+retain_mb=64"
)
_PLACE = re.compile(
    r"(?P<head><!-- proof (?P<step>\w+) (?P<table>\w+) -->\n).*?(?P<end>^<!-- end -->$)",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Step:
    """A measurement: its command, in full and quick, to which `--output FILE` is added."""

    name: str
    figures: tuple[str, ...]
    full: tuple[str, ...]
    quick: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        settings = (f"{name}={value}" for name, value in self.environment.items())
        return " ".join((*settings, *self.full))


@dataclass(frozen=True, slots=True)
class PageStep:
    """Pages whose measured places are written again."""

    name: str
    pages: tuple[str, ...]


def _compare(name: str, suite: str, heaps: str, runs: int, figures: str, quick: str) -> Step:
    command = ("abut", "compare", "--suite", suite, "--figure", figures, "--force")
    few = ("--runs", "1", "--warmup", "0", "--only", quick)
    return Step(
        name,
        tuple(figures.split(",")),
        (*command, "--heaps", heaps, "--runs", str(runs)),
        (*command, "--heaps", "glibc,abut", *few),
    )


_AGED = {"LITTER_MIB": "64", "LD_PRELOAD": f"{ROOT}/build/release/bin/bench/litter.so"}
_SERVERS = ("python", "bench/servers.py")
STEPS = (
    _compare("programs", "programs", PEERS, 10, "user,wall,rss", "cmake-lists"),
    replace(
        _compare("aged", "programs", PEERS, 5, "user,wall,rss", "cmake-lists"), environment=_AGED
    ),
    _compare("policies", "programs", POLICIES, 5, "user,wall,rss", "cmake-lists"),
    _compare("daily", "daily", PEERS, 5, "cpu,rss", "factor"),
    _compare("plain", "plain", PEERS, 5, "user", "list-24"),
    _compare("pairs", "pairs", PEERS, 1, "instructions", "pairs-48"),
    _compare("threads", "threads", PEERS, 5, "wall,user", "sharing-brief"),
    Step("servers", ("wall", "p99", "rss"), (*_SERVERS, "--runs", "3", "--requests", "100000"),
         (*_SERVERS, "--heaps", "glibc,abut", "--runs", "1", "--requests", "5000")),
)  # fmt: skip

PAGE_STEPS = (
    PageStep("friends", ("docs/how/friends.md",)),
    PageStep("heap", ("docs/how/heap.md", "docs/start.md", "docs/guides/compare.md")),
    PageStep("check", ("docs/guides/check.md",)),
    PageStep("containers", ("docs/guides/move.md",)),
    PageStep("recording", ("docs/guides/record.md",)),
    PageStep("simulator", ("docs/guides/sim.md",)),
    PageStep("report", ("docs/guides/report.md", "docs/reference/trace.md", "docs/guides/story.md",
                        "docs/gallery.md")),
    PageStep("tune", ("docs/guides/tune.md", "docs/benchmarks.md")),
    PageStep("papers", tuple(f"papers/{name}/README.md" for name in
                             ("cyll", "dpa", "vam", "adcock", "rezaei"))),
)  # fmt: skip


def _run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> int:
    """Run a command of the environment that set-up made; its exit code."""
    return subprocess.run(
        [PYTHON / command[0], *command[1:]],
        cwd=ROOT, stdout=subprocess.DEVNULL, check=False, env={**os.environ, **(environment or {})},
    ).returncode  # fmt: skip


def write_pages(step: PageStep, folder: Path) -> None:
    """Measure what the pages show, one after the other."""
    for page in step.pages:
        done = folder / f"{page.replace('/', '-')}.done"
        if done.exists():
            continue
        if code := _run(("python", "tools/docs_data.py", "measured", page)):
            sys.exit(f"proof: {step.name}: the commands of {page} ended with {code}")
        done.touch()


def touch_memory() -> None:
    """Touch four fifths of the memory that is available, in pages of 2 MiB, and give it back.

    A hypervisor provides a machine's memory at the first touch. Whichever heap comes first would
    pay for that, most of all with pages of 2 MiB: they lie where no other process has been.
    """
    size = (os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) // 5 * 4
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, size, mmap.PAGESIZE):
            memory[at] = 1


def make(step: Step, quick: bool, file: Path) -> None:
    """Measure; leave the file as it was if that fails."""
    command = step.quick if quick else step.full
    if not quick:
        touch_memory()
    load = load_now()
    begun = time.time()
    fresh = file.with_suffix(".new.json")
    code = _run([*command, "--output", fresh], step.environment)
    document = json.loads(fresh.read_text()) if fresh.exists() else {}
    if not document or document.get("interrupted") or _ours_differ(document):
        sys.exit(f"proof: {step.name}: {' '.join(command)} ended with {code}")
    fresh.unlink()
    document["proof"] = {
        "command": str(step).replace(f"{ROOT}/", ""),
        "commit": _said("git", "describe", "--always", "--dirty"),
        "date": time.strftime("%Y-%m-%d", time.gmtime(begun)),
        "minutes": round((time.time() - begun) / 60, 1),
        "load_before": round(load, 2),
    }
    file.write_text(json.dumps(document) + "\n")


def _ours_differ(document: dict[str, Any]) -> bool:
    """Whether a program did something else under our heap than under the C library's."""
    heaps = (heap for benchmark in document["benchmarks"] for heap in _differing(benchmark))
    return any(heap.partition("+")[0] == "abut" for heap in heaps)


def _differing(benchmark: dict[str, Any]) -> set[str]:
    """Heaps under which a benchmark failed, or answered otherwise."""
    return {difference["heap"] for difference in benchmark.get("differences", ())}


def _said(*command: str) -> str:
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def published(document: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a document: no samples, four digits, and nothing of heaps that failed."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(each) for key, each in value.items() if key != "samples"}
        if isinstance(value, float):
            return float(f"{value:.4g}")
        return value

    kept = {key: document[key] for key in ("proof", "machine", "versions", "settings")}
    figures = document["proof"]["figures"]
    return kept | {
        "heaps": [heap["name"] for heap in document["heaps"]],
        "benchmarks": [
            {
                "name": benchmark["name"],
                "figures": {
                    name: {
                        heap: _cell(cell, short)
                        for heap, cell in cells.items()
                        if heap not in _differing(benchmark)
                    }
                    for name, cells in benchmark["figures"].items()
                    if name in figures
                },
            }
            for benchmark in document["benchmarks"]
        ],
    }


def _cell(cell: dict[str, Any], short: Any) -> Any:
    return short({key: cell[key] for key in ("median", "to_reference")})


def _a_benchmark_a_line(document: dict[str, Any]) -> str:
    """JSON of which two measurements can be compared line by line."""
    lines = ",\n".join(json.dumps(benchmark) for benchmark in document["benchmarks"])
    head = json.dumps({key: value for key, value in document.items() if key != "benchmarks"})
    return f'{head[:-1]}, "benchmarks": [\n{lines}\n]}}\n'


def filled(text: str) -> str:
    """A page's text with its tables made of the published files."""

    def table(match: re.Match[str]) -> str:
        file = PUBLISHED / f"{match['step']}.json"
        rows = "*Not measured yet.*"
        if file.exists():
            rows = TABLES[match["table"]](json.loads(file.read_text()))
        return f"{match['head']}\n{rows}\n{match['end']}"

    return _PLACE.sub(table, text)


def main() -> int:
    """Do the steps that are not done; then the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a little of each table")
    parser.add_argument("--only", default="", help="these steps, with commas")
    parser.add_argument(
        "--folder", type=Path, default=None, help="build/proof, or build/proof-quick"
    )
    parser.add_argument("--again", action="store_true", help="also what is there")
    given = parser.parse_args()
    folder = given.folder or ROOT / "build" / ("proof-quick" if given.quick else "proof")
    folder.mkdir(parents=True, exist_ok=True)
    steps: tuple[Step | PageStep, ...] = STEPS if given.quick else (*STEPS, *PAGE_STEPS)
    wanted = set(given.only.split(",")) if given.only else {step.name for step in steps}
    if unknown := wanted - {step.name for step in steps}:
        parser.error(f"no such step: {', '.join(sorted(unknown))}")
    for number, step in enumerate(steps, 1):
        if step.name not in wanted:
            continue
        print(f"proof: {number} of {len(steps)}: {step.name}", file=sys.stderr)
        if isinstance(step, PageStep):
            write_pages(step, folder)
            continue
        file = folder / f"{step.name}.json"
        if given.again or not file.exists():
            make(step, given.quick, file)
        document = json.loads(file.read_text())
        document["proof"]["figures"] = step.figures  # of all that is measured
        document = published(document)
        if given.quick:
            print(f"## {step.name}\n")
            print("\n\n".join(table(document) for table in TABLES.values()))
        else:
            PUBLISHED.mkdir(exist_ok=True)
            (PUBLISHED / file.name).write_text(_a_benchmark_a_line(document))
    if not given.quick:
        for page in PAGES:
            page.write_text(filled(page.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
