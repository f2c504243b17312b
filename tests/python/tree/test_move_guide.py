import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

GUIDE = ROOT / "docs/guides/move.md"
# What the guide's examples use without saying what it is.
CONTEXT = """
#include <cstdint>
struct Order {};
void ship(const Order &);
void use(const Order &);
"""


def program(guide: str) -> str:
    """All C++ of the guide: includes first, then each example within the scope of those before."""
    examples = re.findall(r"^```cpp\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    lines = [line for example in examples for line in example.splitlines()]
    includes = [line for line in lines if line.startswith("#include")]
    bodies = [re.sub(r"^#include.*\n", "", example, flags=re.MULTILINE) for example in examples]
    return "\n".join(
        [*includes, CONTEXT, "void examples() {", *(f"{{\n{body}" for body in bodies)]
        + ["}"] * (len(bodies) + 1)
    )


def compiles(source: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "guide.cpp"
    path.write_text(source)
    return subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_examples_of_the_guide_compile(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    source = program(GUIDE.read_text())
    assert source.count("{\n") > 3
    done = compiles(source, tmp_path)
    assert done.returncode == 0, done.stderr[:2000]
