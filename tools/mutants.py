"""Changes one place of the native code at a time, and sees whether a test notices.

    python tools/mutants.py [--count 40] [--seed 1] [--json FILE] [FOLDER...]

The places are a sample: the same seed gives the same ones. They are tried in a copy of the tree, in
build/mutants. A change that no test notices is shown; tests/survivors.toml has reasons for those
that are known to change nothing. Exit status: 0 all were noticed or are known, 1 some were not.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TREE = ROOT / "build" / "mutants"
FOLDERS = ("src/runtime/heap", "src/runtime/placement", "src/workbench/sim", "src/workbench/trace")
# What is built and run for a change below a folder.
_TARGETS = {
    "src/runtime": ("abut", "unit", "unit_threads", "conformance"),
    "src/workbench/sim": ("unit_sim", "abut_native"),
    "src/workbench/trace": ("unit_trace", "abut_native"),
}
_TESTS = {
    "src/runtime": "^(unit|unit_threads|conformance)\\.",
    "src/workbench/sim": "^unit_sim\\.",
    "src/workbench/trace": "^unit_trace\\.",
}
_PYTHON_TESTS = {
    "src/workbench/sim": "tests/python/simulation",
    "src/workbench/trace": "tests/python/trace",
}
# The environment's own finder would lead to the package of the tree that is not changed.
_PYTEST = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]
sys.path.insert(0, "python")
import abut, pytest
assert "mutants" in abut.__file__, abut.__file__
sys.exit(pytest.main(sys.argv[1:]))
"""
_SECONDS = 600
_SURVIVORS = ROOT / "tests" / "survivors.toml"


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the line's number, and how it reads before and after."""

    file: str
    line: int
    before: str
    after: str


def copied_tree() -> None:
    """The tracked files as they are now; what was built of them before is kept."""
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, files.split("\0")):
        source, target = ROOT / name, TREE / name
        if source.is_symlink() or not source.is_file():
            continue
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    if not (TREE / ".venv").exists():
        (TREE / ".venv").symlink_to(ROOT / ".venv")


def drawn(folders: list[str], seed: int) -> Iterator[Mutant]:
    """A sample of what the tool could change, without comments and what is the same again."""
    chance = random.Random(seed)
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.[ch]pp"))
    sizes = [len(path.read_bytes()) for path in files]
    found: set[Mutant] = set()
    while True:
        (file,) = chance.choices(files, sizes)
        mutant = _one_of(file, chance)
        if mutant and mutant not in found:
            found.add(mutant)
            yield mutant


def _one_of(file: Path, chance: random.Random) -> Mutant | None:
    with tempfile.TemporaryDirectory() as folder:
        tool = Path(sys.executable).with_name("mutate")
        command = [str(tool), str(file), "cpp", "--noCheck", "--mutantDir", folder]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        made = sorted(Path(folder).glob("*.mutant.*"))
        if not made:
            return None
        before, after = file.read_text().splitlines(), chance.choice(made).read_text().splitlines()
    pairs = zip(before, after, strict=False)
    line = next((n for n, (old, new) in enumerate(pairs) if old != new), None)
    if line is None or before[line].lstrip().startswith(("//", "#", "static_assert")):
        return None
    changed = after[line] if len(after) == len(before) else ""
    if before[line].strip() == changed.strip():
        return None
    return Mutant(str(file.relative_to(ROOT)), line + 1, before[line], changed)


def tried(mutant: Mutant) -> str:
    """What came of it: noticed, survived, or `cannot be built`."""
    path = TREE / mutant.file
    original = path.read_text()
    lines = original.splitlines(keepends=True)
    lines[mutant.line - 1] = mutant.after + "\n"
    part = next(folder for folder in _TARGETS if mutant.file.startswith(folder))
    path.write_text("".join(lines))
    try:
        return _built_and_tested(part)
    finally:
        path.write_text(original)


def _built_and_tested(part: str) -> str:
    build = ["tools/build.sh", "release", *_TARGETS[part]]
    tests = ["ctest", "--test-dir", "build/release", "--tests-regex", _TESTS[part]]
    tests += ["--label-exclude", "^(long|debug)$", "--stop-on-failure", "--parallel", "2"]
    commands = [tests]
    if part in _PYTHON_TESTS:
        python = [".venv/bin/python", "-c", _PYTEST, "-x", "-m", "not long", _PYTHON_TESTS[part]]
        commands.append(python)
    if subprocess.run(build, cwd=TREE, capture_output=True, check=False).returncode != 0:
        return "cannot be built"
    for command in commands:
        try:
            done = subprocess.run(
                command, cwd=TREE, capture_output=True, check=False, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return "noticed"
        if done.returncode != 0:
            return "noticed"
    return "survived"


def reasons() -> dict[tuple[str, str, str], str]:
    """Changes that are known to change nothing, and why."""
    entries = tomllib.loads(_SURVIVORS.read_text()).get("survivor", [])
    return {(one["file"], one["before"], one["after"]): one["reason"] for one in entries}


def main() -> int:
    """Try a sample."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="of those that can be built")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    given = parser.parse_args()
    copied_tree()
    everything = sorted({target for targets in _TARGETS.values() for target in targets})
    subprocess.run(["tools/build.sh", "release", *everything], cwd=TREE, check=True)
    for part in _TARGETS:
        if (outcome := _built_and_tested(part)) != "survived":
            print(f"mutants.py: {part}: the tests fail as it is: {outcome}", file=sys.stderr)
            return 2
    known, found, built = reasons(), [], 0
    for mutant in drawn(list(given.folders), given.seed):
        if built == given.count:
            break
        outcome = tried(mutant)
        built += outcome != "cannot be built"
        before, after = mutant.before.strip(), mutant.after.strip()
        if outcome == "survived":
            outcome = known.get((mutant.file, before, after), outcome)
        found.append({**asdict(mutant), "outcome": outcome})
        print(f"{outcome}: {mutant.file}:{mutant.line}", flush=True)
        if outcome == "survived":
            print(f"    - {before}\n    + {after}", flush=True)
        if given.json:
            given.json.write_text(json.dumps(found, indent=1) + "\n")
    counts = Counter(str(one["outcome"]) for one in found)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
