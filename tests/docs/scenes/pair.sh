# Two daemons of one host, of which the second has read other job files.
begin() {
  local host
  for host in host-1 host-2; do
    put "$host/ballot.toml" "node      = \"$host\"
jobs_dir  = \"$scene/$host/jobs.d\"
state_dir = \"$scene/$host/state\"
run_dir   = \"$scene/$host/run\"
[local]
path = \"$scene/var/lib/ballot/local\"
"
    mkdir -p "$scene/$host"/{jobs.d,state,run}
    put "$host/jobs.d/jobs.toml" '[job.backup]
schedule = "0 2 * * *"
command  = ["true"]
[group.db]
candidates = ["db-*"]
'
  done
  put host-2/jobs.d/more.toml '[job.report]
schedule = "0 3 * * *"
command  = ["true"]
'
  export BALLOT_CONFIG=$scene/host-1/ballot.toml
  serve
  until_true leads
  BALLOT_CONFIG=$scene/host-2/ballot.toml serve
  until_true drifts
}
drifts() { ballot status | grep -q drift; }
leads() { ballot status | grep -q "default (epoch"; }
