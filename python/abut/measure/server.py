"""A server that runs under a heap while a command of the user's measures it."""

import math
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from abut.environment import untouched_environment
from abut.errors import AbutError
from abut.measure.spawn import (
    Launch,
    TakesTooLongError,
    become_reaper,
    children,
    end_children,
    reap_orphans,
)
from abut.program import find_program

_AROUND = "\"'()[]{},;:"
_NO_FINITE = re.compile(r"[-+]?(inf|infinity|nan)", re.IGNORECASE)
# Digits may stand in groups of three.
_NUMBER = re.compile(
    r"[-+]?((\d{1,3}(,\d{3})+|\d{1,3}(_\d{3})+|\d+)(\.\d*)?|\.\d+)([eE][-+]?\d+)?"
    rf"|{_NO_FINITE.pattern}",
    re.ASCII | re.IGNORECASE,
)
_GROUPS = re.compile(r"(\d{1,3}) (\d{3}(\.\d*)?)")
_GRACE_S = 10.0
_POLL_S, _CHECKED_S = 0.01, 0.1
_SHOWN = 300  # characters of what a command said


def measure_server(launch: Launch, command: Sequence[str], limit: float = math.inf) -> float:
    """The last number that the command prints while the server runs; the server is ended then, with
    all that it has started.

    The command waits until the server answers. Raises AbutError where either fails, and
    TakesTooLongError after `limit` seconds.
    """
    become_reaper()
    before, begun = children(), time.monotonic()
    with launch.stdout.open("wb") as out, launch.stderr.open("wb") as err:
        server = subprocess.Popen(
            list(launch.argv),
            env={**launch.environment, "LD_PRELOAD": launch.preload},
            cwd=launch.folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,  # so that signals reach what a script starts, too
        )
        try:
            figure = _figure_of(command, lambda: _check(server, launch.argv, limit, begun))
        finally:
            _end(server, before)
    return figure


def _check(
    server: "subprocess.Popen[bytes]", argv: Sequence[str], limit: float, begun: float
) -> None:
    """Raise where there is no use in waiting for the load any more."""
    if server.poll() is not None:
        raise AbutError(
            f"{argv[0]}: ended while it was measured, with {server.returncode}",
            fix="start the server in the foreground, on a port that is free",
        )
    if time.monotonic() - begun > limit:
        raise TakesTooLongError(limit)


def _figure_of(command: Sequence[str], check: Callable[[], None]) -> float:
    """What the command prints last; `check` is called while it runs, and when it has ended."""
    with subprocess.Popen(
        [str(find_program(command[0])), *command[1:]],
        env=untouched_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as load:
        said = None
        try:
            while said is None:
                with suppress(subprocess.TimeoutExpired):
                    said = load.communicate(timeout=_CHECKED_S)
                check()
        except BaseException:
            load.kill()
            raise
    figure = _last_figure(command, said[0])
    if load.returncode != 0 or not 0 < figure < math.inf:
        shown = "".join(said).strip()[-_SHOWN:]
        raise AbutError(
            f"--measure {command[0]}: exits with {load.returncode}, and prints no finite figure"
            f" above 0 at last: {shown}",
            fix="print the figure last, and wait for the server first",
        )
    return figure


def _last_figure(command: Sequence[str], text: str) -> float:
    """The last word with a digit, which must be a number as a whole; 0 where there is none."""
    lines = [[word.strip(_AROUND) for word in line.split()] for line in text.splitlines()]
    found = [(words, at) for words in lines for at, word in enumerate(words) if _is_figure(word)]
    if not found:
        return 0.0
    words, at = found[-1]
    word, two = words[at], " ".join(words[max(0, at - 1) : at + 1])
    if _GROUPS.fullmatch(two):
        raise _no_number(command, f"'{two}' may be one number, or two")
    if not _NUMBER.fullmatch(word):
        raise _no_number(command, f"'{word}' is no number as a whole")
    return float(word.replace(",", ""))


def _is_figure(word: str) -> bool:
    return bool(re.search(r"\d", word) or _NO_FINITE.fullmatch(word))


def _no_number(command: Sequence[str], why: str) -> AbutError:
    return AbutError(
        f"--measure {command[0]}: {why}", fix="print the figure alone on the last line"
    )


def _end(server: "subprocess.Popen[bytes]", before: frozenset[int]) -> None:
    """End the server's processes: those of its session at first, then whatever came to us."""
    try:
        deadline = time.monotonic() + _GRACE_S
        is_there = _signal(server, signal.SIGTERM)
        while is_there and time.monotonic() < deadline:
            time.sleep(_POLL_S)
            server.poll()
            reap_orphans(before | {server.pid})
            is_there = _signal(server, 0)
    finally:
        _signal(server, signal.SIGKILL)
        server.wait()
        end_children(before)


def _signal(server: "subprocess.Popen[bytes]", number: int) -> bool:
    """Whether any process of the server's session is there to get the signal."""
    try:
        os.killpg(server.pid, number)
    except ProcessLookupError:
        return False
    return True
