"""Chains of return addresses in real programs, held against what backtrace() tells."""

import os
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

WATCHER = os.environ["CHAINS_WATCHER"]
SOURCE = Path(__file__).resolve().parents[2]
RUNTIME = f"{SOURCE}/src/runtime"
SHOWN = 12
LAYOUT = struct.Struct(f"4Q{SHOWN}Q{SHOWN}Q256s")
FEW = 200  # chains that a program must have for its test to say anything

NUMBERS = "BEGIN { for (i = 0; i < 40000; i++) print (i * 7919) % 10007, i }"
# Each is run in a folder of its own; the commands before `&&&` come first, without the watcher.
PROGRAMS = {
    "lua": """lua5.4 -e 'local t = {}; for i = 1, 20000 do t[i] = {i, tostring(i)} end
        for i = 1, 500 do coroutine.wrap(function() coroutine.yield({i}) end)() end print(#t)'""",
    "perl": """perl -e 'my %h; $h{$_} = [$_, {a => "x$_"}] for 1..20000; eval { die {} } for 1..99;
        print scalar(grep { /7$/ } sort keys %h), "\\n"'""",
    "python": """python3 -c 'import json, re, threading as t
d = json.loads(json.dumps({str(i): [i, {"a": "b" * i}] for i in range(900)}))
all = [t.Thread(target=lambda: sorted(map(str, d))) for _ in range(4)]
[x.start() for x in all]; [x.join() for x in all]; print(re.sub("b+", "c", str(d))[:99])'""",
    "xmllint": """awk 'BEGIN { print "<r>"
        for (i = 0; i < 9000; i++) print "<e a=\\"" i "\\">t</e>"
        print "</r>" }' > in.xml &&& xmllint --xpath 'count(//e)' in.xml""",
    "sqlite": """sqlite3 :memory: 'create table t(a, b text); with recursive n(i) as (select 1
        union all select i + 1 from n where i < 5000) insert into t select i, hex(i) from n;
        create index x on t(b); select count(*), b from t group by b % 9 order by b;'""",
    "bash": "bash -c 'for i in {1..3000}; do a[i]=x$i; b+=${a[i]:1}; done; (echo ${#b}) | cat'",
    "git": f"""git init -q && cp {RUNTIME}/heap/* . && git add . &&
        git -c user.name=a -c user.email=a@b commit -qm a &&& git log --stat -p""",
    "gcc": f"g++ -std=c++20 -O1 -I{RUNTIME} -c {RUNTIME}/os/linux.cpp -o x.o",
    "ld": f"""g++ -std=c++20 -g -fPIC -I{RUNTIME} -c {RUNTIME}/os/linux.cpp -o x.o &&&
        ld -shared x.o -o x.so""",
    "as": f"""g++ -std=c++20 -g -S -I{RUNTIME} {RUNTIME}/os/linux.cpp -o x.s &&&
        as x.s -o x.o""",
    "objdump": f"objdump -d --no-show-raw-insn {WATCHER} | tail -1",
    "readelf": f"readelf --debug-dump=decodedline {WATCHER} | tail -1",
    "nm": f"nm -C -S --size-sort {WATCHER} | tail -1",
    "cmake": """echo 'foreach(i RANGE 900)
        list(APPEND l a${i})\nstring(REGEX REPLACE a b c "${l}")
        endforeach()\nmessage("${c}")' > x.cmake &&& cmake -P x.cmake""",
    "ninja": """awk 'BEGIN { print "rule r\\n command = true"; for (i = 0; i < 2000; i++)
        print "build o" i ": r" }' > build.ninja &&& ninja -n""",
    "make": """awk 'BEGIN { printf "all:"; for (i = 0; i < 900; i++) printf " o" i; print ""
        for (i = 0; i < 900; i++) print "o" i ":;@: $(subst o,x,$@)" }' > Makefile &&& make -n""",
    "openssl": "openssl speed -seconds 1 ecdsap256 2>&1 | tail -1; openssl genrsa 1024 | tail -1",
    "node": """node -e 'const m = new Map(); for (let i = 0; i < 20000; i++) m.set("k" + i, [i]);
        console.log(require("zlib").deflateSync(JSON.stringify([...m])).length > 9)'""",
    "sort": f"awk '{NUMBERS}' > in &&& sort --parallel=4 -S 200k -k2,2 -T . in | tail -1",
    "awk": f"awk '{NUMBERS}' > in &&& awk '{{ s[$1] = s[$1] $2 }} END {{ print length(s) }}' in",
    "find": "find /usr/include /usr/share/doc -name '*.h' -size +1k | tail -1",
    "tar": "tar -cf - -C /usr/include . | tar -tvf - | tail -1",
    "c++filt": f"nm {WATCHER} | cut -c20- > in &&& c++filt < in | tail -1",
}
SOME = ("lua", "make", "xmllint")


@dataclass
class Tally:
    """What the watcher counted; see tally.hpp."""

    compared: int
    frames: int
    shorter: int
    different: int
    first: str


def tally_of(name: str) -> Tally:
    """Run a program with the watcher, and read its tally."""
    before, _, command = PROGRAMS[name].rpartition("&&&")
    with tempfile.TemporaryDirectory(prefix="abut-chains-") as folder:
        path = Path(folder) / "tally"
        path.write_bytes(bytes(LAYOUT.size))
        work = Path(folder) / "work"
        work.mkdir()
        environment = {
            "PATH": "/usr/bin:/bin:/usr/sbin",
            "HOME": str(work),
            "LC_ALL": "C.UTF-8",
            "PYTHONMALLOC": "malloc",
        }
        watched = environment | {"LD_PRELOAD": WATCHER, "CHAINS_TALLY": str(path)}
        subprocess.run(["bash", "-ec", before], env=environment, cwd=work, check=True)
        preload = " ".join(f"{key}={shlex.quote(value)}" for key, value in watched.items())
        done = subprocess.run(
            ["bash", "-c", f"export {preload}; {command}"],
            env=environment,
            cwd=work,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, f"{name} ended with {done.returncode}: {done.stderr[-2000:]}"
        compared, frames, shorter, different, *rest = LAYOUT.unpack(path.read_bytes())
    ours, theirs = rest[:SHOWN], rest[SHOWN : 2 * SHOWN]
    where = rest[-1].rstrip(b"\0").decode(errors="replace")
    first = (
        f"ours {[hex(a) for a in ours if a]}, backtrace {[hex(a) for a in theirs if a]}, {where}"
    )
    return Tally(compared, frames, shorter, different, first)


class Chains(unittest.TestCase):
    """Every chain is backtrace()'s, or a shorter one."""

    def check(self, name: str) -> None:
        tally = tally_of(name)
        print(
            f"{name}: {tally.compared} chains of {tally.frames} frames,"
            f" {tally.shorter} shorter, {tally.different} different",
            file=sys.stderr,
        )
        assert tally.compared >= FEW, f"{name} has only {tally.compared} allocations"
        assert tally.different == 0, f"{name}: {tally.first}"
        assert tally.shorter <= tally.compared // 20, f"{name}: {tally.shorter} chains are shorter"


def add_tests() -> None:
    for program in PROGRAMS:
        kind = "some" if program in SOME else "other"
        name = f"test_{kind}_{program.replace('+', 'p')}"
        setattr(Chains, name, lambda self, program=program: self.check(program))


add_tests()
