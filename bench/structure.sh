#!/usr/bin/env bash
# structure.sh [JOBS.json [SECONDS [RUNS.jsonl]]]: synthetic tables of learned structures, ours beside mbi, OpenDP, SmartNoise, dpmm and DataSynthesizer, on the
# tables of the study (PRIVBAYES_DATA names the folder with Adult, Titanic and the networks), one thread each, every peer in a virtual
# environment of its own with exact versions, since they do not agree on those of their dependencies. A run that takes more processor time than SECONDS
# (usually an hour) is left out, and named. AIM takes minutes to hours. What was run is kept in build/bench/structure, or in RUNS.jsonl: run again,
# it goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$PWD/build/bench/structure
mkdir -p "$dir"
for peer in mbi opendp dpmm smartnoise datasynthesizer; do
  want=bench/structure/requirements/$peer.txt
  if ! "$dir/venv-$peer/bin/pip" freeze 2>/dev/null | sort | cmp -s "$want" -; then
    python3 -m venv "$dir/venv-$peer"
    "$dir/venv-$peer/bin/pip" install --quiet -r "$want"
  fi
done
GOFLAGS=-buildvcs=false go build -o "$dir/structure" ./bench/structure
"$dir/structure" export "$dir" adult alarm votes german shopper titanic bank child births national2019
python3 bench/structure.py "$dir" run "${1:-bench/structure/jobs.json}" "${2:-3600}" "${3:-$dir/runs.jsonl}"
[ $# -gt 2 ] || exec python3 bench/structure.py "$dir" collect
