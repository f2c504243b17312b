"""Numbers are shown as people read them, and plots show the ratios that were measured."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from abut.heaps import GLIBC, Heap, MissingHeap
from abut.machine import describe, this_machine
from abut.measure.counters import Availability
from abut.measure.measurement import Comparison, LeftOut, Measurement, Plan
from abut.measure.output import Difference
from abut.measure.sample import CPU, RSS, Sample
from abut.measure.statistics import Estimate
from abut.measure.summary import Summary, summarise
from abut.measure.workload import Workload
from abut.reporters.charts import draw_charts
from abut.reporters.notes import errors, next_step, notes
from abut.reporters.plot import charts_of
from abut.reporters.table import tables
from abut.reporters.units import amount, ratio_text, ratio_with_interval, with_interval


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.2345, "s", "1.23 s"),
        (0.0123, "s", "12.3 ms"),
        (0.000_5, "s", "500 us"),
        (125.0, "s", "125 s"),
        (0, "s", "0 us"),
        (3 << 20, "B", "3 MiB"),
        (1536, "B", "1.50 KiB"),
        (7, "", "7"),
        (14_900, "", "14.9 k"),
        (2.5e9, "", "2.50 G"),
    ],
)
def test_amounts_are_scaled(value: float, unit: str, shown: str) -> None:
    assert amount(value, unit) == shown


def test_interval_is_shown_as_half_its_width() -> None:
    estimate = Estimate(2.0, np.linspace(1.8, 2.2, 10_001))
    assert with_interval(estimate, "s") == "2 s ±9.5%"
    assert ratio_with_interval(estimate) == "2.00 ±0.19"
    assert (ratio_text(estimate), ratio_text(None), ratio_with_interval(None)) == ("2.00", "-", "-")


def test_machine_is_described_from_what_the_kernel_says() -> None:
    machine = this_machine()
    assert machine.cores >= 1
    assert machine.page_bytes >= 4096
    assert machine.memory_bytes
    assert machine.processor in describe(machine)


OTHER = Heap("other", "another", Path("/lib/libother.so"), "libother")


def sample(cpu_s: float, rss: int) -> Sample:
    return Sample(cpu_s, cpu_s, 0.0, rss, 100, 0)


def comparison_of(suite: str | None, *names: str, runs: int = 5) -> Comparison:
    """Programs that take 2 s under glibc, and half of it in twice the memory under another."""
    comparison = Comparison(
        Plan(runs, 1, 1), [GLIBC, OTHER], [MissingHeap("third", "", "libthird")],
        Availability((), "none here"), suite,
    )  # fmt: skip
    for name in names:
        workload = Workload(name, "", "own", (f"/bin/{name}", "[bold]"), Path("/"))
        samples = {"glibc": [sample(2.0, 1 << 20)] * runs, "other": [sample(1.0, 2 << 20)] * runs}
        comparison.measurements.append(Measurement(workload, samples))
    return comparison


def rendered(summary: Summary) -> str:
    page = io.StringIO()
    Console(width=160, file=page, markup=False).print(*tables(summary, [CPU, RSS]), sep="\n")
    return page.getvalue()


def test_table_of_a_program_shows_medians_and_both_ratios() -> None:
    shown = rendered(summarise(comparison_of(None, "thing")))
    for text in ("/bin/thing '[bold]'", "1 s ±0.0%", "0.50 / 1.00", "1.00 / 2.00", "2 MiB ±0.0%"):
        assert text in shown


@pytest.mark.parametrize(("suite", "cell"), [(None, "1 s"), ("quick", "0.50")])
def test_few_runs_are_shown_without_intervals(suite: str | None, cell: str) -> None:
    shown = rendered(summarise(comparison_of(suite, "thing", runs=1)))
    assert f" {cell} " in shown
    assert "1 run" in shown
    assert "too few for an interval" in shown
    assert "±" not in shown


def test_table_of_a_suite_shows_ratios_and_their_means() -> None:
    shown = rendered(summarise(comparison_of("quick", "one", "two")))
    rows = {line.split()[1]: line for line in shown.splitlines() if line.startswith("│")}
    assert "0.50 ±0.00" in shown
    assert "2.00 ±0.00" in rows["two"]
    assert "geometric mean of 2" in shown
    assert "furthest behind the best" in shown


def test_heap_that_changed_a_program_is_marked_and_reported() -> None:
    comparison = comparison_of("quick", "one", "two")
    comparison.measurements[1].differences.append(Difference("other", "glibc", "it is odd"))
    summary = summarise(comparison)
    assert "differs" in rendered(summary)
    assert summary.counted == 1, "it says nothing about how fast the heap is"
    assert errors(comparison) == ["two: under other it is odd"]
    assert next_step(summary) == "abut compare --suite quick --only two"


def test_what_is_missing_or_cut_short_is_noted() -> None:
    comparison = comparison_of("quick", "one")
    comparison.left_out.append(LeftOut("two", "two: not there"))
    comparison.interrupted = True
    said = "\n".join(notes(comparison))
    for text in ("third", "apt install libthird", "two: not there", "none here", "interrupted"):
        assert text in said


def test_program_that_a_heap_did_not_finish_is_kept_out_of_the_means() -> None:
    comparison = comparison_of("quick", "one", "two")
    del comparison.measurements[1].samples["other"]
    summary = summarise(comparison)
    assert summary.counted == 1
    assert rendered(summary)


def test_plot_is_drawn_with_and_without_intervals(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    marks = []
    for runs in (2, 5):
        picture = tmp_path / f"{runs}.svg"
        draw_charts(charts_of(summarise(comparison_of(None, "one", runs=runs)), [CPU]), picture)
        marks.append(picture.read_text().count("<use"))
    assert marks[0] < marks[1]


def test_plot_shows_the_ratios_that_were_measured() -> None:
    by_time, suite = charts_of(summarise(comparison_of("quick", "one", "two")), [CPU, RSS])
    assert by_time.series["other"] == {"one": 0.5, "two": 0.5}
    assert suite.series["other"] == {"one": 2.0, "two": 2.0}
    (program,) = charts_of(summarise(comparison_of(None, "one")), [CPU, RSS])
    ratios = {"wall time": 0.5, "user+sys time": 0.5, "peak RSS": 2.0, "page faults": 1.0}
    assert program.series["other"] == ratios
