# host-1 has its jobs on `local`; a server of etcd is there for what they move to.
needs command -v etcd
begin() {
  local port=18741
  put etc/ballot/jobs.d/jobs.toml '[job.heartbeat]
schedule = "*/2 * * * * *"
command  = ["date"]
misfire  = "all"
[job.backup]
schedule = "0 2 * * *"
command  = ["true"]
'
  settings host-1
  serve
  until_true has heartbeat 2 succeeded
  ballot pause backup --reason "until the new disk is there"
  etcd --data-dir "$scene/etcd" --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
    --listen-peer-urls "http://127.0.0.1:$((port + 1))" > etcd.log 2>&1 &
  daemons+=($!)
  local host
  for host in host-1 host-2; do
    put $host.toml "node      = \"$host\"
jobs_dir  = \"$scene/etc/ballot/jobs.d\"
state_dir = \"$scene/var/lib/ballot${host#host-1}\"
run_dir   = \"$scene/run/ballot${host#host-1}\"
[coordination]
backend   = \"etcd\"
namespace = \"production\"
allow_open_store = true
[etcd]
servers = [\"127.0.0.1:$port\"]
"
  done
  until_true grep -q 'ready to serve client' etcd.log
}
# The daemon has seen the mark.
after_export() { until_true is_held; }
is_held() { ballot status | grep -q 'was moved'; }
new() {
  ran=$(succeeded)
  kill -TERM "$daemon"
  wait "$daemon" 2> /dev/null
}
after_new() {
  export BALLOT_CONFIG=$scene/host-1.toml
  serve
  BALLOT_CONFIG=$scene/host-2.toml serve
  until_true leads
  until_true is_on_time
}
leads() { ballot election list | grep -q 'default  host-'; }
succeeded() { ballot history --job heartbeat --status succeeded --limit 1000 --format csv | wc -l; }
is_on_time() { [ "$(succeeded)" -gt $((ran + 2)) ]; }
