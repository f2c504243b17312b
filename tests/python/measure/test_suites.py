"""Suites are read strictly: what is wrong is named with its file, benchmark and key."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abut.errors import AbutError
from abut.measure.suites import choose, expand, load_benchmarks
from abut.places import bench_places

GOOD = """
schema = 1
[[benchmark]]
name = "lists"
about = "many lists appended in turn, then walked"
kind = "own"
command = ["{bin}/lists", "--nodes", "{nodes}"]
suites = ["quick", "daily"]
[benchmark.sizes.quick]
nodes = 1000
[benchmark.sizes.daily]
nodes = 8000
"""


def write(tmp_path: Path, text: str, name: str = "own.toml") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path


def test_benchmark_is_read_as_declared(tmp_path: Path) -> None:
    (benchmark,) = load_benchmarks(write(tmp_path, GOOD))
    assert benchmark.name == "lists"
    assert benchmark.command == ("{bin}/lists", "--nodes", "{nodes}")
    assert benchmark.sizes == {"quick": {"nodes": "1000"}, "daily": {"nodes": "8000"}}
    assert (benchmark.output, benchmark.prepare, benchmark.stdin) == ("compare", (), None)


def test_what_is_common_to_a_file_holds_where_a_benchmark_says_nothing_else(tmp_path: Path) -> None:
    common = '[common]\nkind = "real"\nneeds = [{ program = "perl", package = "perl" }]\n'
    sizes = "sizes.quick = { nodes = 5 }\nsizes.full = { nodes = 9 }\n[[benchmark]]"
    (benchmark,) = load_benchmarks(
        write(tmp_path, GOOD.replace("[[benchmark]]", common + sizes, 1))
    )
    assert benchmark.kind == "own"
    assert [need.program for need in benchmark.needs] == ["perl"]
    nodes = {suite: size["nodes"] for suite, size in benchmark.sizes.items()}
    assert nodes == {"quick": "1000", "daily": "8000", "full": "9"}


ROWS = """
schema = 1
[[benchmark]]
name = "plain-{size}"
about = "nodes of {size} bytes"
kind = "own"
command = ["{bin}/plain", "{options}", "--size={size}", "--nodes", "{nodes}"]
suites = ["quick", "daily"]
sizes.quick = { nodes = 10 }
sizes.daily = { nodes = "{count}" }
each = [
  { size = 32, count = 500, options = ["--order", "random"] },
  { size = 24, count = 900, options = [] },
]
"""


def test_a_benchmark_is_declared_for_each_row(tmp_path: Path) -> None:
    first, second = load_benchmarks(write(tmp_path, ROWS))
    assert (first.name, second.name) == ("plain-32", "plain-24")
    assert second.about == "nodes of 24 bytes"
    drawn = ("--order", "random")
    assert first.command == ("{bin}/plain", *drawn, "--size=32", "--nodes", "{nodes}")
    assert second.command == ("{bin}/plain", "--size=24", "--nodes", "{nodes}")
    assert second.sizes == {"quick": {"nodes": "10"}, "daily": {"nodes": "900"}}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("each = [", "each = [7,", "key 'each' is not a list of tables"),
        (ROWS[ROWS.index("each") :], "each = []", "key 'each' is not a list of tables"),
        ("size = 24,", "", "key 'each' has rows of different keys"),
        ("plain-{size}", "plain", "benchmark 'plain' is declared in"),
        ("{count}", "{counts}", "key 'each' has 'count' for nothing"),
        ("count", "nodes", "key 'each' has 'nodes', which has a meaning"),
        ("options", "bin", "key 'each' has 'bin', which has a meaning"),
        ('["--order", "random"]', "[7]", "benchmark 1 (plain-32): key 'command' is not a list"),
    ],
)
def test_mistake_in_rows_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    with pytest.raises(AbutError) as caught:
        load_benchmarks(write(tmp_path, ROWS.replace(old, new)))
    assert str(tmp_path / "own.toml") in str(caught.value)
    assert complaint in str(caught.value)
    assert "fix:" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("schema = 1", "schema = 2", "schema is 2"),
        ("schema = 1", "", "schema is None"),
        ("schema = 1", "schema = 1\ncolour = 3", "unknown key 'colour'"),
        ("schema = 1", "schema = ", "not valid TOML"),
        ("schema = 1", "schema = 1\ncommon = 3", "'common' is not a table"),
        ("schema = 1", "schema = 1\ncommon.abuot = 3", "key 'abuot' is unknown"),
        ("about =", "abuot =", "benchmark 1 (lists): key 'abuot' is unknown"),
        ('kind = "own"', "", "key 'kind' is missing"),
        ('kind = "own"', 'kind = "mine"', "key 'kind' is 'mine'"),
        ('name = "lists"', 'name = "Lists!"', "key 'name' is 'Lists!'"),
        ('name = "lists"', "name = 3", "key 'name' is not a text"),
        ("{nodes}", "{knots}", "'{knots}' stands for nothing in suite"),
        ('["quick", "daily"]', '["quick", "daily", "full"]', "key 'sizes' lacks 'full'"),
        ('["quick", "daily"]', "[]", "key 'suites' is not a list of texts"),
        ('kind = "own"', 'kind = "own"\noutput = "maybe"', "key 'output' is 'maybe'"),
        ('kind = "own"', 'kind = "own"\nenv = { A = 1 }', "key 'env' is not a table of texts"),
        ('kind = "own"', 'kind = "own"\nneeds = ["perl"]', "key 'needs' has an entry"),
        (
            'kind = "own"',
            'kind = "own"\nneeds = [{ program = "perl" }]',
            "key 'needs' has an entry",
        ),
    ],
)
def test_mistake_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in GOOD
    with pytest.raises(AbutError) as caught:
        load_benchmarks(write(tmp_path, GOOD.replace(old, new, 1)))
    assert str(tmp_path / "own.toml") in str(caught.value)
    assert complaint in str(caught.value)
    assert "fix:" in str(caught.value)


def test_two_benchmarks_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "real.toml")
    with pytest.raises(AbutError, match=r"declared in .*own\.toml too"):
        load_benchmarks(write(tmp_path, GOOD))


def test_folder_without_suites_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AbutError, match="no suites"):
        load_benchmarks(tmp_path)


def test_unknown_suite_and_benchmark_are_answered_with_those_there_are(tmp_path: Path) -> None:
    benchmarks = load_benchmarks(write(tmp_path, GOOD))
    with pytest.raises(AbutError) as caught:
        choose(benchmarks, "weekly", [])
    assert "choose of daily, quick" in str(caught.value)
    with pytest.raises(AbutError) as caught:
        choose(benchmarks, "quick", ["tree"])
    assert "choose of lists" in str(caught.value)
    assert choose(benchmarks, "quick", ["lists"]) == benchmarks


@given(st.text(alphabet="ab{}%$ \\"), st.text())
def test_only_known_placeholders_are_replaced(text: str, value: str) -> None:
    assert expand(text, {}) == text
    assert expand("<{a}>{unknown}", {"a": value}) == f"<{value}>{{unknown}}"


def test_declared_suites_are_sound_and_name_files_that_exist() -> None:
    places = bench_places()
    benchmarks = load_benchmarks(places.suites)
    suites = {suite for one in benchmarks for suite in one.suites}
    assert {"quick", "daily", "full", "plain", "pairs", "threads", "programs", "networks"} <= suites
    for benchmark in benchmarks:
        for word in (*benchmark.command, *benchmark.prepare, benchmark.stdin or ""):
            if word.startswith("{bench}/"):
                assert Path(expand(word, {"bench": str(places.bench)})).is_file(), word


@pytest.mark.parametrize(("suite", "least"), [("programs", 24), ("networks", 12)])
def test_programs_of_these_suites_are_in_no_other_and_name_their_package(
    suite: str, least: int
) -> None:
    programs = choose(load_benchmarks(bench_places().suites), suite, [])
    assert len(programs) >= least
    for benchmark in programs:
        assert benchmark.suites == (suite,)
        assert benchmark.output == "compare"
        assert benchmark.needs, benchmark.name
