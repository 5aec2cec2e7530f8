#!/usr/bin/env bash
# sources.sh [ROWS]: from a CSV file of Adult to the tables class × attribute, ours against pandas, data.table, Polars and DuckDB in the same run,
# one thread each; then predictions against scikit-learn, and what memory and time are for more rows. PRIVBAYES_DATA may name the folder with
# adult.csv.gz. It needs R with data.table (Debian's r-cran-data.table) and makes a virtual environment with exact versions of the others.
# LARGE=1 adds tables of 10 and 100 million rows (12 GB of disk).
set -euo pipefail
cd "$(dirname "$0")/.."
rows=${1:-1000000}
dir=$PWD/build/bench
mkdir -p "$dir"
command -v Rscript >/dev/null && Rscript -e 'library(data.table)' >/dev/null 2>&1 || {
  echo "sources.sh: the peers are missing; install them with: apt-get install r-cran-data.table" >&2
  exit 2
}
if ! "$dir/venv/bin/pip" freeze 2>/dev/null | grep -qxFf bench/sources/requirements.txt; then
  python3 -m venv "$dir/venv"
  "$dir/venv/bin/pip" install --quiet -r bench/sources/requirements.txt
fi
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 GOFLAGS=-buildvcs=false
go build -o "$dir/sources" ./bench/sources
[ -f "$dir/adult-$rows.csv" ] || "$dir/sources" write "$dir/adult-$rows.csv" "$rows"
exec "$dir/venv/bin/python" bench/sources.py "$dir" "$rows"
