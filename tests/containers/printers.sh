#!/usr/bin/env bash
# What gdb prints of containers, and whether the other debuggers' file names what the headers have.
#
# usage: printers.sh SOURCE
set -euo pipefail

source=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

c++ -std=c++20 -g -O0 -I"$source/include" -o "$here/printed" "$source/tests/containers/printed.cpp"
names=(map boxed multiset many stable words list empty)
commands=()
for name in "${names[@]}"; do commands+=(-ex "print $name"); done
gdb -nx -batch -ex "source $source/packaging/debuggers/abut_gdb.py" -ex 'set print elements 4' -ex 'break stop' \
    -ex run -ex up "${commands[@]}" "$here/printed" 2>"$here/errors" | grep '^\$' >"$here/found"
diff "$source/tests/containers/printed.txt" "$here/found" || { cat "$here/errors"; exit 1; }

python3 - "$source" <<'PY'
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

source = Path(sys.argv[1])
headers = "".join(path.read_text() for path in sorted((source / "include/abut").rglob("*.hpp")))
space = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
known = {"leaf", "slot", "this", "char", "sizeof"}
for element in xml.parse(source / "packaging/debuggers/abut.natvis").iter():
    if element.tag.removeprefix(space) in {"Type", "AlternativeType"}:
        name = re.fullmatch(r"abut::(\w+)<\*>", element.get("Name"))[1]
        assert f"class {name}" in headers, f"natvis: no class {name}"
        continue
    text = " ".join([element.text or "", *element.attrib.values()])
    for word in set(re.findall(r"[A-Za-z_]\w+", text.replace("size=", ""))) - known:
        assert re.search(rf"\b{word}\b", headers), f"natvis: the headers have no {word}"
PY
echo "printed as expected"
