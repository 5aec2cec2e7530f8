#!/usr/bin/env bash
# machines.sh: what one machine releases is good on every other. Seeded releases that this machine, one of another
# processor under an emulator, and WebAssembly in node draw are verified, loaded and used by each; so is a sample of
# the releases kept in privbayes/testdata. Every step has a time limit.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/machines
kept=privbayes/testdata/releases.jsonl.gz

step() {
  local name=$1 limit=$2 t0=$EPOCHREALTIME
  shift 2
  timeout "$limit" "$@" || { printf '== %s: FAILED\n' "$name"; exit 1; }
  awk -v n="$name" -v a="$t0" -v b="$EPOCHREALTIME" 'BEGIN { printf "== %s: %.1f s\n", n, b - a }'
}

# The processor that is not this one's, and its emulator.
case $(go env GOHOSTARCH) in
  arm64) other=amd64 emulator=qemu-x86_64-static ;;
  *) other=arm64 emulator=qemu-aarch64-static ;;
esac

rm -rf $out
mkdir -p $out/by-here $out/by-$other $out/by-wasm
build() { # build FILE [VARIABLE=VALUE...]
  step "build $1" 900 env CGO_ENABLED=0 "${@:2}" go build -buildvcs=false -o "$out/$1" ./internal/machines
}
build here
build $other GOOS=linux GOARCH=$other
build wasm GOOS=js GOARCH=wasm

here=("$out/here") there=($emulator "$out/$other")
node=(node --stack-size=8192 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$out/wasm")

step "draw here" 300 "${here[@]}" draw $out/by-here
step "draw on $other" 600 "${there[@]}" draw -few $out/by-$other
step "draw in node" 600 "${node[@]}" draw -few $out/by-wasm
step "verify here" 300 "${here[@]}" verify $out/by-$other $out/by-wasm
step "verify on $other" 1200 "${there[@]}" verify -every 25 $out/by-here $out/by-wasm $kept
step "verify in node" 600 "${node[@]}" verify -every 25 $out/by-here $out/by-$other $kept
