#!/usr/bin/env bash
# Installs what is missing for the purposes named: packages through apt, Python's in .venv. Quick when nothing is.
#
# usage: tools/setup.sh PURPOSE...
# A purpose is a list in tools/packages, or: programs (what the tests run), bench (what the benchmarks run),
# python (the environment with the command line and its checks), docs (that, with what builds the pages). What `browser`
# adds is what tests open reports in, and `dist` is what packages are built with.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "set-up: $*"; }
fail() { say "$@" >&2; exit 1; }

# ---- packages ----

system_id() {
    (. /etc/os-release && echo "$ID-${VERSION_ID:-}") 2>/dev/null || true
}

# The packages that a purpose needs, one a line.
packages_for() {
    case $1 in
    programs) sed 's/#.*//' tests/programs/packages.txt ;;
    bench) sed -n 's/.*package *= *"\([^"]*\)".*/\1/p' bench/suites/*.toml ;;
    python | docs) ;;
    *)
        [[ -f tools/packages/$1.txt ]] || fail "$1: no such purpose; see the head of tools/setup.sh"
        sed 's/#.*//' "tools/packages/$1.txt"
        local more
        more=tools/packages/$1.$(system_id).txt
        if [[ -f $more ]]; then sed 's/#.*//' "$more"; fi
        ;;
    esac
}

# What this system was found not to have. The set-up would look for it again each time.
unavailable=build/unavailable-packages.txt

# Of the packages on standard input, those that neither are installed nor stand in for one that is, and may be had.
not_installed() {
    tr -s ' \t' '\n' | sed '/^$/d' | sort -u | comm -23 - <(
        {
            dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' | sed -n 's/^installed //p' | tr -s ', ' '\n'
            [[ ! -f $unavailable ]] || cat "$unavailable"
        } | sort -u
    )
}

may_be_root() {
    [[ $EUID -eq 0 ]] || sudo -n true 2>/dev/null || { [[ -t 0 ]] && command -v sudo >/dev/null; }
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

install_packages() {
    local all missing=() wanted=() package
    all=$(for purpose in "$@"; do packages_for "$purpose"; done)
    mapfile -t missing < <(not_installed <<<"$all")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if ! may_be_root; then
        fail "some packages are missing, and only root can install them. Type:

    sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}
"
    fi
    say "installing ${missing[*]}"
    apt_get update
    for package in "${missing[@]}"; do
        if apt-get -qq --simulate install "$package" >/dev/null 2>&1; then # also by another name
            wanted+=("$package")
        else
            say "this system has no package $package; going on without it"
            echo "$package" >>"$unavailable"
        fi
    done
    [[ ${#wanted[@]} -gt 0 ]] || return 0
    apt_get install --no-install-recommends "${wanted[@]}" >build/setup.log 2>&1 ||
        { tail -n 20 build/setup.log >&2; fail "apt-get could not install them; all it said is in build/setup.log"; }
}

# ---- Python ----

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local python
    for python in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
        if is_new_enough "$python" && "$python" -c 'import ensurepip' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    fail "no Python of 3.11 or later that can make a virtual environment; install one, with its venv module"
}

pip() { .venv/bin/python -m pip --quiet --disable-pip-version-check --no-input "$@"; }

# Installs this project with the extra named, unless that was done for the same declarations.
install_extra() {
    local stamp=.venv/$1.stamp now
    now=$({ cat pyproject.toml "$0" && grep '^project(' CMakeLists.txt; } | sha256sum)
    if [[ -f $stamp && $(<"$stamp") == "$now" ]]; then return; fi
    say "installing Python packages for '$1' in .venv"
    # The library is built by CMake beside it, where the command line finds it: not a second time here.
    pip install --config-settings=wheel.cmake=false -e ".[$1]"
    echo "$now" >"$stamp"
}

cmake_is_too_old() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')
    ! printf '3.25\n%s\n' "$version" | sort --version-sort --check=quiet
}

install_python() {
    local python
    if ! is_new_enough .venv/bin/python; then
        python=$(find_python)
        rm -rf .venv
        "$python" -m venv .venv
        pip install --upgrade pip # what a Python brings along may be too old for what comes next
    fi
    install_extra "$1"
    if [[ ! -x .venv/bin/cmake ]] && cmake_is_too_old; then
        say "the system's CMake is older than 3.25; installing one in .venv"
        pip install 'cmake>=3.25,<4'
    fi
}

# Headers of peers that are newer than this system's. Of what is not there the tables have no row.
install_headers() {
    local peers=build/headers wheel
    if [[ ! -e $peers/boost/unordered/unordered_node_map.hpp ]]; then
        say "unpacking Boost's headers in $peers"
        rm -rf "$peers/boost"
        mkdir -p "$peers/wheel"
        pip download --no-deps --dest "$peers/wheel" boost-headers==1.85.0.post1
        wheel=$(echo "$peers"/wheel/*.whl)
        .venv/bin/python -m zipfile --extract "$wheel" "$peers/wheel"
        mv "$peers/wheel/boost_headers/include/boost" "$peers/boost"
        rm -r "$peers/wheel"
    fi
    [[ -e $peers/plf_list.h ]] ||
        say "plf_list.h and plf_tools.h, from plflib.org, are in no package: without them in $peers plf::list is left out"
}

# ---- the work ----

[[ $# -gt 0 ]] || fail "name a purpose; see the head of tools/setup.sh"
mkdir -p build
if command -v dpkg-query >/dev/null; then
    install_packages "$@"
else
    say "this is not a Debian or Ubuntu: what tools/packages lists must be there by other means"
fi
for purpose in "$@"; do
    case $purpose in
    python) install_python dev ;;
    docs) install_python docs ;;
    browser | dist) install_python "$purpose" ;;
    esac
done
if [[ " $* " == *" baselines "* ]]; then
    install_python dev
    install_headers
fi
