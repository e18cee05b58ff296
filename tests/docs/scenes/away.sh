# A daemon whose store nobody reaches.
begin() {
  settings host-1 '[coordination]
backend          = "etcd"
namespace        = "production"
allow_open_store = true
[etcd]
servers = ["127.0.0.1:1"]
'
  put etc/ballot/jobs.d/backup.toml '[job.backup]
schedule = "* * * * * *"
command  = ["true"]
'
  serve
  until_true leaderless
}
leaderless() { ballot status | grep -q 'not scheduling'; }
