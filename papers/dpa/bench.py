"""Wang, Wu, Yew: *On Improving Heap Memory Layout by Dynamic Pool Allocation*, CGO 2010.

Figures 6 to 14 and tables 3 and 4. The authors' programs are SPEC's; ours are as much made of
small objects. Everything is told as a ratio to the plain heap, as the authors do: ours without
groups, and without friends, which they did not have. Runs of all variants of a program are
interleaved.

The number of groups and of pools is the library's own account. Misses are simulated, from traces.

A program's row takes a minute or so. Its parts are kept beside the traces, under the library's
fingerprint, so that programs can be measured one by one, each while the machine is quiet, and then
be told together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abut.bench import Request
from abut.errors import AbutError
from abut.heaps import Heap, require_heap
from abut.measure.workload import Workload
from abut_papers.common.recordings import recorded_workloads, recording, run_silently, workloads

if TYPE_CHECKING:
    from rich.table import Table

ABOUT = "Dynamic pool allocation (Wang, Wu, Yew 2010): groups, merging, thresholds, misses"
PROGRAMS = (
    "hash",
    "tree",
    "traverse",
    "lists-random",
    "cover",
    "hexapawn",
    "strings",
    "translate",
    "lua-tables",
    "perl-hashes",
    "xmllint-parse",
    "python-objects",
)
HEAPS = ("glibc", "abut")
RUNS = 3
# The authors' first machine was a Northwood; the other presets stand for one of today.
_CACHES = ("pentium4", "modern")

CHAINS = ("1", "2", "3", "4", "full", "adaptive")
MERGES = ("none", "linked", "born")
OBJECTS = ("1", "10", "100", "1000", "10000")
BYTES = ("32", "64", "128", "256")
# The geometric means that the authors report, as ratios of time; section 5.
THEIR_DPA, THEIR_COST, THEIR_MISSES = 1 / 1.121, 1.007, 0.85

_PLAIN = "abut+friends=off"
_DPA = f"{_PLAIN}+groups=all+group_merge=linked"
PLAIN, DPA, CALL_SITE, FORWARDED, PADDED, BORN, OURS, COST, GLIBC = (
    "plain",
    "DPA",
    "call site",
    "forwarded",
    "padded",
    "born together",
    "ours",
    "ours, forwarded",
    "glibc",
)
SIMULATED = GLIBC, DPA, BORN  # beside the plain heap


def variants() -> dict[str, str]:
    """Every way of running a program: its name, and the heap that stands for it."""
    found = {
        PLAIN: _PLAIN,
        DPA: _DPA,
        GLIBC: "glibc",
        BORN: f"{_PLAIN}+groups=all",
        OURS: "abut+groups=on",
        COST: "abut+groups=on+group_pools=forwarded+friends=forwarded",
        CALL_SITE: f"{_PLAIN}+groups=all+group_merge=none+chain=1",
        FORWARDED: f"{_DPA}+group_pools=forwarded",
        PADDED: f"{_DPA}+group_pools=padded",
        "merge none": f"{_PLAIN}+groups=all+group_merge=none",
    }
    found |= {f"chain {chain}": f"{_DPA}+chain={chain}" for chain in CHAINS[:-1]}
    found |= {f"{count} objects": f"{_DPA}+group_objects={count}" for count in OBJECTS}
    found |= {f"{size} bytes": f"{_DPA}+group_bytes={size}" for size in BYTES}
    for standard in ("100 objects", "128 bytes"):  # which is the paper's own
        del found[standard]
    return found


def variant_of(figure: str, value: str) -> str:
    """The variant that a figure's value stands for, such as `chain` and `adaptive`."""
    own = {
        ("chain", "adaptive"): DPA,
        ("merge", "none"): "merge none",
        ("merge", "linked"): DPA,
        ("merge", "born"): BORN,
        ("objects", "100"): DPA,
        ("bytes", "128"): DPA,
    }
    return own.get((figure, value), f"chain {value}" if figure == "chain" else f"{value} {figure}")


@dataclass(frozen=True, slots=True)
class Groups:
    """What the library says of a run: groups, those with a pool, pools, and the pools' use.

    `merged_objects` of `pooled_objects` were allocated in groups that share a pool with others.
    """

    groups: int = 0
    pooled: int = 0
    pools: int = 0
    objects: int = 0
    pooled_objects: int = 0
    merged_objects: int = 0

    @property
    def merged_share(self) -> float:
        """Of the objects in pools, those whose pool serves several groups."""
        return self.merged_objects / max(1, self.pooled_objects)


@dataclass(frozen=True, slots=True)
class Misses:
    """Of one recorded run: by the caches' name and the level's, such as `modern L2`."""

    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """One program: seconds and resident bytes by variant, groups by chain and merging, misses."""

    name: str
    seconds: Mapping[str, float]
    resident: Mapping[str, float]
    groups: Mapping[str, Groups]
    misses: Mapping[str, Misses] = field(default_factory=dict)

    def time(self, variant: str) -> float:
        """As a ratio to the plain heap's."""
        return self.seconds[variant] / self.seconds[PLAIN]

    def memory(self, variant: str) -> float:
        """The same of the largest resident size."""
        return self.resident[variant] / self.resident[PLAIN]


@dataclass(frozen=True, slots=True)
class DpaResult:
    """All figures, a row a program."""

    rows: Sequence[ProgramRow]

    def mean(self, variant: str) -> float:
        """The geometric mean of its times over the programs."""
        from statistics import geometric_mean

        return geometric_mean(row.time(variant) for row in self.rows)

    def mean_misses(self, variant: str, level: str) -> float:
        """The geometric mean of a level's misses, as a ratio to the plain heap's."""
        from statistics import geometric_mean

        ratios = (
            row.misses[variant].levels[level] / max(1, row.misses[PLAIN].levels[level])
            for row in self.rows
        )
        return geometric_mean(max(ratio, 1e-9) for ratio in ratios)

    def verdict(self) -> list[str]:
        """The means, beside the authors'."""
        from abut_papers.dpa.tables import verdict

        return verdict(self)

    def tables(self) -> "list[Table]":
        """A table a figure, or for a few that belong together."""
        from abut_papers.dpa.tables import tables

        return tables(self)

    def document(self) -> dict[str, Any]:
        """All of it: seconds, bytes and counts."""
        return {
            "variants": variants(),
            "programs": [asdict(row) for row in self.rows],
            "means": {name: self.mean(name) for name in self.rows[0].seconds} if self.rows else {},
        }

    def draw(self, path: Path) -> None:
        """The figures as bars, one below the other."""
        from abut_papers.dpa.tables import draw

        draw(self, path)


def measure(request: Request) -> DpaResult:
    """Run every program under every variant, ask what was grouped, and simulate its misses."""
    heaps = {name: require_heap(spec) for name, spec in variants().items()}
    pairs = zip(workloads(request), recorded_workloads(request), strict=True)
    return DpaResult([_row(request, workload, recorded, heaps) for workload, recorded in pairs])


def _row(
    request: Request, workload: Workload, recorded: Workload, heaps: Mapping[str, Heap]
) -> ProgramRow:
    def groups() -> dict[str, Any]:
        asked = [DPA, BORN, "merge none", *(variant_of("chain", chain) for chain in CHAINS)]
        return {name: asdict(groups_of(workload, heaps[name])) for name in asked}

    def misses() -> dict[str, Any]:
        asked = (PLAIN, *SIMULATED)
        return {name: asdict(_misses(request, recorded, heaps[name])) for name in asked}

    times = kept(request, workload, heaps, "times", lambda: _times(request, workload, heaps))
    counted = kept(request, workload, heaps, "groups", groups)
    simulated = kept(request, recorded, heaps, "misses", misses)
    return ProgramRow(
        workload.name,
        times["seconds"],
        times["resident"],
        {name: Groups(**one) for name, one in counted.items()},
        {name: Misses(**one) for name, one in simulated.items()},
    )


def kept(
    request: Request,
    workload: Workload,
    heaps: Mapping[str, Heap],
    part: str,
    measure_part: Callable[[], dict[str, Any]],
) -> dict[str, Any]:
    """A part of a program's row as it was kept, unless another is asked for; else a new one."""
    import json

    path = kept_at(request, workload, heaps, part)
    if path.is_file() and not request.fresh:
        told: dict[str, Any] = json.loads(path.read_text())
        return told
    found = measure_part()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))
    return found


def kept_at(request: Request, workload: Workload, heaps: Mapping[str, Heap], part: str) -> Path:
    """Where a part is kept: the name changes with program, size and library."""
    import hashlib

    state = hashlib.sha256(repr((RUNS, workload.argv, sorted(variants().items()))).encode())
    if (library := heaps[PLAIN].library) is not None:
        state.update(library.read_bytes())
    name = f"dpa-{part}-{workload.name}-{request.suite}-{state.hexdigest()[:12]}.json"
    return request.traces.absolute() / name


def _times(request: Request, workload: Workload, heaps: Mapping[str, Heap]) -> dict[str, Any]:
    """Medians of processor seconds and of the largest resident bytes."""
    from abut.measure.interleave import Interleaver
    from abut.measure.measurement import Measurement, Plan

    chosen = list(heaps.values())
    measurement = Measurement(workload)
    interleaver = Interleaver(chosen, Plan(RUNS, 1, 1), (), heaps[PLAIN].name)
    interleaver.measure(
        measurement, lambda heap: request.tell(f"{workload.name} under {heap.name}")
    )
    if measurement.differences:
        raise AbutError(f"{workload.name}: does something else under {measurement.differences[0]}")
    return {
        "seconds": {name: _median(measurement, heap, "cpu") for name, heap in heaps.items()},
        "resident": {name: _median(measurement, heap, "rss") for name, heap in heaps.items()},
    }


def _median(measurement: Any, heap: Heap, key: str) -> float:
    from statistics import median

    from abut.measure.sample import FIGURES

    figure = next(one for one in FIGURES if one.key == key)
    values = [figure.of(sample) for sample in measurement.samples[heap.name]]
    return median(value for value in values if value is not None)


def groups_of(workload: Workload, heap: Heap) -> Groups:
    """Run the program once, and read what the library explains."""
    import json
    import tempfile

    with tempfile.TemporaryDirectory(prefix="abut-dpa-") as folder:
        run_silently(workload, heap, {"ABUT_EXPLAIN_FILE": f"{folder}/%p.json"})
        told = [json.loads(path.read_text())["groups"] for path in Path(folder).glob("*.json")]
    return counted(max(told, key=lambda groups: sum(one["objects"] for one in groups), default=[]))


def counted(groups: Sequence[Mapping[str, Any]]) -> Groups:
    """Count what an explanation lists."""
    pooled = [group for group in groups if group["state"] == "pooled"]
    members: dict[int, int] = {}
    for group in pooled:
        members[group["root"]] = members.get(group["root"], 0) + 1
    return Groups(
        groups=len(groups),
        pooled=len(pooled),
        pools=len(members),
        objects=sum(group["objects"] for group in groups),
        pooled_objects=sum(group["objects"] for group in pooled),
        merged_objects=sum(group["objects"] for group in pooled if members[group["root"]] > 1),
    )


def _misses(request: Request, workload: Workload, heap: Heap) -> Misses:
    from abut.analysis.presets import find_preset
    from abut.analysis.simulation import Job, simulate

    path = recording(request, workload, heap)
    found: dict[str, int] = {}
    for caches in _CACHES:
        request.tell(f"simulating {workload.name} under {heap.name} on {caches}")
        result = simulate(Job(str(path), find_preset(caches)))
        by_name = {level.name: level.total_misses for level in [*result.levels, *result.tlb]}
        found |= {f"{caches} {name}": misses for name, misses in by_name.items()}
    return Misses(found)
