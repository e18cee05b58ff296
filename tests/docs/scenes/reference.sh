# One daemon with a job of each kind that the reference shows.
begin() {
  settings node-1
  put etc/ballot/jobs.d/jobs.toml '[job.tick]
schedule = "@hourly"
command  = ["true"]
[job.every]
schedule = "@every 1h"
command  = ["true"]
[job.slow]
description = "sleeps"
schedule    = "*/15 * * * *"
command     = ["sleep", "300"]
[job.hangs]
command    = ["sleep", "60"]
deadline   = "300ms"
kill_grace = "100ms"
[job.nocmd]
command = ["/no/such/program"]
[job.off]
schedule = "@daily"
enabled  = false
command  = ["false"]
[job.order]
shell = "exit 4"
[job.big]
shell        = "seq -f \"line %g of 9\" 9"
output_limit = "40"
[job.boot]
schedule = "@reboot"
command  = ["true"]
[job.waits]
schedule    = "*/2 * * * * *"
shell       = "while [ ! -e '"$scene"'/go ]; do sleep 0.05; done"
concurrency = "queue"
queue_limit = 100
[job.env]
shell    = "env | sort"
deadline = "1h"
'
  serve
  until_true leads
  for job in tick every slow; do ballot trigger "$job" > /dev/null; done
  rows tick 1 succeeded
  rows every 1 succeeded
  rows slow 1 running
}
leads() { ballot jobs tick | grep -q ' node-1$'; }
triggered() {
  for job in nocmd hangs big off env; do ballot trigger "$job" --wait > /dev/null 2>&1; done
  ballot trigger slow > /dev/null 2>&1
  until_true overlaps
}
overlaps() { ballot why slow | grep -q 'skipped: overlap'; }
env_run() { ballot trigger env --wait > /dev/null; }
paused_slow() { ballot pause slow; }
after_paused_slow() { ballot resume slow; }
explained() { until_true waits; }
waits() { ballot why waits | grep -q ' queued$'; }
has_changes() { [ "$(ballot history --definitions --job slow --format csv | grep -c ,changed,)" = "$1" ]; }
edited() {
  sed -i 's|^schedule    = "\*/15 \* \* \* \*"|jitter = "5s"\nnice = 5\nschedule = "*/20 * * * *"|' etc/ballot/jobs.d/jobs.toml
  until_true has_changes 1
}
after_edited() {
  sed -i -e '/^jitter = "5s"$/d' -e '/^nice = 5$/d' -e 's|^schedule = "\*/20 \* \* \* \*"|schedule    = "*/15 * * * *"|' etc/ballot/jobs.d/jobs.toml
  until_true has_changes 2
}
