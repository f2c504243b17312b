#!/usr/bin/env bash
# The containers as a package of Conan's, made from an archive of the sources, in a program of somebody else's.
#
# usage: conan.sh SOURCE PYTHON
set -euo pipefail

source=$1 conan=$(dirname "$2")/conan
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
export CONAN_HOME=$here/home
cd "$here" # Conan leaves presets where it is called

quietly() { "$@" >"$here/log" 2>&1 || { cat "$here/log"; exit 1; }; }

[[ -x $conan ]] || { echo "conan.sh: there is no $conan" >&2; exit 1; }
mkdir "$here/tree"
tar -C "$source" -cf "$here/abut.tar" LICENSE include packaging
tar -C "$here/tree" -xf "$here/abut.tar"
quietly "$conan" profile detect
quietly "$conan" create "$here/tree/packaging/conan" --no-remote -s compiler.cppstd=20
cp -r "$source/tests/install/consumer" "$here/consumer"
quietly "$conan" install --requires 'abut-containers/[*]' --no-remote -s compiler.cppstd=20 \
    --generator CMakeDeps --generator CMakeToolchain --output-folder "$here/generated"
quietly cmake -S "$here/consumer" -B "$here/out" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_TOOLCHAIN_FILE="$here/generated/conan_toolchain.cmake"
quietly cmake --build "$here/out" --target consumer
[[ $("$here/out/consumer") == "1 3 3 2" ]] || { echo "conan.sh: computed something else" >&2; exit 1; }
echo "built as a package of Conan's, and run"
