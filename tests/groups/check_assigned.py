"""Contexts that a profile assigns a place: their objects lie there, and those of no others."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from explained import explained

SHAPES, RECOMPILED = os.environ["SHAPES"], os.environ["SHAPES_RECOMPILED"]
OBJECTS, MANY = 5000, 400_000
CALL = re.compile(r"\s*([0-9a-f]+):.*\bcall\b.*<malloc@plt>")


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def build_id(program: str) -> str:
    return output_of("readelf", "-n", program).partition("Build ID: ")[2].split()[0]


def call_in(function: str) -> int:
    """The offset of the last byte of the function's call of malloc."""
    lines = output_of("objdump", f"--disassemble={function}", SHAPES).splitlines()
    at = next(number for number, line in enumerate(lines) if CALL.match(line))
    return int(lines[at + 1].partition(":")[0], 16) - 1


def context(place: int | str, function: str, caller: str = "") -> str:
    calls = f"shapes+{call_in(function):#x}({function})"
    where = f"pool = {place}" if isinstance(place, int) else f'place = "{place}"'
    return f'[[context]]\n{where}\ncalls = "{calls}{caller}"\n'


def assigned(
    contexts: str,
    program: str = SHAPES,
    shape: str = "insert",
    objects: int = OBJECTS,
    name: str = "shapes",
    link: bool = False,
    **options: str,
) -> tuple[dict[str, Any], str]:
    """What became of the program's objects, and what was said."""
    measured = f'name = "shapes"\nbuild_id = "{build_id(SHAPES)}"\n'
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        profile.write_text(
            f'profile = 1\n[program]\n{measured}[settings]\nplace = "pools"\nchain = 1\n'
            f"[[module]]\n{measured}{contexts}"
        )
        # Another build of it has the same name.
        copy = Path(folder) / name
        if link:
            copy.symlink_to(shutil.copy(program, Path(folder) / "shapes"))
        else:
            shutil.copy(program, copy)
        printed, found, said = explained(str(copy), shape, objects, profile=profile, **options)
        assert printed == "whole\n"
        return found, said


def run(*words: Any, **options: Any) -> tuple[list[dict[str, Any]], str]:
    """What became of its groups alone."""
    found, said = assigned(*words, **options)
    return found["groups"], said


class Assigned(unittest.TestCase):
    """Of a list of nodes with data, whose sites are all wrappers of malloc."""

    def test_the_objects_of_a_context_lie_in_its_pool(self) -> None:
        ((group,), said) = run(context(7, "next_node"))
        assert (group["pool"], group["objects"], group["state"]) == (7, OBJECTS - 1, "pooled")
        # All but those that came before the thread's pool was opened, at 16 bytes each.
        assert 16 * (OBJECTS - 200) < group["pool_bytes"] < 16 * OBJECTS
        assert said == ""

    def test_several_contexts_share_a_pool(self) -> None:
        (groups, _) = run(context(3, "next_node") + context(3, "next_data"))
        assert [group["pool"] for group in groups] == [3, 3]
        assert groups[0]["pool_bytes"] > 40 * (OBJECTS - 200)

    def test_an_explanation_names_calls_as_profiles_do(self) -> None:
        (groups, _) = run("", place="pools")
        sites = {group["site"].partition("(")[0] for group in groups}
        assert f"shapes+{call_in('next_node'):#x}" in sites, sites

    def test_callers_tell_contexts_of_one_site(self) -> None:
        (groups, _) = run(context(5, "next_node", " shapes+0x1(main)"), chain="2")
        assert groups == []
        by_name = context(5, "next_node", " shapes+0x1(make_next)")
        ((group,), _) = run(by_name, RECOMPILED, chain="2")
        assert (group["pool"], group["chain"]) == (5, 2)

    def test_threads_have_their_own_parts_of_a_pool(self) -> None:
        for program in (SHAPES, RECOMPILED):
            (groups, _) = run(context(2, "lists_in_thread"), program, "threads", 50_000)
            assert {group["pool"] for group in groups} == {2}
            # Nine threads count, though not to the last object, at one of two calls or both.
            assert sum(group["objects"] for group in groups) > 6 * 50_000

    def test_another_build_is_recognised_by_names(self) -> None:
        assert build_id(RECOMPILED) != build_id(SHAPES)
        ((group,), _) = run(context(7, "next_node"), RECOMPILED)
        assert (group["pool"], group["objects"]) == (7, OBJECTS - 1)

    def test_another_build_is_recognised_through_a_link(self) -> None:
        ((group,), _) = run(context(7, "next_node"), RECOMPILED, name="tool", link=True)
        assert (group["pool"], group["objects"]) == (7, OBJECTS - 1)

    def test_what_fits_nothing_has_no_effect_and_says_so(self) -> None:
        unknown = context(7, "next_node").replace("(next_node)", "(is_nowhere)")
        (groups, said) = run(unknown, RECOMPILED, explain="on")
        assert groups == []
        assert "no context of it is in this program" in said
        assert run(unknown, RECOMPILED)[1] == ""
        assert run(context(7, "next_node"), RECOMPILED, name="another program")[0] == []

    def test_what_is_wrong_is_named(self) -> None:
        for wrong, problem in (
            ("pool = 0", "pools are numbered from 1 to 254"),
            ('calls = "shapes"', "calls are up to 4 of MODULE"),
            ("size = 5", "a context has calls, and a pool or a place"),
            ('place = "far"', "a context's place is plain or beside"),
        ):
            (_, said) = run(f"[[context]]\n{wrong}\n" + context(7, "next_node"))
            assert f"line 12: {problem}" in said, said
        (_, said) = run(context(7, "next_node").replace("calls", 'place = "plain"\ncalls'))
        assert "line 13: a context has a pool or a place" in said, said


PLUGIN = "#include <stdlib.h>\nvoid *made;\nvoid *make(void) { return made = malloc(48); }\n"
HOST = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **plugins) {
  for (int plugin = 1; plugin < count; ++plugin) {
    void *(*make)(void) = (void *(*)(void))dlsym(dlopen(plugins[plugin], RTLD_NOW), "make");
    for (int i = 0; i < 4000; ++i) make();
  }
  return 0;
}
"""
MAKE = PLUGIN.replace("void *make", "__attribute__((noinline)) static void *make").replace(
    "void *made", "static void *made"
)
ONE_MAKE = (
    MAKE + "void *other(void); int main(void) "
    "{ for (int i = 0; i < 8000; ++i) i % 2 ? make() : other(); return 0; }\n"
)


class AssignedTwins(unittest.TestCase):
    """Of two plugins with one name, and two functions with one name."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compiled(self, name: str, text: str, *options: str) -> str:
        program, source = self.folder / name, self.folder / f"{name.replace('/', '-')}.c"
        program.parent.mkdir(exist_ok=True)
        source.write_text(text)
        output_of("cc", "-O1", "-Wl,--build-id", *options, str(source), "-o", str(program))
        return str(program)

    @staticmethod
    def call_in_make(module: str) -> str:
        """The call of malloc in `make`, as profiles have it."""
        lines = output_of("objdump", "--disassemble=make", module).splitlines()
        at = next(number for number, line in enumerate(lines) if CALL.match(line))
        return f"{Path(module).name}+{int(lines[at + 1].partition(':')[0], 16) - 1:#x}"

    def sites(self, program: str, module: str, *words: str) -> dict[str, int]:
        """The objects of sites with a pool, which `make` has in the module that was measured."""
        name, profile = Path(module).name, self.folder / "profile"
        modules = "".join(
            f'[[module]]\nname = "{Path(one).name}"\nbuild_id = "{build_id(one)}"\n'
            for one in (program, module)
            if one == module or Path(one).name != name
        )
        profile.write_text(
            f'profile = 1\n[settings]\nplace = "pools"\nchain = 1\n{modules}'
            f'[[context]]\npool = 1\ncalls = "{self.call_in_make(module)}(make)"\n'
        )
        _, found, _ = explained(program, *words, profile=profile)
        return {group["site"].partition("(")[0]: group["objects"] for group in found["groups"]}

    def test_of_two_plugins_the_measured_one_has_its_contexts(self) -> None:
        host = self.compiled("host", HOST)
        measured = self.compiled("one/plugin.so", PLUGIN, "-shared", "-fPIC")
        elsewhere = "void *other(void) { return 0; }\n" + PLUGIN
        other = self.compiled("two/plugin.so", elsewhere, "-shared", "-fPIC")
        assert self.call_in_make(other) != self.call_in_make(measured)
        for order in ((measured, other), (other, measured)):
            found = self.sites(host, measured, *order)
            assert found[self.call_in_make(measured)] > 3000, (order, found)

    def test_a_name_of_two_functions_names_neither(self) -> None:
        measured = self.compiled("one/program", ONE_MAKE + "void *other(void) { return make(); }")
        again = self.compiled("two/program", ONE_MAKE + "void *other(void) { return 0; }")
        assert len(self.sites(again, measured)) == 1
        second = self.folder / "second.c"
        second.write_text(MAKE + "void *other(void) { return make(); }")
        twins = self.compiled("three/program", ONE_MAKE + "void *other(void);", str(second))
        assert self.sites(twins, measured) == {}


class AssignedFriends(unittest.TestCase):
    """Of lists that two functions append to: by default, all objects lie beside the ends."""

    def placed(self, contexts: str, **options: str) -> dict[str, int]:
        """How many objects of each function lie beside friends."""
        found, said = assigned(contexts, SHAPES, "appended", MANY, **options)
        assert said == "", said
        sites = {f"shapes+{call_in(name):#x}": name for name in ("append_even", "append_odd")}
        return {sites[one["site"]]: one["placed"] for one in found["friends"]}

    def test_where_others_have_friends_what_is_plain_or_in_a_pool_has_none(self) -> None:
        for place in ("plain", 9):
            found = self.placed(context(place, "append_odd"), place="auto")
            assert found.keys() == {"append_even"}
            assert found["append_even"] > OBJECTS

    def test_what_is_beside_has_friends_where_others_have_none(self) -> None:
        found = self.placed(context("beside", "append_odd"))
        assert found.keys() == {"append_odd"}
        assert found["append_odd"] > OBJECTS
        assert self.placed(context("plain", "append_odd")) == {}

    def test_where_contexts_have_no_effect_all_have_friends(self) -> None:
        plain = context("plain", "append_odd")
        found, said = assigned(plain, SHAPES, "appended", MANY, place="friends")
        assert [one["placed"] > OBJECTS for one in found["friends"]] == [True, True]
        assert "what ABUT_PROFILE says of contexts has no effect with ABUT_PLACE=friends" in said

    def test_pools_and_friends_are_beside_each_other(self) -> None:
        both = context("beside", "append_odd") + context(4, "append_even")
        found, _ = assigned(both, SHAPES, "appended", MANY)
        assert [one["placed"] > OBJECTS for one in found["friends"]] == [True]
        assert [one["pool"] for one in found["groups"]] == [4]
        assert found["groups"][0]["pool_bytes"] > 16 * (MANY // 2 - 200)

    def test_a_recompiled_program_has_them_too(self) -> None:
        found, _ = assigned(context("beside", "append_odd"), RECOMPILED, "appended", MANY)
        assert [one["placed"] > OBJECTS for one in found["friends"]] == [True]

    def test_what_is_plain_is_assigned(self) -> None:
        plain = context("plain", "append_odd") + context("plain", "next_node")
        on = {"explain": "on", "place": "auto"}
        found, said = assigned(plain, SHAPES, "appended", MANY, **on)
        met = {one["calls"].partition("(")[2].rstrip(")"): one["met"] for one in found["plain"]}
        assert met == {"append_odd": 1, "next_node": 0}
        assert "(append_odd): plain by the profile\n" in said, said
        assert "(next_node): not met, and would be plain by the profile\n" in said, said
