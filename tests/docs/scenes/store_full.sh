# A daemon of which the store's disk is full, and the ledger's is not: a small file system in a mount namespace of its own.
# Needs root.
[ -n "${own_mounts:-}" ] || { needs unshare -m true && own_mounts=yes exec unshare -m bash "$0"; }
begin() {
  local store=$scene/var/lib/ballot/store
  mkdir -p "$store"
  mount -t tmpfs -o size=1m,mode=0700 store "$store"
  settings host-1 "[local]
path = \"$store\"
"
  put etc/ballot/jobs.d/backup.toml '[job.backup]
schedule = "* * * * * *"
command  = ["true"]
'
  serve
  rows backup 1 succeeded
  cat /dev/zero > "$store/ballast" 2> /dev/null
  until_true refused
}
# A slot is due that nothing was written of.
refused() { ballot status | grep -q backend: && ballot why backup | grep -q 'not recorded'; }
