# A daemon in the foreground, as a terminal shows it.
begin() {
  settings node-1 '[coordination]
session_timeout = "5s"
[runner]
on_stop = "wait 1s"
'
  cp etc/ballot/ballot.toml ballot.toml
  put jobs.d/jobs.toml '[job.nap]
command = ["sleep", "30"]
[job.nightly]
schedule = "0 2 * * *"
command  = ["true"]
'
}
# The daemon is asked by others, and ends with ^C.
ballot() {
  if [ "$1" != serve ]; then command ballot "$@"; return; fi
  command ballot "$@" &
  local daemon=$!
  until_true leads
  command ballot trigger nap > /dev/null
  until_true runs
  kill -INT "$daemon"
  wait "$daemon"
}
leads() { command ballot jobs --config ballot.toml nap | grep -q ' node-1$'; }
runs() { command ballot history --job nap --status running --format csv | grep -q ,nap,; }
