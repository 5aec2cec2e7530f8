# Sourced by the scripts of this folder, at the root of the checkout: the peers must be there, and both sides use one thread.
peer_python=/usr/bin/python3

# need PACKAGE=MODULE...: exits 2, naming the Debian packages to install, if Python lacks a module.
need() {
  local pair missing=()
  for pair in "$@"; do
    "$peer_python" -c "import ${pair#*=}" 2>/dev/null || missing+=("${pair%%=*}")
  done
  # Without OpenBLAS numpy uses the reference BLAS, which is no peer.
  compgen -G '/usr/lib/*/libopenblas.so.0' >/dev/null || missing+=(libopenblas0-pthread)
  if [ ${#missing[@]} -gt 0 ]; then
    echo "$(basename "$0"): the peers are missing; install them with: apt-get install ${missing[*]}" >&2
    exit 2
  fi
}

export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 GOMAXPROCS=1 GOFLAGS=-buildvcs=false
