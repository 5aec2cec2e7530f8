#!/usr/bin/env bash
# survey.sh: high cholesterol in a health survey, by race and sex, by R's survey without privacy and by weighted
# releases at ε = 1. It needs Debian's r-cran-survey, and writes bench/survey/results.json.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v Rscript >/dev/null && Rscript -e 'stopifnot(requireNamespace("survey", quietly = TRUE))' 2>/dev/null ||
  { echo "survey.sh needs r-cran-survey" >&2; exit 2; }
mkdir -p build/bench
Rscript bench/survey.R data/files/nhanes2009.csv.gz >build/bench/survey.csv
go run ./bench/survey build/bench/survey.csv >bench/survey/results.json
