# A daemon whose runs have cgroups. Needs root, and a folder of cgroups to write to.
begin() {
  settings host-1
  serve
  until_true ballot jobs daemonizes
  ballot trigger daemonizes --wait > /dev/null 2>&1
  needs runs_have_cgroups
}
runs_have_cgroups() { ! grep -q 'runs have no cgroups' ballot.log; }
