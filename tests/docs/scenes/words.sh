# One daemon that is stopped and started.
begin() {
  settings host-1
  serve
}
restarted() {
  kill -TERM "$daemon"
  wait "$daemon"
  serve
  until_true leads
}
leads() { ballot jobs | grep -q ' host-1$'; }
