# A job that fails, with a hook that keeps what it is given; and one that misses slots.
begin() {
  settings host-1
  put etc/ballot/jobs.d/jobs.toml "[job.nightly-backup]
shell       = \"exit 2\"
working_dir = \"$scene\"
on_failure  = [\"/bin/sh\", \"-c\", \"env | sort > failure.new; mv failure.new failure.out; echo 'pager: no route'; exit 3\"]
[job.slow-hook]
shell        = \"exit 2\"
on_failure   = [\"sleep\", \"60\"]
hook_timeout = \"1s\"
[job.minutely]
schedule    = \"* * * * * *\"
command     = [\"true\"]
misfire     = \"skip\"
working_dir = \"$scene\"
on_missed   = [\"/bin/sh\", \"-c\", \"env | sort > missed.new; mv missed.new missed.out\"]
"
  serve
  rows minutely 1 succeeded
  ballot trigger nightly-backup --wait > /dev/null 2>&1
  ballot trigger slow-hook --wait > /dev/null 2>&1
  until_true test -s failure.out
}
hooks_failed() { until_true grep -q 'on_failure took too long' ballot.log; }
away() {
  kill -TERM "$daemon"
  wait "$daemon"
  local until=$(($(date +%s) + 3))
  while [ "$(date +%s)" -lt $until ]; do read -r -t 0.1 <> <(:); done
  serve
  until_true test -s missed.out
}
