#!/usr/bin/env bash
# Builds the containers' tests with each compiler that is there, for C++20 and C++23, and runs them; and each header alone,
# without exceptions and run-time types. With names of compilers, only these.
#
# usage: compilers.sh SOURCE [COMPILER]...
set -euo pipefail

source=$1
compilers=("${@:2}")
[[ ${#compilers[@]} -gt 0 ]] || compilers=(g++ g++-{12..15} clang++ clang++-{14..21})
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
warnings=(-Wall -Wextra -Werror)
cd "$source/tests"

fail() { echo "compilers.sh: $*" >&2; exit 1; }
run() { "$@" >"$here/log" 2>&1 || { cat "$here/log"; fail "$compiler, C++$standard: $1 failed"; }; }

headers_alone() {
    for header in allocator list map relayout set stable_map stable_set; do
        echo "#include <abut/$header.hpp>" >"$here/alone.cpp"
        run "$compiler" "-std=c++${standard/23/2b}" "${warnings[@]}" -fno-exceptions -fno-rtti -fsyntax-only \
            -I"$source/include" "$here/alone.cpp"
    done
}

declare -A seen
ran=0
for compiler in "${compilers[@]}"; do
    command -v "$compiler" >/dev/null || continue
    version=$("$compiler" --version | head -n 1)
    [[ -z ${seen[${version#* }]:-} ]] || continue # another name of one that was tried
    seen[${version#* }]=1
    for standard in 20 23; do
        headers_alone
        build=("$compiler" "-std=c++${standard/23/2b}" "${warnings[@]}" -I"$source/include" -Iunit -I.)
        run "${build[@]}" -o "$here/unit" unit/containers/{exceptions,list,ordered,relayout,small}_test.cpp \
            -lgtest -lgtest_main -pthread
        run "${build[@]}" -o "$here/checked" unit/containers/checked_test.cpp -lgtest -lgtest_main -pthread
        run "${build[@]}" -o "$here/model" containers/{main,fuzz_target,run_lists,run_maps,run_stable_maps}.cpp
        run "$here/unit"
        run "$here/checked"
        run "$here/model" 1 20
        echo "C++$standard: $version"
        ran=$((ran + 1))
    done
done
[[ $ran -gt 0 ]] || fail "none of these compilers is there: ${compilers[*]}"
