"""A run is measured by itself: nothing of this process leaks into its figures."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abut.errors import INTERRUPTED
from abut.heaps import Heap
from abut.measure.counters import Counters, Event
from abut.measure.spawn import Launch, Run, TakesTooLongError, run_once
from conftest import abut_environment

MEGABYTE = 1 << 20
TASK_CLOCK = Event("task-clock", 1, 1)  # counted in software, so every machine has it


def run(tmp_path: Path, *argv: str, preload: str = "", events: tuple[Event, ...] = ()) -> Run:
    environment = {"PATH": os.environ["PATH"], "GIVEN": "as it is"}
    return run_once(
        Launch(
            argv=argv,
            environment=environment,
            folder=tmp_path,
            stdout=tmp_path / "stdout",
            stderr=tmp_path / "stderr",
            preload=preload,
            events=events,
        )
    )


def shell(tmp_path: Path, script: str) -> Run:
    return run(tmp_path, "/bin/sh", "-c", script)


def test_peak_rss_is_the_programs_own_however_large_we_are(tmp_path: Path) -> None:
    ballast = bytearray(b"x" * (128 * MEGABYTE))
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert ours > len(ballast)
    assert run(tmp_path, "/bin/true").sample.peak_rss_bytes < 8 * MEGABYTE


def test_peak_rss_counts_what_the_program_touches(tmp_path: Path) -> None:
    small = run(tmp_path, "/usr/bin/python3", "-c", "pass").sample.peak_rss_bytes
    large = run(tmp_path, "/usr/bin/python3", "-c", "b'x' * (64 << 20)").sample.peak_rss_bytes
    assert 60 * MEGABYTE < large - small < 70 * MEGABYTE


def test_times_are_those_of_the_program_and_its_children(tmp_path: Path) -> None:
    busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
    sample = shell(tmp_path, f"({busy}); exit 0").sample
    idle = shell(tmp_path, "exit 0").sample
    assert sample.user_s > 5 * idle.user_s
    assert sample.wall_s >= sample.user_s * 0.5
    assert sample.minor_faults > 0


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_exit_code_is_reported(tmp_path: Path, code: int) -> None:
    assert shell(tmp_path, f"exit {code}").exit_code == code


def test_death_by_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    assert shell(tmp_path, "kill -SEGV $$").exit_code == -signal.SIGSEGV


def test_program_gets_environment_folder_and_arguments_as_given(tmp_path: Path) -> None:
    script = 'printf "%s\\n" "$GIVEN" "$(pwd)" "$0" "$@"'
    run(tmp_path, "/bin/sh", "-c", script, "zero", "a b", "", "$HOME", "--", "'q\"")
    shown = (tmp_path / "stdout").read_text().split("\n")
    assert shown == ["as it is", str(tmp_path), "zero", "a b", "", "$HOME", "--", "'q\"", ""]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"PWD": "/it's", "OLDPWD": "/a b", "IFS": ":", "SHLVL": "7"},
        {"my.var": "a b'c", "BASH_FUNC_f%%": "() { :\n}", "1": ""},
    ],
)
@pytest.mark.parametrize("preload", ["", "libm.so.6"])
def test_environment_is_as_given_whatever_shells_make_of_it(
    tmp_path: Path, given: dict[str, str], preload: str
) -> None:
    environment = {"PATH": os.environ["PATH"], **given}
    found, errors = tmp_path / "stdout", tmp_path / "stderr"
    argv = ("/bin/cat", "/proc/self/environ")
    ended = run_once(Launch(argv, environment, tmp_path, found, errors, preload=preload))
    assert ended.exit_code == 0
    expected = environment | ({"LD_PRELOAD": preload} if preload else {})
    shown = [entry.partition("=") for entry in found.read_text().split("\0") if entry]
    assert {name: value for name, _, value in shown} == expected


def test_program_starts_with_no_signal_ignored_and_no_file_of_ours(tmp_path: Path) -> None:
    # Without a pipe, which would be the shell's own file.
    shell(tmp_path, "grep SigIgn /proc/self/status; ls -m /proc/$$/fd")
    ignored, files = (tmp_path / "stdout").read_text().splitlines()
    ours = signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ
    mask = int(ignored.split()[1], 16)
    # What runs in the background of some shells ignores these, and so do its children.
    background = {
        number
        for number in (signal.SIGINT, signal.SIGQUIT)
        if signal.getsignal(number) == signal.SIG_IGN
    }
    assert not [number for number in ours if mask & 1 << (number - 1) and number not in background]
    # What this process was started with and hands on is not ours.
    open_here = [int(file.name) for file in Path("/proc/self/fd").iterdir()]
    handed_on = set(filter(_is_handed_on, open_here))
    assert set(map(int, files.split(","))) <= {0, 1, 2} | handed_on


def _is_handed_on(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # that of the listing itself
        return False


def test_preload_reaches_the_program_and_no_one_else(tmp_path: Path, peer: Heap) -> None:
    run(tmp_path, "/bin/cat", "/proc/self/maps", preload=str(peer.library))
    assert peer.library is not None
    assert peer.library.name in (tmp_path / "stdout").read_text()
    assert peer.library.name not in Path("/proc/self/maps").read_text()


def test_processes_left_running_are_counted(tmp_path: Path) -> None:
    left = shell(tmp_path, "sleep 30 >/dev/null 2>&1 & echo $!")
    os.kill(int((tmp_path / "stdout").read_text()), signal.SIGKILL)
    assert left.left_running == 1
    assert shell(tmp_path, "exit 0").left_running == 0


@pytest.mark.parametrize(
    ("verb", "number"),
    [
        ("compare --heaps glibc", signal.SIGTERM),
        ("tune", signal.SIGHUP),
        ("tune", signal.SIGINT),
        ("validate --heaps glibc", signal.SIGTERM),
    ],
)
def test_a_signal_to_abut_alone_ends_all_that_it_started(
    tmp_path: Path, verb: str, number: signal.Signals
) -> None:
    (tmp_path / "scratch").mkdir()
    script = "sleep 300 & echo $! >started; mv started child; wait"
    abut = [sys.executable, "-m", "abut", *verb.split(), "--", "sh", "-c", script]
    words = ["env", "--default-signal", *abut]  # the tests may run under `nohup`
    folders = {"TMPDIR": str(tmp_path / "scratch"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment = abut_environment(**folders)
    with subprocess.Popen(
        words, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True
    ) as started:
        while not (tmp_path / "child").exists() and started.poll() is None:
            time.sleep(0.01)
        started.send_signal(number)
    assert started.returncode == INTERRUPTED
    assert not Path(f"/proc/{(tmp_path / 'child').read_text().strip()}").exists()
    assert not list((tmp_path / "scratch").iterdir())


def test_a_run_ends_when_its_time_is_over(tmp_path: Path) -> None:
    script = "sleep 300 & echo $!; wait"
    files = (tmp_path / "stdout", tmp_path / "stderr")
    launch = Launch(("sh", "-c", script), {"PATH": os.environ["PATH"]}, tmp_path, *files)
    with pytest.raises(TakesTooLongError):
        run_once(launch, 0.3)
    assert not Path(f"/proc/{files[0].read_text().strip()}").exists()


def test_counters_count_the_program_and_its_children(tmp_path: Path) -> None:
    busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    try:
        Counters(0, (TASK_CLOCK,)).close()
    except OSError as error:
        pytest.skip(f"perf_event_open: {error.strerror}")
    events = (TASK_CLOCK,)
    idle = run(tmp_path, "/bin/sh", "-c", "exit 0", events=events).sample
    child = run(tmp_path, "/bin/sh", "-c", f"({busy}); exit 0", events=events).sample
    assert idle.counters["task-clock"] > 0
    assert child.counters["task-clock"] > 5 * idle.counters["task-clock"]
