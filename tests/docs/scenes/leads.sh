# A daemon whose leadership is in a file.
begin() {
  settings host-1 '[coordination]
session_timeout = "3s"
'
  put etc/ballot/jobs.d/jobs.toml "[group.default]
state_file = \"$scene/leads\"
[job.backup]
command = [\"true\"]
"
  serve
  until_true test -s leads
}
killed() {
  kill -KILL "$daemon"
  wait "$daemon" 2> /dev/null
  until_true lost
}
lost() { ! ballot election file leads default --check; }
