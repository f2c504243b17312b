"""`abut run --check` finds uses of memory that is not the program's, and says whose it was."""

import json
import os
import re
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path

import pytest

from abut.checking import CHECKS, checked_heap
from abut.heaps import preload, require_heap
from abut.library import library_path
from abut.preloading import preloadable
from conftest import ROOT, Abut

_SOURCE = ROOT / "tests" / "security" / "strays.cpp"
_WAYS = (
    *("malloc", "calloc", "realloc", "shrinking", "aligned_alloc", "posix_memalign"),
    *("new", "new_array", "new_aligned"),
)
_SIZES = (1, 24, 100, 5000, 100_000, 3 << 20)
_ENDS = (-signal.SIGABRT, -signal.SIGSEGV)
_BEYOND = r"written past the end|access\(0x\w+\): past the end"
_FAULTS = {
    "beyond_1": ("tail", _BEYOND),
    "beyond_16": ("tail", _BEYOND),
    "beyond_4096": ("tail", _BEYOND),
    "before_1": ("tail", "written before the begin"),
    "never_freed": ("tail", _BEYOND),
    "twice": ("quarantine", "freed twice"),
    "asked": ("quarantine", r"malloc_usable_size\(0x\w+\): used after it was freed"),
    "written": ("quarantine", "written after it was freed|used after it was freed"),
}


@cache
def _program() -> Path:
    target: Path = ROOT / "build" / "strays"
    if not target.is_file() or target.stat().st_mtime < _SOURCE.stat().st_mtime:
        target.parent.mkdir(exist_ok=True)
        made = target.with_suffix(f".{os.getpid()}")
        options = ["-g", "-O0", "-fno-builtin", "-pthread", "-std=c++17", "-w"]
        subprocess.run(["c++", *options, str(_SOURCE), "-o", str(made)], check=True)
        made.replace(target)
    return target


def _run(checks: str, *command: str) -> subprocess.CompletedProcess[str]:
    heap = checked_heap(require_heap("abut"), checks)
    variables = {**os.environ, **heap.environment, "LD_PRELOAD": preload(heap, "")}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def _strays(checks: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return _run(checks, str(_program()), *map(str, arguments))


@pytest.mark.parametrize("how", _WAYS)
def test_a_program_without_a_fault_is_left_alone(how: str) -> None:
    for size in (1, 5000, 3 << 20):
        done = _strays("tail,quarantine", how, "none", size)
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", ""), size


_ONE_EACH = list(zip(_WAYS, (*_FAULTS, "beyond_1"), strict=True))


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        pytest.param(how, fault, marks=[] if (how, fault) in _ONE_EACH else pytest.mark.long)
        for how in _WAYS
        for fault in _FAULTS
    ],
)
def test_a_fault_is_found_and_its_block_named(how: str, fault: str) -> None:
    checks, words = _FAULTS[fault]
    for size in _SIZES if (how, fault) not in _ONE_EACH else (24, 100_000):
        done = _strays(checks, how, fault, size)
        assert done.returncode in _ENDS, size
        assert re.match(rf"abut: .*({words}).* a block of {size} bytes", done.stderr), done.stderr
        allocated = done.stderr.partition("  allocated by:\n")[2].partition("\n  ")[0]
        assert re.search(r"\(.*/strays\+0x\w+\)", allocated), done.stderr


@pytest.mark.skipif(not shutil.which("addr2line"), reason="needs binutils")
def test_a_block_is_named_by_function_file_and_line() -> None:
    done = _strays("tail,quarantine", "calloc", "twice", 24)
    line = next(n for n, s in enumerate(_SOURCE.read_text().splitlines(), 1) if "calloc(1" in s)
    assert re.search(rf"by_calloc\S* at .*strays\.cpp:{line}\b", done.stderr), done.stderr
    for title in ("freed by", "freed again by"):
        assert re.search(rf"{title}:\n    \S.*by_free", done.stderr), done.stderr


@pytest.mark.skipif(not shutil.which("addr2line"), reason="needs binutils")
def test_lines_are_there_for_long_names_and_where_streams_are_closed() -> None:
    command = 'exec "$0" template beyond_1 24 <&- >&-'
    done = _run("tail", "sh", "-c", command, str(_program()))
    assert re.search(r"by_template<.*\.\.\..* at .*strays\.cpp:\d+ \(.*/strays\+", done.stderr)


@pytest.mark.parametrize("fault", ["beyond_1", "twice", "written", "never_freed"])
@pytest.mark.parametrize("size", [24, 100_000])
def test_faults_of_threads_are_found(fault: str, size: int) -> None:
    done = _strays("tail,quarantine", "malloc", fault, size, "thread")
    assert done.returncode in _ENDS
    assert f"a block of {size} bytes" in done.stderr


def test_memory_read_after_it_was_freed_is_no_longer_what_it_was() -> None:
    assert _strays("quarantine", "malloc", "read", 1000).stdout == "df\nend\n"
    for size in (100_000, 100 << 20):
        done = _strays("quarantine", "malloc", "read", size)
        assert done.returncode == -signal.SIGSEGV
        assert f"used after it was freed, a block of {size} bytes" in done.stderr
        assert "accessed by" in done.stderr


def test_who_frees_what_is_no_block_is_named() -> None:
    done = _strays("tail", "malloc", "foreign", 24)
    assert done.returncode == -signal.SIGABRT
    assert re.search(r"not a block of this heap.*\n  called by:\n.*/strays\+0x", done.stderr)


def test_a_page_that_the_program_has_closed_is_its_own() -> None:
    done = _strays("tail", "malloc", "closed", 100_000)
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_a_thread_that_waits_for_input_does_not_keep_a_fault_at_exit_back() -> None:
    done = _strays("tail", "malloc", "waiting", 24)
    assert (done.returncode, done.stdout) == (-signal.SIGABRT, "end\n")
    assert "exit(0x" in done.stderr


def test_many_large_blocks_leave_mappings_for_threads() -> None:
    done = _strays("tail", "malloc", "crowded", 40_000)
    assert done.returncode == -signal.SIGABRT
    assert "written past the end, a block of 40000 bytes" in done.stderr


def test_a_held_block_is_looked_at_when_others_push_it_out() -> None:
    done = _strays("quarantine", "malloc", "left", 1000)
    assert done.returncode == -signal.SIGABRT
    assert "free(0x" in done.stderr
    assert "written after it was freed" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("posix_memalign", "many", 100), id="held, with what is around it"),
        pytest.param(("calloc", "untouched", 1 << 30), id="zeroes that are not touched"),
    ],
)
def test_memory_is_bounded(arguments: tuple[object, ...]) -> None:
    done = _strays("tail,quarantine", *arguments)
    assert int(done.stdout.split()[0]) < 100_000


def test_one_check_does_not_do_what_the_other_does() -> None:
    assert _strays("quarantine", "malloc", "beyond_1", 24).returncode == 0
    assert _strays("tail", "malloc", "written", 100_000).returncode == 0


_REAL = {
    "xmllint": ["xmllint", "--format", "{xml}"],
    "sqlite3": [
        *("sqlite3", ":memory:"),
        "create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c "
        "where x < 5000) insert into t select x, hex(x * x) from c; create index i on t(b); "
        "select sum(a), max(b), group_concat(a) from t;",
    ],
    "python3": [
        *("python3", "-c"),
        "import json, re; d = [{'n': str(i), 'l': list(range(i % 50))} for i in range(3000)]; "
        "print(json.dumps(json.loads(json.dumps(d)))[::7])",
    ],
    "perl": ["perl", "-e", 'my %h; $h{$_} = "x" x ($_ % 97) for 1..20000; print sort values %h'],
}


@pytest.mark.parametrize("name", _REAL)
@pytest.mark.parametrize(
    "checks",
    [*(pytest.param(one, marks=pytest.mark.long) for one in CHECKS), "tail,quarantine"],
)
def test_real_programs_say_the_same(name: str, checks: str, tmp_path: Path) -> None:
    if not shutil.which(name):
        pytest.skip(f"needs {name}")
    xml = tmp_path / "a.xml"
    xml.write_text("<r>" + "".join(f'<a i="{i}">t<b/></a>' for i in range(5000)) + "</r>")
    command = [part.replace("{xml}", str(xml)) for part in _REAL[name]]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    done = _run(checks, *command)
    assert (done.returncode, done.stderr) == (0, plain.stderr)
    assert done.stdout == plain.stdout


def test_run_takes_the_library_that_checks(abut: Abut, tmp_path: Path) -> None:
    done = abut("run", "--check", "tail", "--", str(_program()), "malloc", "beyond_1", "24")
    assert done.returncode == -signal.SIGABRT
    assert "written past the end" in done.stderr
    stats = tmp_path / "stats.json"
    command = ["--stats", str(stats), "--", str(_program()), "malloc", "none", "24"]
    assert abut("run", "--check", "quarantine", *command).returncode == 0
    assert json.loads(stats.read_text())["peak"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--check tial", "choose of tail, quarantine, or both"),
        ("--check tail --heap glibc", "leave --heap out"),
        ("--check=", "choose of"),
        (
            "--check tail --explain",
            "leave out --plan, --profile, --explain, --json and the option place",
        ),
        ("--check tail -o place=pools", "and the option place"),
        ("--check tail --heap abut+place=pools", "and the option place"),
    ],
)
def test_what_it_cannot_do_is_refused(abut: Abut, arguments: str, says: str) -> None:
    done = abut("run", *arguments.split(), "--", "true")
    assert done.returncode in {2, 125}
    assert says in " ".join(done.stderr.split())


def test_the_plain_library_says_what_to_type() -> None:
    variables = {**os.environ, "ABUT_CHECK": "tail", "LD_PRELOAD": str(preloadable(library_path()))}
    done = subprocess.run(["true"], env=variables, capture_output=True, text=True, check=True)
    assert done.stderr == (
        "abut: ABUT_CHECK: this library checks nothing; type `abut run --check tail -- PROGRAM`\n"
    )


def test_a_check_that_there_is_not_is_named() -> None:
    heap = checked_heap(require_heap("abut"), "tail")
    variables = {**os.environ, "ABUT_CHECK": "tial", "LD_PRELOAD": preload(heap, "")}
    done = subprocess.run(["true"], env=variables, capture_output=True, text=True, check=True)
    assert done.stderr == "abut: ABUT_CHECK=tial: it is tail, quarantine or tail,quarantine\n"


def test_a_signal_that_was_sent_means_what_it_meant() -> None:
    raised = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV); print('alive')"
    done = _run("tail", "/usr/bin/python3", "-c", raised)
    assert (done.returncode, done.stdout) == (-signal.SIGSEGV, "")
