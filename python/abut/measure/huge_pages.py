"""What part of a program's memory lies in pages of 2 MiB: only the kernel knows."""

import contextlib
import re
import subprocess
import time
from pathlib import Path

from abut.measure.spawn import Launch

_FIELD = re.compile(r"^(Anonymous|AnonHugePages): +(\d+) kB$", re.MULTILINE)
_LOOK_S = 0.02


def huge_page_share(launch: Launch) -> float:
    """Run the program. Of its anonymous memory, when it has most of that: the part, from 0 to 1,
    that lies in pages of 2 MiB. It is looked at every 20 ms; 0 of a program that ends before.
    """
    most, huge = 0, 0
    more = {"LD_PRELOAD": launch.preload} if launch.preload else {}
    with (
        launch.stdin.open("rb") as stdin,
        launch.stdout.open("wb") as stdout,
        launch.stderr.open("wb") as stderr,
        subprocess.Popen(
            launch.argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={**launch.environment, **more},
            cwd=launch.folder,
        ) as program,
    ):
        while program.poll() is None:
            anonymous, in_huge = _kibibytes(program.pid)
            if anonymous >= most:
                most, huge = anonymous, in_huge
            time.sleep(_LOOK_S)
    return huge / most if most else 0.0


def _kibibytes(pid: int) -> tuple[int, int]:
    """Anonymous memory of a process, and what of it lies in pages of 2 MiB; zeros once it ended."""
    fields: dict[str, int] = {}
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        fields = {name: int(kibibytes) for name, kibibytes in _FIELD.findall(text)}
    return fields.get("Anonymous", 0), fields.get("AnonHugePages", 0)
