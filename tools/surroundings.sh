#!/usr/bin/env bash
# Runs tests where a user may run them: with descriptors open, files private, no home, no terminal, in a folder whose
# name has a space, and as somebody who is not root. They must all pass in each.
#
# usage: tools/surroundings.sh [SURROUNDING...]     after make test; without a name, all of them
set -uo pipefail
cd "$(dirname "$0")/.."

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
spaced="$here/a folder"
mkdir -p "$spaced"
chmod 755 "$here"
chmod 777 "$spaced"
failed=0

# What is run in each: what starts children, opens files and asks the system.
tests() {
    local result=0
    .venv/bin/python -m pytest --quiet -p no:cacheprovider --numprocesses 2 --dist loadfile -m "not long" \
        tests/python/commands tests/python/measure tests/python/trace tests/python/recording || result=1
    ctest --test-dir build/release --output-on-failure --no-tests=error --parallel 2 \
        --label-regex '^(stress|conformance|limits)$' --label-exclude '^(long|debug)$' || result=1
    return "$result"
}

descriptors() { tests 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null; }
private() { (umask 077 && tests); }
homeless() { (unset HOME XDG_CACHE_HOME && tests); }
no_terminal() { setsid --wait env -u TERM bash -c "$(declare -f tests); tests" </dev/null 2>&1 | cat; return "${PIPESTATUS[0]}"; }
spaces() { TMPDIR=$spaced XDG_CACHE_HOME="$spaced/cache" tests; }

# Needs root, to become somebody else.
somebody() {
    [[ $EUID -eq 0 ]] || { echo "not root already"; return 0; }
    # ctest writes what it did there.
    mkdir -p build/release/Testing/Temporary
    chmod -R a+rwX build/release/Testing
    setpriv --reuid 65534 --regid 65534 --clear-groups \
        env HOME="$spaced" TMPDIR="$spaced" bash -c "$(declare -f tests); tests"
}

all=(descriptors private homeless no_terminal spaces somebody)
for name in "${@:-${all[@]}}"; do
    printf '%-14s ' "$name"
    begun=$SECONDS
    if "$name" >"$here/log" 2>&1; then
        echo "passed in $((SECONDS - begun)) s"
    else
        echo FAILED
        tail -n 60 "$here/log"
        grep -E '^FAILED |^ERROR |\*\*\*(Failed|Timeout|Exception)' "$here/log"
        failed=1
    fi
done
exit "$failed"
