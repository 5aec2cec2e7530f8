#!/usr/bin/env bash
# naivebayes.sh: a private naive Bayes fit of Adult from encoded columns, ours against scikit-learn's CategoricalNB (which is not private),
# on the same matrix in the same run. PRIVBAYES_DATA may name the folder with adult.csv.gz.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/peers.sh
need python3-numpy=numpy python3-sklearn=sklearn.naive_bayes
dir=$PWD/build/bench
mkdir -p "$dir"
GOMAXPROCS=2 go build -o "$dir/naivebayes" ./bench/naivebayes
"$dir/naivebayes" write "$dir"
exec "$peer_python" bench/naivebayes.py "$dir"
