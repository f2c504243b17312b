#!/usr/bin/env bash
# The containers in a program of somebody else's: by find_package, FetchContent, pkg-config, as one header, and with
# neither exceptions nor run-time types.
#
# usage: containers.sh SOURCE BUILD PYTHON
set -euo pipefail

source=$1 build=$2 python=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

fail() { echo "containers.sh: $*" >&2; exit 1; }
expect() { [[ $("$1") == "1 3 3 2" ]] || fail "$1 computed something else"; }

cp -r "$source/tests/install/consumer" "$here/consumer"
cmake --install "$build" --prefix "$here/prefix" --component containers >"$here/log"
[[ -z $(find "$here/prefix" -name '*.so*') ]] || fail "the containers brought a library along"
for kind in "CMAKE_PREFIX_PATH=$here/prefix" "SOURCE=$source"; do
    rm -rf "$here/out"
    cmake -S "$here/consumer" -B "$here/out" -D "$kind" >"$here/log" 2>&1 || { cat "$here/log"; fail "$kind: not found"; }
    cmake --build "$here/out" --target consumer >"$here/log" 2>&1 || { cat "$here/log"; fail "$kind: does not build"; }
    expect "$here/out/consumer"
done
flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name abut-containers.pc)") pkg-config --cflags abut-containers)
# shellcheck disable=SC2086
c++ -std=c++20 -Wall -Wextra -Werror -fno-exceptions -fno-rtti $flags -o "$here/by-pkg-config" "$here/consumer/main.cpp"
expect "$here/by-pkg-config"
"$python" "$source/tools/single_header.py" "$here/abut_containers.hpp"
c++ -std=c++20 -Wall -Wextra -Werror -DONE_HEADER -I"$here" -o "$here/one-header" "$here/consumer/main.cpp"
expect "$here/one-header"
echo "found in four kinds of package, and run"
