#!/bin/bash
# ballot on Consul, to be tried on one machine: three hosts, each with an agent of Consul (a server of the cluster) and a
# daemon that runs a job each 5 s, of which one leads. Stop, kill and cut off what you like; interrupted, it ends them
# all. Everything it writes lies in build/try-consul.
# Usage: packaging/try/consul.sh [--seconds N]     BALLOT, CONSUL: programs to take instead of building and fetching them
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

seconds=infinity
case "${1:-}" in
  '') ;;
  --seconds)
    seconds=${2:-}
    [[ $seconds =~ ^[0-9]+$ ]] || { echo 'consul.sh: --seconds needs a whole number' >&2; exit 2; }
    ;;
  *) echo "consul.sh: unknown argument: $1; there is --seconds N" >&2; exit 2 ;;
esac

ballot=${BALLOT:-$root/build/release/bin/ballot}
if [ -z "${BALLOT:-}" ]; then
  packaging/install-deps.sh build
  cmake --preset release > /dev/null
  cmake --build build/release -j"$(nproc)"
fi
home=$root/build/try-consul
consul=${CONSUL:-$home/consul}
[ -n "${CONSUL:-}" ] || packaging/install-consul.sh "$home"

agents=() daemons=() alarm=
end() {
  trap - EXIT INT TERM
  kill -TERM $alarm "${daemons[@]}" 2> /dev/null || true
  wait "${daemons[@]}" 2> /dev/null || true
  kill -KILL "${agents[@]}" 2> /dev/null || true
}
trap end EXIT
trap 'exit 130' INT TERM

for host in 1 2 3; do
  rm -rf "${home:?}/host-$host"
  mkdir -p "$home/host-$host"/{state,run,data,jobs.d}
  http=$((18500 + host))
  cat > "$home/host-$host/consul.json" <<END
{"node_name": "host-$host", "server": true, "bootstrap_expect": 3, "data_dir": "$home/host-$host/data",
 "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1", "log_level": "warn", "disable_update_check": true,
 "ports": {"http": $http, "server": $((18300 + host)), "serf_lan": $((18400 + host)), "serf_wan": -1, "dns": -1, "grpc": -1},
 "retry_join": ["127.0.0.1:18401", "127.0.0.1:18402", "127.0.0.1:18403"], "retry_interval": "1s",
 "performance": {"raft_multiplier": 1},
 "service": {"id": "web-$host", "name": "web", "port": 80$host, "checks": [
   {"id": "web-file", "name": "there is no file 'sick'", "interval": "1s", "args": ["/bin/sh", "-c", "test ! -e $home/host-$host/sick || exit 2"]}]},
 "enable_local_script_checks": true}
END
  cat > "$home/host-$host/ballot.toml" <<END
node      = "host-$host"
jobs_dir  = "$home/host-$host/jobs.d"
state_dir = "$home/host-$host/state"
run_dir   = "$home/host-$host/run"
[coordination]
backend          = "consul"
namespace        = "try"
allow_open_store = true
[consul]
address = "127.0.0.1:$http"
END
  cat > "$home/host-$host/jobs.d/heartbeat.toml" <<END
[job.heartbeat]
schedule = "*/5 * * * * *"
group    = "web"
command  = ["/bin/sh", "-c", "echo alive on \$BALLOT_NODE, epoch \$BALLOT_EPOCH"]
[group.web]
on_promote = ["/bin/sh", "-c", "echo promoted: \$ADDRESS:\$PORT \$SESSIONID >> $home/host-$host/hooks"]
on_demote  = ["/bin/sh", "-c", "echo demoted >> $home/host-$host/hooks"]
[group.web.consul]
service     = "web"
primary_tag = "primary"
END
  "$consul" agent -config-file "$home/host-$host/consul.json" > "$home/host-$host/consul.log" 2>&1 &
  agents+=($!)
  echo "host-$host: consul has pid $!" >&2
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
the catalog:   curl -s 127.0.0.1:18501/v1/catalog/service/web          (the leader's has the tag "primary")
unfit:         touch $home/host-1/sick                                 (its check is critical: another leads)
END
sleep "$seconds" &
alarm=$!
wait $alarm || true
