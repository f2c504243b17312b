"""`abut compare` measures in turn, notices heaps that change a program, says what is missing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abut.heaps import Heap, find_heaps
from abut.places import collector_candidate
from conftest import Abut, abut_environment
from report_traces import data_of

QUICK = ("--runs", "2", "--warmup", "0")


def heaps(peer: Heap) -> tuple[str, str]:
    return ("--heaps", f"glibc,{peer.name}")


def test_table_has_a_row_for_each_heap_and_names_the_next_command(abut: Abut, peer: Heap) -> None:
    done = abut("compare", *QUICK, *heaps(peer), "--", "/bin/echo", "it's")
    assert done.returncode == 0, done.stderr
    for word in ("glibc", peer.name, "wall time", "user+sys time", "peak RSS", "page faults"):
        assert word in done.stdout
    assert done.stdout.splitlines()[-1] == "next: abut run -- /bin/echo 'it'\"'\"'s'"


def test_json_holds_machine_samples_and_summaries(abut: Abut, peer: Heap) -> None:
    done = abut("compare", *QUICK, *heaps(peer), "--json", "--", "/bin/true")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["schema"] == 1
    assert report["reference"] == "glibc"
    assert report["settings"]["runs"] == 2
    assert {"processor", "cores", "caches", "kernel", "memory_bytes", "huge_pages"} <= set(
        report["machine"]
    )
    assert {"python-abut", "glibc", peer.name} == set(report["versions"])
    (program,) = report["benchmarks"]
    assert program["command"] == ["/bin/true"]
    assert {heap: len(runs) for heap, runs in program["samples"].items()} == {
        "glibc": 2,
        peer.name: 2,
    }
    assert set(program["samples"]["glibc"][0]) == {
        "wall_s", "user_s", "system_s", "peak_rss_bytes", "minor_faults", "major_faults",
        "counters", "others_s",
    }  # fmt: skip
    cell = program["figures"]["cpu"][peer.name]
    assert set(cell["median"]) == {"value", "low", "high"}
    assert cell["median"]["low"] is cell["median"]["high"] is None, "of two runs"
    assert program["figures"]["cpu"]["glibc"]["to_reference"]["value"] == 1
    assert min(row["to_best"]["value"] for row in program["figures"]["rss"].values()) == 1
    assert report["geometric_means"]["benchmarks"] == 1
    assert report["hardware_counters"]["counted"] or report["hardware_counters"]["reason"]


@pytest.mark.skipif(not collector_candidate().is_file(), reason="abut-collect is not built")
def test_an_explained_comparison_is_a_report_of_two_runs(
    abut: Abut, peer: Heap, tmp_path: Path
) -> None:
    words = ["compare", *QUICK, *heaps(peer), "--explain", "why.html", "--"]
    done = abut(*words, "/bin/ls", "/")
    assert done.returncode == 0, done.stderr
    assert "why.html: " in done.stdout
    assert done.stdout.splitlines()[-1] == "next: abut run -- /bin/ls /"
    document = data_of((tmp_path / "why.html").read_text())
    traces = [one["trace"]["path"] for one in document["reports"]]
    assert sorted(traces) == sorted(f"why-{heap}.trace" for heap in ("glibc", peer.name))
    assert all((tmp_path / trace).is_file() for trace in traces)
    assert document["reports"][0]["trace"]["accesses"] > 0
    again = abut(*words, "/bin/ls", "/")
    assert "why.html: is there already" in again.stderr
    alone = abut("compare", "--heaps", "glibc", "--explain", "w.html", "--", "/bin/ls")
    assert (alone.returncode, "under two heaps" in alone.stderr) == (2, True)


def count_of(abut: Abut, *command: str) -> float:
    once = ("--runs", "1", "--warmup", "0", "--heaps", "glibc", "--figure", "instructions")
    done = abut("compare", *once, "--json", "--", *command)
    assert done.returncode == 0, done.stderr
    cell = json.loads(done.stdout)["benchmarks"][0]["figures"]["instructions"]["glibc"]
    return float(cell["median"]["value"])


def test_instructions_are_counted_with_those_of_children(abut: Abut) -> None:
    alone = count_of(abut, "/bin/true")
    assert count_of(abut, "/bin/true") == pytest.approx(alone, rel=0.01)
    without = count_of(abut, "sh", "-c", ":; :")
    assert count_of(abut, "sh", "-c", "/bin/true; :") > without + 0.9 * alone


def test_clearing_memory_is_not_counted_byte_by_byte(abut: Abut) -> None:
    few, many = (
        count_of(abut, "perl", "-e", f'$x = "x" x {bytes_}') for bytes_ in (1 << 10, 1 << 24)
    )
    assert many - few < 4 << 20


def test_suites_of_our_own_programs_print_the_same_under_abut_and_count_as_asked(
    abut: Abut, library: Path
) -> None:
    once = ("--runs", "1", "--warmup", "0", "--heaps", "glibc,abut", "--figure", "user")
    done = abut("compare", "--suite", "tiny", *once, "--output", "tiny.json")
    assert done.returncode == 0, done.stderr
    assert "user time (ratio to glibc)" in done.stdout
    assert "not there" not in done.stdout


def test_program_that_prints_something_else_is_an_error(abut: Abut, peer: Heap) -> None:
    script = 'printf "same%s" "${LD_PRELOAD:+ different}"'
    done = abut("compare", *QUICK, *heaps(peer), "--", "sh", "-c", script)
    assert done.returncode == 1
    assert f"under {peer.name} its standard output differs first at byte 4" in done.stderr
    assert "' different', where glibc has its end" in done.stderr


def test_program_that_ends_differently_is_an_error(abut: Abut, peer: Heap) -> None:
    done = abut(
        "compare", *QUICK, *heaps(peer), "--", "sh", "-c", '[ -z "$LD_PRELOAD" ] || kill -ABRT $$'
    )
    assert done.returncode == 1
    assert f"under {peer.name} it is killed by SIGABRT, where glibc exits with 0" in done.stderr


def test_program_that_never_repeats_itself_is_not_compared(abut: Abut, peer: Heap) -> None:
    done = abut("compare", *QUICK, *heaps(peer), "--", "sh", "-c", "echo $$")
    assert done.returncode == 0, done.stderr
    assert "outputs were not compared" in done.stdout


def test_missing_peer_is_named_with_its_package_and_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("abut.heaps._loader_cache", dict)
    monkeypatch.setattr("platform.machine", lambda: "elsewhere")
    found, missing = find_heaps(["glibc", "mimalloc"])
    assert [heap.name for heap in found] == ["glibc"]
    assert missing[0].fix == "sudo apt install libmimalloc2.0"


def test_any_library_can_be_a_heap(abut: Abut, peer: Heap) -> None:
    label = f"glibc,other={peer.library}"
    done = abut("compare", *QUICK, "--heaps", label, "--json", "--", "/bin/true")
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["benchmarks"][0]["samples"]) == {"glibc", "other"}


def test_one_heap_can_be_compared_with_itself_under_other_options(
    abut: Abut, library: Path
) -> None:
    script = "echo ${ABUT_DECAY_MS-unset}; echo $LD_PRELOAD >&2"
    done = abut("compare", *QUICK, "--heaps", "abut,abut+decay_ms=7", "--", "sh", "-c", script)
    assert done.returncode == 1
    assert "under abut+decay_ms=7 its standard output differs first at byte 0: '7" in done.stderr
    refused = abut("compare", "--heaps", "abut,abut+decay_ms=x", "--", "true")
    assert refused.returncode == 2
    assert "'x' is not a number" in refused.stderr


def test_program_reads_standard_input_from_the_file_given(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("hello")
    test = '[ "$(cat)" = hello ]'
    command = ("compare", *QUICK, "--heaps", "glibc", "--stdin", "in", "--", "sh", "-c", test)
    done = abut(*command)
    assert done.returncode == 0, done.stderr
    assert "exits with" not in done.stdout


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_plot_is_drawn(abut: Abut, peer: Heap, tmp_path: Path, suffix: str) -> None:
    name = f"plot.{suffix}"
    done = abut("compare", *QUICK, *heaps(peer), "--plot", name, "--", "/bin/true")
    assert done.returncode == 0, done.stderr
    magic = {"svg": b"<?xml", "png": b"\x89PNG"}[suffix]
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_files_are_not_overwritten_unless_forced(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("mine")
    command = ("compare", *QUICK, "--heaps", "glibc", "--output", "out.json")
    refused = abut(*command, "--", "/bin/true")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (tmp_path / "out.json").read_text() == "mine"
    assert abut(*command, "--force", "--", "/bin/true").returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["schema"] == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "either a program"),
        (["--suite", "quick", "--", "true"], "either a program"),
        (["--plot", "x.pdf", "--", "true"], "x.pdf"),
        (["--", "no-such-program"], "no-such-program"),
        (["--heaps", "nomalloc", "--", "true"], "nomalloc"),
    ],
)
def test_bad_requests_are_refused_with_a_fix(
    abut: Abut, arguments: list[str], complaint: str
) -> None:
    done = abut("compare", "--heaps", "glibc", *arguments)
    assert done.returncode not in (0, 3)
    assert complaint in done.stderr
    assert "fix:" in done.stderr


def _start(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "abut", "compare", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=abut_environment(), start_new_session=True,
    )  # fmt: skip


def _wait_for_lines(file: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and len(file.read_text().splitlines()) >= count:
            return
        time.sleep(0.01)
    pytest.fail(f"{file} never had {count} lines")


def test_interrupt_keeps_what_has_been_measured(tmp_path: Path) -> None:
    script = "echo run >> ran; sleep 0.02"
    with _start(
        tmp_path, "--heaps", "glibc", "--runs", "9999", "--", "sh", "-c", script
    ) as process:
        _wait_for_lines(tmp_path / "ran", 5)
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "user+sys time" in stdout
    assert "interrupted" in stdout


def test_interrupt_reaches_the_program(tmp_path: Path) -> None:
    script = "trap 'echo caught > caught; exit 1' INT; echo run >> ran; sleep 60 & wait"
    with _start(tmp_path, "--heaps", "glibc", "--", "sh", "-c", script) as process:
        _wait_for_lines(tmp_path / "ran", 1)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert (tmp_path / "caught").exists()


def test_what_the_loader_does_not_take_is_no_heap(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "script.so").write_text("GROUP ( libc.so.6 )\n")
    done = abut("compare", "--heaps", "glibc,./script.so", "--runs", "1", "--", "/bin/true")
    assert done.returncode == 2
    assert "cannot be preloaded" in done.stderr
    assert done.stdout == ""
