"""A server is measured by itself, and ended with all that it has started."""

import os
import sys
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.measure.server import measure_server
from abut.measure.spawn import Launch, TakesTooLongError

# Whom the load has reached says who it is; it waits until somebody does.
SERVER = """
import os, socket, sys
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1])
    listener.listen()
    while True:
        listener.accept()[0].sendall(str(os.getpid()).encode())
"""
LOAD = """
import socket, sys, time
with socket.socket(socket.AF_UNIX) as server:
    while server.connect_ex(sys.argv[1]):
        time.sleep(0.01)
    print("answered by", server.recv(99).decode())
"""
PYTHON = (sys.executable, "-I", "-S", "-c")


def launch(folder: Path, *argv: str) -> Launch:
    return Launch(argv, dict(os.environ), folder, folder / "out", folder / "err")


def test_what_a_script_starts_is_ended_with_it(tmp_path: Path) -> None:
    script = 'setsid sleep 300 & echo $! >away; "$@"; true'
    server = launch(tmp_path, "sh", "-c", script, "sh", *PYTHON, SERVER, "socket")
    pid = measure_server(server, [*PYTHON, LOAD, str(tmp_path / "socket")])
    for one in (int(pid), int((tmp_path / "away").read_text())):
        assert not Path(f"/proc/{one}").exists()


def test_a_server_that_ends_is_waited_for_no_longer(tmp_path: Path) -> None:
    with pytest.raises(AbutError, match="false: ended while it was measured, with 1"):
        measure_server(launch(tmp_path, "false"), ["sleep", "300"])


def test_a_load_ends_when_its_time_is_over(tmp_path: Path) -> None:
    with pytest.raises(TakesTooLongError, match="takes too long: more than 1 s"):
        measure_server(launch(tmp_path, "sleep", "300"), ["sh", "-c", "sleep 300; echo 1"], 0.6)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ("p99 3.5\nrate: 12,345.6 req/s", 12345.6),
        ("1_234_567", 1234567),
        ("1e3 (mean)", 1000),
        ('{"rate": 7}', 7),
        (".5", 0.5),
        ("clients: 50\n765", 765),
    ],
)
def test_the_figure_is_the_last_word_with_a_digit(tmp_path: Path, said: str, figure: float) -> None:
    assert measure_server(launch(tmp_path, "sleep", "60"), ["echo", said]) == figure


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("7\nrate: nan", "no finite figure"),
        ("1.5k", "'1.5k' is no number as a whole"),
        ("p50=0.2", "'p50=0.2' is no number"),
        ("12,34", "'12,34' is no number"),
        ("1_2", "'1_2' is no number"),
        ("98 765", "'98 765' may be one number, or two"),
    ],
)
def test_what_may_be_misread_is_refused(tmp_path: Path, said: str, problem: str) -> None:
    with pytest.raises(AbutError, match=problem):
        measure_server(launch(tmp_path, "sleep", "60"), ["echo", said])
