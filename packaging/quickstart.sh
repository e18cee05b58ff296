#!/bin/bash
# ballot in one command: builds it and runs the jobs of this repository's jobs.d as a single node, until interrupted.
# Everything it writes lies in build/quickstart. Usage: packaging/quickstart.sh [--seconds N]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

seconds=
case "${1:-}" in
  '') ;;
  --seconds)
    seconds=${2:-}
    [[ $seconds =~ ^[0-9]+$ ]] || { echo 'quickstart.sh: --seconds needs a whole number' >&2; exit 2; }
    ;;
  *) echo "quickstart.sh: unknown argument: $1; there is --seconds N" >&2; exit 2 ;;
esac

packaging/install-deps.sh build
cmake --preset release > /dev/null
cmake --build build/release -j"$(nproc)"

home=$root/build/quickstart
ballot=$root/build/release/bin/ballot
mkdir -p "$home"/{state,run}
cat > "$home/ballot.toml" <<END
node      = "quickstart"
jobs_dir  = "$root/jobs.d"
state_dir = "$home/state"
run_dir   = "$home/run"
END

"$ballot" check --config "$home/ballot.toml"
if [ -z "$seconds" ]; then
  echo "running the jobs of jobs.d; in another terminal: $ballot history --config $home/ballot.toml" >&2
  exec "$ballot" serve --config "$home/ballot.toml"
fi

"$ballot" serve --config "$home/ballot.toml" &
daemon=$!
trap 'kill -TERM $daemon 2> /dev/null || true' EXIT INT TERM
sleep "$seconds" &
alarm=$!
wait -n || true # the time is over, or the daemon has ended by itself
kill -TERM $daemon $alarm 2> /dev/null || true
ended=0
wait $daemon || ended=$?
trap - EXIT
[ $ended = 0 ] || { echo "quickstart.sh: the daemon ended with $ended" >&2; exit $ended; }
"$ballot" history --config "$home/ballot.toml" --format table --limit 200
