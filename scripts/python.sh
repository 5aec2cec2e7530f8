#!/usr/bin/env bash
# python.sh: the package for Python, as its users get it.
#   python.sh wheel   makes the wheel for this machine's platform in build/wheel, twice, and compares the two
#   python.sh test    then installs it into an environment without other packages, and into one with frames, and tests it
#                     in both. Its program is in the wheel: no Go is on PATH.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
. scripts/steps.sh

wheel() {
  rm -rf build/wheel build/wheel.again
  for folder in build/wheel build/wheel.again; do python3 python/make_wheel.py "$folder" || return 1; done
  cmp build/wheel/*.whl build/wheel.again/*.whl && rm -rf build/wheel.again
}

# tested PYTHON: no test may be skipped where all packages are there.
tested() {
  local python=$1 most=$2 said
  "$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$root"/build/wheel/*.whl
  said=$(cd "$root/python/tests" && env -u PRIVBAYES_ENGINE -u PYTHONPATH PATH=/usr/bin:/bin "$python" -W ignore::UserWarning \
    -m unittest discover -s . 2>&1) || { printf '%s\n' "$said"; return 1; }
  printf '%s\n' "$said" | tail -n 3
  [ "$most" = some ] || ! grep -q skipped <<<"$said"
}

bare() {
  local folder
  folder=$(mktemp -d)
  build/python/bin/python -m venv "$folder/bare" && tested "$folder/bare/bin/python" some && rm -rf "$folder"
}

case ${1:-} in
  wheel) wheel ;;
  test)
    step "wheel" 300 wheel
    step "Python without other packages" 120 bare
    step "Python with frames" 120 tested "$root/build/python/bin/python" none
    ;;
  *) echo "usage: python.sh wheel | test" >&2; exit 2 ;;
esac
