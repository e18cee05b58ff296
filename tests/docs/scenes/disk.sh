# A daemon whose ledger finds no space left. Wants a build with failpoints.
begin() {
  settings host-1
  put etc/ballot/jobs.d/backup.toml '[job.backup]
command  = ["true"]
'
  BALLOT_FAILPOINTS='storage.write=fail(ENOSPC)@3-' serve
  ballot trigger backup --wait > /dev/null
  ballot trigger backup --wait > /dev/null
  until_true spools
}
spools() { ballot status | grep -q ledger; }
