"""CPython's own tests, module by module, under the system's Python.

PYTHONMALLOC has every block come from malloc.
"""

import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from fnmatch import fnmatchcase
from pathlib import Path

from . import children, debian
from .model import NotRunError, Outcome, Prepared, Suite, Test

_LIST = Path(__file__).with_name("cpython.toml")
_PYTHON = "/usr/bin/python3"
_TIMEOUT = 900.0


def cases(report: Path) -> dict[str, str]:
    """What each test case of a module came to: passed, skipped, failure or error."""
    if not report.is_file():
        return {}
    found = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        outcome = next((child.tag for child in case if child.tag in _NOT_PASSED), "passed")
        found[case.get("name", "")] = _NOT_PASSED.get(outcome, outcome)
    return found


_NOT_PASSED = {"error": "error", "failure": "failure", "skipped": "skipped"}


def outcome(done: children.Done, found: dict[str, str]) -> Outcome:
    """The module's status; compared case by case, and with the cases that did not pass in words."""
    status = done.status
    if status == "passed" and "All 1 tests skipped" in done.out + done.err:
        status = "skipped"
    worse = sorted(name for name, came_to in found.items() if came_to in {"error", "failure"})
    listed = "\n".join(f"{name}: {came_to}" for name, came_to in sorted(found.items()))
    words = f"failing: {', '.join(worse)}\n" if worse else ""
    return Outcome(status, listed, words + children.last_words(done))


def _test(module: str, python: Path, ignored: list[str]) -> Test:
    def run(library: Path | None) -> Outcome:
        with children.scratch() as home:
            report = home / "report.xml"
            around = children.environment(home, library, PYTHONMALLOC="malloc")
            argv = [str(python), "-m", "test", "--junit-xml", str(report), *ignored, module]
            done = children.run(argv, home, around, _TIMEOUT)
            return outcome(done, cases(report))

    return Test(module, run)


def _python_name() -> str:
    """The name of the system's Python's package, python3.11."""
    real = Path(shutil.which(_PYTHON) or "/").resolve()
    if not real.name.startswith("python3."):
        raise NotRunError(f"{_PYTHON} is not installed")
    return real.name


def _environment(package: Path) -> Path:
    """A virtual environment whose Python finds the test package, isolated processes of it, too."""
    folder = children.BUILD / "cpython"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([_PYTHON, "-m", "venv", "--without-pip", str(folder)], check=True)
    links = folder / "links"
    links.mkdir()
    (links / "test").symlink_to(package)
    (site,) = folder.glob("lib/python3*/site-packages")
    (site / "tests.pth").write_text(f"import sys; sys.path.insert(0, {str(links)!r})\n")
    return folder / "bin" / "python"


def prepare() -> Prepared:
    tree, version = debian.source_of(_python_name())
    package = tree / "Lib" / "test"
    python = _environment(package)
    listed = tomllib.loads(_LIST.read_text())
    ignored = [f"--ignore={pattern}" for pattern in listed["ignored"]]
    modules = sorted({path.stem for path in package.glob("test_*") if _is_module(path)})
    left_out = {
        name: why
        for name in modules
        for pattern, why in listed["left_out"].items()
        if fnmatchcase(name, pattern)
    }
    tests = [_test(name, python, ignored) for name in modules if name not in left_out]
    return Prepared(tests, left_out, f"tests of {version}")


def _is_module(path: Path) -> bool:
    return path.suffix == ".py" or (path / "__init__.py").is_file()


SUITE = Suite("cpython", prepare)
