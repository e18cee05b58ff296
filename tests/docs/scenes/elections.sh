# Candidates without a daemon.
begin() {
  settings host-1 '[coordination]
session_timeout = "5s"
'
}
server() {
  put server.sh 'trap '\''echo "leading"'\'' USR1; trap '\''echo "following"'\'' USR2; trap '\''exit 0'\'' TERM
echo "started"; while :; do sleep 0.1; done
'
  watched=yes
}
# What a terminal would show is waited for, as who types the next command does.
ballot() {
  if [ -z "${watched:-}" ] || [ "$1" != election ]; then command ballot "$@"; return; fi
  case $2 in
    run) exec ballot "$@" ;;
    evict)
      command ballot "$@"
      until_true said following
      ;;
  esac
}
begun() { until_true said leading; }
said() { grep -q "^$1" "$current"; }
file() {
  watched=
  kill -TERM $!
  wait $!
  command ballot election file leader.json db > log-file 2>&1 &
  candidate=$!
  daemons+=("$candidate")
  until_true test -s leader.json
}
file_gone() { kill -TERM "$candidate"; wait "$candidate"; }
candidate() {
  command ballot election run db --log-level warn -- sleep 60 > log-run 2>&1 &
  daemons+=("$!")
  until_true leads
}
leads() { command ballot info db | grep -q 'is leader'; }
