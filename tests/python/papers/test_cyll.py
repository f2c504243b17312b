"""Cyll's log and strategies, on ten objects worked out by hand, and on a program with hints."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from abut.errors import AbutError
from abut.places import bench_places
from abut.trace.reader import Trace
from abut.tuning.objects import Objects, read_objects
from abut.tuning.plan import read_plan
from abut.tuning.planning import read_recorded
from abut.tuning.strategies import find_strategy, strategy_names
from abut_papers.cyll import by_site, log
from abut_papers.cyll.figures import HIS_SYSTEM, SYSTEM, ProgramRuns
from abut_papers.cyll.tables import CyllResult, points, system_table
from conftest import ROOT, Abut, abut_environment
from follow_help import COUNT, Planned

# Ten objects of 16 bytes, but for the fifth, of 32: where walks begin. Named after it, and used.
TEN = """
malloc 1 16
malloc 2 16
malloc 3 16
malloc 4 16
friend 4 1
malloc 5 32
malloc 6 16
malloc 7 16
malloc 8 16
friend 8 5
malloc 9 16
friend 9 8
malloc 10 16
friend 2 5
friend 3 2
ping 10 1
ping 9 1
ping 8 1
ping 10 1
ping 9 1
free 1 0
"""
# Sections 4.4 to 4.8: depth-first from the largest, then the next largest; hub by hub, without the
# hubs, then the rest.
ORDERS = {
    "simple": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    "size": [1, 2, 3, 4, 6, 7, 8, 9, 10, 5],
    "friends-df": [5, 2, 3, 8, 9, 1, 4, 6, 7, 10],
    "friends-grouped": [4, 3, 2, 8, 9, 1, 5, 6, 7, 10],
    "usage-df": [5, 1, 2, 3, 4, 6, 7, 8, 10, 9],
    "usage-grouped": [10, 8, 9, 1, 2, 3, 4, 5, 6, 7],
}


@pytest.mark.parametrize("strategy", ORDERS)
def test_ten_objects_are_placed_as_the_thesis_says(strategy: str) -> None:
    objects = log.objects_in(log.parse(TEN.strip().splitlines()))
    offsets = find_strategy(strategy).place(objects).offsets
    assert [row + 1 for row in offsets.argsort(kind="stable").tolist()] == ORDERS[strategy]
    packed = sorted(offsets.tolist())
    assert packed[-1] + 16 <= 11 * 16 + 16 == 10 * 16 + 32, "one after another, without gaps"

    offsets = find_strategy("one-per-line").place(objects).offsets
    assert offsets.tolist() == [64 * row for row in range(10)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small matrix of dancing links, whose nodes name friends and say that they are used."""
    path = tmp_path_factory.mktemp("cyll") / "cover.trace"
    program = [str(bench_places().programs / "cover"), "--rows", "40", "--columns", "12"]
    command = [sys.executable, "-m", "abut", "record", "-o", str(path), "--heap", "abut", "--"]
    command += [*program, "--hints", "--pings"]
    subprocess.run(command, env=abut_environment(), check=True)
    return path


ANNOTATED = """
#include <abut/staticmalloc.h>
int main(int count, char **arguments) {
  malloc_init(arguments[0]);
  void *last = malloc(200);
  for (int i = 0; i < 8; ++i) {
    free(malloc(40));
    last = i % 2 ? FIRST, last) : SECOND, last);
    ping(last, 1);
  }
}
"""


def hinted(abut: Abut, folder: Path, first: str, second: str) -> Objects:
    """What the log of that program says, where it makes these calls in turn."""
    (folder / "hints.c").write_text(ANNOTATED.replace("FIRST", first).replace("SECOND", second))
    build = ["gcc", "-fno-builtin", f"-I{ROOT / 'include'}", "-o", "hints", "hints.c"]
    subprocess.run(build, cwd=folder, check=True)
    done = abut("record", "-o", "hints.trace", "--force", "--heap", "abut", "--", "./hints")
    assert done.returncode == 0, done.stderr
    entries = list(log.entries_of(Trace(folder / "hints.trace")))
    assert Counter(one.what for one in entries)["friend"] == 8
    return log.objects_in(entries)


def test_hints_of_both_calls_are_what_strategies_place_by(abut: Abut, tmp_path: Path) -> None:
    objects = hinted(abut, tmp_path, "ccmalloc(24", "cccalloc(1, 24")
    for strategy in ("friends-df", "usage-df"):
        offsets = find_strategy(strategy).place(objects).offsets[objects.size == 24]
        assert np.diff(np.sort(offsets)).tolist() == [32] * 7, "without what lay between"
    cleared = hinted(abut, tmp_path, *["cccalloc(1, 24"] * 2)
    for strategy in strategy_names():
        place = find_strategy(strategy).place
        assert place(cleared).offsets.tolist() == place(objects).offsets.tolist(), strategy


def test_a_log_is_text_and_back(recorded: Path) -> None:
    entries = list(log.entries_of(Trace(recorded)))
    assert log.parse(log.text_of(entries)) == entries
    with pytest.raises(AbutError, match="line 2: 'mallok 2 16' is no entry of a log"):
        log.parse(["malloc 1 16", "mallok 2 16"])
    assert {"malloc", "friend", "ping", "free"} <= {one.what for one in entries}
    # From the log alone, strategies see what they see in the trace's events.
    ours, events = log.objects_in(entries), read_objects(Trace(recorded), accesses=False)
    assert ours.size.tolist() == events.size.tolist()
    for edges in ("friends", "usage"):
        mine = {tuple(map(int, one)) for one in zip(*getattr(ours, edges), strict=True)}
        known = {tuple(map(int, one)) for one in zip(*getattr(events, edges), strict=True)}
        assert {pair[:2] for pair in mine} == {pair[:2] for pair in known}, edges


def test_each_site_has_its_own_strategy(recorded: Path, tmp_path: Path) -> None:
    run = read_recorded(Trace(recorded))
    *others, (number, _, _, place) = sorted(by_site.sites(run), key=lambda site: site[1])
    assert place.startswith("+0x")
    choices = tmp_path / "strategies.toml"
    choices.write_text(f'rest = "one-per-line"\n[sites]\n{number} = "usage-df"\n')
    strategy = by_site.strategy_of(*by_site.read_choices(choices))
    offsets = strategy.place(run.objects).offsets
    mine = run.objects.context == number
    lines = offsets[~mine & (offsets >= 0)] % 64
    assert others
    assert (lines == 0).all(), "the rest begin lines"
    assert not set(offsets[mine]) & set(offsets[~mine & (offsets >= 0)]), "no place is given twice"
    output = tmp_path / "by-site.plan"
    by_site.main(recorded, choices, output)
    assert read_plan(output).strategy == "by-site"
    choices.write_text('[sites]\none = "usage-df"\n')
    with pytest.raises(AbutError, match=r"strategies\.toml"):
        by_site.read_choices(choices)


# In the last, following is suspended before the objects come.
IN_SLOTS = dict.fromkeys(("exact", "threads", "again"), 2 * COUNT)
IN_SLOTS |= {"resized": 2 * COUNT - COUNT // 50, "else": 0}


@pytest.mark.parametrize("mode", IN_SLOTS)
def test_what_a_plan_does_not_serve_is_the_systems(planned: Planned, mode: str) -> None:
    run = ("run", "--heap", "cyll", "--plan", "objects.plan", "--explain", "--")
    done = planned.abut(*run, str(planned.program), mode, str(COUNT))
    assert done.returncode == 0, done.stderr
    assert f"plan: {IN_SLOTS[mode]} objects in their places" in done.stderr
    # The plan's memory is of so many bytes; the rest lies far from it.
    segments = Counter(int(place, 16) >> 22 for place in done.stdout.split())
    assert segments.total() == 2 * COUNT
    assert IN_SLOTS[mode] in (*segments.values(), 0)


def test_a_fork_finds_the_plan_unlocked(planned: Planned) -> None:
    planned.abut("place", "-s", "affinity", "-o", "pools.plan", "objects.trace")
    run = ("run", "--heap", "cyll+plan=./pools.plan", "--", str(planned.program))
    done = planned.abut(*run, "forks", str(200 * COUNT))
    assert done.returncode == 0, done.stderr


def test_another_input_has_the_systems_output(recorded: Path, abut: Abut) -> None:
    assert abut("place", "-s", "usage-df", "-o", "cover.plan", str(recorded)).returncode == 0
    cover = (str(bench_places().programs / "cover"), "--hints", "--columns", "12", "--rows")
    run = ("run", "--heap", "cyll+plan=cover.plan", "--explain", "--")
    for rows in ("40", "60"):
        plain = abut("run", "--heap", "glibc", "--", *cover, rows)
        followed = abut(*run, *cover, rows)
        assert followed.stdout == plain.stdout
        assert "plan: 0 objects" not in followed.stderr


def test_his_figures_stand_beside_ours() -> None:
    heaps = list(HIS_SYSTEM)
    seconds = dict(zip(heaps, (2, 1.5, 1, 0.5), strict=True)) | {"random": 3.0, "simple alone": 0.9}
    misses = {SYSTEM: [40, 4], "simple": [20, 2], heaps[3]: [10, 1], "random": [30, 6]}
    program = ProgramRuns("cover-300", "", 9, seconds, misses, dict.fromkeys(misses, 100))
    rows = list(zip(*(column.cells for column in system_table(program).columns), strict=True))
    assert rows[0] == ("glibc", "1.000 (1.000)", "100", "40.0% (35.0%)", "4.0% (4.3%)")
    assert rows[1][1:3] == ("0.750 (0.634)", "-")
    assert rows[2][1] == "0.500 (0.538)"
    times, _, last, of_heaps = CyllResult([program], heaps).charts()
    assert times.series["random"] == {"cover-300": 3.0}
    assert last.series["random"] == {"cover-300": 3.0}
    assert of_heaps.series["glibc"] == {"cover-300": 2.0}
    found = {what: (round(his, 2), ours) for what, his, ours, _ in points(program)}
    assert found["time of random"] == (2.63, 3.0)
    assert found["L2 misses of random"] == (2.02, 3.0)
    assert found["time of the system's"] == (1.86, 2.0)
    assert found["time of a library that only follows, by the other"] == (1.0, 0.9)
