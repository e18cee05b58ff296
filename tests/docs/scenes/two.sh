# Two daemons of one host, with the same job files and a log each: n1 leads, n2 follows.
begin() {
  local node
  put jobs.d/jobs.toml '[job.nightly]
schedule = "0 2 * * *"
group    = "nightly"
command  = ["true"]
'
  for node in n2 n1; do
    put $node.toml "node      = \"$node\"
jobs_dir  = \"$scene/jobs.d\"
state_dir = \"$scene/$node/state\"
run_dir   = \"$scene/$node/run\"
[local]
path = \"$scene/var/lib/ballot/local\"
"
    mkdir -p $node/{state,run}
  done
  daemon_of n1
  first=$daemon
  until_true grep -q ' leads .*nightly' n1.log
  daemon_of n2
  until_true grep -q ' waits for ' n2.log
}
daemon_of() { BALLOT_CONFIG=$scene/$1.toml log=$1.log serve; }
changed() {
  export BALLOT_CONFIG=$scene/n1.toml
  put jobs.d/more.toml '[job.weekly]
schedule = "0 3 * * MON"
group    = "nightly"
command  = ["true"]
'
  until_true ballot jobs weekly
  ballot pause nightly
}
# n1 is stopped and started again while it is watched.
ballot() {
  if [ "$1 ${2:-}" != 'election watch' ]; then command ballot "$@"; return; fi
  "$out/bin/ballot" "$@" &
  local watches=$!
  until_true said 'Z  nightly  n1 '
  kill -TERM "$first"
  wait "$first"
  until_true said 'Z  nightly  n2 .* -$'
  daemon_of n1
  until_true said 'Z  nightly  n2 .* n1$'
  kill -TERM "$watches"
  wait "$watches"
}
said() { grep -q "$1" "$current"; }
