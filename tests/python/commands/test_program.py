"""Programs are found as a shell finds them, and checked for whether a preload can reach them."""

import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.program import find_program, preload_obstacle

INTERP, LOAD = 3, 1


@pytest.fixture
def plain() -> Iterator[Path]:
    """A folder that a `#!` line can name: the kernel ends a name at a space."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def elf(loader: bytes | None, *, bits: int = 64) -> bytes:
    """The least of an ELF file: its head, one program header, the loader's name."""
    name, kind = (loader or b"") + b"\0", INTERP if loader else LOAD
    head = b"\x7fELF" + bytes([bits // 32, 1, 1]) + bytes(9)
    if bits == 32:
        head += struct.pack("<HHIIIIIHHHHHH", 3, 3, 1, 0, 52, 0, 0, 52, 32, 1, 0, 0, 0)
        return head + struct.pack("<IIIIIIII", kind, 84, 0, 0, len(name), len(name), 4, 1) + name
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return head + struct.pack("<IIQQQQQQ", kind, 4, 120, 0, 0, len(name), len(name), 1) + name


@pytest.mark.parametrize(
    ("content", "obstacle"),
    [
        (elf(b"/lib64/ld-linux-x86-64.so.2"), None),
        (elf(None), "statically linked"),
        (elf(b"/lib/ld-musl-x86_64.so.1"), "built for musl"),
        (elf(b"/lib/ld-linux.so.2", bits=32), "32-bit"),
        (b"echo no interpreter line\n", None),
        (b"", None),
        (elf(b"/lib/ld-musl-x86_64.so.1")[:100], None),  # cut short
    ],
)
def test_elf_files_are_judged_by_their_loader(
    tmp_path: Path, content: bytes, obstacle: str | None
) -> None:
    program = tmp_path / "program"
    program.write_bytes(content)
    found = preload_obstacle(program)
    assert (obstacle is None) == (found is None)
    assert obstacle is None or obstacle in str(found)


@pytest.mark.parametrize(
    "line", ["#!{}", "#! {} -x", "#!/usr/bin/env {}", "#!/usr/bin/env -S {} -x"]
)
def test_scripts_are_judged_by_their_interpreter(plain: Path, line: str) -> None:
    static = plain / "static"
    static.write_bytes(elf(None))
    static.chmod(0o755)
    script, wrapper = plain / "script", plain / "wrapper"
    script.write_text(line.format(static) + "\n")
    wrapper.write_text(f"#!{script}\n")
    assert f"{static} is statically linked" in str(preload_obstacle(script))
    assert f"{static} is statically linked" in str(preload_obstacle(wrapper))


def test_a_circle_of_interpreters_ends(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!{script}\n")
    assert preload_obstacle(script) is None


def test_privileged_program_is_an_obstacle_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_bytes(elf(b"/lib64/ld-linux-x86-64.so.2"))
    program.chmod(0o4755)
    assert preload_obstacle(program) is None
    monkeypatch.setattr(os, "geteuid", lambda: program.stat().st_uid + 1)
    assert "set-user-ID" in str(preload_obstacle(program))


def test_real_programs_have_no_obstacle() -> None:
    assert preload_obstacle(find_program("sh")) is None
    assert preload_obstacle(find_program("python3")) is None


@pytest.mark.parametrize(
    ("make", "code", "reason"),
    [
        (lambda path: None, 127, "no such file"),
        (lambda path: path.mkdir(), 126, "folder"),
        (lambda path: path.touch(), 126, "not executable"),
        (lambda path: path.symlink_to("nowhere"), 127, "link leads nowhere"),
    ],
)
def test_why_a_program_cannot_run_is_said(
    tmp_path: Path, make: object, code: int, reason: str
) -> None:
    path = tmp_path / "thing"
    assert callable(make)
    make(path)
    with pytest.raises(AbutError) as caught:
        find_program(str(path))
    assert caught.value.exit_code == code
    assert reason in caught.value.problem
