# A daemon on a server of etcd, where a job's register is spoiled.
free_port() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'; }
etcd_answers() { ETCDCTL_API=3 etcdctl --endpoints "127.0.0.1:$port" get ballot; }
begin() {
  local peers
  port=$(free_port) peers=http://127.0.0.1:$(free_port)
  etcd --name host-1 --data-dir "$scene/etcd" --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
    --listen-peer-urls "$peers" --initial-advertise-peer-urls "$peers" --initial-cluster "host-1=$peers" > "$scene/log-etcd" 2>&1 &
  daemons+=("$!")
  until_true etcd_answers
  settings host-1 "[coordination]
backend          = \"etcd\"
namespace        = \"production\"
allow_open_store = true
[etcd]
servers = [\"127.0.0.1:$port\"]
"
  put etc/ballot/jobs.d/backup.toml '[job.backup]
schedule = "* * * * * *"
command  = ["true"]
'
  serve
  rows backup 1 succeeded
  ETCDCTL_API=3 etcdctl --endpoints "127.0.0.1:$port" put ballot/production/r/j/backup spoiled
  until_true halts
}
halts() { ballot why backup | grep -q 'is halted'; }
passed() { rows backup 1 missed halted; }
