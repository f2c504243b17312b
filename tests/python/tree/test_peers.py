import time
from pathlib import Path

import pytest

from peers import builds, children, cpython, glibc, libcxx, scripts
from peers.compare import (
    Expected,
    Finding,
    Verdict,
    evaluate,
    read_expected,
    run_both,
    unneeded,
)
from peers.model import NotRunError, Outcome, Test
from peers.table import Report

PASSED = Outcome("passed")
LIBRARY = Path("/library.so")
KNOWN = [Expected("suite", "list-*", "failed", "counts glibc's chunks")]


def verdict(plain: Outcome, preloaded: Outcome, test: str = "other") -> Verdict:
    return evaluate("suite", test, plain, preloaded, KNOWN).verdict


def test_the_same_status_and_output_is_equal() -> None:
    assert verdict(Outcome("passed", "a"), Outcome("passed", "a")) is Verdict.EQUAL
    assert verdict(Outcome("failed"), Outcome("failed")) is Verdict.EQUAL


def test_another_status_is_a_difference_even_when_it_is_better() -> None:
    assert verdict(PASSED, Outcome("failed")) is Verdict.DIFFERENT
    assert verdict(Outcome("failed"), PASSED) is Verdict.DIFFERENT


def test_another_output_is_a_difference_though_both_pass() -> None:
    assert verdict(Outcome("passed", "a"), Outcome("passed", "b")) is Verdict.DIFFERENT


def test_what_only_explains_is_not_compared() -> None:
    assert verdict(Outcome("passed", detail="1"), Outcome("passed", detail="2")) is Verdict.EQUAL


def test_a_listed_difference_is_expected_and_has_its_reason() -> None:
    found = evaluate("suite", "list-1", PASSED, Outcome("failed"), KNOWN)
    assert (found.verdict, found.reason) == (Verdict.EXPECTED, "counts glibc's chunks")


def test_a_listed_test_that_ends_otherwise_than_listed_is_unexpected() -> None:
    assert verdict(PASSED, Outcome("signal SIGSEGV"), "list-1") is Verdict.DIFFERENT


def test_a_listed_difference_holds_for_its_suite_alone() -> None:
    found = evaluate("another", "list-1", PASSED, Outcome("failed"), KNOWN)
    assert found.verdict is Verdict.DIFFERENT


class Script:
    """A test that comes to one outcome after another, for each heap."""

    def __init__(self, plain: list[str], preloaded: list[str]) -> None:
        self.left = {None: plain, LIBRARY: preloaded}

    def __call__(self, library: Path | None) -> Outcome:
        return Outcome(self.left[library].pop(0))

    def verdict(self) -> Verdict:
        return run_both("suite", Test("test", self), LIBRARY, []).verdict


def test_a_test_is_unsteady_when_the_plain_heap_shows_the_same() -> None:
    script = Script(["passed", "passed", "failed"], ["failed"])
    assert script.verdict() is Verdict.UNSTEADY


def test_one_fault_counts_when_the_plain_heap_never_shows_it() -> None:
    script = Script(["passed"] * 4, ["failed", "passed"])
    assert script.verdict() is Verdict.DIFFERENT
    assert script.left[LIBRARY] == ["passed"]


def test_a_listed_difference_that_is_not_seen_is_named() -> None:
    seen = evaluate("suite", "list-1", PASSED, Outcome("failed"), KNOWN)
    gone = evaluate("suite", "list-1", PASSED, PASSED, KNOWN)
    assert unneeded(KNOWN, [seen]) == []
    assert unneeded(KNOWN, [gone]) == KNOWN
    assert unneeded(KNOWN, []) == []


def test_a_listed_difference_without_a_reason_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "expected.toml"
    file.write_text('[[difference]]\nsuite="a"\ntest="b"\npreloaded="c"\nreason=" "\n')
    with pytest.raises(ValueError, match="a b has no reason"):
        read_expected(file)


def test_the_listed_differences_can_be_read() -> None:
    read_expected(Path(glibc.__file__).with_name("expected.toml"))


def test_a_row_tells_passes_from_equal_faults() -> None:
    findings = [
        Finding("suite", "a", Verdict.EQUAL, PASSED, PASSED),
        Finding("suite", "b", Verdict.EQUAL, Outcome("failed"), Outcome("failed")),
        Finding("suite", "c", Verdict.DIFFERENT, PASSED, Outcome("failed")),
    ]
    report = Report("suite", findings, {"d": "not built"}, "1.0")
    assert report.row() == ["suite", "3", "1", "1", "0", "0", "1", "1", "1.0"]
    assert [finding.test for finding in report.unexpected()] == ["c"]


def test_a_suite_that_is_not_run_says_so() -> None:
    assert Report("suite", not_run="no ruby").row()[-1] == "not run: no ruby"


def done(status: str, out: str = "") -> children.Done:
    return children.Done(status, out, "")


def test_the_driver_of_glibc_tells_what_became_of_a_test() -> None:
    assert glibc.status(done("exit 1", "error: 1 test failures")) == "failed"
    assert glibc.status(done("exit 77")) == "unsupported"
    assert glibc.status(done("passed")) == "passed"
    said = "Didn't expect signal from child: got `Aborted'"
    assert glibc.status(done("exit 1", said)) == "signal Aborted"
    said = "Timed out: killed the child process"
    assert glibc.status(done("exit 1", said)) == "timeout"


def test_cases_of_a_python_module_are_compared_one_by_one(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase>'
        '<testcase name="c"><failure/></testcase></testsuite></testsuites>'
    )
    found = cpython.cases(report)
    assert found == {"a": "passed", "b": "skipped", "c": "failure"}
    other = {**found, "b": "passed"}
    assert cpython.outcome(done("passed"), found) != cpython.outcome(done("passed"), other)
    assert cpython.cases(tmp_path / "none.xml") == {}


def is_alive(pid: str) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_child_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    command = "setsid sleep 1000 & echo $!; sleep 1000"
    late = children.run(["/bin/sh", "-c", command], tmp_path, {"PATH": children.SEARCH_PATH}, 0.5)
    assert late.status == "timeout"
    deadline = time.monotonic() + 60
    while is_alive(late.out.strip()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_how_a_child_ended_is_told(tmp_path: Path) -> None:
    def status(command: str) -> str:
        return children.run(["/bin/sh", "-c", command], tmp_path, {}, 30).status

    assert [status("exit 0"), status("exit 3"), status("kill -ABRT $$")] == [
        "passed",
        "exit 3",
        "signal SIGABRT",
    ]


def test_what_cannot_be_built_is_named_with_its_reason(tmp_path: Path) -> None:
    include = tmp_path / "include"
    include.mkdir()
    (tmp_path / "good.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "bad.c").write_text("#include <no_such_header.h>\n")
    recipes = [
        builds.Recipe(name, tmp_path / f"{name}.c", tmp_path / "out" / name, [], [])
        for name in ("good", "bad")
    ]
    problems = builds.build_all(builds.Compiler("gcc", [f"-I{include}"]), recipes)
    assert list(problems) == ["bad"]
    assert "no_such_header.h: No such file" in problems["bad"]
    assert (tmp_path / "out" / "good").exists()


def test_a_script_says_what_it_needs_and_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "case.sh"
    path.write_text(
        "# Why.\n# needs: sh dash\n# needs: no-such-program none\n# stderr: ignore\n:\n"
    )
    script = scripts.Script.load(path)
    assert script.needs == {"sh": "dash", "no-such-program": "none"}
    assert not script.compares_stderr
    assert script.missing() == ["no-such-program is not installed (package none)"]
    with pytest.raises(NotRunError, match="no-such-program is not installed"):
        scripts.prepare(tmp_path)


def test_a_script_that_fails_without_the_library_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "case.sh"
    path.write_text("echo why >&2; exit 3\n")
    with pytest.raises(NotRunError, match="exit 3: why"):
        scripts.Script.load(path).run(tmp_path / "home", None)


def test_the_lines_that_differ_are_shown() -> None:
    found = evaluate("suite", "test", Outcome("passed", "a\nb\n"), Outcome("passed", "a\nc\n"), [])
    assert found.became() == "passed, other output"
    assert found.changes() == ["-b", "+c"]


@pytest.mark.parametrize(
    ("found", "packages"),
    [
        ("tests/peers/programs/*/*.sh", "tools/packages/peers.txt"),
        ("tests/programs/cases/**/*.sh", "tests/programs/packages.txt"),
    ],
)
def test_each_program_that_a_script_needs_is_in_the_list_of_packages(
    found: str, packages: str
) -> None:
    listed = (children.ROOT / packages).read_text().split()
    for path in children.ROOT.glob(found):
        assert set(scripts.Script.load(path).needs.values()) <= set(listed), path


def test_libcxx_tests_name_our_containers_and_their_multi_kinds() -> None:
    text = "std::map<int> std::multimap<int> std::pmr::map std::mapper std::set std::erase_if(m"
    ours = "abut::map<int> abut::multimap<int> abut::pmr::map std::mapper std::set erase_if(m"
    assert libcxx.adapted(text, "multimap") == ours
    assert libcxx.adapted("std::set<int>", "stable_multiset") == "abut::stable_set<int>"


def libcxx_case(tmp_path: Path, name: str, text: str) -> libcxx.Case:
    source = tmp_path / name
    source.write_text(text)
    return libcxx.Case("list", name, source)


def test_libcxx_tests_for_older_standards_or_of_diagnostics_are_not_run(tmp_path: Path) -> None:
    assert libcxx.not_run(libcxx_case(tmp_path, "a.pass.cpp", "// UNSUPPORTED: c++03")) == ""
    assert libcxx.not_run(libcxx_case(tmp_path, "b.pass.cpp", "// UNSUPPORTED: c++17, c++20"))
    assert libcxx.not_run(libcxx_case(tmp_path, "c.pass.cpp", "// REQUIRES: c++14 || c++17"))
    assert libcxx.not_run(libcxx_case(tmp_path, "d.fail.cpp", ""))


def test_a_failure_with_a_reason_is_expected_and_a_reason_without_a_failure_unneeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = libcxx.Runner(tmp_path, "g++")
    reasons = libcxx.read_reasons(
        '[[expected]]\ncontainers = ["l*"]\ntests = ["a*"]\nwhy = "it is so"'
    )
    known = libcxx_case(tmp_path, "a.pass.cpp", "")
    other = libcxx_case(tmp_path, "b.pass.cpp", "")
    for problem, outcomes in (("it fails", ["expected", "failed"]), ("", ["unneeded", "passed"])):
        monkeypatch.setattr(runner, "_try", lambda _, problem=problem: problem)
        assert [runner.run(case, reasons).outcome for case in (known, other)] == outcomes


def test_the_table_of_libcxx_counts_what_was_run_and_why_not() -> None:
    results = [
        libcxx.Result("list", "a", "passed"),
        libcxx.Result("list", "b", "failed", "", "error"),
        libcxx.Result("list", "c", "not run", "is old"),
    ]
    text = libcxx.table(results)
    assert "| `abut::list` | 3 | 2 | 1 | 0 | 1 | 1 |" in text
    assert "| 1 | is old |" in text
