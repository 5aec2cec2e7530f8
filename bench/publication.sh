#!/usr/bin/env bash
# publication.sh [LEVEL…]: a hundred statistics of a million rows of Adult as one publication, ours against OpenDP, which releases them one
# by one, one thread each; OpenDP at pure, zcdp or approx, half an hour for each, and at the others as bench/publication/results.json has it.
# To add levels: bench/publication.sh zcdp approx > new.json && mv new.json bench/publication/results.json. PRIVBAYES_DATA may name the folder with adult.csv.gz. It makes a virtual environment with exact versions.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$PWD/build/bench
mkdir -p "$dir"
if ! "$dir/opendp/bin/pip" freeze 2>/dev/null | grep -qxFf bench/publication/requirements.txt; then
  python3 -m venv "$dir/opendp"
  "$dir/opendp/bin/pip" install --quiet -r bench/publication/requirements.txt
fi
export POLARS_MAX_THREADS=1 GOMAXPROCS=1 GOFLAGS=-buildvcs=false
go build -o "$dir/sources" ./bench/sources
go build -o "$dir/publication" ./bench/publication
[ -f "$dir/adult-1000000.csv" ] || "$dir/sources" write "$dir/adult-1000000.csv" 1000000
exec "$dir/opendp/bin/python" bench/publication.py "$dir" "$@"
