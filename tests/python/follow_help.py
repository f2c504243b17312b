"""A program that is recorded, and runs that follow its plan."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from abut.tuning.plan import Plan, read_plan
from conftest import ROOT, abut_environment

COUNT = 1000  # objects of each of two contexts


class Planned:
    """A program that was recorded, and its plan."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "objects"
        self.plan_file = folder / "objects.plan"
        source = ROOT / "tests" / "follow" / "objects.c"
        flags = ["-O1", "-g", "-pthread", "-Wl,--build-id"]
        subprocess.run(["gcc", *flags, "-o", str(self.program), str(source)], check=True)
        self.abut("record", "--quiet", "-o", "objects.trace", "--", str(self.program))
        self.abut("place", "-s", "usage-df", "-o", "objects.plan", "objects.trace")

    @property
    def plan(self) -> Plan:
        return read_plan(self.plan_file)

    def abut(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "abut", *arguments],
            capture_output=True,
            text=True,
            env=abut_environment(**variables),
            cwd=self.folder,
            check=False,
            timeout=120,
        )

    def follow(self, mode: str, count: int = COUNT) -> tuple[list[tuple[int, int]], dict[str, Any]]:
        """Where the objects of a run lie, and how it followed the plan."""
        stats = self.folder / "stats.json"
        run = ["run", "--plan", "objects.plan", "--force", "--stats", str(stats), "--"]
        done = self.abut(*run, str(self.program), mode, str(count))
        assert done.returncode == 0, done.stderr
        rows = [line.split() for line in done.stdout.splitlines()]
        places = [
            (0 if one == "(nil)" else int(one, 16), 0 if other == "(nil)" else int(other, 16))
            for one, other in rows
        ]
        return places, json.loads(stats.read_text())["plan"]
