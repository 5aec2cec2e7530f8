#!/usr/bin/env bash
# test.sh: the gate. go vet, staticcheck, the race detector on the quick tests of
# what runs concurrently, then all tests: unit, property, Examples, and the headless
# execution of every notebook. Each phase prints its time; the last lines are go
# test's own, with the time of each package (the notebooks are the package
# "notebooks").
set -euo pipefail
cd "$(dirname "$0")/.."

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
  go vet ./... && go mod verify >/dev/null
}

# concurrent lists the packages that start goroutines, in their code or their tests: elsewhere there is nothing to race,
# and what these import runs under the detector with them. Notebooks run other programs, which it does not see.
concurrent() {
  local dir path
  go list -f '{{.Dir}} {{.ImportPath}}' ./... | grep -v '/notebooks$' | while read -r dir path; do
    if grep -qE '^[^/]*(\bgo (func|[a-zA-Z.]+\()|\.Go\(|\.Parallel\()' "$dir"/*.go; then
      echo "$path"
    fi
  done
}

race() {
  concurrent | xargs go test -race -short -timeout 30m ${fresh[@]+"${fresh[@]}"}
}

start=$EPOCHREALTIME
phase "go vet" vet
phase "staticcheck" build/bin/staticcheck ./...
phase "race detector" race
awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "== so far: %.1f s\n", b - a }'
printf '== all tests, Examples and notebooks\n'
exec go test -timeout 30m ${fresh[@]+"${fresh[@]}"} ./...
