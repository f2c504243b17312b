#!/usr/bin/env bash
# Builds the pages into build/docs, and the manual pages into build/man. A warning, or a reference that leads nowhere, is
# an error. What is generated (the reference, a report to look at) is made here and not tracked.
set -euo pipefail
cd "$(dirname "$0")/.."

python=.venv/bin/python
extra=build/docs-extra # what the pages link to beside themselves
mkdir -p "$extra"
if [[ ! -e $extra/lists-report.html ]]; then
    program=(build/release/bin/bench/lists --nodes 100000 --lists 2048 --order random --walks 20)
    .venv/bin/abut record --quiet --force --sites -o build/lists-report.trace -- "${program[@]}" >/dev/null
    .venv/bin/abut report --force -o "$extra/lists-report.html" build/lists-report.trace >/dev/null
fi
"$python" tools/man_pages.py build/man/man1
exec "$python" -m sphinx --quiet --fail-on-warning --nitpicky --keep-going docs build/docs
