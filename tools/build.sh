#!/usr/bin/env bash
# Configures and builds one preset, or only some of its targets.
#
# usage: tools/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?build.sh: name a preset of CMakePresets.json}
shift
log=build/$preset-configure.log
mkdir -p build

# What set-up put there where the system's own is too old.
if [[ -x .venv/bin/cmake ]]; then PATH=$PWD/.venv/bin:$PATH; fi
if [[ -z ${CXX:-} && -x /usr/bin/g++-12 && $(g++ -dumpversion | cut -d. -f1) -lt 12 ]]; then
    export CC=gcc-12 CXX=g++-12
fi

if ! cmake --preset "$preset" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "build.sh: preset '$preset' could not be configured; all that CMake said is in $log" >&2
    exit 1
fi
targets=()
if [[ $# -gt 0 ]]; then targets=(--target "$@"); fi
cmake --build "build/$preset" "${targets[@]}"
