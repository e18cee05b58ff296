# One daemon with jobs of which none does what somebody expects.
begin() {
  settings host-1
  put etc/ballot/jobs.d/jobs.toml '[job.backup]
schedule = "* * * * * *"
command  = ["true"]
[job.sync]
schedule = "@hourly"
command  = ["sleep", "300"]
[job.rotate]
schedule = "@daily"
enabled  = false
command  = ["true"]
[job.report]
schedule = "@daily"
command  = ["/opt/report", "--daily"]
[job.import]
schedule    = "@daily"
shell       = "echo no such table: orders; exit 1"
retries     = 1
retry_delay = "100ms"
[job.noisy]
schedule     = "@daily"
shell        = "seq 1 20000"
output_limit = "16"
[job.quiet]
schedule = "@daily"
shell    = "echo done"
output   = "discard"
[job.vacuum]
schedule = "* * * * * *"
group    = "db"
command  = ["true"]
[group.db]
candidates = ["db-*"]
'
  serve
  rows backup 1 succeeded
}
paused() {
  ballot pause backup
  until_true says backup 'is paused'
}
says() { ballot why "$1" | grep -q "$2"; }
overlapping() {
  ballot trigger sync > /dev/null
  rows sync 1 running
  ballot trigger sync > /dev/null 2>&1
  until_true says sync 'skipped: overlap'
}
broken_file() {
  put etc/ballot/jobs.d/orders.toml '[job.orders]
schedule = "0 25 * * *"
command  = ["/usr/local/bin/orders"]
'
  until_true degraded
}
degraded() { ballot status | grep -q config; }
mended() { rm etc/ballot/jobs.d/orders.toml; }
triggered() { for job in report import noisy quiet; do ballot trigger "$job" --wait > /dev/null 2>&1; done; }
# Two seconds without a daemon, the slots of which nobody starts, and a third one.
stopped() {
  kill -TERM "$daemon"
  wait "$daemon"
  local until=$(($(date +%s) + 3))
  while [ "$(date +%s)" -lt $until ]; do read -r -t 0.1 <> <(:); done
  serve
  rows backup 1 missed
}
