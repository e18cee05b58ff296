#!/bin/bash
# ballot on a store, to be tried on one machine: three hosts, each with a server of the store and a daemon that runs a job
# each 5 s, of which one leads. Stop, kill and cut off what you like; interrupted, it ends them all. Everything it writes
# lies in build/try-BACKEND.
# Usage: packaging/try.sh zookeeper|etcd|consul|nats [--seconds N]
# BALLOT, ETCD, CONSUL, NATS: programs to take instead of building one, of the system's, and of fetching Consul. BALLOT
# finds its runner and plugins in its PREFIX/lib/ballot; where ballot-runner lies beside it, there and in ../plugins.
set -euo pipefail
[[ ${BALLOT:-} != */* ]] || BALLOT=$(realpath "$BALLOT")  # from where the script is called
cd "$(dirname "$0")/.."
root=$PWD

fail() { echo "try.sh: $*" >&2; exit 2; }
needs() { command -v "$1" > /dev/null || fail "there is no $1: apt-get install $2${3:+, or set $3}"; }

backend=${1:-} seconds=infinity
case "$backend" in
  zookeeper | etcd | consul | nats) shift ;;
  *) fail "which store? packaging/try.sh zookeeper|etcd|consul|nats [--seconds N]" ;;
esac
case "${1:-}" in
  '') ;;
  --seconds)
    seconds=${2:-}
    [[ $seconds =~ ^[0-9]+$ ]] || fail '--seconds needs a whole number'
    ;;
  *) fail "unknown argument: $1; there is --seconds N" ;;
esac
home=$root/build/try-$backend

# ---- what is each store's own: prepare; server HOST runs one, and is its process; table HOST, for ballot.toml, and
# group HOST, for the job's file; hints

zookeeper_prepare() {
  needs java 'zookeeper default-jre-headless'
  [ -e /usr/share/java/zookeeper.jar ] || fail 'there is no ZooKeeper: apt-get install zookeeper'
}
zookeeper_server() {
  mkdir -p data
  echo "$1" > data/myid
  cat > zoo.cfg <<END
tickTime=1000
initLimit=10
syncLimit=5
dataDir=$PWD/data
clientPort=1890$1
clientPortAddress=127.0.0.1
admin.enableServer=false
server.1=127.0.0.1:18911:18921
server.2=127.0.0.1:18912:18922
server.3=127.0.0.1:18913:18923
END
  exec java -Xmx128m -cp /usr/share/java/zookeeper.jar org.apache.zookeeper.server.quorum.QuorumPeerMain zoo.cfg
}
zookeeper_table() {
  echo 'servers = ["127.0.0.1:18901", "127.0.0.1:18902", "127.0.0.1:18903"]'
  echo 'tick    = "1s"'
}
zookeeper_hints() { echo 'the nodes:     /usr/share/zookeeper/bin/zkCli.sh -server 127.0.0.1:18901 ls -R /try'; }

etcd_prepare() { needs "${ETCD:=etcd}" etcd-server ETCD; }
etcd_server() {
  local peers=http://127.0.0.1:1860$1 clients=http://127.0.0.1:1870$1
  exec "$ETCD" --name="host-$1" --data-dir=data --auto-compaction-retention=1h \
    --initial-cluster=host-1=http://127.0.0.1:18601,host-2=http://127.0.0.1:18602,host-3=http://127.0.0.1:18603 \
    --listen-peer-urls="$peers" --initial-advertise-peer-urls="$peers" \
    --listen-client-urls="$clients" --advertise-client-urls="$clients"
}
etcd_table() { echo 'servers = ["127.0.0.1:18701", "127.0.0.1:18702", "127.0.0.1:18703"]'; }
etcd_hints() { echo 'the keys:      ETCDCTL_API=3 etcdctl --endpoints 127.0.0.1:18701 get --prefix ballot/try/   (apt install etcd-client)'; }

consul_prepare() {
  [ -n "${CONSUL:-}" ] || packaging/install-consul.sh "$home"
  : "${CONSUL:=$home/consul}"
}
consul_server() {
  cat > consul.json <<END
{"node_name": "host-$1", "server": true, "bootstrap_expect": 3, "data_dir": "$PWD/data",
 "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1", "log_level": "warn", "disable_update_check": true,
 "ports": {"http": 1850$1, "server": 1830$1, "serf_lan": 1840$1, "serf_wan": -1, "dns": -1, "grpc": -1},
 "retry_join": ["127.0.0.1:18401", "127.0.0.1:18402", "127.0.0.1:18403"], "retry_interval": "1s",
 "performance": {"raft_multiplier": 1},
 "service": {"id": "web-$1", "name": "web", "port": 80$1, "checks": [
   {"id": "web-file", "name": "there is no file 'sick'", "interval": "1s", "args": ["/bin/sh", "-c", "test ! -e $PWD/sick || exit 2"]}]},
 "enable_local_script_checks": true}
END
  exec "$CONSUL" agent -config-file consul.json
}
consul_table() { echo "address = \"127.0.0.1:1850$1\""; }
consul_group() {
  cat <<END
[group.web]
on_promote = ["/bin/sh", "-c", "echo promoted: \$ADDRESS:\$PORT \$SESSIONID >> $home/host-$1/hooks"]
on_demote  = ["/bin/sh", "-c", "echo demoted >> $home/host-$1/hooks"]
[group.web.consul]
service     = "web"
primary_tag = "primary"
END
}
consul_hints() {
  echo 'the catalog:   curl -s 127.0.0.1:18501/v1/catalog/service/web          (the leader'\''s has the tag "primary")'
  echo "unfit:         touch $home/host-1/sick                                 (its check is critical: another leads)"
}

nats_prepare() { needs "${NATS:=nats-server}" nats-server NATS; }
nats_server() {
  cat > nats.conf <<END
server_name: host-$1
listen: "127.0.0.1:1880$1"
http: "127.0.0.1:1881$1"
jetstream { store_dir: "$PWD/data" }
cluster {
  name: try
  listen: "127.0.0.1:1882$1"
  routes: ["nats-route://127.0.0.1:18821", "nats-route://127.0.0.1:18822", "nats-route://127.0.0.1:18823"]
}
END
  exec "$NATS" -c nats.conf
}
nats_table() { echo 'servers = ["127.0.0.1:18801", "127.0.0.1:18802", "127.0.0.1:18803"]'; }
nats_hints() { echo "the streams:   curl -s '127.0.0.1:18811/jsz?streams=true'              (the keys: nats kv watch ballot-try)"; }

# ---- the three hosts

"${backend}_prepare"
ballot=${BALLOT:-$root/build/release/bin/ballot}
if [ -z "${BALLOT:-}" ]; then
  packaging/install-deps.sh build
  cmake --preset release > /dev/null
  cmake --build build/release -j"$(nproc)"
fi

servers=() daemons=() alarm=
end() {
  trap - EXIT INT TERM
  kill -TERM $alarm "${daemons[@]}" 2> /dev/null || true
  # Not `wait`: bash 5.2 may wait for ever for one of several that it has reaped already.
  local left=400
  while [ $left -gt 0 ] && kill -0 "${daemons[@]}" 2> /dev/null; do left=$((left - 1)); sleep 0.1; done
  kill -KILL "${servers[@]}" 2> /dev/null || true
}
trap end EXIT
trap 'exit 130' INT TERM

for host in 1 2 3; do
  here=$home/host-$host
  rm -rf "${here:?}"
  mkdir -p "$here"/{state,run,jobs.d,data}
  cat > "$here/ballot.toml" <<END
node      = "host-$host"
jobs_dir  = "$here/jobs.d"
state_dir = "$here/state"
run_dir   = "$here/run"
[coordination]
backend          = "$backend"
namespace        = "try"
allow_open_store = true
[$backend]
$("${backend}_table" $host)
[http]
listen    = "127.0.0.1:1878$host"
anonymous = "viewer"
END
  {
    cat <<END
[job.heartbeat]
schedule = "*/5 * * * * *"
group    = "web"
command  = ["/bin/sh", "-c", "echo alive on \$BALLOT_NODE, epoch \$BALLOT_EPOCH"]
END
    [ "$(type -t "${backend}_group")" != function ] || "${backend}_group" $host
  } > "$here/jobs.d/heartbeat.toml"
  (cd "$here" && "${backend}_server" $host) > "$here/$backend.log" 2>&1 &
  servers+=($!)
  echo "host-$host: $backend has pid $!" >&2
done
for host in 1 2 3; do
  "$ballot" serve --config "$home/host-$host/ballot.toml" > "$home/host-$host/ballot.log" 2>&1 &
  daemons+=($!)
  echo "host-$host: ballot has pid $!" >&2
done
sleep 1
for host in 1 2 3; do
  kill -0 "${daemons[host - 1]}" 2> /dev/null ||
    { echo "host-$host: ballot has ended: $(tail -n 1 "$home/host-$host/ballot.log"); see $home/host-$host/ballot.log" >&2; exit 1; }
done
cat >&2 <<END
who leads:     $ballot info web --config $home/host-1/ballot.toml
what ran:      $ballot history --config $home/host-1/ballot.toml      (any host answers for all three)
the servers:   $ballot election list --config $home/host-1/ballot.toml
$("${backend}_hints")
a lost server: kill -STOP PID of one of $backend, later kill -CONT PID; of two: nobody leads until one is back
END
sleep "$seconds" &
alarm=$!
wait $alarm || true
