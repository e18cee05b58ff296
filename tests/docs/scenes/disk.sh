# A daemon whose ledger finds no space left. Wants a build with failpoints.
begin() {
  settings host-1
  put etc/ballot/jobs.d/backup.toml '[job.backup]
command  = ["true"]
'
  BALLOT_FAILPOINTS='storage.write=fail(ENOSPC)@2-' serve
  until_true spools
}
# Rows of several runs may be written at once.
spools() {
  ballot trigger backup --wait
  ballot status | grep -q ledger:
}
