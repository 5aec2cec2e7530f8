#!/usr/bin/env bash
# test.sh: the gate, for all modules that go.work names ("work" stands for their packages).
# go vet, staticcheck, the race detector on the quick tests of
# what runs concurrently, then all tests: unit, property, Examples, and the headless
# execution of every notebook. Each phase prints its time; the last lines list the
# skipped tests by reason and count all (the notebooks are the package "notebooks").
#
# "test.sh data" runs again what the run before skipped for want of a table that is
# not embedded: PRIVBAYES_DATA names the folder that has it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Property tests draw the same cases in every run, so that the verdict depends on the commit alone. "RAPID_SEED=0" draws
# others each time; "RAPID_CHECKS=2000" more of them.
export RAPID_SEED=${RAPID_SEED:-20261126}

fresh=()
[ -z "${CI:-}" ] || fresh=(-count=1) # in CI no result comes from the cache

phase() {
  local name=$1 t0=$EPOCHREALTIME
  shift
  printf '== %s\n' "$name"
  "$@" || { printf '== %s: FAILED\n' "$name"; exit 1; }
  awk -v n="$name" -v a="$t0" -v b="$EPOCHREALTIME" 'BEGIN { printf "== %s: %.1f s\n", n, b - a }'
}

vet() {
  go vet work && go mod verify >/dev/null
}

# starts matches lines that start goroutines.
starts='^[^/]*(\bgo (func|[a-zA-Z.]+\()|\.Go\(|\.Parallel\()'

# concurrent lists the packages to try under the race detector, with the tests to run: all where the package's own
# code starts goroutines, and where only tests do, those of the same files. Elsewhere there is nothing to race, and
# what these import runs under the detector with them. Notebooks run other programs, which it does not see.
concurrent() {
  local dir path own tests
  go list -f '{{.ImportPath}} {{.Dir}}' work | grep -v '/nbtool/notebooks ' | while read -r path dir; do
    mapfile -t own < <(grep -lE "$starts" "$dir"/*.go)
    if [ ${#own[@]} = 0 ]; then
      continue
    elif printf '%s\n' "${own[@]}" | grep -qv '_test\.go$'; then
      echo "$path ."
    else
      tests=$(sed -nE 's/^func (Test[A-Za-z0-9_]+)\(t \*testing.*/\1/p' "${own[@]}" | paste -sd '|')
      [ -z "$tests" ] || echo "$path ^($tests)\$"
    fi
  done
}

race() {
  local list path tests
  list=$(concurrent) || return 1
  awk '$2 == "." { print $1 }' <<<"$list" | xargs go test -race -short -timeout 30m ${fresh[@]+"${fresh[@]}"} ||
    return 1
  while read -r path tests; do
    [ "$tests" = . ] || go test -race -short -timeout 30m ${fresh[@]+"${fresh[@]}"} -run "$tests" "$path" || return 1
  done <<<"$list"
}

skipped=build/skipped.tsv

# all runs tests; the list of those that were skipped goes to the file of that name.
all() {
  go build -o build/bin/gate ./tools/nbtool/gate
  build/bin/gate -skipped "$skipped" -- -timeout 30m ${fresh[@]+"${fresh[@]}"} "$@"
}

# again runs the tests that were skipped since a data file was not found.
again() {
  local path tests
  cp "$skipped" "$skipped.before"
  while read -r path tests; do
    all -run "^($tests)\$" "$path" || return 1
  done < <(awk -F '\t' '$3 ~ /^data file/ { sub("/.*", "", $2); if (!seen[$1, $2]++) t[$1] = t[$1] "|" $2 }
    END { for (p in t) print p, substr(t[p], 2) }' "$skipped.before")
}

if [ "${1:-}" = data ]; then
  phase "tests of tables that are not embedded" again
  exit
fi
start=$EPOCHREALTIME
phase "go vet" vet
phase "staticcheck" build/bin/staticcheck work
phase "race detector" race
awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "== so far: %.1f s\n", b - a }'
phase "all tests, Examples and notebooks" all work
