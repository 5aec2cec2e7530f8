#!/usr/bin/env bash
# lab.sh [PORT]: serves notebooks/ on this machine and opens a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
jupyter=/usr/bin/jupyter-notebook
[ -x $jupyter ] || jupyter=$(command -v jupyter-notebook)
root=()
[ "$(id -u)" != 0 ] || root=(--allow-root)
exec "$jupyter" --ip=127.0.0.1 --port="${1:-8888}" "${root[@]+"${root[@]}"}" --notebook-dir="$PWD" \
  "--NotebookApp.default_url=/tree/notebooks"
