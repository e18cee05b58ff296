#!/bin/bash
# ballot on etcd, to be tried on one machine: three hosts, each with a server of the cluster and a daemon that runs a job
# each 5 s, of which one leads. Stop, kill and cut off what you like; interrupted, it ends them all. Everything it writes
# lies in build/try-etcd.
# Usage: packaging/try/etcd.sh [--seconds N]     BALLOT, ETCD: programs to take instead of building one, and of the system's
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

seconds=infinity
case "${1:-}" in
  '') ;;
  --seconds)
    seconds=${2:-}
    [[ $seconds =~ ^[0-9]+$ ]] || { echo 'etcd.sh: --seconds needs a whole number' >&2; exit 2; }
    ;;
  *) echo "etcd.sh: unknown argument: $1; there is --seconds N" >&2; exit 2 ;;
esac

etcd=${ETCD:-etcd}
command -v "$etcd" > /dev/null || { echo 'etcd.sh: there is no etcd: apt-get install etcd-server, or set ETCD' >&2; exit 2; }
ballot=${BALLOT:-$root/build/release/bin/ballot}
if [ -z "${BALLOT:-}" ]; then
  packaging/install-deps.sh build
  cmake --preset release > /dev/null
  cmake --build build/release -j"$(nproc)"
fi
home=$root/build/try-etcd

servers=() daemons=() alarm=
end() {
  trap - EXIT INT TERM
  kill -TERM $alarm "${daemons[@]}" 2> /dev/null || true
  wait "${daemons[@]}" 2> /dev/null || true
  kill -KILL "${servers[@]}" 2> /dev/null || true
}
trap end EXIT
trap 'exit 130' INT TERM

url() { echo "http://127.0.0.1:$1"; }
cluster="host-1=$(url 18601),host-2=$(url 18602),host-3=$(url 18603)"
for host in 1 2 3; do
  rm -rf "${home:?}/host-$host"
  mkdir -p "$home/host-$host"/{state,run,jobs.d}
  cat > "$home/host-$host/ballot.toml" <<END
node      = "host-$host"
jobs_dir  = "$home/host-$host/jobs.d"
state_dir = "$home/host-$host/state"
run_dir   = "$home/host-$host/run"
[coordination]
backend          = "etcd"
namespace        = "try"
allow_open_store = true
[etcd]
servers = ["127.0.0.1:18701", "127.0.0.1:18702", "127.0.0.1:18703"]
END
  cat > "$home/host-$host/jobs.d/heartbeat.toml" <<END
[job.heartbeat]
schedule = "*/5 * * * * *"
group    = "web"
command  = ["/bin/sh", "-c", "echo alive on \$BALLOT_NODE, epoch \$BALLOT_EPOCH"]
END
  "$etcd" --name="host-$host" --data-dir="$home/host-$host/data" --initial-cluster="$cluster" \
    --listen-peer-urls="$(url 1860$host)" --initial-advertise-peer-urls="$(url 1860$host)" \
    --listen-client-urls="$(url 1870$host)" --advertise-client-urls="$(url 1870$host)" \
    --auto-compaction-retention=1h > "$home/host-$host/etcd.log" 2>&1 &
  servers+=($!)
  echo "host-$host: etcd has pid $!" >&2
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
the keys:      ETCDCTL_API=3 etcdctl --endpoints 127.0.0.1:18701 get --prefix ballot/try/
a lost server: kill -STOP PID of one etcd, later kill -CONT PID; of two: nobody leads until one is back
END
sleep "$seconds" &
alarm=$!
wait $alarm || true
