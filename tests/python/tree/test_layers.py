from pathlib import Path

import pytest

import check_layers
from conftest import ROOT

LIST = """
| folder | what it holds | may use |
|---|---|---|
| `include/thing` | the public header | nothing |
| `ground` | what everything stands on | nothing |
| `left` | one wing | `ground` |
| `right` | the other wing | `ground` |
| `roof` | what covers it | `left`, `ground`, `include/thing` |
"""
# What includes, what is included and how; and the problem, if it does not point down.
FLOOR, PANE, WINDOW = (f"src/runtime/{n}" for n in ("ground/a.hpp", "left/b.hpp", "left/c.cpp"))
DOOR, TILE, THING = "src/workbench/right/d.hpp", "papers/roof/e.hpp", "include/thing/thing.h"
NOT_RIGHT = "left may use ground; right does not stand below it"
INCLUDES = [
    (WINDOW, FLOOR, '"ground/a.hpp"', ""),
    (WINDOW, PANE, '"left/b.hpp"', ""),
    (WINDOW, PANE, "<vector>", ""),
    (TILE, PANE, '"left/b.hpp"', ""),
    (TILE, THING, '"thing/thing.h"', ""),
    (FLOOR, TILE, '"roof/e.hpp"', "ground may use nothing; roof does not stand below it"),
    (WINDOW, DOOR, '"right/d.hpp"', NOT_RIGHT),
    (WINDOW, DOOR, "<right/d.hpp>", NOT_RIGHT),
    (WINDOW, DOOR, '"../../workbench/right/d.hpp"', NOT_RIGHT),
    (WINDOW, THING, '"thing/thing.h"', NOT_RIGHT.replace("right", "include/thing")),
]  # fmt: skip


def problems(project: Path, readme: str = LIST, **files: str) -> list[str]:
    """Those of a source tree of these files."""
    for name, text in {"src/README.md": readme, **files}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    layers = check_layers.read_layers(project / "src" / "README.md")
    return [str(violation) for violation in check_layers.violations(project, layers)]


@pytest.mark.parametrize(("source", "target", "include", "problem"), INCLUDES)
def test_an_include_that_does_not_point_down_is_named_with_file_line_and_rule(
    tmp_path: Path, source: str, target: str, include: str, problem: str
) -> None:
    line = f"#  include {include}"
    found = problems(tmp_path, **{target: "", source: f"// What it is.\n{line}\n"})
    assert found == ([f"{source}:2: {line}: {problem}"] if problem else [])


def test_a_folder_that_the_list_does_not_know_is_a_violation(tmp_path: Path) -> None:
    found = problems(tmp_path, **{"src/runtime/shed/rake.hpp": ""})
    assert found == ["src/runtime/shed: a folder that src/README.md does not list"]


def test_a_list_that_points_up_itself_or_is_none_is_refused(tmp_path: Path) -> None:
    for readme, problem in (
        (LIST.replace("| one wing | `ground` |", "| one wing | `roof` |"), "left may use roof"),
        ("# Folders\n", "no table"),
    ):
        with pytest.raises(check_layers.LayerError, match=problem):
            problems(tmp_path, readme)


def test_this_project_keeps_its_layers() -> None:
    layers = check_layers.read_layers(ROOT / "src" / "README.md")
    assert [str(violation) for violation in check_layers.violations(ROOT, layers)] == []
