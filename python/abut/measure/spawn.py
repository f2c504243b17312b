"""Running a program once and measuring that run and nothing of ourselves.

Linux lets a process's peak RSS begin at that of the process it was forked from, so a child of
Python would never seem smaller than Python. A shell therefore forks the program (its own pages are
few), hands us its process id and dies; as the reaper of orphans we inherit the child, attach
counters while it waits at a gate, open the gate and wait for it, with figures that are its own.
Assumes Linux 3.4 or later and a POSIX /bin/sh.
"""

import contextlib
import ctypes
import math
import os
import re
import shlex
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from abut.errors import AbutError
from abut.measure.counters import Counters, Event
from abut.measure.sample import Sample

_SET_CHILD_SUBREAPER = 36
_GATE, _ANNOUNCE = 3, 4
# $1 is what to preload, $2 the folder to run in, $3 puts back those variables that the shell itself
# sets, the rest is the program and its arguments.
_TRAMPOLINE = f"""(
read -r pid rest </proc/self/stat && echo "$pid" >&{_ANNOUNCE}
read -r go <&{_GATE} || exit 125
exec {_GATE}<&- {_ANNOUNCE}>&-
[ -z "$1" ] || export LD_PRELOAD="$1"
cd -- "$2" || exit 125
eval "$3"
shift 3
exec "$@"
); :"""
_SET_BY_SHELLS = ("PWD", "OLDPWD", "SHLVL", "IFS")
_NAME = re.compile("[A-Za-z_][A-Za-z_0-9]*")
_GRACE_S = 1.0
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start. `environment` lacks LD_PRELOAD, which `preload` stands for.

    Standard input is read from `stdin`; standard output and error are written to files.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    stdout: Path
    stderr: Path
    stdin: Path = Path(os.devnull)
    preload: str = ""
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: the exit code (minus the signal's number for a killed program), what was
    measured, and how many processes it left running behind it.
    """

    exit_code: int
    sample: Sample
    left_running: int


class TakesTooLongError(Exception):
    """A run was ended, since it took longer than it may."""

    def __init__(self, limit: float) -> None:
        super().__init__(f"takes too long: more than {limit:.0f} s")


@dataclass(frozen=True, slots=True)
class _Held:
    """A child waiting at its gate, the pipe that opens it, and the children there were before."""

    pid: int
    gate: int
    before: frozenset[int]


def run_once(launch: Launch, limit: float = math.inf) -> Run:
    """Start the program, wait for it and measure it.

    On Ctrl-C the program is given a moment to end by itself, then ended; KeyboardInterrupt goes on.
    After `limit` seconds it is killed. Raises TakesTooLongError then.
    """
    become_reaper()
    held = _hold(launch)
    try:
        with contextlib.closing(Counters(held.pid, launch.events)) as counters:
            started = time.perf_counter()
            os.write(held.gate, b"\n")
            with _killed_after(limit, held.pid):
                _, status, usage = os.wait4(held.pid, 0)
            wall_s = time.perf_counter() - started
            counts = counters.read()
        if wall_s > limit:
            raise TakesTooLongError(limit)
    except BaseException:
        _end(held.pid)
        end_children(held.before)
        raise
    finally:
        os.close(held.gate)
    running, others_s = reap_orphans(held.before)
    sample = Sample(
        wall_s=wall_s,
        user_s=usage.ru_utime,
        system_s=usage.ru_stime,
        peak_rss_bytes=usage.ru_maxrss * 1024,
        minor_faults=usage.ru_minflt,
        major_faults=usage.ru_majflt,
        counters=counts,
        others_s=others_s,
    )
    return Run(os.waitstatus_to_exitcode(status), sample, running)


@contextlib.contextmanager
def _killed_after(limit: float, pid: int) -> Iterator[None]:
    timer = threading.Timer(limit, os.kill, (pid, signal.SIGKILL))
    if limit < math.inf:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def become_reaper() -> None:
    """Inherit whatever loses its parent among what we start."""
    if ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise AbutError(
            "this kernel does not hand orphans over (PR_SET_CHILD_SUBREAPER)",
            fix="use Linux 3.4 or later",
        )


def _hold(launch: Launch) -> _Held:
    """Start the trampoline and inherit the child that it leaves at the gate."""
    before = children()
    gate_out, gate_in = os.pipe()
    announce_out, announce_in = os.pipe()
    try:
        shell = _spawn_shell(launch, gate_out, announce_in)
    except BaseException:
        os.close(gate_in)
        os.close(announce_out)
        raise
    finally:
        os.close(gate_out)
        os.close(announce_in)
    try:
        announced = os.read(announce_out, 32)
        if not announced.strip().isdigit():
            raise AbutError(f"{launch.argv[0]}: /bin/sh could not start it", fix="check /bin/sh")
    except BaseException:
        os.close(gate_in)  # the child reads the end of the pipe, and goes
        raise
    finally:
        os.close(announce_out)
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
    return _Held(int(announced), gate_in, before)


def _spawn_shell(launch: Launch, gate: int, announce: int) -> int:
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    environment = {name: v for name, v in launch.environment.items() if name != "LD_PRELOAD"}
    preload, argv = launch.preload, list(launch.argv)
    # Shells hand on no variable whose name is none of theirs. What env(1) takes, which does, is
    # measured with the program.
    odd = [f"{name}={v}" for name, v in environment.items() if not _NAME.fullmatch(name)]
    if odd and "=" not in argv[0]:
        preload, argv = (
            "",
            ["/usr/bin/env", *odd, *([f"LD_PRELOAD={preload}"] if preload else []), *argv],
        )
    return os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", _TRAMPOLINE, "sh", preload, str(launch.folder), _restored(environment), *argv],
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, launch.stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, launch.stdout, writing, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, launch.stderr, writing, 0o600),
            (os.POSIX_SPAWN_DUP2, gate, _GATE),
            (os.POSIX_SPAWN_DUP2, announce, _ANNOUNCE),
        ],
        # Python ignores these two for itself, and an ignored signal outlives exec.
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
    )


def _restored(environment: Mapping[str, str]) -> str:
    """Commands of a shell after which variables are as given, although it sets them itself."""
    given = [f"{name}={shlex.quote(environment[name])}" for name in _SET_BY_SHELLS
             if name in environment]  # fmt: skip
    return "; ".join([f"unset {' '.join(_SET_BY_SHELLS)}", *(f"export {one}" for one in given)])


def _end(pid: int) -> None:
    """End a child that may have had the terminal's Ctrl-C already, from mild to harsh."""
    for harsher in (None, signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        try:
            if harsher is not None:
                os.kill(pid, harsher)
            if _ended_in_time(pid):
                return
        except (ProcessLookupError, ChildProcessError):
            return
        except KeyboardInterrupt:
            continue  # impatience: go on to the next signal


def _ended_in_time(pid: int) -> bool:
    deadline = time.monotonic() + _GRACE_S
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return True
        time.sleep(_POLL_S)
    return False


def end_in_order() -> None:
    """Have SIGTERM and SIGHUP end this process as Ctrl-C does, with what it has started."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # `nohup` has the latter ignored
            signal.signal(number, signal.default_int_handler)


def end_children(before: frozenset[int]) -> None:
    """Kill the children that have come since, and what they leave to us, until none is left."""
    while left := children() - before:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:  # it may be another user's
                before |= {pid}


def children() -> frozenset[int]:
    """The process ids of our children; empty where the kernel does not list them."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.update(int(pid) for pid in task.read_text().split())
    return frozenset(found)


def reap_orphans(before: frozenset[int]) -> tuple[int, float]:
    """Bury what the program left behind: how many of its processes still run, and the processor
    seconds of all, up to now.
    """
    running, seconds = 0, 0.0
    for pid in children() - before:
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            seconds += (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
            running += os.waitpid(pid, os.WNOHANG)[0] == 0
    return running, seconds
