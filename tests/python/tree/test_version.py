"""The version has one home, CMakeLists.txt; what repeats it for other tools says the same."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VERSION = re.findall(r"(?m)^project\(abut VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("packaging/vcpkg/abut/vcpkg.json", r'"version": "([^"]+)"'),
        ("packaging/conan/conanfile.py", r' version = "([^"]+)"'),
        ("docs/examples/kubernetes.yaml", r"example/abut:(\S+)"),
        ("CHANGELOG.md", r"\A[^#]*# [^#]*## (\S+)"),
    ],
)
def test_the_version_is_the_same(file: str, pattern: str) -> None:
    assert re.findall(pattern, (ROOT / file).read_text()) == VERSION


def test_the_examples_ask_for_a_version_that_is_compatible() -> None:
    asked = re.findall(r"find_package\(abut (\S+) ", (ROOT / "examples/CMakeLists.txt").read_text())
    assert asked == [VERSION[0].rpartition(".")[0]]
