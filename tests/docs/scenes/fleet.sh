# packaging/try.sh: three hosts on this machine, with servers of $store. They have ports of their own, so one at a time.
: "${store:=etcd}"
begin() { cd "$tree" || die "no $tree"; configure host-1; }
configure() { export BALLOT_CONFIG=build/try-$store/$1/ballot.toml; }
leader() { ballot info web | awk '/^leader:/ { on = 1 } on && /node:/ { gsub("\"", "", $2); print $2; exit }'; }
leads() { [ -n "$(leader)" ]; }
another_leads() { leads && [ "$(leader)" != "$leader" ]; }
after_start() {
  daemons+=($!)
  until_true leads
  for host in 1 2 3; do until_true ballot status --config "build/try-$store/host-$host/ballot.toml"; done
  leader=$(leader)
  configure "$leader"
  rows heartbeat 2 succeeded
}
led() {
  configure "$(leader)"
  rows heartbeat 2 succeeded
}
crash() {
  leader=$(leader)
  # Asked of another host from now on.
  [ "$leader" != host-1 ] || configure host-2
}
# Whoever leads by then: the group may be handed over once more.
has_run() {
  local host
  for host in 1 2 3; do ballot history --config "build/try-$store/host-$host/ballot.toml" --status succeeded --format csv; done |
    cut -d, -f1 | sort -u | wc -l | grep -qE '^[5-9]|^[1-9][0-9]'
}
after_led() {
  configure "$(leader)"
  rows heartbeat 2 succeeded
}
crash() {
  until_true another_leads
  until_true has_run
  until_true two_are_left
}
