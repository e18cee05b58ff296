# A configuration, files in several states, and no daemon.
begin() {
  settings node-1
  put etc/ballot/jobs.d/jobs.toml '[job.nightly-backup]
schedule = "0 2 * * *"
command  = ["true"]
[job.rotate]
schedule = "@hourly"
command  = ["true"]
'
}
nightly() {
  put jobs.d/nightly.toml '[job.nightly-backup]
schedule = "0 61 * * *"
command  = ["true"]
'
}
three_faults() {
  put nightly.toml '[job.nightly-backup]
schedule = "0 25 * * *"
comand   = ["/usr/local/bin/backup", "--all"]
'
}
new_jobs() {
  put new-jobs.d/jobs.toml '[job.nightly-backup]
schedule = "30 3 * * *"
retries  = 2
command  = ["true"]
[job.report]
schedule = "0 6 * * MON"
command  = ["true"]
'
}
new_simulation() {
  put new-jobs.d/jobs.toml '[job.nightly-backup]
schedule = "0 2 * * *"
command  = ["true"]
[job.report]
schedule = "0 2 * * *"
start_deadline = "1h"
command  = ["true"]
'
}
crontab() {
  put nightly 'MAILTO=ops@example.org
30 2 * * 1-5  /opt/backup -a %srv%home
0~30 4 * * *  /opt/rotate
'
}
wrong_settings() {
  put ballot.toml 'nod = "host-1"

[coordination]
session_timeout = "100ms"
[runner]
on_stop = "wait"
'
}
linked() {
  put srv/jobs/nightly.toml ''
  chmod 777 srv/jobs
  ln -s "$scene/srv/jobs/nightly.toml" etc/ballot/jobs.d/nightly.toml
}
after_linked() { rm etc/ballot/jobs.d/nightly.toml; }
