#!/usr/bin/env bash
# machines.sh: what one machine releases is good on every other. Seeded releases that this machine, one of another
# processor under an emulator, and WebAssembly in node draw are verified, loaded and used by each; so is a sample of
# the releases kept in privbayes/testdata. The two others work side by side; every step has a time limit.
#   machines.sh          one release of each learner, and of those kept every 40th and one of every mechanism
#   machines.sh whole    many levels and tables, and every fourth
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh
out=build/machines
kept="privbayes/testdata/releases.jsonl.gz privbayes/testdata/releases_of_totals.jsonl.gz
  privbayes/testdata/releases_by_vectors.jsonl.gz privbayes/testdata/releases_with_weights.jsonl.gz"
few=(-few) every=40
[ "${1:-}" != whole ] || few=() every=4

# The processor that is not this one's, and its emulator.
case $(go env GOHOSTARCH) in
  arm64) other=amd64 emulator=qemu-x86_64-static ;;
  *) other=arm64 emulator=qemu-aarch64-static ;;
esac

build() { # build FILE [VARIABLE=VALUE...]
  step "build $1" 900 env CGO_ENABLED=0 "${@:2}" go build -buildvcs=false -o "$out/$1" ./tools/nbtool/machines
}

# machine NAME RUN...: what another machine draws, and verifies of this one's.
machine() {
  local name=$1
  shift
  mkdir -p "$out/by-$name"
  step "draw on $name" 1200 "$@" draw ${few[@]+"${few[@]}"} "$out/by-$name"
  step "verify on $name" 1800 "$@" verify -every $every $out/by-here $kept
}

rm -rf $out
mkdir -p $out/by-here
build here
step "draw here" 600 $out/here draw ${few[@]+"${few[@]}"} $out/by-here
(build $other GOOS=linux GOARCH=$other && machine $other $emulator "$out/$other") &
first=$!
(build wasm GOOS=js GOARCH=wasm &&
  machine wasm node --stack-size=8192 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$out/wasm") &
wait $first
wait $!
step "verify here" 600 $out/here verify $out/by-$other $out/by-wasm
