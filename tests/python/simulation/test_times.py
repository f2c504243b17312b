"""Predicted times beside measured ones: the statistics, and the verb as a whole."""

import dataclasses
import importlib.util
import io
import itertools
import json
import math
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from abut.errors import AbutError
from abut.heaps import GLIBC, find_heaps
from abut.measure.measurement import Measurement, Plan
from abut.measure.session import Task
from abut.measure.workload import Workload
from abut.reporters.validation import times_json, times_words
from abut.simulation.presets import Preset, find_preset
from abut.simulation.times import (
    HeapTime,
    Recording,
    Times,
    counted_parts,
    measured,
    predicted,
    rank_correlation,
)
from abut.trace.reader import Trace
from conftest import Abut


def times_of(*pairs: tuple[float, float]) -> Times:
    """Of heaps a, b, c ... with these predicted and measured seconds."""
    heaps = [
        HeapTime("abc"[i], predicted, predicted / 2, measured, measured, 1, 1, 1, {})
        for i, (predicted, measured) in enumerate(pairs)
    ]
    return Times("program", heaps)


def test_rank_correlation_is_spearmans() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 90]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [9, 5, 1]) == pytest.approx(-1)
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: by the formula of Pearson, of ranks.
    assert rank_correlation([1, 5, 5, 7], [1, 3, 2, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert math.isnan(rank_correlation([1], [1]))


@pytest.mark.parametrize("pairs", [[(1.0, 2.0)], [(1.0, 2.0), (1.0, 2.0)]])
def test_of_one_heap_or_of_equals_there_is_no_rank_correlation(
    pairs: list[tuple[float, float]],
) -> None:
    times = times_of(*pairs)
    found = json.loads(times_json(times, []), parse_constant=pytest.fail)
    assert found["rank_correlation"] is None
    assert times_words(times).startswith("rank correlation -; mean error 0.0%")


def test_only_pairs_that_differ_measured_count_and_errors_are_of_ratios() -> None:
    times = times_of((1.0, 2.0), (1.1, 2.05), (1.5, 1.8))
    assert times.signs == (0, 2), "a and b are too near each other; c is quicker, and not predicted"
    assert times_of((1.0, 2.0), (2.0, 4.0)).error == pytest.approx(0), "scaled"
    assert times_of((1.0, 1.0), (1.0, 3.0)).error == pytest.approx((1 + 1 / 3) / 2)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_of_each_window_the_first_part_only_warms_the_caches(
    abut: Abut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "awk.trace"
    script = "BEGIN { for (i = 0; i < 100000; ++i) t[i] = i; for (k in t) s += t[k]; print s }"
    windows = ["--everything", "--window", "200000/2000000", "--from", "(below main)"]
    assert abut("record", "-q", *windows, "-o", trace, "--", "awk", script).returncode == 0
    opened = Trace(trace)
    assert counted_parts(opened) == [(0, opened.info.accesses)], "no window is so long"
    monkeypatch.setattr("abut.simulation.times.WARMING", 50_000)
    parts = counted_parts(opened)
    assert len(parts) > 5
    assert parts[0][0] == 50_000
    # The program's own accesses are 200,000, or nearly; the allocator's come to them.
    assert all(100_000 < end - begin < 400_000 for begin, end in parts[:-1])
    assert all(after[0] == before[1] + 50_000 for before, after in itertools.pairwise(parts))
    zen4 = find_preset("zen4")
    in_windows = predicted(Recording(trace, 10**9, 0.0, one_of=5), "abut", zen4, (1.0, 1.0))
    whole = predicted(Recording(trace, 10**9, 0.0), "abut", zen4, (1.0, 1.0))
    counted = sum(end - begin for begin, end in parts)
    assert in_windows.accesses == pytest.approx(counted, rel=0.05)
    assert in_windows.recorded < whole.recorded == (opened.info.totals or {})["instructions"]
    assert in_windows.predicted_s < whole.predicted_s, "what is cold costs"


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_validate_shows_each_heap_predicted_and_measured(abut: Abut) -> None:
    script = "BEGIN { for (i = 0; i < 20000; ++i) t[i] = i; for (k in t) s += t[k]; print s }"
    words = ["--heaps", "glibc,abut", "--runs", "2", "--accesses", "20000000", "--json"]
    done = abut("validate", *words, "--", "awk", script)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [heap["heap"] for heap in found["heaps"]] == ["glibc", "abut"]
    for heap in found["heaps"]:
        assert 0 < heap["computing_s"] < heap["predicted_s"] < 10
        assert 0 <= heap["measured_s"] <= heap["median_s"]
        assert heap["accesses"] > 200_000
        assert heap["predicted_s"] == pytest.approx(
            sum(heap["cycles"].values()) * heap["instructions"] / heap["recorded"] / 4.5e9, rel=0.01
        )


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_pages_of_2_mib_count_for_the_part_of_the_memory_that_lies_there(
    abut: Abut, tmp_path: Path
) -> None:
    trace = tmp_path / "awk.trace"
    script = "BEGIN { for (i = 0; i < 30000; ++i) t[i] = i; for (k in t) s += t[k]; print s }"
    assert abut("record", "-q", "--everything", "-o", trace, "--", "awk", script).returncode == 0
    zen4 = find_preset("zen4")

    def seconds(huge: float, preset: Preset = zen4) -> float:
        return predicted(Recording(trace, 10**9, huge), "abut", preset, (1.0, 1.0)).predicted_s

    assert seconds(1) < seconds(0)
    assert seconds(0.25) == pytest.approx(0.75 * seconds(0) + 0.25 * seconds(1))
    without = dataclasses.replace(zen4, huge_tlb=())
    assert seconds(0.25, without) == seconds(0), "a machine of which they are not known"


def test_runs_that_differ_are_refused_and_those_that_fail_alike_are_noted(tmp_path: Path) -> None:
    def runs(script: str) -> Measurement:
        heaps = [GLIBC, dataclasses.replace(GLIBC, name="other", environment={"ODD": "1"})]
        workload = Workload("p", "", "program", ("/bin/sh", "-c", script), tmp_path)
        return measured(workload, heaps, Plan(1, 0, 1))

    for script in ("exit ${ODD:-0}", 'echo "$ODD"'):
        with pytest.raises(AbutError, match="p: under other it"):
            runs(script)
    assert runs("exit 3").notes[0].startswith("exits with 3 under")


def test_what_is_not_of_times_is_refused(abut: Abut) -> None:
    done = abut("validate", "--against", "cachegrind", "--heaps", "abut", "--", "true")
    assert done.returncode == 2
    assert "--heaps" in done.stderr


@pytest.fixture(scope="module")
def harness() -> ModuleType:
    path = Path(__file__).parents[3] / "bench" / "validate_programs.py"
    spec = importlib.util.spec_from_file_location("validate_programs", path)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_programs_whose_heaps_differ_are_predicted(harness: ModuleType) -> None:
    assert harness.differ({"a": [1.2, 1.0, 1.3], "b": [1.5, 1.2]})
    assert not harness.differ({"a": [1.0, 1.5], "b": [1.1, 1.05]})
    assert not harness.differ({"a": [1.0]})
    assert not harness.differ({})
    recording = Recording(Path("p"), 1, 0.0)
    seconds = {"p": {"a": [1.3, 1.0, 1.1], "b": [2.0]}}
    found = harness.jobs_of([("p", "a", recording), ("p", "b", None)], seconds, "zen5")
    assert found == {"p": [(recording, "a", "zen5", (1.0, 1.1))]}


def test_heaps_are_measured_fresh_and_aged(harness: ModuleType, tmp_path: Path) -> None:
    glibc = find_heaps(["glibc"])[0][0]
    conditions = [harness.Condition(glibc, aged) for aged in (False, True)]
    assert [one.name for one in conditions] == ["glibc", "glibc, aged"]
    assert conditions[0].as_heap() == glibc
    assert "LITTER_MIB" in conditions[1].as_heap().environment

    def task(program: str) -> Task:
        workload = Workload("p", "", "program", (program,), tmp_path)
        return Task("p", lambda: workload)

    seconds: dict[str, dict[str, list[float]]] = {}
    assert list(harness.measure([task("sh")], conditions, 2, seconds)) == []
    for _ in range(2):
        assert list(harness.measure([task("true")], conditions, 2, seconds)) == ["p"]
    assert {name: len(some) for name, some in seconds["p"].items()} == {
        "glibc": 4,
        "glibc, aged": 4,
    }


def test_weights_are_found_again_and_the_untrained_half_has_a_row(harness: ModuleType) -> None:
    programs = []
    for name in "pqr":
        heaps = [
            HeapTime(str(i), 1 + waits, 1, 0.5 + 2 * waits, 0.5 + 2 * waits, 1, 1, 1, {})
            for i, waits in enumerate((0.1, 0.4, 0.9))
        ]
        programs.append(Times(name, heaps))
    weights = harness.fitted(programs[:2])
    assert weights == pytest.approx((0.5, 2.0))
    weighed = [harness.weighed(one, weights) for one in programs]
    assert [one.error for one in weighed] == pytest.approx([0, 0, 0])
    shown = Console(file=io.StringIO(), width=110)
    shown.print(harness.table_of(weighed, {"p", "q"}))
    assert isinstance(shown.file, io.StringIO)
    rows = [line.split("│") for line in shown.file.getvalue().splitlines() if "│" in line]
    assert [row[1].strip() for row in rows] == ["p", "q", "r", "all others", "all"]
    assert [cell.strip() for cell in rows[3][3:6]] == ["1.00", "3", "3"]
