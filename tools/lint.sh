#!/usr/bin/env bash
# Checks what can be checked by reading: layers, layout, names, types, likely mistakes. Changes nothing.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=0

check() {
    local name=$1
    shift
    printf '%-32s ' "$name"
    local output
    if output=$("$@" 2>&1); then
        echo ok
    else
        printf 'FAILED\n%s\n' "$output"
        failed=1
    fi
}

# Tracked files, and those that are about to be.
files() { git ls-files --cached --others --exclude-standard -- "$@"; }

# Names each file and how many places in it are not laid out well.
clang_format() {
    local places
    places=$(files '*.c' '*.cpp' '*.h' '*.hpp' | xargs clang-format-14 --dry-run -Werror 2>&1 | grep ': error:')
    [[ -z $places ]] && return
    cut -d: -f1 <<<"$places" | uniq -c
    echo "lay them out with: make format"
    return 1
}

# The database is g++'s, which has options that clang does not know, and precompiled headers that it cannot read.
clang_tidy() {
    tools/build.sh release abut >build/lint.log 2>&1 || { tail -n 20 build/lint.log; return 1; }
    cmake --preset release -B build/lint -DABUT_UNITY=OFF >>build/lint.log 2>&1 || return 1
    sed -i 's/-include [^ ]*cmake_pch\.hxx//' build/lint/compile_commands.json
    files 'src/*.cpp' 'papers/*.cpp' 'bench/*.cpp' |
        xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/lint --quiet \
            --extra-arg=-Wno-unknown-warning-option 2>/dev/null
}

shell() { files '*.sh' .ci/run | xargs -n 1 bash -n; }

check "layers of src/" .venv/bin/python tools/check_layers.py
check "layers of Python" env PYTHONPATH=python .venv/bin/lint-imports --no-cache
check "sizes of files and folders" .venv/bin/python tools/check_sizes.py
check "ruff: likely mistakes" .venv/bin/ruff check
check "ruff: layout" .venv/bin/ruff format --check
check "mypy: types" .venv/bin/mypy --no-error-summary
check "shell: syntax" shell
check "clang-format: layout" clang_format
check "clang-tidy: likely mistakes" clang_tidy
exit "$failed"
