#!/usr/bin/env bash
# release.sh: the modules as their users get them, which a checkout with its go.work does not show. A proxy of files is
# made out of a copy of what is committed; each module is built and vetted from it without the workspace, must be tidy,
# and its commands are installed in an empty folder. A root that imports papers/ must not build, and a module of somebody
# else that adds noise distributions of its own is built and tested.
#   release.sh check   builds, vets and installs
#   release.sh test    tests each module as well
# In the copy the modules' own hashes are added to the go.sum files of those that require them. A release commits these
# lines, and tags one commit for all modules: they change no hash of what they name, for a module's zip holds no module
# below it.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh
case ${1:-} in check | test) ;; *) echo "usage: release.sh check | test" >&2; exit 2 ;; esac

module=github.com/privbayes/privbayes-go
modules=(. sources/arrow sources/parquet cmd/privbayes papers bench site tools/nbtool) # in the order of their requirements
commands=(cmd/privbayes papers/cmd/privbayes-papers)     # which users install
version=v$(sed -n 's/^const Version = "\(.*\)"/\1/p' privbayes/release/release.go)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/copy" "$work/elsewhere"
git archive HEAD | tar -x -C "$work/copy"
[ -z "$(git status --porcelain)" ] || echo "release.sh: what is not committed is not looked at" >&2
(cd tools && GOWORK=off go build -o "$work/moduleproxy" ./moduleproxy)

# What was downloaded before serves again; our own modules come from the new proxy only, into a cache of their own.
# Paths are left out, so that what was compiled in another folder serves, too.
export GOPROXY="file://$work/proxy,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)"
export GOMODCACHE=$work/cache GOFLAGS="-buildvcs=false -modcacherw -trimpath" GOWORK=off
export GONOSUMDB="$module,$module/*" GONOPROXY=none GOPRIVATE=

# named: go.work has these modules and no others, but for those of sources/, and no replaced version but this one's.
named() {
  diff <(GOWORK='' go list -m | sort) <(printf "$module/%s\n" "${modules[@]}" | grep -v /sources/ | sed 's|/\.$||' | sort) || return 1
  ! grep ' v[0-9.]* => ' go.work | grep -vF " $version => "
}

# replaced: go install refuses a command of a module that replaces another. Modules without one may: their users do not
# see it.
replaced() { ! (cd "$work/copy" && for m in "${modules[@]}"; do [[ $m == sources/* ]] || grep -H '^replace' "$m/go.mod"; done | grep .); }

proxy() { "$work/moduleproxy" "$version" "$work/copy" "$work/proxy" "${modules[@]}"; }

module() { # DIRECTORY: alone
  (cd "$work/copy/$1" && go mod tidy -diff && go build ./... && go vet ./...) || return 1
  [ "$mode" = check ] || (cd "$work/copy/$1" && go test -timeout 30m ./...)
}

# planted: the workspace would let it pass.
planted() {
  local file=$work/copy/privbayes/planted.go said
  printf 'package privbayes\n\nimport _ "%s/papers/families"\n' $module >"$file"
  said=$(cd "$work/copy" && go build ./privbayes 2>&1) && { echo "the root builds with $module/papers"; return 1; }
  rm "$file"
  grep -qF "no required module provides package $module/papers/families" <<<"$said" || { echo "$said"; return 1; }
}

# installs: as the README says. The hashes of other modules were compared above, with go.sum.
installs() {
  local c
  for c in "${commands[@]}"; do
    (cd "$work/elsewhere" && GOSUMDB=off GOBIN=$work/bin go install "$module/$c@$version") || return 1
  done
  [ "$("$work/bin/privbayes" --version | cut -d, -f1)" = "privbayes $version" ] || return 1
  "$work/bin/privbayes-papers" claims --only sampling/00 >/dev/null
}

# binds: the command that was installed gives a kernel's folder the modules of its own version.
binds() {
  local dir=$work/elsewhere/gonb_00000000
  mkdir "$dir"
  printf 'module gonb_00000000\n\ngo 1.26.0\n' >"$dir/go.mod"
  printf 'package main\n\nimport (\n\t_ "%s/bench"\n\t_ "%s/papers/claims"\n\t_ "%s/privbayes"\n)\n\nfunc main() {}\n' \
    $module $module $module >"$dir/main.go"
  (cd "$dir" && env -u PRIVBAYES -u GONB_DIR GOSUMDB=off "$work/bin/privbayes" bind && GOSUMDB=off go get && go build -o "$work/bin/bound" .)
}

# theirs: the noise of a module of somebody else, with its tests.
theirs() {
  cp -r "$work/copy/privbayes/mechanism/noise/testdata/thirdparty" "$work/elsewhere/noises"
  (cd "$work/elsewhere/noises" && GOSUMDB=off go mod tidy && go vet ./... && go test ./...)
}

mode=$1
step "go.work names the modules" 60 named
step "no module with a command replaces another" 60 replaced
step "proxy of files" 120 proxy
for dir in "${modules[@]}"; do step "module $dir alone" $([ "$mode" = check ] && echo 600 || echo 3600) module "$dir"; done
step "a root that imports papers is refused" 120 planted
step "a module of somebody else adds noise" 300 theirs
step "commands are installed" 300 installs
step "a notebook is bound to what was installed" 300 binds
