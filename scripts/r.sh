#!/usr/bin/env bash
# r.sh: the package for R, as its users get it.
#   r.sh test    builds the program and the package in build/r, and runs R CMD check, with the tests of the package and
#                the page docs/howto/r.md, but without the manual in PDF. A warning of the check is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
. scripts/steps.sh

package() {
  local version
  version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' privbayes/release/release.go)
  grep -qx "Version: $version" r/DESCRIPTION || { echo "r/DESCRIPTION: want version $version"; return 1; }
  rm -rf build/r
  mkdir -p build/r
  go build -buildvcs=false -trimpath -o build/r/privbayes ./cmd/privbayes
  (cd build/r && R CMD build "$root/r") >build/r/build.log 2>&1 || { cat build/r/build.log; return 1; }
}

checked() {
  local said=build/r/privbayes.Rcheck
  if ! (cd build/r && PRIVBAYES_ENGINE=$root/build/r/privbayes PRIVBAYES_ROOT=$root \
    R CMD check --no-manual privbayes_*.tar.gz) >build/r/check.log 2>&1; then
    cat build/r/check.log "$said"/tests/*.fail
    return 1
  fi
  if grep -E '\.\.\. (WARNING|ERROR)$' build/r/check.log || grep -l 'no test was run' "$said"/tests/*.Rout; then
    cat build/r/check.log
    return 1
  fi
  grep '^Status' build/r/check.log
}

case ${1:-} in
  test)
    step "R package" 300 package
    step "R CMD check" 300 checked
    ;;
  *) echo "usage: r.sh test" >&2; exit 2 ;;
esac
