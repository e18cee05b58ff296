# A daemon that is well, then has a broken file, a failed run and an audit.
begin() {
  settings host-1
  put etc/ballot/jobs.d/jobs.toml '[job.hello]
schedule = "@hourly"
command  = ["echo", "hello"]
[job.import]
shell = "exit 2"
'
  serve
  until_true leads
}
leads() { ballot jobs | grep -q ' host-1$'; }
broken() {
  put etc/ballot/jobs.d/orders.toml '[job.orders]
schedule = "0 25 * * *"
command  = ["true"]
'
  until_true degraded
}
degraded() { ballot status | grep -q config; }
failed() {
  rm "$scene/etc/ballot/jobs.d/orders.toml"
  ballot trigger import --wait > /dev/null 2>&1
  until_true knows backup
}
knows() { ballot jobs "$1"; }
audited() {
  # A job is given neither the sandbox's PATH nor its BALLOT_CONFIG.
  sed -i "s|\"ballot\", \"audit\"|\"$ballot_program\", \"audit\", \"--config\", \"$BALLOT_CONFIG\"|" "$scene/etc/ballot/jobs.d/audit.toml"
  until_true knows audit
}
