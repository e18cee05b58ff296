# A daemon whose runs have no cgroups, as they would for a user. Wants a build with failpoints.
begin() {
  settings host-1
  BALLOT_FAILPOINTS='runner.cgroup=fail(EACCES)' serve
  until_true ballot jobs escapes
  ballot trigger escapes --wait > /dev/null
}
