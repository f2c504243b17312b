#!/usr/bin/env bash
# Builds the wheel, installs it in an environment that has nothing else, and uses the command line from there, far from the
# source tree. Nothing of the caller's environment is there, either.
#
# usage: wheel.sh SOURCE PYTHON
set -euo pipefail

source=$(realpath "$1") python=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

fail() { echo "wheel.sh: $*" >&2; exit 1; }

# A copy of what is tracked (links as links): a build folder in the tree must not find its way into the wheel.
mkdir "$here/source"
(cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --no-dereference --parents -t "$here/source")
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$here" "$here/source"
rm -r "$here/source"
"$python" -m venv "$here/clean"
"$here/clean/bin/python" -m pip install --quiet --disable-pip-version-check "$here"/abut-*.whl

cd "$here"
clean() { env -i HOME="$here" PATH="$here/clean/bin:/usr/bin:/bin" LANG=C.UTF-8 "$@"; }

# says WORDS COMMAND...: the command succeeds, and prints the words.
says() {
    local words=$1 said
    shift
    said=$(clean "$@" 2>&1) || fail "$* failed: $said"
    [[ $said == *"$words"* ]] || fail "$* does not print '$words': $said"
}

library=$(clean abut lib)
[[ $library == "$here"/clean/*/abut/lib/libabut.so ]] || fail "abut lib: $library"
says "$library" abut --version
says 42 abut run -- sh -c 'echo $((6 * 7))'
says usr env LD_PRELOAD="$library" ABUT_STATS="$here/stats.json" /bin/ls /
[[ -s $here/stats.json ]] || fail "the library did not serve ls"
says decay_ms abut options
says cartesian abut heaps
says usr abut run --heap vam -- /bin/ls /
says 'peak RSS' abut compare --runs 2 --heaps glibc,abut -- /bin/ls /
says 'objects' abut record --recorder light -o ls.trace -- /bin/ls /
says 'contexts' abut trace info ls.trace
says 'opens in any browser' abut report -o ls.html ls.trace
grep -q drawVerdict ls.html || fail "the report has no script"
says '_ABUT_COMPLETE' abut completion bash
[[ -s $here/clean/share/man/man1/abut-run.1 ]] || fail "no manual pages"
[[ -s $here/clean/share/bash-completion/completions/abut ]] || fail "no completion"
if grep -rIlF "$source" clean/lib/python*/site-packages/abut; then fail "these files name the source tree"; fi
echo "the wheel was built, installed and used: $(basename "$here"/abut-*.whl)"
