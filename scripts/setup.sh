#!/usr/bin/env bash
# setup.sh NEED...: installs what is missing, quickly and quietly when nothing is.
#   cc       a C compiler, for the race detector
#   jupyter  Jupyter's nbconvert
#   kernel   the GoNB kernel, goimports and staticcheck, pinned by tools/go.mod, and the command privbayes, in build/
#   complete gopls, which completes and documents in notebooks, pinned by tools/gopls/go.mod, in build/
#   lab      JupyterLab, pinned by tools/lab/requirements.txt, in a virtual environment in build/
#   python   frames and a kernel for the tests of the Python package, pinned by tools/python/requirements.txt, in a virtual environment in build/
#   r        R and jsonlite, with what compiles a package
#   programs what runs exported programs: NumPyro, pinned by tools/programs/requirements.txt, in a virtual environment in build/,
#            and Stan as R's package rstan
#   site     Sphinx and its theme, pinned by tools/site/requirements.txt, in a virtual environment in build/
#   machines an emulator of another processor, and node
#   browser  Chromium, Firefox and node; playwright-core, puppeteer-core and axe-core, pinned by
#            tools/browser/package-lock.json, in build/
# Go itself is fetched into build/go when there is none or an old one.
# System packages are installed when running as root on a Debian-like system;
# elsewhere a message names them. Programs built from source go to build/bin and
# the kernel to build/jupyter, so that nothing outside the checkout changes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH=$root/build/bin:$PATH:/usr/local/go/bin
go_version=$(sed -n 's/^toolchain go//p' go.mod) # installed when there is none, or an older one

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
       Elsewhere: Go from https://go.dev/dl, a C compiler, Python 3.10 with its module venv, and its packages notebook
       and nbconvert."
  fi
}

# has_go: a go of go.mod's toolchain or newer, itself or through GOTOOLCHAIN. Older ones have faults that are known.
has_go() {
  local v
  v=$(go env GOVERSION 2>/dev/null) || return 1
  v=${v#go}
  printf '%s\n' "$go_version" "${v%%[!0-9.]*}" | sort -CV
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
  [ -d "$dir" ] || die "Go $go_version or later is needed: install it from https://go.dev/dl and put it on PATH"
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
has_r() { command -v make >/dev/null && R_LIBS='' Rscript -e 'library(jsonlite)' 2>/dev/null; }
has_nbconvert() { [ -x /usr/bin/jupyter-nbconvert ] || command -v jupyter-nbconvert >/dev/null; }

# kernel: builds the tools when tools/go.mod or Go changed, and writes the kernel
# specification when it is absent or names another checkout.
kernel() {
  local stamp want
  stamp=build/bin/.stamp
  want="$(go version) $(cat tools/go.mod tools/go.sum | cksum)"
  if [ "$(cat $stamp 2>/dev/null)" != "$want" ]; then
    say "building the kernel and the linters into build/bin (about half a minute)"
    mkdir -p build/bin
    (cd tools && GOBIN=$root/build/bin GOWORK=off GOFLAGS="-buildvcs=false -trimpath -ldflags=-s" go install tool)
    printf '%s' "$want" >$stamp
  fi
  go build -buildvcs=false -trimpath -o build/bin/privbayes ./cmd/privbayes
  local spec=build/jupyter/kernels/gonb/kernel.json
  if ! grep -F "\"$root/build/" $spec 2>/dev/null | grep -qF '"PATH"'; then
    say "installing the kernel into build/jupyter"
    # The relative path matters: the kernel copies itself when called from under /tmp.
    PATH=$root/build/bin:$PATH JUPYTER_DATA_DIR=$root/build/jupyter build/bin/gonb --install --force_deps 2>build/kernel.log ||
      { cat build/kernel.log >&2; die "the kernel could not be installed"; }
    # Whatever starts the kernel, it finds the programs that were built for it.
    sed -i.bak "s|\"env\":{}|\"env\":{\"PATH\":\"$root/build/bin:\${PATH}\"}|" $spec
    rm -f $spec.bak
  fi
}

# complete: builds gopls when its pin or Go changed.
complete() {
  local stamp want
  stamp=build/gopls/.stamp
  want="$(go version) $(cat tools/gopls/* | cksum)"
  [ "$(cat $stamp 2>/dev/null)" != "$want" ] || return 0
  say "building gopls into build/gopls (a minute or two)"
  mkdir -p build/bin build/gopls
  (cd tools/gopls && GOBIN=$root/build/gopls GOWORK=off GOFLAGS="-buildvcs=false -trimpath -ldflags=-s" go install tool)
  cp tools/gopls/gopls.sh build/bin/gopls
  printf '%s' "$want" >$stamp
}

# virtual FOLDER PINS WHAT TIME: makes the virtual environment build/FOLDER when its pins changed.
# Nothing of it needs root, where Python has its module venv.
virtual() {
  local folder=build/$1 pins=$2 python want
  want=$(cksum <"$pins")
  [ "$(cat "$folder/.stamp" 2>/dev/null)" != "$want" ] || return 0
  python=$(lab_python)
  say "installing $3 into $folder (about $4 seconds)"
  rm -rf "$folder"
  mkdir -p build
  { "$python" -m venv "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$pins"; } \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; die "$3 could not be installed"; }
  printf '%s' "$want" >"$folder/.stamp"
}

# lab: JupyterLab, which asks no server for news at its first start.
lab() {
  virtual lab tools/lab/requirements.txt JupyterLab 45
  mkdir -p build/lab/share/jupyter/lab/settings
  printf '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}\n' \
    >build/lab/share/jupyter/lab/settings/overrides.json
}

# site: Sphinx, which builds the site.
site() {
  virtual sphinx tools/site/requirements.txt Sphinx 30
}

# python: what the Python package takes rows from, and what runs its notebook.
python() {
  virtual python tools/python/requirements.txt "pandas, polars, pyarrow, xarray and nbclient" 40
}

# programs: what runs exported programs.
programs() {
  virtual programs tools/programs/requirements.txt NumPyro 60
}

has_rstan() {
  Rscript -e 'q(status = !all(sapply(c("rstan", "jsonlite", "BH", "RcppEigen"), requireNamespace, quietly = TRUE)))' \
    >/dev/null 2>&1
}
has_chromium() { [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; }
has_firefox() { [ -x "${FIREFOX:-/usr/bin/firefox-esr}" ]; }
# emulator is that of the processor which is not this one's.
emulator() { [ "$(uname -m)" = aarch64 ] && echo qemu-x86_64-static || echo qemu-aarch64-static; }
node_runs() { [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge 18 ]; }
has_node() { command -v npm >/dev/null && node_runs; }

# browser: installs the drivers of the browser tests, and what finds faults of pages, when a pin changed. No script of
# theirs runs, and no browser is fetched.
browser() {
  local stamp want
  stamp=build/browser/.stamp
  want=$(cat tools/browser/*.json | cksum)
  [ "$(cat $stamp 2>/dev/null)" != "$want" ] || return 0
  say "installing playwright-core, puppeteer-core and axe-core into build/browser"
  rm -rf build/browser
  mkdir -p build/browser
  cp tools/browser/*.json build/browser/
  (cd build/browser && npm ci --ignore-scripts --no-audit --no-fund) >build/browser.log 2>&1 ||
    { cat build/browser.log >&2; die "the drivers of the browser tests could not be installed"; }
  printf '%s' "$want" >$stamp
}

# lab_python: a Python that JupyterLab and Sphinx run on and that makes virtual environments, the system's first.
lab_python() {
  local p
  for p in /usr/bin/python3 python3; do
    if "$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      printf '%s\n' "$p"
      return 0
    fi
  done
  return 1
}

missing=()
for need in "$@"; do
  case $need in
    cc) has_cc || missing+=(gcc libc6-dev) ;;
    jupyter) has_nbconvert || missing+=(jupyter-nbconvert jupyter-notebook) ;;
    kernel | complete) ;;
    r)
      has_cc || missing+=(gcc libc6-dev)
      has_r || missing+=(r-base-core r-cran-jsonlite make)
        ;;
    programs)
      lab_python >/dev/null || missing+=(python3 python3-venv)
      has_rstan || missing+=(r-cran-rstan r-cran-bh r-cran-rcppeigen r-cran-rcppparallel r-cran-stanheaders r-cran-jsonlite g++ make)
      ;;
    lab | site | python) lab_python >/dev/null || missing+=(python3 python3-venv) ;;
    machines)
      command -v "$(emulator)" >/dev/null || missing+=(qemu-user-static)
      node_runs || missing+=(nodejs)
      ;;
    browser)
      has_chromium || missing+=(chromium fonts-dejavu-core)
      has_firefox || missing+=(firefox-esr)
      has_node || missing+=(nodejs npm)
      ;;
    *) die "unknown need '$need'" ;;
  esac
done
[ ${#missing[@]} = 0 ] || packages "${missing[@]}"
has_go || install_go
for need in "$@"; do
  case $need in kernel | complete | lab | site | python | programs | browser) "$need" ;; esac
done
