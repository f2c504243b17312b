"""`abut run` puts a heap under a program and changes nothing else."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from abut import preloading
from abut.errors import AbutError
from abut.heaps import Heap
from abut.library import library_path
from abut.preloading import preloadable
from conftest import Abut, abut_environment


@pytest.mark.parametrize("code", [0, 7, 200])
def test_exit_code_passes_through(abut: Abut, peer: Heap, code: int) -> None:
    assert abut("run", "--heap", peer.name, "--", "sh", "-c", f"exit {code}").returncode == code


def test_death_by_signal_passes_through(abut: Abut, peer: Heap) -> None:
    done = abut("run", "--heap", peer.name, "--", "sh", "-c", "kill -TERM $$")
    assert done.returncode == -signal.SIGTERM


def test_standard_streams_pass_through(abut: Abut, peer: Heap) -> None:
    done = abut("run", "--heap", peer.name, "--", "sh", "-c", "cat; echo no >&2", stdin="in\n\0out")
    assert (done.stdout, done.stderr) == ("in\n\0out", "no\n")


def test_arguments_pass_through_byte_for_byte(abut: Abut, peer: Heap) -> None:
    odd: list[str | bytes] = ["", "a b", "--heap", "--help", "--", "*", "ü", b"\xff\xfe"]
    done = abut("run", "--heap", peer.name, "--", "printf", "%s|", *odd)
    assert done.stdout == "|a b|--heap|--help|--|*|ü|\udcff\udcfe|"


def test_program_may_follow_without_dashes(abut: Abut, peer: Heap) -> None:
    done = abut("run", "--heap", peer.name, "printf", "%s|", "--", "--stats")
    assert done.stdout == "--|--stats|"


def test_program_takes_the_place_of_abut(peer: Heap) -> None:
    command = [sys.executable, "-m", "abut", "run", "--heap", peer.name]
    with subprocess.Popen(
        [*command, "--", "sh", "-c", "echo $$"], stdout=subprocess.PIPE, env=abut_environment()
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.read()) == process.pid


def test_heap_is_preloaded_into_the_program_and_its_children(abut: Abut, peer: Heap) -> None:
    assert peer.library is not None
    done = abut(
        "run", "--heap", peer.name, "--", "sh", "-c", "cat /proc/$$/maps; cat /proc/self/maps"
    )
    both = done.stdout.split("[stack]")[:2]
    assert all(peer.library.name in maps for maps in both)


def test_what_is_preloaded_already_stays(abut: Abut, peer: Heap) -> None:
    show = ("--", "sh", "-c", "echo $LD_PRELOAD")
    done = abut("run", "--heap", peer.name, *show, LD_PRELOAD="libm.so.6:libdl.so.2")
    assert done.stdout == f"{peer.library}:libm.so.6:libdl.so.2\n"
    done = abut("run", "--heap", "glibc", *show, LD_PRELOAD="libm.so.6")
    assert done.stdout == "libm.so.6\n"


@pytest.mark.parametrize("name", ["a folder", "a:folder"])
def test_a_library_may_lie_where_the_loader_would_split_its_path(
    name: str, abut: Abut, library: Path, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    link = tmp_path / name / "libabut.so"
    link.symlink_to(library)
    for _ in range(2):
        done = abut(
            "run", "--", "sh", "-c", "grep -c libabut /proc/$$/maps", ABUT_LIBRARY=str(link)
        )
        assert (int(done.stdout) > 0, done.stderr) == (True, "")
    shown = Path(abut("lib", ABUT_LIBRARY=str(link)).stdout.rstrip("\n"))
    assert (set(" :") & set(str(shown)), shown.samefile(library)) == (set(), True)


def test_a_folder_of_somebody_elses_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(preloading, "_PARENTS", ())
    folder = tmp_path / f"abut-{os.geteuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(AbutError, match="splits LD_PRELOAD"):
        preloadable(Path("/a b/c.so"))
    folder.chmod(0o755)
    if " " not in str(folder):
        assert preloadable(Path("/a b/c.so")).readlink() == Path("/a b/c.so")


def test_glibc_needs_no_preload(abut: Abut) -> None:
    done = abut("run", "--heap", "glibc", "--", "sh", "-c", "echo ${LD_PRELOAD-unset}")
    assert done.stdout == "unset\n"


def test_environment_is_otherwise_as_the_caller_left_it(peer: Heap, tmp_path: Path) -> None:
    # In the C locale Python would add LC_CTYPE.
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": abut_environment()["PYTHONPATH"], "A": "b"}
    done = subprocess.run(
        [sys.executable, "-m", "abut", "run", "--heap", peer.name, "--", "/usr/bin/env"],
        env=given, capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    shown = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert shown == {**given, "LD_PRELOAD": str(peer.library)}


def test_program_starts_with_default_signals(abut: Abut, peer: Heap) -> None:
    done = abut("run", "--heap", peer.name, "--", "grep", "SigIgn", "/proc/self/status")
    mask = int(done.stdout.split()[1], 16)
    assert not mask & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)


def test_missing_program_exits_with_127(abut: Abut, peer: Heap) -> None:
    done = abut("run", "--heap", peer.name, "--", "no-such-program")
    assert done.returncode == 127
    assert "no-such-program: not found in PATH" in done.stderr


def test_file_that_is_no_program_exits_with_126(abut: Abut, peer: Heap, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("hello")
    done = abut("run", "--heap", peer.name, "--", "./data")
    assert done.returncode == 126
    assert "not executable" in done.stderr
    assert "chmod +x" in done.stderr


def test_script_without_interpreter_line_is_the_shells(
    abut: Abut, peer: Heap, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$# $1"\n')
    script.chmod(0o755)
    assert abut("run", "--heap", peer.name, "--", "./script", "x").stdout == "1 x\n"


def test_program_that_takes_no_preload_is_run_with_a_warning(
    abut: Abut, peer: Heap, tmp_path: Path
) -> None:
    static = tmp_path / "static"
    source = "int main(void) { return 4; }"
    subprocess.run(
        ["gcc", "-static", "-x", "c", "-", "-o", str(static)], input=source, text=True, check=True
    )
    done = abut("run", "--heap", peer.name, "--", "./static")
    assert done.returncode == 4
    assert "no effect" in done.stderr
    assert "statically linked" in done.stderr


@pytest.mark.parametrize(
    ("words", "refused"),
    [("--option decay_ms=1", "--option"), ("--explain --json explained", "--explain, --json")],
)
def test_options_of_abut_are_refused_for_another_heap(abut: Abut, words: str, refused: str) -> None:
    done = abut("run", "--heap", "glibc", *words.split(), "--", "true")
    assert done.returncode == 2
    assert f"{refused}: without effect under glibc" in done.stderr


def test_missing_library_is_an_error_that_says_how_to_build_it(abut: Abut) -> None:
    done = abut("run", "--", "true", ABUT_LIBRARY="/nowhere/libabut.so")
    assert done.returncode == 125
    assert "/nowhere/libabut.so" in done.stderr
    assert "tools/build.sh" in done.stderr


def test_runs_under_abut(abut: Abut, library: Path) -> None:
    done = abut("run", "--", "grep", "-c", str(library), "/proc/self/maps")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_short_program_does_not_use_the_decoder(abut: Abut) -> None:
    """Zydis is mapped at start, where files can be opened, and none of it read or written."""
    done = abut("run", "--", "cat", "/proc/self/smaps")
    mappings = done.stdout.split("VmFlags:")
    resident = [re.findall(r"^Rss: +(\d+)", one, re.M) for one in mappings if "/libZydis" in one]
    if not resident:
        pytest.skip("Zydis 4 is not installed")
    assert {int(size) for (size,) in resident} == {0}


def test_options_become_variables(abut: Abut, library: Path) -> None:
    done = abut("run", "--option", "decay_ms=7", "--", "sh", "-c", "echo $ABUT_DECAY_MS")
    assert done.stdout == "7\n"


def test_bad_options_are_refused_before_the_program_runs(abut: Abut, library: Path) -> None:
    for bad in ("decay_ms", "decay_ms=soon", "decay_ms=-1", "no_such=1"):
        done = abut("run", "--option", bad, "--", "echo", "ran")
        assert done.returncode == 2, bad
        assert done.stdout == ""


def test_stats_are_written_where_the_caller_stood(
    abut: Abut, library: Path, tmp_path: Path
) -> None:
    done = abut("run", "--stats", "heap.json", "--", "sh", "-c", "cd /; exec /bin/ls")
    assert done.returncode == 0
    assert (tmp_path / "heap.json").read_text().startswith("{")


def test_what_was_grouped_is_explained_in_words_and_as_json(abut: Abut, tmp_path: Path) -> None:
    file = tmp_path / "explained.json"
    script = "my %h; $h{$_} = [$_] for 1..5000"
    options = ["--option", "place=pools", "--explain", "--json", str(file)]
    done = abut("run", *options, "--", "/usr/bin/perl", "-e", script)
    assert done.returncode == 0, done.stderr
    assert ": pool 1" in done.stderr
    explained = json.loads(file.read_text())
    assert explained["schema"] == 1
    assert isinstance(explained["friends"], list)
    pooled = [group for group in explained["groups"] if group["state"] == "pooled"]
    assert pooled
    assert all(group["objects"] >= 100 for group in pooled if group["root"] == group["id"])


has_huge_pages = pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage").is_dir(), reason="this kernel has no huge pages"
)


def mappings_with(flag: str, abut: Abut, thp: str, program: str = "") -> int:
    """How many mappings have that flag at the end of a Python program."""
    count = f"print(sum(' {flag}' in line for line in open('/proc/self/smaps') if line[0] == 'V'))"
    python = ("env", "PYTHONMALLOC=malloc", sys.executable, "-S", "-c", f"{program}\n{count}")
    return int(abut("run", "--option", f"thp={thp}", "--", *python).stdout)


@has_huge_pages
@pytest.mark.parametrize(("choice", "flag"), [("always", "hg"), ("never", "nh")])
def test_huge_pages_are_asked_for_and_refused(abut: Abut, choice: str, flag: str) -> None:
    assert mappings_with(flag, abut, choice) > mappings_with(flag, abut, "system")


@has_huge_pages
def test_a_large_heap_asks_for_huge_pages(abut: Abut) -> None:
    large = "kept = [bytes(100) for _ in range(800_000)]"
    asked = mappings_with("hg", abut, "default", large)
    assert asked > mappings_with("hg", abut, "default")
    assert asked > mappings_with("hg", abut, "system", large)


def test_an_explanation_is_json_however_long_names_are(tmp_path: Path) -> None:
    name = "a" * 850
    source = tmp_path / "long.c"
    source.write_text(
        "#include <stdlib.h>\n"
        "struct n { struct n *next; long v[4]; } *t[500];\n"
        f"__attribute__((noinline)) void {name}(int i)"
        " { struct n *n = malloc(40); n->next = t[i]; t[i] = n; }\n"
        f"int main(void) {{ for (int i = 0; i < 300000; ++i) {name}(i % 500); }}\n"
    )
    program, explained = tmp_path / 'with "quotes"\n', tmp_path / "explained.json"
    subprocess.run(["cc", "-O2", "-rdynamic", str(source), "-o", str(program)], check=True)
    variables = abut_environment() | {"LD_PRELOAD": str(library_path())}
    variables |= {"ABUT_EXPLAIN_FILE": str(explained), "ABUT_PLACE": "pools"}
    subprocess.run([program], env=variables, check=True)
    group = json.loads(explained.read_text())["groups"][0]
    assert group["site"].startswith(f"{program.name}+0x")
