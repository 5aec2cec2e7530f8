#!/usr/bin/env bash
# sources.sh: vets and tests the nested modules of sources/, each with what it needs. PostgreSQL is Debian's package: a
# server of its own, on the loopback interface and a port that is free, in build/postgres, as a user without rights,
# started here and stopped at the end. DuckDB needs a C++ compiler. Beam's tests run beside an Apache Flink, see
# flink.sh. Nothing is skipped: what cannot be had fails.
#   sources.sh [MODULE...]            by default all of them
#   COMPARE=FILE sources.sh compare   writes what every source gives of one table to FILE
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH=$root/build/bin:$PATH:/usr/local/go/bin CI=${CI:-}
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" GOWORK=off

say() { printf 'sources: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f s", b - a }'; }

packages() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing $*"
    mkdir -p build
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
      </dev/null >build/packages-sources.log 2>&1 || { tail -n 20 build/packages-sources.log >&2; die "installing $* failed"; }
  else
    die "missing system packages. On Debian or Ubuntu: sudo apt-get install --no-install-recommends $*"
  fi
}

# programs is the folder of PostgreSQL's server programs, of the newest version that is installed.
programs() {
  find /usr/lib/postgresql -maxdepth 3 -path '*/bin/initdb' -printf '%h\n' 2>/dev/null | sort -V | tail -n 1
}

# as RUN COMMAND...: as a user that PostgreSQL accepts, which refuses root.
as() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi
}

server=
start_postgres() {
  local bin dir port=0 user
  bin=$(programs)
  if [ -z "$bin" ]; then
    packages postgresql
    bin=$(programs)
  fi
  [ -n "$bin" ] || die "PostgreSQL has no initdb in /usr/lib/postgresql"
  dir=$(mktemp -d "${TMPDIR:-/tmp}/privbayes-postgres.XXXXXX")
  [ "$(id -u)" != 0 ] || chown postgres: "$dir"
  user=tester
  (cd "$dir" && as "$bin/initdb" --pgdata="$dir/data" --username="$user" --auth=trust --encoding=UTF8 --no-sync \
    --locale=C) >"$root/build/postgres.log" 2>&1 || { cat "$root/build/postgres.log" >&2; die "initdb failed"; }
  server="$bin $dir"
  for port in $(shuf -i 20000-60000 -n 5); do
    if (cd "$dir" && as "$bin/pg_ctl" --pgdata="$dir/data" --log="$dir/log" --wait --timeout=60 \
      --options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c fsync=off" start) \
      >>"$root/build/postgres.log" 2>&1; then
      export PRIVBAYES_POSTGRES="postgres://$user@127.0.0.1:$port/postgres?sslmode=disable"
      return
    fi
  done
  die "PostgreSQL did not start; see build/postgres.log"
}

stop_postgres() {
  [ -n "$server" ] || return 0
  local bin=${server% *} dir=${server#* }
  (cd "$dir" && as "$bin/pg_ctl" --pgdata="$dir/data" --mode=immediate stop) >/dev/null 2>&1 || true
  rm -rf "$dir"
  server=
}
trap stop_postgres EXIT

# modules lists the nested modules.
modules() { find sources -mindepth 2 -maxdepth 2 -name go.mod -printf '%h\n' | sort; }

main() {
  scripts/setup.sh cc
  mkdir -p build
  local all=("$@") dir t0 fresh=() run
  [ -z "$CI" ] || fresh=(-count=1)
  [ ${#all[@]} -gt 0 ] || mapfile -t all < <(modules)
  for dir in "${all[@]}"; do
    dir=sources/${dir#sources/}
    t0=$EPOCHREALTIME
    case ${dir##*/} in
      duckdb) command -v g++ >/dev/null || packages g++ ;;
      pgsource | compare) [ -n "${COMPARE:-}" ] || start_postgres ;;
    esac
    run=()
    [ "${dir##*/}" != beam ] || run=("$root/scripts/flink.sh")
    if [ "${dir##*/}" = compare ] && [ -n "${COMPARE:-}" ]; then # go run beside Flink: results, no tests
      start_postgres
      (cd "$dir" && go build -o "$root/build/compare" .)
      "$root/scripts/flink.sh" "$root/build/compare" >"$COMPARE"
      stop_postgres
      continue
    fi
    "${run[@]+"${run[@]}"}" bash -c 'cd "$1" && shift && go vet ./... && go test -timeout 15m "$@" ./...' _ "$root/$dir" \
      ${fresh[@]+"${fresh[@]}"}
    say "${dir##*/}: $(since "$t0")"
    stop_postgres
  done
}
main "$@"
