"""What the tests share: the command line as a user starts it, and the heaps that are there."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from abut.cli import main
from abut.heaps import Heap, MissingHeap, find_heap
from abut.places import library_candidate

if TYPE_CHECKING:
    from follow_help import Planned

# Whoever starts the tests in the background may have had interrupts ignored, and that is inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no fault.
hypothesis.settings.register_profile("abut", deadline=None)
hypothesis.settings.load_profile("abut")

ROOT = Path(__file__).resolve().parents[2]
# What to type where the heap is not built.
BUILD = shlex.join([str(ROOT / "tools" / "build.sh"), "release", "abut"])
Abut = Callable[..., subprocess.CompletedProcess[str]]
Programs = Callable[[str], Path]


def abut_environment(**variables: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return {**inherited, "PYTHONPATH": str(ROOT / "python"), **variables}


@pytest.fixture
def abut(tmp_path: Path) -> Abut:
    """Runs `abut` with the given arguments in a scratch folder."""

    def run(
        *arguments: str | bytes, stdin: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "abut", *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            env=abut_environment(**variables),
            cwd=tmp_path,
            check=False,
            timeout=600,  # of a busy machine
        )

    return run


@dataclass(frozen=True)
class Ended:
    returncode: int
    stdout: str
    stderr: str


Inside = Callable[[str], Ended]


@pytest.fixture
def inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Inside:
    """The command line in this process, which has imported everything: for what runs no program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(words: str) -> Ended:
        monkeypatch.setattr("sys.argv", ["abut", *words.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        return Ended(int(str(ended.value.code or 0)), said.out, said.err)

    return run


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real one, that shows nothing on a screen."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install 'abut[browser]'")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed: apt install chromium")
    with sync_api.sync_playwright() as started:
        options = ["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"]
        launched = started.chromium.launch(executable_path=path, args=options)
        yield launched
        launched.close()


@pytest.fixture
def library() -> Path:
    """The library under test."""
    path = library_candidate()
    if not path.is_file():
        pytest.fail(f"{path} is not built: `cmake --build build/release`, or set ABUT_LIBRARY")
    return path


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Builds the programs of tests/record, each once."""
    from record_help import build

    folder = tmp_path_factory.mktemp("programs")
    return lambda name: folder / name if (folder / name).is_file() else build(name, folder)


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> "Planned":
    """A program, and a plan of a run of it."""
    from follow_help import Planned

    return Planned(tmp_path_factory.mktemp("follow"))


@pytest.fixture
def peer() -> Heap:
    """Any heap that is preloaded and is not ours."""
    for name in ("jemalloc", "mimalloc", "tcmalloc"):
        heap = find_heap(name)
        if not isinstance(heap, MissingHeap):
            return heap
    pytest.skip("no peer is installed: apt install libjemalloc2")
