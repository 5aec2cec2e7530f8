#!/usr/bin/env bash
# fuzz.sh [DURATION]: runs every fuzz target for DURATION (default 10s), one after
# the other; stops at the first failure, whose input go test writes to testdata/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}

{ grep -rlE --include='*_test.go' '^func Fuzz' bench cmd data internal papers privbayes site tools 2>/dev/null || true; } | xargs -r -n1 dirname | sort -u |
  while read -r dir; do
    for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | cut -c6- | sort -u); do
      printf '== %s %s\n' "$dir" "$target"
      go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5s </dev/null | tail -n 3
    done
  done
