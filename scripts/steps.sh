# steps.sh is read by the other scripts.

# step NAME SECONDS COMMAND [ARGUMENT...]: says what begins, runs a command or function with nothing to read, and says how
# long it took. What fails ends the script. So does what has not ended after so many seconds: it is stopped, with every
# process that it started, by SIGTERM and half a minute later by SIGKILL.
step() {
  local name=$1 limit=$2 t0=$EPOCHREALTIME job watch status=0
  shift 2
  printf '== %s\n' "$name"
  set -m # a group of processes for each of the two
  ("$@") </dev/null &
  job=$!
  (sleep "$limit" && kill -TERM -- "-$job" && sleep 30 && kill -KILL -- "-$job") </dev/null >/dev/null 2>&1 &
  watch=$!
  set +m
  # shellcheck disable=SC2064
  trap "kill -TERM -- -$job -$watch 2>/dev/null; exit 130" INT TERM
  wait "$job" || status=$?
  trap - INT TERM
  kill -TERM -- "-$watch" 2>/dev/null || true
  wait "$watch" 2>/dev/null || true
  awk -v n="$name" -v a="$t0" -v b="$EPOCHREALTIME" -v limit="$limit" -v status="$status" 'BEGIN {
    said = status == 0 ? "" : b - a < limit ? "FAILED after " : "STOPPED after "
    printf "== %s: %s%.1f s\n", n, said, b - a
  }'
  [ "$status" = 0 ] || exit 1
}
