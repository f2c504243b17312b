"""What the pages show of Python is run as it stands there."""

import re
import runpy
import sys
from pathlib import Path

import pytest

import docs_data

EXAMPLES = docs_data.ROOT / "docs" / "examples"
_BLOCK = re.compile(
    r"^(?P<unrun><!-- not run: .+ -->\n)?```python\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE
)
BLOCKS = [
    pytest.param(match["code"], id=f"{page.stem}-{number}")
    for page in docs_data.pages()
    for number, match in enumerate(_BLOCK.finditer(page.read_text()))
    if not match["unrun"]
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the traces that the pages speak of."""
    folder = tmp_path_factory.mktemp("guides")
    (folder / "build").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["list_trace.py", str(folder / "build" / "list.trace")])
        runpy.run_path(str(EXAMPLES / "list_trace.py"), run_name="__main__")
    (folder / "run.trace").symlink_to(folder / "build" / "list.trace")
    return folder


@pytest.mark.parametrize("code", BLOCKS)
def test_python_in_the_pages_runs(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    strategy = runpy.run_path(str(EXAMPLES / "most_used.py"))
    exec(compile(code, "page", "exec"), {"place": strategy["place"]})


def test_there_are_such_blocks() -> None:
    assert len(BLOCKS) >= 3
