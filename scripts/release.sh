#!/usr/bin/env bash
# release.sh: the modules as their users get them, which a checkout with its go.work does not show. A proxy of files is
# made out of a copy of what is committed; each module is built and vetted from it without the workspace, must be tidy,
# and its commands are installed in an empty folder. A root that imports papers/ must not build, and a module of somebody
# else that adds noise distributions of its own is built and tested. No vulnerability may be known whose code is called.
#   release.sh check            builds, vets and installs
#   release.sh test             tests each module as well
#   release.sh version v1.2.3   writes a version to every place that states it
#   release.sh publish v1.2.3   checks a commit that is to be published; makes the archives, with bills of materials,
#                               notices and sums, in build/release; says by which commands it is tagged. It pushes nothing.
#                               PLATFORMS="linux/arm64 ..." makes these archives only.
# In the copy the modules' own hashes are added to the go.sum files of those that require them. A release commits these
# lines, and tags one commit for all modules: they change no hash of what they name, for a module's zip holds no module
# below it.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh
case "${1:-} ${2:-}" in
  "check " | "test ") ;;
  "version v"*.*.* | "publish v"*.*.*)
    [[ $2 =~ ^v(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}$ ]] || {
      echo "release.sh: $2: want three numbers, such as v1.2.3: R has no other versions of a package" >&2
      exit 2
    } ;;
  *) echo "usage: release.sh check | test | version v1.2.3 | publish v1.2.3" >&2; exit 2 ;;
esac

module=github.com/privbayes/privbayes-go
modules=(. sources/arrow sources/parquet cmd/privbayes papers bench site tools/nbtool) # in the order of their requirements
commands=(cmd/privbayes papers/cmd/privbayes-papers)     # which users install
version=v$(sed -n 's/^const Version = "\(.*\)"/\1/p' privbayes/release/release.go)

# stated lists the files that state the version; a test compares them.
stated() {
  git ls-files go.work '*go.mod' README.md CITATION.cff r/DESCRIPTION privbayes/release/release.go tools/nbtool/internal/nbtool/bind.go \
    'notebooks/*.md' 'notebooks/*.ipynb'
}

if [ "$1" = version ]; then
  old=${version//./\\.}
  # shellcheck disable=SC2046
  sed -i -E "s#(^const Version = \"|^[Vv]ersion: )${old#v}#\1${2#v}#; s#($module[^ ]*[ @]|Version = \")$old\b#\1$2#g" $(stated)
  ! grep -qx "## ${2#v}" CHANGELOG.md && echo "release.sh: CHANGELOG.md wants a heading \"## ${2#v}\" at its top" >&2
  git diff --stat
  exit
fi

export PATH=$PWD/build/bin:$PATH:/usr/local/go/bin
scripts/setup.sh
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/copy" "$work/elsewhere"
git archive HEAD | tar -x -C "$work/copy"
[ -z "$(git status --porcelain)" ] || echo "release.sh: what is not committed is not looked at" >&2
(cd tools && GOWORK=off go build -o "$work/moduleproxy" ./moduleproxy)
(cd tools/vuln && GOWORK=off go build -o "$work/vuln" . && GOWORK=off go mod download golang.org/x/vulndb)
database=$(cd tools/vuln && GOWORK=off go list -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv

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
  [ "$mode" != test ] || (cd "$work/copy/$1" && go test -timeout 30m ./...)
}

# vulnerable: the modules of Beam and DuckDB take minutes, and are looked at before they are published.
vulnerable() {
  local dirs=("${modules[@]}" sources/pgsource)
  [ "$mode" != publish ] || dirs+=(sources/duckdb sources/beam)
  "$work/vuln" "$database" tools/vuln/accepted.txt "${dirs[@]/#/$work/copy/}"
}

# tools are none of the workspace's modules.
tools() { for t in vuln sbom; do (cd "tools/$t" && go vet ./... && go test ./...) || return 1; done; }

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

# committed: what is tagged is what was looked at, under the version that it states, which no other commit has.
committed() {
  [ -z "$(git status --porcelain)" ] || { echo "want a checkout without changes"; return 1; }
  [ "$version" = "$1" ] || { echo "the checkout is $version: release.sh version $1"; return 1; }
  [ -z "$(git tag -l "$1")" ] || [ "$(git rev-parse "$1^{commit}")" = "$(git rev-parse HEAD)" ] ||
    { echo "there is a tag $1 on another commit"; return 1; }
  awk '/^## / { print; exit }' CHANGELOG.md | grep -qx "## ${1#v}" || { echo "CHANGELOG.md does not begin with ${1#v}"; return 1; }
}

# summed: the commit has the hashes of its own modules.
summed() {
  local m differ=0
  for m in "${modules[@]}"; do
    cmp -s "$work/copy/$m/go.sum" "$m/go.sum" || { cp "$work/copy/$m/go.sum" "$m/go.sum"; differ=1; }
  done
  [ $differ = 0 ] || { git diff --stat; echo "these have the hashes of our own modules now: commit them, and run this again"; return 1; }
}

platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}

# program TO PLATFORM: as anyone can, from caches with nothing in them; without the one table that is under the GPL. GOBIN
# is not for other platforms.
program() {
  local to=$1 cache=$work/again
  rm -rf "$cache" && mkdir -p "$cache" "$to"
  (cd "$work/elsewhere" && GOOS=${2%/*} GOARCH=${2#*/} CGO_ENABLED=0 GOSUMDB=off \
    GOPATH=$cache/path GOMODCACHE=$cache/path/mod GOCACHE=$cache/built \
    go install -tags permissive -ldflags "-s -w -buildid=" "$module/cmd/privbayes@$version") || return 1
  find "$cache/path/bin" -type f -exec cp {} "$to" ';'
}

# archive PLATFORM: the program, built twice, with what has to go with it. Equal files make equal archives.
archive() {
  local name=privbayes-${version#v}-${1/\//-} dir file
  dir=$root/build/release/$name
  program "$dir" "$1" && program "$work/second" "$1" || return 1
  file=$(ls "$dir")
  cmp "$dir/$file" "$work/second/$file" || return 1
  "$work/cyclonedx-gomod" bin -json -std -licenses -noserial -notimestamp -version "$version" \
    -output "$dir/sbom.cdx.json" "$dir/$file" || return 1
  "$work/sbom" "$dir/$file" "$work/tables.json" >"$dir/NOTICE" || return 1
  cp LICENSE README.md CHANGELOG.md "$dir"
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C build/release -c "$name" |
    gzip -9n >"build/release/$name.tar.gz"
  cp "$dir/sbom.cdx.json" "build/release/$name.cdx.json"
  rm -r "$dir" "$work/second"
}

# prepared: the tools that archives need, and the tables of the program, which is asked on this machine.
prepared() {
  rm -rf build/release && mkdir -p build/release
  (cd tools/sbom && go build -o "$work/" . github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod) &&
    (cd "$work/copy/cmd/privbayes" && GOSUMDB=off go build -tags permissive -o "$work/bin/permissive" .) &&
    "$work/bin/permissive" data list --json >"$work/tables.json"
}

sums() { (cd build/release && sha256sum ./*.tar.gz ./*.cdx.json | sed 's| \./| |' >SHA256SUMS && cat SHA256SUMS); }

# tagging: one commit for all modules that have users.
tagging() {
  local m tags=()
  for m in "${modules[@]}" sources/pgsource sources/duckdb sources/beam; do
    case $m in .) tags+=("$version") ;; site | tools/*) ;; *) tags+=("$m/$version") ;; esac
  done
  printf '\nTo publish %s:\n' "$(git rev-parse HEAD)"
  printf '  git tag %s\n' "${tags[@]}"
  printf '  git push origin %s\n' "${tags[*]}"
}

mode=$1
[ "$mode" != publish ] || step "the commit is to be $2" 60 committed "$2"
step "go.work names the modules" 60 named
step "no module with a command replaces another" 60 replaced
step "proxy of files" 120 proxy
[ "$mode" != publish ] || step "the commit has its own hashes" 60 summed
for dir in "${modules[@]}"; do step "module $dir alone" $([ "$mode" = test ] && echo 3600 || echo 600) module "$dir"; done
step "a root that imports papers is refused" 120 planted
step "a module of somebody else adds noise" 300 theirs
step "commands are installed" 300 installs
step "a notebook is bound to what was installed" 300 binds
step "known vulnerabilities" $([ "$mode" = publish ] && echo 3600 || echo 900) vulnerable
step "tools of releases" 600 tools
[ "$mode" = publish ] || exit 0
step "what archives need" 900 prepared
for platform in $platforms; do step "archive for $platform" 1800 archive "$platform"; done
step "sums" 60 sums
tagging
