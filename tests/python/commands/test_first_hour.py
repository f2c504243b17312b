"""What a new user meets: exit codes, choices, options without effect, files that are written."""

import json
import os
import re
from pathlib import Path

import pytest

from abut.errors import EXITS, NOT_FOUND, RUN_FAILED, USAGE, unknown
from abut.recording.compilers import COMPILERS
from abut.trace import Frame, TraceWriter
from conftest import ROOT, Abut, Inside
from verb_help import COMMANDS


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog"], chunk_accesses=64) as writer:
        module = writer.module("/bin/prog", "00ff", 0, 4096)
        context = writer.context([Frame(module, 16)])
        for number in range(200):
            item = writer.allocate(32, address=4096 + 64 * number, context=context, time=number)
            for offset in (0, 8):
                writer.access(item, offset, write=offset == 0)
    return path


@pytest.fixture
def short(run: Path) -> Path:
    """The same, cut short."""
    path = run.with_name("short.trace")
    path.write_bytes(run.read_bytes()[: run.stat().st_size * 2 // 3])
    return path


# What each verb is asked in vain, and what it then exits with.
IN_VAIN = {
    "run": ((125, "--heap", "/nowhere.so", "--", "true"), (127, "--", "/nowhere")),
    "record": ((127, "--", "/nowhere"), (2, "--recorder", "none", "--", "true")),
    "tune": ((2, "--", "false"), (2, "--time-budget", "0s", "--", "true")),
    "compare": ((2,), (2, "--suite", "none"), (1, "--runs", "1", "--warmup", "0", "--heaps",
                "glibc,abut", "--", "sh", "-c", "echo ${LD_PRELOAD:-none}")),
    "validate": ((2, "--against", "none", "--", "true"),),
    "place": ((2,), (2, "none.trace")),
    "plan show": ((2, "none.plan"),), "profile show": ((2, "none.profile"),),
    "profile merge": ((2, "-o", "x", "none.profile", "none.profile"),),
    "report": ((2, "none.trace"),),
    "export": ((2, "--format", "callgrind", "none.trace"),),
    "sim": ((2, "none.trace"), (2, "--by", "none", "run.trace")),
    "sweep": ((2, "-o", "x.jsonl", "none.trace"), (2, "run.trace")),
    "trace check": ((1, "short.trace"), (0, "run.trace"), (2, "none.trace")),
    "trace convert": ((2, "--to", "none", "-o", "x", "run.trace"),),
    "trace import": ((2, "-o", "x", "none.txt"),),
    "paper": ((2, "none"),),
    "demo": ((2, "-o", "/proc/none"),),
    "completion": ((2, "none"),),
    "heaps": ((2, "--none"),), "options": ((2, "--json", "--markdown"),), "lib": ((2, "none"),),
    "doctor": ((2, "--none"),), "calibrate": ((2, "-o", "/nowhere/x.toml"),),
    **{f"trace {one}": ((2, "none.trace"),) for one in ("info", "objects", "contexts", "head")},
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_verb_exits_as_the_table_says(
    name: str, abut: Abut, inside: Inside, run: Path, short: Path
) -> None:
    assert short.is_file()
    for code, *arguments in IN_VAIN[name]:
        words = list(map(str, arguments))
        runs_program = "--" in words
        done = abut(*name.split(), *words) if runs_program else inside(" ".join((name, *words)))
        assert (done.returncode, code in EXITS) == (code, True), done.stderr
        assert "Traceback" not in done.stderr
    # What only asks is answered.
    assert inside(f"{name} --help").returncode == 0
    assert inside(f"{name} --no-such-option").returncode == USAGE


def test_the_table_of_exit_codes_is_the_one_in_the_docs() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", page, re.MULTILINE)
    assert {int(code): text for code, text in rows} == EXITS


def test_choices_are_named_the_nearest_first() -> None:
    error = unknown("--layout", "randm", ["line", "random", "size"])
    assert error.exit_code == USAGE
    assert (error.problem, error.fix) == (
        "--layout: there is none called 'randm'",
        "choose of random, line, size",
    )


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        ("sim --layout rndom run.trace", "random"),
        ("sim --by contxt run.trace", "context"),
        ("sim --side aplication run.trace", "application"),
        ("sim --split program run.trace", "allocator"),
        ("sim --machine modrn run.trace", "modern"),
        ("place --strategy simpl run.trace", "simple"),
        ("trace contexts --by accesse run.trace", "accesses"),
        ("trace objects --by byts run.trace", "bytes"),
        ("trace convert --to txt -o x run.trace", "text"),
        ("export --format calgrind run.trace", "callgrind"),
        ("record --recorder lite -- true", "light"),
        ("run --heap jemaloc -- true", "jemalloc"),
        ("run --option decay=1 -- true", "decay_ms"),
        ("compare --suite dayly", "daily"),
        ("compare --suite quick --figure walls", "wall"),
        ("paper vamm", "vam"),
        ("completion bsh", "bash"),
        ("recrd -- true", "record"),
    ],
)
def test_a_wrong_choice_is_answered_with_the_right_ones(
    words: str, nearest: str, inside: Inside, run: Path
) -> None:
    done = inside(words)
    assert (done.returncode, f"choose of {nearest}" in done.stderr) in ((2, True), (125, True))


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ("sim --pages --split allocator run.trace", "--split"),
        ("sim --pages --machine zen5 run.trace", "--machine"),
        ("sim --seed 2 run.trace", "--seed"),
        ("sim --seed 2 --layout simple,usage-df run.trace", "--seed"),
        ("sweep -o x --seed 2 --layout size,simple run.trace", "--seed"),
        ("sim --huge-pages --machine rezaei-8k run.trace", "--huge-pages"),
        ("report --json --seed 2 run.trace", "--seed"),
        ("report --layouts simple --seed 2 run.trace", "--seed"),
        ("report --terminal --instructions 9 run.trace", "--instructions"),
        ("compare --suite quick --json --figure rss", "--figure"),
        ("sim --json --top 3 run.trace", "--top"),
        ("sim --layout line,size --by object run.trace", "--by"),
        ("sim --scheduler none:1 --jobs 2 run.trace", "--jobs"),
        ("paper dpa --heaps abut", "--heaps"),
        ("paper adcock --heaps abut", "--heaps"),
        ("paper --suite full", "--suite"),
        ("compare --only cc1 -- true", "--only"),
        ("compare --suite quick --stdin x", "--stdin"),
        ("compare --figure rss -- true", "--figure"),
        ("place --list --strategy simple", "--strategy"),
        ("place --seed 2 run.trace", "--seed"),
        ("place --strategy simple --machine zen5 run.trace", "--machine"),
        ("export --format perfetto --machine zen5 run.trace", "--machine"),
        ("export --format callgrind --figure bytes run.trace", "--figure"),
        ("plan show --json --top 2 run.plan", "--top"),
        ("record --lossless -- true", "--lossless"),
        ("record --recorder light --sites -- true", "--sites"),
        ("record --from main --wait -- true", "--wait"),
    ],
)
def test_an_option_without_effect_is_refused(
    words: str, refused: str, inside: Inside, run: Path
) -> None:
    if words.startswith("plan"):
        assert inside("place run.trace").returncode == 0
    done = inside(words)
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.startswith(f"abut: {refused}: no")


def test_a_heap_named_twice_is_refused(abut: Abut) -> None:
    done = abut("compare", "--heaps", "glibc,abut,glibc", "--", "true")
    assert (done.returncode, "two heaps are called glibc" in done.stderr) == (USAGE, True)


@pytest.mark.parametrize("words", ["--stats --", "--stats --explain --", "--json --"])
def test_an_option_is_not_the_value_of_another(abut: Abut, tmp_path: Path, words: str) -> None:
    done = abut("run", *words.split(), "true")
    option = words.split(maxsplit=1)[0]
    assert (done.returncode, f"{option}: its value is missing" in done.stderr) == (USAGE, True)
    assert list(tmp_path.iterdir()) == []


WRITERS = (
    "place --force -o {} run.trace",
    "trace convert --to text --force -o {} run.trace",
    "export --format collapsed --force -o {} run.trace",
    "report --layouts none --force -o {} run.trace",
)


@pytest.mark.parametrize("words", WRITERS)
def test_nothing_is_replaced_by_accident(
    words: str, inside: Inside, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "dear").write_text("dear")
    (tmp_path / "link").symlink_to("dear")
    (tmp_path / "dangling").symlink_to(tmp_path / "outside")
    (tmp_path / "folder").mkdir()
    for name in ("link", "dangling", "folder"):
        done = inside(words.format(name))
        assert (done.returncode, f"{name}: is a " in done.stderr) == (USAGE, True), done.stderr
    assert (tmp_path / "dear").read_text() == "dear"
    assert not (tmp_path / "outside").exists()
    assert inside(words.format("/dev/null")).returncode == 0
    assert Path("/dev/null").is_char_device()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"dear", "link", "dangling", "folder", run.name}


@pytest.mark.parametrize("option", ["--stats", "--json"])
def test_what_a_program_leaves_behind_is_written_to_no_link_and_no_file_unless_asked(
    option: str, abut: Abut, tmp_path: Path
) -> None:
    (tmp_path / "dangling").symlink_to("outside")
    (tmp_path / "dear").write_text("dear")
    for name, refused in (("dangling", "is a link"), ("dear", "is there already")):
        done = abut("run", option, name, "--", "echo", "ran")
        assert (done.returncode, done.stdout) == (RUN_FAILED, "")
        assert f"{name}: {refused}" in done.stderr
    assert not (tmp_path / "outside").exists()
    assert (tmp_path / "dear").read_text() == "dear"
    for words in ("dear --force", "/dev/null"):
        assert abut("run", option, *words.split(), "--", "true").returncode == 0
    assert (tmp_path / "dear").read_text() != "dear"


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ("demo -o . --no-tune", "tables.trace: is there already"),
        ("record --follow-children -o tables -- true", "tables.2: is there already"),
        ("compare --output x --explain x -- true", "x: is to be written twice"),
        ("compare --force -- true", "--force: no effect here"),
        ("paper vam --force", "--force: no effect here"),
        ("run --force -- true", "--force: no effect here"),
    ],
)
def test_files_are_checked_before_the_work_begins(
    words: str, refused: str, inside: Inside, tmp_path: Path
) -> None:
    names = {"tables.trace", "tables.2"}
    for name in names:
        (tmp_path / name).touch()
    done = inside(words)
    assert (done.returncode in (USAGE, RUN_FAILED), done.stdout) == (True, "")
    assert refused in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == names


def test_what_is_open_may_be_written_to_whatever_it_is(inside: Inside, run: Path) -> None:
    with run.with_name("out").open("w+") as out:
        words = f"trace convert --to text --force -o /dev/fd/{out.fileno()} {run.name}"
        assert inside(words).returncode == 0
        assert len(out.read().splitlines()) > len(run.name)


@pytest.mark.parametrize("words", WRITERS)
def test_a_file_is_written_whole_or_not_and_over_another_only_when_asked(
    words: str, inside: Inside, run: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    target.write_text("dear")
    target.chmod(0o640)
    before = target.stat().st_ino
    refused = inside(words.format("out").replace("--force ", ""))
    assert (refused.returncode, "out: is there already" in refused.stderr) == (USAGE, True)
    assert target.read_text() == "dear"
    assert inside(words.format("out")).returncode == 0
    assert (target.stat().st_ino != before, target.read_bytes() != b"dear") == (True, True)
    assert target.stat().st_mode & 0o777 == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"out", run.name}


@pytest.mark.parametrize(
    "words", ["place {}", "sim {}", "trace objects {}", "trace contexts --json {}",
              "trace convert --to din -o x {}", "export -f collapsed -o x {}"],
)  # fmt: skip
def test_what_is_cut_short_gives_an_answer_that_says_so(
    words: str, inside: Inside, short: Path
) -> None:
    done = inside(words.format(short.name))
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"short.trace: damaged at byte [\d,]+: .*cut short", done.stderr.replace("\n", " ")
    )
    assert "the answer is partial" in done.stderr


def test_a_report_says_which_of_two_traces_is_cut_short(
    inside: Inside, run: Path, short: Path
) -> None:
    said = inside(f"report --terminal {run.name} {short.name}").stderr
    assert re.search(r"short.trace: damaged at byte .*\n.*short.trace: the recording was cut", said)


@pytest.mark.parametrize(
    "words",
    [
        "report {}",
        "plan show {}",
        "profile show {}",
        "sim --machine ./{} run.trace",
        "sim --layout ./{} run.trace",
        "report --names {} --terminal run.trace",
        "run --plan {} -- true",
        "sweep -o {}/x run.trace",
        "compare --stdin {} -- true",
        "paper vam --quick --traces run.trace/{}",
        "tune --measure ./{} --better lower -- sleep 9",
        'tune --measure "{} --better lower -- true',
    ],
)
@pytest.mark.parametrize("name", ["none", "run.trace/x"])
def test_what_cannot_be_opened_is_named_with_a_reason_and_a_fix(
    words: str, name: str, inside: Inside, run: Path
) -> None:
    done = inside(words.format(name))
    assert done.returncode in (USAGE, RUN_FAILED, NOT_FOUND)
    assert re.search(rf"^abut: .*{name}.*: \w.*\n  fix: \w", done.stderr, re.MULTILINE), done.stderr


@pytest.mark.parametrize("words", [*WRITERS, "calibrate -o {}", "sweep -o {} run.trace"])
def test_a_folder_that_may_not_be_written_to_is_named_before_the_work(
    words: str, inside: Inside, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # which root may
    done = inside(words.format("out"))
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr.startswith(f"abut: out: nothing may be written to {run.parent}\n  fix: ")


@pytest.mark.parametrize("output", ["/dev/full", "/dev/null", ".", "run.trace"])
def test_a_sweep_is_kept_in_a_file_alone(output: str, inside: Inside, run: Path) -> None:
    done = inside(f"sweep -o {output} run.trace")
    assert (done.returncode, done.stderr.startswith(f"abut: {output}: ")) == (USAGE, True)


def test_compilers_pass_their_programs_exit_code_on(abut: Abut) -> None:
    for verb in COMPILERS:
        assert abut(verb, "--no-such-option-of-a-compiler").returncode not in (0, USAGE + 123)


NAME = os.fsdecode(b"n\xff")  # no UTF-8


@pytest.mark.parametrize(
    "words",
    ["trace convert --to text -o {} run.trace", "trace convert --to parquet -o {} run.trace",
     "export -f parquet -o {} run.trace", "trace import --from din -o x {}", "trace info {}",
     "trace import --from din -o {} run.din", "record -o {} -- true"],
)  # fmt: skip
def test_a_name_that_is_no_utf8_is_taken_or_refused_by_name(
    words: str, inside: Inside, run: Path
) -> None:
    run.with_name("run.din").write_text("0 1000\n")
    done = inside(words.format(NAME))
    assert done.returncode in (USAGE, RUN_FAILED)
    assert done.stderr.startswith("abut: 'n\\udcff': a name that is no UTF-8 is not taken\n")


def test_a_program_may_have_a_name_that_is_no_utf8(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / NAME).symlink_to("/bin/true")
    compare = ["compare", "--runs", "1", "--warmup", "0", "--heaps", "glibc,abut"]
    done = abut(*compare, "--output", "c.json", "--", f"./{NAME}", PYTHONIOENCODING="utf-8:strict")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"next: abut run -- './{NAME}'")
    assert abut("report", "c.json").returncode == 0
    assert (tmp_path / "report.html").read_text()
    assert abut("record", "--quiet", "--", f"./{NAME}", NAME).returncode == 0
    assert json.loads(abut("trace", "info", "--json", "n\N{REPLACEMENT CHARACTER}.trace").stdout)
