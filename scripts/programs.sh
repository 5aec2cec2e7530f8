#!/usr/bin/env bash
# programs.sh: exported programs, run by those whose language they are in. Their posteriors must be the library's.
#   programs.sh test   a table, a mean and a regression in NumPyro, and a mean in Stan: what takes seconds, and one compilation
#   programs.sh all    all in both, and in NumPyro with wrong data, too, which must be found out
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh

# compared PROGRAM CASE...
compared() {
  local folder
  folder=$(mktemp -d)
  build/programs/bin/python tools/programs/check.py "$1" "$folder" "${@:2}" && rm -rf "$folder"
}

export PRIVBAYES=$PWD/build/programs/privbayes
go build -buildvcs=false -o "$PRIVBAYES" ./cmd/privbayes
case ${1:-} in
  test)
    step "Exported programs in NumPyro" 600 compared numpyro table mean regression
    step "Exported programs in Stan" 600 compared stan mean
    ;;
  all)
    step "Exported programs in NumPyro, and wrong ones" 1800 compared numpyro --mutants
    step "Exported programs in Stan" 1800 compared stan
    ;;
  *) echo "usage: programs.sh test | all" >&2; exit 2 ;;
esac
