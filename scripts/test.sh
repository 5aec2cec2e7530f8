#!/usr/bin/env bash
# test.sh: what a change must pass, in two parts.
#   test.sh          "make test": go vet and staticcheck of the library, its tests and Examples (the long ones in their
#                    short form: -short), what the README says, and the tour notebook. It needs Jupyter and the kernel.
#   test.sh rest     what "make check" runs besides, and "make check-rest" alone: the long tests of the library, whole; those
#                    that were skipped for want of a table that is not embedded, where PRIVBAYES_DATA names the folder
#                    that has it; the race detector; the other modules of go.work, with all notebooks; the site in a
#                    browser; the packages for Python and R; and, at the same time as these, exported programs in
#                    NumPyro and Stan, releases on other machines, the proofs, the modules of sources/, and every
#                    module as its users get it.
# No test runs the same in both, but under the race detector. Every step prints its name and how long it took, and is
# stopped, with the names of the tests that run, when it takes far too long. Skipped tests are listed with their reasons.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh

# Property tests draw the same cases in every run, so that the verdict depends on the commit alone. "RAPID_SEED=0" draws
# others each time; "RAPID_CHECKS=2000" more of them.
export RAPID_SEED=${RAPID_SEED:-20261126}

# Tests of the library may answer from the cache of results, but not in CI. The rest never does: tests of other modules
# read files of the checkout outside of their module, where Go does not see a change. In it, as in CI, what is missing
# fails its test, and is no reason to skip it.
[ "${1:-}" != rest ] || export CI=${CI:-true}
fresh=()
[ -z "${CI:-}" ] || fresh=(-count=1)

# tests LIST GO-TEST'S-ARGUMENTS...: runs tests; the list of those that were skipped goes to build/LIST.skipped. A part
# of go vet belongs to go test; here steps of their own look for all that it finds, in the tests, too.
tests() {
  local list=build/$1.skipped
  shift
  go build -o build/bin/gate ./tools/nbtool/gate
  build/bin/gate -skipped "$list" -- -vet=off "$@"
}

vet() {
  go vet ./... && go mod verify >/dev/null
}

# In "make test": README's and the tour's. They are left out of the rest.
readme='^TestReadme|^(TestNotebooks|TestShellCommands)$/^(00_tour.ipynb|README.md)$'

newcomer() {
  tests readme -count=1 -timeout 10m -run "$readme" ./tools/nbtool/internal/nbtool ./tools/nbtool/notebooks
}

# reaching PATTERN FILE... lists the tests in files of a package whose lines match, or which call a function there that is
# such a one: a fixed point.
reaching() {
  awk -v pattern="$1" '/^func / { name = $2 ~ /^[(]/ ? $4 : $2; sub(/[[(].*/, "", name) }
    { sub(/\/\/.*/, ""); body[name] = body[name] "\n" $0 }
    $0 ~ pattern { found[name] }
    END {
      do {
        more = 0
        for (f in body)
          for (s in found)
            if (!(f in found) && body[f] ~ "[^A-Za-z0-9_]" s "[(]") { found[f]; more = 1 }
      } while (more)
      for (f in found) if (f ~ /^Test/) print f
    }' "${@:2}"
}

# starts matches lines that start goroutines.
starts='(^|[^a-zA-Z])go (func|[a-zA-Z.]+[(])|[.]Go[(]|[.]Parallel[(]'

# concurrent lists the packages to try under the race detector, with the tests to run: those that start goroutines; where
# only the package's own code does, all. Elsewhere there is nothing to race, and what these import runs under the
# detector with them. Notebooks run other programs, which it does not see.
concurrent() {
  local dir path tests
  go list -f '{{.ImportPath}} {{.Dir}}' work | grep -v '/nbtool/notebooks ' | while read -r path dir; do
    tests=
    ! compgen -G "$dir/*_test.go" >/dev/null || tests=$(reaching "$starts" "$dir"/*_test.go | sort | paste -sd '|')
    if [ -n "$tests" ]; then
      echo "$path ^($tests)\$"
    elif sed 's|//.*||' "$dir"/*.go | grep -E "$starts" >/dev/null; then
      echo "$path ."
    fi
  done
}

race() {
  local list one='go test -race -short -vet=off -timeout 15m "${@:1:$#-2}" -run "${@: -1}" "${@: -2:1}"'
  unset PRIVBAYES_DATA # the quick tests are those of embedded tables
  list=$(concurrent)
  awk '$2 == "." { print $1 }' <<<"$list" | xargs go test -race -short -vet=off -timeout 15m "${fresh[@]}"
  awk '$2 != "."' <<<"$list" | xargs -n 2 -P 2 bash -c "$one" _ "${fresh[@]}"
}

# long runs whole the tests of the library that are shorter under -short, or skipped.
long() {
  local some=() names=() path dir found packages
  packages=$(go list -f '{{.ImportPath}} {{.Dir}}' ./...)
  while read -r path dir; do
    compgen -G "$dir/*_test.go" >/dev/null || continue
    found=$(reaching 'testing[.]Short[(]' "$dir"/*_test.go)
    [ -n "$found" ] || continue
    some+=("$path")
    mapfile -t -O ${#names[@]} names <<<"$found"
  done <<<"$packages"
  tests long "${fresh[@]}" -timeout 30m -run "^($(IFS='|' && echo "${names[*]}"))\$" "${some[@]}"
}

# again runs those of the library's tests that were skipped since a data file was not found.
again() {
  local path tests
  [ -f build/library.skipped ] || { echo 'run "make test" first' >&2; return 1; }
  while read -r path tests; do
    tests again "${fresh[@]}" -timeout 15m -run "^($tests)\$" "$path"
  done < <(awk -F '\t' '$3 ~ /^data file/ { sub("/.*", "", $2); if (!seen[$1, $2]++) t[$1] = t[$1] "|" $2 }
    END { for (p in t) print p, substr(t[p], 2) }' build/library.skipped)
}

# meanwhile is what waits for servers and downloads, or keeps one processor busy, next to what does not use all. What it
# prints comes last. It gives way to the others, which together take longer. Interrupts are ignored in it, so that no
# test that sends one may be here.
meanwhile() {
  renice -n 10 -p "$BASHPID" >/dev/null
  step "exported programs" 1800 scripts/programs.sh test
  step "other machines" 1200 scripts/machines.sh
  step "modules of sources/" 2400 scripts/sources.sh
  step "modules as their users get them, known vulnerabilities" 2400 scripts/release.sh check
  step "proofs" 2400 scripts/proofs.sh
}

# others are the packages of the modules besides the library.
others() {
  go list -f '{{.ImportPath}} {{.Module.Dir}}' work | awk -v root="$PWD" '$2 != root { print $1 }'
}

modules() {
  local list found
  found=$(others) # by itself, so that its failure is one of the step
  mapfile -t list <<<"$found"
  go vet "${list[@]}"
  build/bin/staticcheck "${list[@]}"
  tests modules "${fresh[@]}" -timeout 30m -skip "$readme" "${list[@]}"
}

case ${1:-} in
  '')
    step "go vet" 600 vet
    step "staticcheck" 900 build/bin/staticcheck ./...
    step "tests and Examples of the library" 2700 tests library -short -timeout 30m "${fresh[@]}" ./...
    step "the README and the tour" 900 newcomer
    ;;
  rest)
    meanwhile >build/meanwhile.log 2>&1 &
    lane=$!
    # A step's watch, which is a subshell, may end by this trap, too.
    trap '[ "$BASHPID" != $$ ] || kill "$lane" 2>/dev/null || true' EXIT
    step "long tests of the library" 2400 long
    [ -z "${PRIVBAYES_DATA:-}" ] || step "tests of tables that are not embedded" 900 again
    step "race detector" 1800 race
    step "other modules and notebooks" 2700 modules
    step "site" 600 scripts/site.sh build
    step "site in a browser" 600 scripts/site.sh test
    step "a release in the browser" 600 scripts/site.sh release
    step "Python package" 600 scripts/python.sh test
    step "R package" 600 scripts/r.sh test
    wait "$lane" || { cat build/meanwhile.log; exit 1; }
    cat build/meanwhile.log
    ;;
  *) echo "usage: test.sh [rest]" >&2; exit 2 ;;
esac
