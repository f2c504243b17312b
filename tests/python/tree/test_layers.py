from collections.abc import Callable
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
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a source tree of the given files, and returns the project."""

    def tree(files: dict[str, str], readme: str = LIST) -> Path:
        for name, text in {"src/README.md": readme, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return tree


def problems(project: Path) -> list[str]:
    layers = check_layers.read_layers(project / "src" / "README.md")
    return [str(violation) for violation in check_layers.violations(project, layers)]


def test_includes_that_point_down_are_fine(write: Write) -> None:
    source = write(
        {
            "src/runtime/ground/floor.hpp": "#include <vector>\n",
            "src/runtime/left/window.hpp": (
                '#include "ground/floor.hpp"\n#include "left/pane.hpp"\n'
            ),
            "src/runtime/left/pane.hpp": "",
            "papers/roof/tile.cpp": '#include "left/pane.hpp"\n#include "thing/thing.h"\n',
            "include/thing/thing.h": "",
        }
    )
    assert problems(source) == []


def test_an_include_that_points_up_is_named_with_file_line_and_rule(write: Write) -> None:
    source = write(
        {
            "src/runtime/ground/floor.hpp": '// the floor\n#include "roof/tile.hpp"\n',
            "papers/roof/tile.hpp": "",
        }
    )
    assert problems(source) == [
        'src/runtime/ground/floor.hpp:2: #include "roof/tile.hpp": '
        "ground may use nothing; roof does not stand below it"
    ]


@pytest.mark.parametrize(
    "include",
    ['"right/door.hpp"', "<right/door.hpp>", '"../../workbench/right/door.hpp"'],
    ids=["quoted", "angled", "relative"],
)
def test_an_include_that_points_sideways_is_found_however_it_is_written(
    write: Write, include: str
) -> None:
    source = write(
        {
            "src/runtime/left/window.cpp": f"#  include {include}\n",
            "src/workbench/right/door.hpp": "",
        }
    )
    (problem,) = problems(source)
    assert problem.startswith("src/runtime/left/window.cpp:1: ")
    assert "left may use ground; right does not stand below it" in problem


def test_a_folder_may_not_use_the_public_header_unless_the_list_says_so(write: Write) -> None:
    source = write(
        {"src/runtime/left/window.cpp": '#include "thing/thing.h"\n', "include/thing/thing.h": ""}
    )
    (problem,) = problems(source)
    assert "thing does not stand below it" in problem


def test_a_folder_that_the_list_does_not_know_is_a_violation(write: Write) -> None:
    source = write({"src/runtime/shed/rake.hpp": ""})
    assert problems(source) == ["src/runtime/shed: a folder that src/README.md does not list"]


def test_a_list_that_points_up_itself_is_refused(write: Write) -> None:
    readme = LIST.replace("| one wing | `ground` |", "| one wing | `roof` |")
    with pytest.raises(check_layers.LayerError, match="left may use roof"):
        problems(write({}, readme))


def test_a_readme_without_a_list_is_refused(write: Write) -> None:
    with pytest.raises(check_layers.LayerError, match="no table"):
        problems(write({}, "# Folders\n"))


def test_this_project_keeps_its_layers() -> None:
    assert problems(ROOT) == []
