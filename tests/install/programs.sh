#!/usr/bin/env bash
# Installs what a build gives to programs, and builds the examples against it in a folder that knows nothing of the source
# tree: by find_package and by pkg-config. Then they run, and the heap that they run on is looked at.
#
# usage: programs.sh SOURCE BUILD
set -euo pipefail

source=$1 build=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

fail() { echo "programs.sh: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$here/first" >"$here/install.log"
mv "$here/first" "$here/prefix" # nothing may remember where it was installed
prefix=$here/prefix
cp -r "$source/examples" "$here/examples"
if grep -rIl "$source" "$prefix"; then fail "these files name the source tree"; fi
[[ ! -e $prefix/abut ]] || fail "the command line's parts were installed, too"
[[ -s $prefix/share/man/man1/abut-run.1 ]] || fail "no manual pages"

cmake -S "$here/examples" -B "$here/by-cmake" -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH="$prefix" \
    >"$here/configure.log" 2>&1 || { cat "$here/configure.log"; fail "find_package(abut) failed"; }
cmake --build "$here/by-cmake"
warnings="-O2 -Wall -Wextra -Werror" # headers that warn are a nuisance to others
mkdir "$here/by-pkg-config"
CFLAGS="$warnings" CXXFLAGS="$warnings" PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name abut.pc)") make -C "$here/examples" OUT="$here/by-pkg-config"
[[ $(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name abut.pc)") pkg-config --modversion abut) == \
    $(sed -n 's/^project(abut VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt") ]] || fail "abut.pc has another version"

for way in by-cmake by-pkg-config; do
    cd "$here/$way"
    for linked in hints containers; do
        [[ $(ldd "./$linked") == *" $prefix/"*libabut.so* ]] || fail "$way/$linked does not run on abut"
    done
    [[ $(ldd ./allocator) != *libabut* ]] || fail "$way/allocator is linked with what it can do without"
    # The library's own search for friends is no hint: without it, hints alone bring neighbours together.
    said=$(ABUT_PLACE=off ./hints)
    near=$(sed -n 's/^neighbours on one page: \([0-9]*\) % with hints, 0 % without$/\1/p' <<<"$said")
    [[ ${near:-0} -gt 50 ]] || fail "$way/hints: hints did not bring neighbours together: $said"
    [[ $(./allocator) == "sum 1399860000, lines 100" ]] || fail "$way/allocator computed something else"
    [[ $(LD_PRELOAD=$(find "$prefix" -name libabut.so) ./allocator) == "$(./allocator)" ]] ||
        fail "$way/allocator computes something else under abut"
    [[ $(./containers) == "list 50005298436, map 50004" ]] || fail "$way/containers computed something else"
done
# With the heap inside, whether by CMake or by hand, and with nothing beside it that a plain program has not.
mkdir "$here/static"
cat >"$here/static/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(inside LANGUAGES C CXX)
find_package(abut REQUIRED)
add_executable(by_cmake $here/examples/hints.c)
target_link_libraries(by_cmake PRIVATE abut::static)
EOF
cmake -S "$here/static" -B "$here/static/build" -D CMAKE_PREFIX_PATH="$prefix" >"$here/static.log" 2>&1 &&
    cmake --build "$here/static/build" >>"$here/static.log" 2>&1 || { cat "$here/static.log"; fail "abut::static does not build"; }
gcc -O2 -I"$prefix/include" -o "$here/static/build/by_hand" "$here/examples/hints.c" "$(find "$prefix" -name libabut.a)"
for program in by_cmake by_hand; do
    cd "$here/static/build"
    [[ $(ldd "./$program") != *libabut* ]] || fail "$program is linked with the shared library"
    ABUT_STATS="$here/$program.json" ABUT_PLACE=off "./$program" >"$here/$program.txt"
    grep -q '"pages_in_use"' "$here/$program.json" || fail "$program does not run on the heap inside it"
    grep -Eq '[5-9][0-9] % with hints, 0 % without' "$here/$program.txt" || fail "$program: hints have no effect"
done

# What the Dockerfile of the documentation does to build the library.
mapfile -t options < <(grep -o 'ABUT_[A-Z]*=OFF' "$source/docs/examples/Dockerfile" | sed 's/^/-D/')
[[ ${#options[@]} -gt 1 ]] || fail "the Dockerfile names no options"
cmake -S "$source" -B "$here/image" -G Ninja -D CMAKE_BUILD_TYPE=Release "${options[@]}" >"$here/image.log" 2>&1 ||
    { cat "$here/image.log"; fail "the Dockerfile's way to configure fails"; }
cmake --build "$here/image" --target abut >"$here/image.log" 2>&1 ||
    { tail "$here/image.log"; fail "the Dockerfile's way to build fails"; }
[[ -s $here/image/lib/libabut.so ]] || fail "the Dockerfile takes a library that is not there"

echo "installed, found by CMake and by pkg-config, and run"
