"""`abut paper NAME --quick`, once a paper: tables with its rows, and figures that can be."""

import json
import math
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from conftest import Abut

_HIS = ("simple", "random", "size", "friends-df", "friends-grouped", "usage-df", "usage-grouped")
_MOVERS = ("upper bound", "sites <L; EL>", "periodic2space", "periodic1space", "embedded1space")
_CLUSTERED = ("perfect, strict", "perfect, not strict, VCL", "half-full lists", "VCL lists")
_SIDES = ("balls", "factor", "translate", "removed", "pollution")
# By paper and by a part of a table's title, rows and columns that the paper has.
NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "adcock": {
        "MLIST, 2^16 nodes: how its layout": ("degrades, v = 2^7", "upper bound, v = 2^19"),
        "lines in pairs, s = 1, m = 2": (
            *(*_MOVERS, "perfect, BFS", "perfect, fixedHeight", "van Emde Boas", "B-tree"),
        ),
        "v = 2^15): 2^16 nodes": (*_MOVERS, *_CLUSTERED),
        "v = 2^19): 2^16 nodes": (*_MOVERS, *_CLUSTERED),
        "layouts at rest": ("worst", "page", "line", "optimal", "B-tree, 512 bytes"),
        "after so many changes a node": ("MOVENODE, 0.1", "MOVEFIELDS, 16", "lines a node"),
        "sites I(nsert), M(ove), C(ut)": (
            *("sites M", "sites MI-newblock-vanilla", "sites other-p1c2f", "sites insert-p2c0t"),
            *("sites L;EL", "sites L,NLIP;EL"),
        ),
        "depth of the fewest moves": ("BFS, depth 0", "fixedHeight, depth 2"),
        "20,000 nodes: m": ("upper bound", "sites <L; EL>, 1.05", "embedded1space, 2"),
    },
    "cyll": {
        "tables 5.1 and 5.2": (*_HIS, "one-per-line", "usage-df by ping"),
        "misses / simple's (his): tables 5.3": (*_HIS, "one-per-line", "usage-df by ping"),
        "tables 5.9 and 5.10": ("glibc", "abut+order=birth", "simple", "usage-df by ping"),
        "tables 5.11 and 5.12": ("glibc", "cover-100", "hexapawn-4x3"),
        "tables 5.13 and 5.14": (*_HIS, "one-per-line", "hexapawn-4x3"),
    },
    "dpa": {
        "figure 5:": ("look-ups each", "found at once"),
        "figure 6:": ("1", "2", "3", "4", "full", "adaptive"),
        "figure 7:": ("pools, none", "pools, linked", "share, linked"),
        "figure 8:": ("none", "linked"),
        "figure 9:": ("1", "10", "100", "1000", "10000"),
        "figure 10:": ("32", "64", "128", "256"),
        "figures 11 and 12:": ("glibc", "call site", "DPA", "memory, DPA"),
        "figure 13:": ("forwarded", "mean (theirs 1.007)"),
        "figure 14:": ("by requests", "by layout", "by the working set"),
        "tables 3 and 4:": ("pentium4 L2 (table 3)", "modern L1 TLB (table 4)", "glibc", "DPA"),
    },
    "rezaei": {
        "(figures 1, 2 and 5)": (*_SIDES, "lea", "abt", "abt-first"),
        **{f"(figure {number})": _SIDES for number in (3, 4)},
        "time by the clock on two cores": ("offload:lea",),
        "processor time of both sides": ("offload:lea",),
    },
    "vam": {
        "(table 1)": ("perl-hashes", "most live", "bytes each"),
        "(figure 2)": ("lea", "phk", "vam", "xalloc", "theirs"),
        **{f"(figure {number})": ("lea", "phk", "vam") for number in ("3a", "3b", "6", "8", "9")},
        **{f"(figure 4{part})": ("phk-sc", "phk-reap", "phk-sc-reap") for part in "abc"},
        **{f"(figure 5{part})": ("vam", "vam-header", "vam-bitmap") for part in "abc"},
        "176.gcc in figure 2": ("lea", "vam", "obstack", "reap"),
    },
}
DRAWN = {
    "adcock": "degradation",
    "cyll": "figures 5.7 and 5.8: time of heaps",
    "dpa": "figure 9: time by objects",
    "rezaei": "shared with the allocator",
    "vam": "figure 8: perl-hashes",
}
_SIGNED = {"rate_change", "pollution"}
_NAMES = [pytest.param(n, marks=[pytest.mark.long] * (n not in {"cyll", "dpa"})) for n in NAMES]


@pytest.mark.parametrize("name", _NAMES)
def test_a_quick_run_has_the_papers_rows_and_goes_on(abut: Abut, name: str, tmp_path: Path) -> None:
    quick = ("paper", name, "--quick", "--traces")
    first = abut(*quick, str(tmp_path / "traces"), "--json")
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    assert found["claims"]
    assert not found["left_out"]
    for path, number in numbers(found):
        assert math.isfinite(number), path
        assert number >= 0 or _SIGNED & {*path}, path
    assert all(holds(name, found))
    drawn = ("--plot", str(tmp_path / "figures.svg")) if find_spec("matplotlib") else ()
    moved = (tmp_path / "traces").rename(tmp_path / "moved")
    shown = abut(*quick, str(moved), *drawn)
    assert "recording" not in shown.stderr, "what is kept is used again"
    assert shown.stdout.splitlines()[-1].startswith(f"next: abut paper {name} ")
    if drawn:
        assert DRAWN[name] in (tmp_path / "figures.svg").read_text()
    tables = tables_of(shown.stdout)
    for part, wanted in NAMES[name].items():
        of_title = [names for title, names in tables.items() if part in title]
        assert of_title, (part, list(tables))
        for names in of_title:
            assert {*wanted} <= names, part


def holds(name: str, found: dict[str, Any]) -> Iterator[bool]:
    """What is true of the figures of any run."""
    if name == "adcock":
        del found["schema"], found["paper"], found["claims"], found["left_out"]
        yield all(number > 0 for _, number in numbers(found))
    if name == "cyll":
        for one in found["programs"]:
            yield all(second <= first for first, second in one["misses"].values())
            yield one["misses"]["one-per-line"][0] > one["misses"]["simple"][0]
            yield all(seconds > 0 for seconds in one["seconds"].values())
    if name == "dpa":
        (one,) = found["programs"]
        yield all(0 < seconds < 60 for seconds in one["seconds"].values())
        yield one["groups"]["chain 4"]["groups"] >= one["groups"]["chain 1"]["groups"] > 0
        yield one["groups"]["DPA"]["pooled_objects"] > 0
        yield all(misses > 0 for levels in one["misses"].values() for misses in levels.values())
    if name == "rezaei":
        for row in found["rows"]:
            kinds = ("shared", "alone", "allocator")
            yield all(0 < row[f"{kind}_misses"] < row[f"{kind}_accesses"] for kind in kinds)
            yield row["alone_misses"] <= row["shared_misses"]
    if name == "vam":
        heaps = found["programs"][0]["runs"].values()
        yield all(1 <= one["fragmentation"] < 10 for one in heaps)
        resident = found["regions"]["resident"]
        yield resident["obstack"] < resident["lea"]
        simulated = found["runs"][0]["simulated"].values()
        yield all(one["misses"][0] > one["misses"][1] > 0 for one in simulated)


def numbers(of: Any, *path: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Every number of a document, and the keys that lead to it."""
    if isinstance(of, dict):
        for key, value in of.items():
            yield from numbers(value, *path, key)
    elif isinstance(of, list):
        for value in of:
            yield from numbers(value, *path)
    elif isinstance(of, int | float):
        yield path, of


def tables_of(shown: str) -> dict[str, set[str]]:
    """By title, the names of the columns and rows of the tables that are printed: a row may have
    two.
    """
    tables: dict[str, set[str]] = {}
    title: list[str] = []
    for line in shown.splitlines():
        if line.startswith("┏"):
            names = tables[" ".join(title)] = set()
        elif line.startswith("┃"):
            names |= {cell.strip() for cell in line.strip("┃").split("┃")}
        elif line.startswith("│"):
            names |= {cell.strip() for cell in line.strip("│").split("│")[:2]}
        elif line.startswith(("┡", "├", "└")):
            title = []
        else:
            title.append(line.strip())
    return tables
