# packaging/try.sh: three hosts on this machine, with servers of $store. They have ports of their own, so one at a time.
: "${store:=etcd}"
begin() { cd "$tree" || die "no $tree"; configure host-1; }
configure() { export BALLOT_CONFIG=build/try-$store/$1/ballot.toml; }
leader() { ballot info web | awk '/^leader:/ { on = 1 } on && /node:/ { gsub("\"", "", $2); print $2; exit }'; }
leads() { [ -n "$(leader)" ]; }
another_leads() { leads && [ "$(leader)" != "$leader" ]; }
# Whoever leads by then: the hosts differ in priority, so the group may be handed over once more.
leader_has_run() { leads && configure "$(leader)" && has heartbeat 2 succeeded; }
slots_have_run() {
  local host
  for host in 1 2 3; do ballot history --config "build/try-$store/host-$host/ballot.toml" --status succeeded --format csv; done |
    cut -d, -f1 | sort -u | wc -l | grep -qE '^[5-9]|^[1-9][0-9]'
}
candidates_are() { [ "$(ballot election list | awk 'END { print $4 }')" = "$1" ]; }
after_start() {
  daemons+=($!)
  for host in 1 2 3; do until_true ballot status --config "build/try-$store/host-$host/ballot.toml"; done
  until_true candidates_are 3
  led
}
led() { until_true leader_has_run; }
crash() {
  leader=$(leader)
  # Asked of another host from now on.
  [ "$leader" != host-1 ] || configure host-2
}
after_crash() {
  until_true another_leads
  until_true slots_have_run
  until_true candidates_are 2
}
