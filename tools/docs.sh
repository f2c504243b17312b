#!/usr/bin/env bash
# Builds the pages into build/docs. A warning, or a reference that leads nowhere, is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
exec .venv/bin/python -m sphinx --quiet --fail-on-warning --nitpicky --keep-going docs build/docs
