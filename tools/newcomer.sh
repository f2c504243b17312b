#!/usr/bin/env bash
# Times what a newcomer waits for: a fresh clone, set-up, the build, and the first report, in a folder of its own.
# What apt has installed already is not installed again: for the whole way, run it on a bare machine or in a chroot.
#
# usage: tools/newcomer.sh [REPOSITORY]
set -euo pipefail

repository=${1:-$(cd "$(dirname "$0")/.." && pwd)}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
begun=$SECONDS last=$SECONDS

# step NAME COMMAND...: runs it, and says how long it took; what it prints is shown only if it fails.
step() {
    local name=$1
    shift
    "$@" >"$here/log" 2>&1 </dev/null || { tail -n 40 "$here/log" >&2; echo "newcomer.sh: $name failed" >&2; exit 1; }
    printf '%-44s %4d s\n' "$name" $((SECONDS - last))
    last=$SECONDS
}

step "clone" git clone --quiet "$repository" "$here/abut"
cd "$here/abut"
step "set-up, build, and a report (make demo)" make demo
[[ -s build/demo/report.html ]] || { echo "newcomer.sh: the demonstration left no report" >&2; exit 1; }
step "record another program" .venv/bin/abut record -q -o lua.trace -- lua5.4 -e 'local t = {} for i = 1, 20000 do t[i] = {i} end'
step "report on it" .venv/bin/abut report lua.trace -o report.html
printf '%-44s %4d s\n' "all" $((SECONDS - begun))
[[ $((SECONDS - begun)) -lt 600 ]] || { echo "newcomer.sh: that is more than ten minutes" >&2; exit 1; }
