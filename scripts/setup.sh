#!/usr/bin/env bash
# setup.sh NEED...: installs what is missing, quickly and quietly when nothing is.
#   cc       a C compiler, for the race detector
#   jupyter  Jupyter's nbconvert
#   server   Jupyter's notebook server
#   kernel   the GoNB kernel, goimports and staticcheck, pinned by tools/go.mod, in build/
# Go itself is fetched into build/go when there is none or an old one.
# System packages are installed when running as root on a Debian-like system;
# elsewhere a message names them. Programs built from source go to build/bin and
# the kernel to build/jupyter, so that nothing outside the checkout changes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH=$root/build/bin:$PATH:/usr/local/go/bin
go_version=1.26.8 # installed when there is no Go 1.26 or later

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# packages NAME...: installs system packages, or says which to install.
packages() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing $* (a minute or two)"
    mkdir -p build
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
      </dev/null >build/packages.log 2>&1 || { tail -n 20 build/packages.log >&2; die "installing $* failed"; }
  else
    die "missing system packages. On Debian or Ubuntu: sudo apt-get install --no-install-recommends $*
       Elsewhere: Go from https://go.dev/dl, a C compiler, the Python packages notebook and nbconvert."
  fi
}

# has_go: a go that runs go.mod's version, itself or through GOTOOLCHAIN.
has_go() {
  local v
  v=$(go env GOVERSION 2>/dev/null) || return 1
  v=${v#go1.}
  v=${v%%[!0-9]*}
  [ "${v:-0}" -ge 26 ]
}

# install_go: fetches Go itself with whatever older Go the system has, which checks
# the download against the public checksum database, into build/go. The files of a
# module carry neither execute bits nor nested go.mod files: both are put back.
install_go() {
  local dir
  command -v go >/dev/null || packages golang-go ca-certificates
  say "installing Go $go_version into build/go"
  dir=$(cd / && GO111MODULE=on GOFLAGS='' GOTOOLCHAIN=local go mod download -json \
    "golang.org/toolchain@v0.0.1-go$go_version.$(go env GOOS)-$(go env GOARCH)" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  [ -d "$dir" ] || die "Go 1.26 or later is needed: install it from https://go.dev/dl and put it on PATH"
  rm -rf build/go
  mkdir -p build/bin
  cp -r --no-preserve=mode "$dir" build/go
  chmod +x build/go/bin/* build/go/pkg/tool/*/*
  find build/go/src -name _go.mod -execdir mv _go.mod go.mod ';'
  ln -sf ../go/bin/go ../go/bin/gofmt build/bin/
  hash -r
  has_go || die "Go $go_version was installed into build/go and does not run"
}

has_cc() { printf '#include <stdlib.h>\nint main(void){return 0;}\n' | "${CC:-gcc}" -x c -o /dev/null - 2>/dev/null; }
has_nbconvert() { [ -x /usr/bin/jupyter-nbconvert ] || command -v jupyter-nbconvert >/dev/null; }
has_server() { [ -x /usr/bin/jupyter-notebook ] || command -v jupyter-notebook >/dev/null; }

# kernel: builds the tools when tools/go.mod or Go changed, and writes the kernel
# specification when it is absent or names another checkout.
kernel() {
  local stamp want
  stamp=build/bin/.stamp
  want="$(go version) $(cat tools/go.mod tools/go.sum | cksum)"
  if [ "$(cat $stamp 2>/dev/null)" != "$want" ]; then
    say "building the kernel and the linters into build/bin (about half a minute)"
    mkdir -p build/bin
    (cd tools && GOBIN=$root/build/bin GOWORK=off GOFLAGS="-buildvcs=false -ldflags=-s" go install tool)
    printf '%s' "$want" >$stamp
  fi
  if ! grep -qF "\"$root/build/" build/jupyter/kernels/gonb/kernel.json 2>/dev/null; then
    say "installing the kernel into build/jupyter"
    # The relative path matters: the kernel copies itself when called from under /tmp.
    PATH=$root/build/bin:$PATH JUPYTER_DATA_DIR=$root/build/jupyter build/bin/gonb --install --force_deps 2>build/kernel.log ||
      { cat build/kernel.log >&2; die "the kernel could not be installed"; }
  fi
}

missing=()
for need in "$@"; do
  case $need in
    cc) has_cc || missing+=(gcc libc6-dev) ;;
    jupyter) has_nbconvert || missing+=(jupyter-nbconvert jupyter-notebook) ;;
    server) has_server || missing+=(jupyter-notebook) ;;
    kernel) ;;
    *) die "unknown need '$need'" ;;
  esac
done
[ ${#missing[@]} = 0 ] || packages "${missing[@]}"
has_go || install_go
for need in "$@"; do
  [ "$need" != kernel ] || kernel
done
