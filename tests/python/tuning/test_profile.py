"""Profiles: what they set holds in the program, and what is wrong with one is said."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.places import library_candidate
from abut.tuning.profile import Assigned, Profile, merged, profile_text, read_profile
from conftest import Abut, Inside, abut_environment

# Of another build: what it sets holds all the same.
SOUND = 'profile = 1\n[program]\nname = "lua"\nbuild_id = "0a1b"\n[settings]\n'
# Enough objects that `explain` has a line to print.
LUA = ["lua5.4", "-e", "local t = {} for i = 1, 40000 do t[i] = {i} end"]


def said(path: Path, **variables: str) -> str:
    environment = abut_environment(
        LD_PRELOAD=str(library_candidate()), ABUT_PROFILE=str(path), **variables
    )
    done = subprocess.run(LUA, env=environment, capture_output=True, text=True, check=True)
    return done.stderr


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lua.profile"


def test_its_settings_hold_and_the_environment_wins(path: Path) -> None:
    path.write_text(SOUND + 'explain = "on"\nplace = "friends"\n')
    assert "objects of" in said(path)
    assert said(path, ABUT_EXPLAIN="off") == ""
    path.write_text(SOUND + 'explain = "on"\nplace = "off"\n')
    assert "objects of" not in said(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "it cannot be read"),
        ("[settings]\n", "line 1: it does not begin with `profile = 1`"),
        ('profile = 1\nprogram = "p"\nsettings = 5\n', "line 2: it does not begin with"),
        ("profile = 1\nmachine = 5\n" + SOUND.partition("\n")[2] + "chain = 1\n", "line 2: "),
        (SOUND, "it has no settings"),
        (SOUND + 'order = "birth', "line 6: it is cut off"),
        (SOUND + "order = birth\n", "line 6: this is neither"),
        (SOUND + 'order = "birth"\n' + "#" * 65536 + "\n", "it is longer than 64 KiB"),
        (
            SOUND + 'order = "age"\n',
            "line 6: this is not a value of that option, which has size birth;",
        ),
        (SOUND + 'friends = "off"\n', "line 6: write ABUT_PLACE=off or ABUT_PLACE=friends"),
        (SOUND + 'ORDER = "birth"\n', "line 6: this is neither"),
        (SOUND + 'abut_order = "birth"\n', "line 6: there is no such option"),
        (SOUND + 'colour = "red"\n', "line 6: there is no such option"),
        (SOUND + 'stats = "elsewhere"\n', "line 6: there is no such option"),
        (SOUND + "retain_mb = 99999999999\n", "line 6: this value is out of range"),
    ],
)
def test_what_is_wrong_is_said_and_the_program_goes_on(
    path: Path, content: str, problem: str
) -> None:
    path.write_text(content)
    assert said(path).startswith(f"abut: ABUT_PROFILE={path}: {problem}")
    with pytest.raises(AbutError):
        read_profile(path)


MODULE = (
    '[[module]]\nname = "lua"\nbuild_id = "0a1b"\n[[module]]\nname = "libm.so.6"\nbuild_id = ""\n'
)
CONTEXT = '[[context]]\ncalls = "lua+0x12(f) libm.so.6+0xab"\npool = 2\n'


@pytest.mark.parametrize(
    "content",
    [
        CONTEXT.replace("pool = 2", "pool = 0"),
        CONTEXT.replace("pool = 2", "pool = 255"),
        CONTEXT.replace("0x12", "12"),
        CONTEXT.replace("lua+0x12(f)", "lua+0x1 lua+0x2 lua+0x3 lua+0x4"),
        CONTEXT.replace("pool = 2", 'place = "near"'),
        CONTEXT + 'place = "plain"\n',
        CONTEXT + "size = 8\n",
        MODULE + 'version = "1"\n',
        MODULE * 17,
        CONTEXT * 257,
        CONTEXT.replace("[[context]]", "[context]"),
        CONTEXT.replace("libm", "libn"),
    ],
)
def test_contexts_that_are_none_are_refused(path: Path, content: str) -> None:
    path.write_text(SOUND + "chain = 2\n" + MODULE + content)
    assert f"abut: ABUT_PROFILE={path}: line " in said(path)
    with pytest.raises(AbutError):
        read_profile(path)


def test_contexts_are_kept_shown_and_merged(abut: Abut, tmp_path: Path) -> None:
    contexts = [
        Assigned("lua+0x12(f) libm.so.6+0xab", 2),
        Assigned("lua+0x34(g)", 1),
        Assigned("lua+0x56", "plain"),
        Assigned("lua+0x78(h)", "beside"),
    ]
    profile = Profile(
        "lua", "0a1b", {}, {"chain": "2"}, [], {"lua": "0a1b", "libm.so.6": ""}, contexts
    )
    for name in ("a", "b"):
        (tmp_path / name).write_text(profile_text(profile))
    read = read_profile(tmp_path / "a")
    assert (read.contexts, read.modules) == (contexts, profile.modules)
    assert said(tmp_path / "a") == ""
    (tmp_path / "c").write_text(SOUND + 'order = "birth"\n')
    assert abut("profile", "merge", "-o", "m", "a", "b", "c").returncode == 0
    shown = abut("profile", "show", "m").stdout
    assert "  lua+0x34(g): pool 1\n  lua+0x56: plain\n  lua+0x78(h): beside\n" in shown
    assert read_profile(tmp_path / "m").contexts == contexts
    (tmp_path / "c").write_text(profile_text(replace(profile, contexts=contexts[:1])))
    refused = abut("profile", "merge", "-o", "n", "a", "c")
    assert (refused.returncode, "assign places to contexts" in refused.stderr) == (2, True)


def test_nothing_of_a_damaged_one_is_set(path: Path) -> None:
    path.write_text(SOUND + 'explain = "on"\n[contexts]\n')
    assert said(path).count("\n") == 1


def test_its_plan_lies_beside_it(path: Path) -> None:
    path.write_text(SOUND + 'plan = "lua.plan"\n')
    assert f"ABUT_PLAN={path.with_suffix('.plan')}: it cannot be read" in said(path)
    with pytest.raises(AbutError, match=r"its plan lua\.plan is not there"):
        read_profile(path)


def test_start_up_takes_well_under_two_milliseconds(path: Path) -> None:
    def instructions() -> int:
        command = ["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", "/bin/true"]
        environment = {**os.environ, "LD_PRELOAD": str(library_candidate())}
        environment |= {"ABUT_PROFILE": str(path)} if path.exists() else {}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        line = next(line for line in done.stderr.splitlines() if re.search(r"I +refs:", line))
        return int(line.split()[-1].replace(",", ""))

    without = instructions()
    path.write_text(SOUND + 'order = "birth"\nplace = "off"\nretain_mb = 64\n')
    assert instructions() - without < 20_000
    path.write_text("# what was measured\n" * 3000 + SOUND + 'order = "birth"\n')
    assert instructions() - without < 2_000_000
    calls = [f"libc.so.6+{at:#x}(function_{at})" for at in range(3 * 256)]
    contexts = [Assigned(" ".join(calls[at : at + 3]), 1) for at in range(0, 3 * 256, 3)]
    modules = {"lua": "0a1b", "libc.so.6": "0c"}  # whose functions are looked for by their names
    path.write_text(profile_text(Profile("lua", "0a1b", {}, {}, [], modules, contexts)))
    assert instructions() - without < 4_000_000


def test_what_is_written_is_what_is_read(path: Path) -> None:
    machine: dict[str, str | int] = {"processor": 'a "fast" one\n', "cores": 2}
    profile = Profile("lua\\5", "0a1b", machine, {"order": "birth", "retain_mb": "64"}, ["x\ny"])
    path.write_text(profile_text(profile))
    read = read_profile(path)
    assert (read.settings, read.evidence) == (profile.settings, ["x y"])
    assert (read.program, read.machine) == ("lua/5", {"processor": "a 'fast' one ", "cores": 2})
    assert said(path) == ""


def test_several_become_one_unless_they_contradict(abut: Abut, tmp_path: Path) -> None:
    order, memory, other, age = (tmp_path / name for name in ("a", "b", "c", "d"))
    order.write_text("# 0.8 of the time\n" + SOUND + 'order = "birth"\n')
    memory.write_text("# 0.9 of the memory\n" + SOUND + 'order = "birth"\nretain_mb = 0\n')
    other.write_text(SOUND.replace("lua", "jq") + "retain_mb = 0\n")
    age.write_text(SOUND + 'order = "size"\n')
    done = abut("profile", "merge", "-o", "m", "a", "b")
    assert done.returncode == 0, done.stderr
    shown = abut("profile", "show", "m").stdout
    assert all(
        line in shown for line in ("order = birth", "retain_mb = 0", "0.8 of the time", "0.9 of")
    )
    assert shown.endswith("next: abut run --profile m -- lua\n")
    for wrong, problem in (("c", "is for jq"), ("d", "order is size, and birth in a")):
        refused = abut("profile", "merge", "-o", "n", "a", wrong)
        assert (refused.returncode, problem in refused.stderr) == (2, True)
    assert "is there already" in abut("profile", "merge", "-o", "m", "a", "b").stderr
    one = {path: read_profile(path) for path in (order, memory)}
    assert merged(one, tmp_path).settings == {"order": "birth", "retain_mb": "0"}


def test_a_merged_profile_lies_beside_the_plan_that_it_names(
    inside: Inside, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lua.plan").write_text(name)
        (tmp_path / name / "p").write_text(SOUND + 'plan = "lua.plan"\n')
    (tmp_path / "q").write_text(SOUND + 'order = "birth"\n')
    elsewhere = inside("profile merge -o m one/p q")
    assert f"fix: name an output in {tmp_path}/one" in elsewhere.stderr
    contradicted = inside("profile merge -o one/m one/p two/p")
    assert f"plan is {tmp_path}/two/lua.plan, and {tmp_path}/one" in contradicted.stderr
    assert inside("profile merge -o one/m one/p q").returncode == 0
    assert read_profile(tmp_path / "one" / "m").settings == {"plan": "lua.plan", "order": "birth"}


def test_run_uses_it_and_refuses_a_damaged_one(abut: Abut, path: Path) -> None:
    path.write_text(SOUND + 'explain = "on"\n')
    said = abut("run", "--profile", str(path), "--", *LUA).stderr
    assert "objects of" in said
    assert f"abut: warning: {path} was measured with lua, not lua5.4" in said
    path.write_text(SOUND.replace('"lua"', '"lua5.4"') + 'place = "off"\n')
    assert abut("run", "--profile", str(path), "--", *LUA).stderr == ""
    path.write_text(SOUND)
    done = abut("run", "--profile", str(path), "--", "/bin/true")
    assert (done.returncode, "it has no settings" in done.stderr) == (125, True)
    assert abut("compare", "--heaps", "abut+profile=none", "--", "/bin/true").returncode == 2
