#!/usr/bin/env bash
# regression.sh: second moments of a linear regression, ours against numpy on OpenBLAS, on the same matrices in the same run.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/peers.sh
need python3-numpy=numpy
dir=$PWD/build/bench
mkdir -p "$dir"
GOMAXPROCS=2 go test -c -o "$dir/regression.test" ./internal/leastsquares
exec "$peer_python" bench/regression.py "$dir"
