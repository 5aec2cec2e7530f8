#!/usr/bin/env bash
# flink.sh COMMAND...: runs a command beside an Apache Flink of its own: a job manager, two task managers and Beam's job
# server, in processes on the loopback interface, from the jars that sources/beam/flink/pom.xml names. They go to
# build/flink once (150 MB) and need Java 17 and Maven. The command finds
#   PRIVBAYES_FLINK         the address of the job server
#   PRIVBAYES_FLINK_VICTIM  the process number of one task manager, to be killed
# Everything is stopped at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
home=$root/build/flink

say() { printf 'flink: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

programs() {
  command -v java >/dev/null && command -v mvn >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    die "missing: Java 17 and Maven. On Debian: sudo apt-get install --no-install-recommends default-jdk-headless maven"
  say "installing Java and Maven"
  mkdir -p build
  { apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jdk-headless maven; } \
    </dev/null >build/packages-flink.log 2>&1 || { tail -n 20 build/packages-flink.log >&2; die "installing failed"; }
}

fetch() {
  cmp -s sources/beam/flink/pom.xml "$home/pom.xml" && return
  say "fetching Flink and Beam's job server (150 MB)"
  rm -rf "$home"
  mkdir -p "$home/lib"
  mvn -q -B -f sources/beam/flink/pom.xml dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$home/lib" </dev/null >"$home/maven.log" 2>&1 || { tail -n 30 "$home/maven.log" >&2; die "Maven failed"; }
  cp sources/beam/flink/pom.xml "$home/pom.xml"
}

opens() {
  local p
  for p in java.lang java.net java.io java.nio sun.nio.ch java.lang.reflect java.text java.time java.util \
    java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks; do
    printf -- '--add-opens=java.base/%s=ALL-UNNAMED ' "$p"
  done
  printf -- '--add-exports=java.base/sun.net.util=ALL-UNNAMED --add-exports=java.management/sun.management=ALL-UNNAMED '
  printf -- '--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED'
}

# port N waits until somebody listens there.
port() {
  local i
  for i in $(seq 240); do
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
    sleep 0.25
  done
  tail -n 30 "$run"/*.log >&2 || true
  die "nothing listens on port $1"
}

run=$(mktemp -d "${TMPDIR:-/tmp}/privbayes-flink.XXXXXX")
all=()
stop() {
  [ ${#all[@]} = 0 ] || kill -9 "${all[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  pkill -9 -f "$run" 2>/dev/null || true # workers that outlive a task manager
  rm -rf "$run"
}
trap stop EXIT

# java NAME MEMORY CLASS ARGUMENT...: starts a class in the background; its number is in $started.
start() {
  local name=$1 memory=$2
  shift 2
  # shellcheck disable=SC2046
  (cd "$run" && exec java "-Xmx$memory" -Djava.io.tmpdir="$run" $(opens) -cp "$home/lib/*" "$@") >"$run/$name.log" 2>&1 &
  started=$!
  all+=("$started")
}

main() {
  programs
  fetch
  local base
  base=$(shuf -i 20000-50000 -n 1)
  local rpc=$base rest=$((base + 1)) job=$((base + 2)) artifacts=$((base + 3)) expansion=$((base + 4))
  mkdir -p "$run/conf" "$run/staged"
  cat >"$run/conf/config.yaml" <<YAML
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: $rpc
jobmanager.bind-host: 127.0.0.1
jobmanager.memory.process.size: 1024m
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
taskmanager.numberOfTaskSlots: 2
taskmanager.cpu.cores: 1.0
taskmanager.memory.task.heap.size: 256m
taskmanager.memory.task.off-heap.size: 64m
taskmanager.memory.jvm-metaspace.size: 192m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.jvm-overhead.max: 64m
taskmanager.memory.managed.size: 64m
taskmanager.memory.network.min: 64m
taskmanager.memory.network.max: 64m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 64m
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: $rest
parallelism.default: 2
heartbeat.interval: 1000
heartbeat.timeout: 8000
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 5
restart-strategy.fixed-delay.delay: 1 s
io.tmp.dirs: $run
YAML
  start jobmanager 640m org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir "$run/conf"
  port "$rest"
  start taskmanager1 384m org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$run/conf"
  export PRIVBAYES_FLINK_VICTIM=$started
  start taskmanager2 384m org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$run/conf"
  start jobserver 384m org.apache.beam.runners.flink.FlinkJobServerDriver --flink-master="127.0.0.1:$rest" \
    --job-host=127.0.0.1 --job-port="$job" --artifact-port="$artifacts" --expansion-port="$expansion" \
    --artifacts-dir="$run/staged"
  port "$job"
  export PRIVBAYES_FLINK=127.0.0.1:$job
  local i
  for i in $(seq 120); do
    [ "$(grep -c 'Registering TaskManager' "$run/jobmanager.log" || true)" -lt 2 ] || break
    sleep 0.25
  done
  local rc=0
  "$@" || rc=$?
  if [ "$rc" != 0 ]; then
    for i in "$run"/*.log; do
      printf -- '-- %s\n' "${i##*/}"
      grep -E 'ERROR|Exception|Caused by' "$i" | tail -n 12 || true
    done >&2
  fi
  return "$rc"
}
main "$@"
