"""Runs a child, with all that it starts, in a temporary folder and for a limited time."""

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "peers"
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_MARK = "ABUT_PEERS_RUN"
_RUNNER = uuid.uuid4().hex
_KEPT = 4000


@dataclass(frozen=True)
class Done:
    """How a child ended. `status` is passed, exit N, signal NAME or timeout."""

    status: str
    out: str
    err: str


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder with a short path, since sockets lie in it; it goes away with the block."""
    folder = Path(tempfile.mkdtemp(prefix="peers-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(home: Path, library: Path | None, **more: str) -> dict[str, str]:
    """The same for both heaps, but for the library."""
    variables = {
        "PATH": SEARCH_PATH,
        "HOME": str(home),
        "TMPDIR": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        **more,
    }
    if library is not None:
        before = variables.get("LD_PRELOAD")
        variables["LD_PRELOAD"] = f"{before}:{library}" if before else str(library)
    return variables


def run(argv: Sequence[str], folder: Path, variables: Mapping[str, str], timeout: float) -> Done:
    """Runs a program in `folder`, and ends whatever it leaves running."""
    mark = f"{_RUNNER}-{uuid.uuid4().hex}"
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            argv,
            cwd=folder,
            env={**variables, _MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            status = _status(child.wait(timeout))
        except subprocess.TimeoutExpired:
            status = "timeout"
        finally:
            _end(child, mark)
        return Done(status, _text(out), _text(err))


def last_words(done: Done) -> str:
    return (done.err + done.out)[-_KEPT:].strip()


def check_preload(library: Path) -> None:
    """The dynamic linker skips a library that it cannot load: then both runs would be the same."""
    with scratch() as home:
        done = run(["/bin/cat", "/proc/self/maps"], home, environment(home, library), 30)
    if str(library.resolve()) not in done.out:
        raise SystemExit(f"{library} cannot be preloaded: {done.err.strip() or 'no reason'}")


def _status(code: int) -> str:
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    return "passed" if code == 0 else f"exit {code}"


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="backslashreplace")


def _end(child: subprocess.Popen[bytes], mark: str) -> None:
    """Ends the child's group, and those that left it: servers, and what a test put in sessions."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    _end_marked(mark)


def end_all() -> None:
    """Ends all that this process has run and that is left."""
    _end_marked(_RUNNER)


def _end_marked(mark: str) -> None:
    wanted = f"{_MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(part.startswith(wanted) for part in _variables(folder)):
                os.kill(int(folder.name), signal.SIGKILL)


def _variables(process: Path) -> list[bytes]:
    return (process / "environ").read_bytes().split(b"\0")
