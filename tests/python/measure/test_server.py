"""A server is measured by itself, and ended with all that it has started."""

import os
import sys
from pathlib import Path

from abut.measure.server import measure_server
from abut.measure.spawn import Launch

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
