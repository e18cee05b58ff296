#!/bin/bash
# ballot on NATS, to be tried on one machine: three hosts, each with a server of the cluster and a daemon that runs a job
# each 5 s, of which one leads. Stop, kill and cut off what you like; interrupted, it ends them all. Everything it writes
# lies in build/try-nats.
# Usage: packaging/try/nats.sh [--seconds N]     BALLOT, NATS: programs to take instead of building one, and of the system's
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

seconds=infinity
case "${1:-}" in
  '') ;;
  --seconds)
    seconds=${2:-}
    [[ $seconds =~ ^[0-9]+$ ]] || { echo 'nats.sh: --seconds needs a whole number' >&2; exit 2; }
    ;;
  *) echo "nats.sh: unknown argument: $1; there is --seconds N" >&2; exit 2 ;;
esac

nats=${NATS:-nats-server}
command -v "$nats" > /dev/null || { echo 'nats.sh: there is no nats-server: apt-get install nats-server, or set NATS' >&2; exit 2; }
ballot=${BALLOT:-$root/build/release/bin/ballot}
if [ -z "${BALLOT:-}" ]; then
  packaging/install-deps.sh build
  cmake --preset release > /dev/null
  cmake --build build/release -j"$(nproc)"
fi
home=$root/build/try-nats

servers=() daemons=() alarm=
end() {
  trap - EXIT INT TERM
  kill -TERM $alarm "${daemons[@]}" 2> /dev/null || true
  wait "${daemons[@]}" 2> /dev/null || true
  kill -KILL "${servers[@]}" 2> /dev/null || true
}
trap end EXIT
trap 'exit 130' INT TERM

for host in 1 2 3; do
  rm -rf "${home:?}/host-$host"
  mkdir -p "$home/host-$host"/{state,run,jobs.d}
  cat > "$home/host-$host/ballot.toml" <<END
node      = "host-$host"
jobs_dir  = "$home/host-$host/jobs.d"
state_dir = "$home/host-$host/state"
run_dir   = "$home/host-$host/run"
[coordination]
backend          = "nats"
namespace        = "try"
allow_open_store = true
[nats]
servers = ["127.0.0.1:18801", "127.0.0.1:18802", "127.0.0.1:18803"]
END
  cat > "$home/host-$host/jobs.d/heartbeat.toml" <<END
[job.heartbeat]
schedule = "*/5 * * * * *"
group    = "web"
command  = ["/bin/sh", "-c", "echo alive on \$BALLOT_NODE, epoch \$BALLOT_EPOCH"]
END
  cat > "$home/host-$host/nats.conf" <<END
server_name: host-$host
listen: "127.0.0.1:1880$host"
http: "127.0.0.1:1881$host"
jetstream { store_dir: "$home/host-$host/data" }
cluster {
  name: try
  listen: "127.0.0.1:1882$host"
  routes: ["nats-route://127.0.0.1:18821", "nats-route://127.0.0.1:18822", "nats-route://127.0.0.1:18823"]
}
END
  "$nats" -c "$home/host-$host/nats.conf" > "$home/host-$host/nats.log" 2>&1 &
  servers+=($!)
  echo "host-$host: nats-server has pid $!" >&2
done
for host in 1 2 3; do
  "$ballot" serve --config "$home/host-$host/ballot.toml" > "$home/host-$host/ballot.log" 2>&1 &
  daemons+=($!)
  echo "host-$host: ballot has pid $!" >&2
done
cat >&2 <<END
who leads:     $ballot info web --config $home/host-1/ballot.toml
what ran:      $ballot history --config $home/host-1/ballot.toml      (each host has its own)
the servers:   $ballot election list --config $home/host-1/ballot.toml
the streams:   curl -s '127.0.0.1:18811/jsz?streams=true'              (the keys: nats kv watch ballot-try)
a lost server: kill -STOP PID of one nats-server, later kill -CONT PID; of two: nobody leads until one is back
END
sleep "$seconds" &
alarm=$!
wait $alarm || true
