"""Exports, read back by the tools that they are for, or by what those tools ask of their input."""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from abut.commands.export import Format, command
from abut.errors import AbutError
from abut.reporters import exports
from abut.reporters.pprof import pprof
from abut.simulation.caches import Level
from abut.simulation.costs import Costs, costs_of
from abut.simulation.live import live_over_time
from abut.simulation.presets import Preset
from abut.trace import Frame, Trace, TraceWriter
from abut.trace.names import read_rules
from conftest import Abut

SMALL = Preset("small", "one level", (Level("L1", 1024, ways=2, cycles=1),))


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """Two contexts below one caller, one of which calls itself."""
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog", "a b"]) as out:
        module = out.module("/nowhere/prog", "", 0x1000, 0x1000)
        main = Frame(module, 0x900)
        leaf = out.context([Frame(module, 0x10), main])
        deep = out.context([Frame(module, 0x20), Frame(module, 0x20), Frame(module, 0x20), main])
        for number in range(100):
            item = out.allocate(100, address=4096 * (2 * number + 1), context=leaf, time=number)
            out.access(item, 0)
            out.access(item, 8)
            out.allocate(20, address=4096 * (2 * number + 2), context=deep, time=number)
            if number >= 50:
                out.free(item, time=number)
    return Trace(path)


@pytest.fixture
def costs(trace: Trace) -> Costs:
    return costs_of(trace, SMALL)


def test_costs_are_by_context(costs: Costs) -> None:
    assert list(costs.figures) == ["objects", "bytes", "accesses", "L1 misses"]
    assert [costs.of(stack) for stack in costs.stacks] == [
        [100, 10000, 200, 100],
        [100, 2000, 0, 0],
    ]


def test_csv_has_a_row_a_context(costs: Costs) -> None:
    head, *rows = exports.table(costs, read_rules()).splitlines()
    assert head == "context,type,function,file,line,objects,bytes,accesses,L1 misses"
    assert rows == ["1,,prog+0x10,,,100,10000,200,100", "2,,prog+0x20,,,100,2000,0,0"]


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protocol buffer's message: numbers, and what has a length."""
    numbers = iter(message)

    def number() -> int:
        value = shift = 0
        while (part := next(numbers)) & 0x80:
            value |= (part & 0x7F) << shift
            shift += 7
        return value | part << shift

    for first in numbers:
        has_length = first & 7 == 2
        value = number()
        yield first >> 3, bytes(islice(numbers, value)) if has_length else value


def test_pprof_has_a_sample_a_stack_and_all_that_it_refers_to(costs: Costs) -> None:
    found: dict[int, list[Any]] = {}
    for number, value in fields(gzip.decompress(pprof(costs))):
        found.setdefault(number, []).append(value)
    strings = [one.decode() for one in found[6]]
    assert strings[0] == ""
    functions = {one[1]: strings[one[2]] for one in map(dict, map(fields, found[5]))}
    lines = {one[1]: dict(fields(one[4])) for one in map(dict, map(fields, found[4]))}
    stacks = [dict(fields(one)) for one in found[2]]
    assert [[functions[lines[n][1]] for n in one[1]] for one in stacks] == [
        ["prog+0x10", "prog+0x900"],
        ["prog+0x20", "prog+0x20", "prog+0x20", "prog+0x900"],
    ]
    assert [one[2][:1] for one in stacks] == [b"d", b"d"], "100 objects each"
    kinds = [dict(fields(one)) for one in found[1]]
    assert [strings[one[1]] for one in kinds] == list(costs.figures)


def test_collapsed_stacks_begin_with_the_outermost(costs: Costs) -> None:
    assert exports.collapsed(costs, "bytes") == (
        "prog+0x900;prog+0x10 10000\nprog+0x900;prog+0x20;prog+0x20;prog+0x20 2000\n"
    )
    assert exports.collapsed(costs, "accesses") == "prog+0x900;prog+0x10 200\n"


def test_speedscope_finds_what_its_schema_asks_for(costs: Costs, trace: Trace) -> None:
    document = json.loads(exports.speedscope(costs, trace.info))
    assert document["$schema"] == exports.SPEEDSCOPE_SCHEMA
    frames = document["shared"]["frames"]
    assert all(isinstance(frame["name"], str) for frame in frames)
    for profile in document["profiles"]:
        assert profile["type"] == "sampled"
        assert profile["unit"] in {"none", "bytes"}
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        assert all(0 <= at < len(frames) for sample in profile["samples"] for at in sample)
    assert document["profiles"][document["activeProfileIndex"]]["name"] == "L1 misses"


def test_callgrind_annotate_reads_it(costs: Costs, trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "callgrind.out.1"
    path.write_text(exports.callgrind(costs, trace.info))
    if shutil.which("callgrind_annotate") is None:
        pytest.skip("callgrind_annotate is not installed")
    done = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", path], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    rows = {
        line.split(":")[-1].split()[0]: line for line in done.stdout.splitlines() if "???:" in line
    }
    assert set(rows) == {"prog+0x900", "prog+0x10", "prog+0x20"}
    expected = {"prog+0x900": "200 12,000 200 100", "prog+0x20": "100 2,000 0 0"}
    for name, figures in expected.items():
        shown = re.sub(r"\([\d.%]+\)", "", rows[name].partition("???")[0])
        assert " ".join(shown.split()) == figures


def test_counters_over_time_add_up(trace: Trace) -> None:
    samples = list(live_over_time(trace, {1: "leaf", 2: "deep"}))
    times = [time for time, _ in samples]
    assert times == sorted(times)
    last = samples[-1][1]
    assert last == {"live bytes": 50 * 100 + 100 * 20, "live: leaf": 5000, "live: deep": 2000}
    document = json.loads(exports.perfetto(trace.info, iter(samples)))
    counters = [event for event in document["traceEvents"] if event["ph"] == "C"]
    assert len(counters) == 3 * len(samples)
    assert {"name", "pid", "ts", "args"} <= set(counters[0])


def test_trace_events_are_what_their_format_says(trace: Trace) -> None:
    samples = live_over_time(trace, {1: "leaf", 2: "deep"})
    document = json.loads(exports.perfetto(trace.info, samples))
    assert document["displayTimeUnit"] in {"ms", "ns"}
    named, *counters = document["traceEvents"]
    assert (named["ph"], named["name"]) == ("M", "process_name")
    assert named["args"] == {"name": "prog 'a b'"}
    for event in counters:
        assert event["ph"] == "C"
        assert isinstance(event["ts"], int | float)
        assert all(isinstance(value, int | float) for value in event["args"].values())
        assert event["pid"] == named["pid"]
    tracks = {event["name"] for event in counters}
    for name in tracks:
        times = [event["ts"] for event in counters if event["name"] == name]
        assert times == sorted(times)


def test_tables_come_with_costs(trace: Trace, abut: Abut, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    done = abut("export", "--format", "parquet", "-o", "tables", trace.path)
    assert done.returncode == 0, done.stderr
    costs = pq.read_table(tmp_path / "tables" / "costs.parquet").to_pydict()
    assert costs["bytes"] == [0, 10000, 2000]
    assert pq.read_table(tmp_path / "tables" / "objects.parquet").num_rows == 200
    for force, code in (("", 2), ("--force", 0)):
        again = abut("export", "--format", "parquet", "-o", "tables", *force.split(), trace.path)
        assert again.returncode == code, again.stderr
        assert ("is there already" in again.stderr) == bool(code)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.trace", "tables"]


@pytest.mark.long
def test_a_database_reads_the_tables(trace: Trace, abut: Abut, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="pip install 'abut[browser]'")
    assert abut("export", "--format", "parquet", "-o", "tables", trace.path).returncode == 0
    objects, costs = (tmp_path / "tables" / f"{name}.parquet" for name in ("objects", "costs"))
    joined = duckdb.sql(
        f"select c.context, c.bytes, sum(o.size) from '{costs}' c join '{objects}' o"
        " using (context) group by all order by all"
    ).fetchall()
    assert joined == [(1, 10000, 10000), (2, 2000, 2000)]


@pytest.mark.long
@pytest.mark.parametrize("form", ["speedscope", "callgrind", "collapsed"])
def test_speedscope_itself_opens_it(
    trace: Trace, abut: Abut, tmp_path: Path, form: str, browser: Any
) -> None:
    folder = os.environ.get("ABUT_TEST_SPEEDSCOPE")
    if not folder:
        pytest.skip("ABUT_TEST_SPEEDSCOPE: dist/release of the npm package speedscope")
    assert abut("export", "--format", form, "-o", "out", trace.path).returncode == 0
    text = base64.b64encode((tmp_path / "out").read_bytes()).decode()
    (tmp_path / "out.js").write_text(f'speedscope.loadFileFromBase64("run.{form}", "{text}")')
    page = (Path(folder) / "index.html").absolute().as_uri()
    shown = browser.new_page()
    shown.goto(f"{page}#localProfilePath={tmp_path / 'out.js'}")
    name = "prog 'a b'" if form == "speedscope" else f"run.{form}"
    shown.wait_for_function(f'document.title.startsWith("{name} - ")', timeout=20_000)
    assert "Sandwich" in shown.inner_text("body")
    shown.close()


def test_an_unknown_figure_is_named(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(AbutError, match="called 'L9'") as raised:
        command(Path(trace.path), Format.COLLAPSED, tmp_path / "out", figure="L9", machine="modern")
    assert raised.value.fix == "choose of objects, bytes, accesses, L1 misses, L2 misses, L3 misses"
