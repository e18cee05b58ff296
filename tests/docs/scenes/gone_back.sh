# A daemon whose store is put back, under it, to what it was.
begin() {
  settings node-1
  put etc/ballot/jobs.d/jobs.toml '[job.tick]
schedule = "* * * * * *"
command  = ["true"]
'
  serve
  rows tick 1 succeeded
  store=$(echo "$scene"/var/lib/ballot/local/*/registers.db)
  in_store "VACUUM INTO '$scene/backup.db'"
  rows tick 2 succeeded
  in_store "ATTACH '$scene/backup.db' AS old; BEGIN IMMEDIATE; DELETE FROM register; INSERT INTO register SELECT * FROM old.register;
    DELETE FROM term; INSERT INTO term SELECT * FROM old.term; UPDATE store SET revision = (SELECT revision FROM old.store); COMMIT"
  until_true halts
}
in_store() { sqlite3 -cmd '.timeout 5000' "$store" "$1"; }
halts() { ballot why tick | tr '\n' ' ' | grep -q 'not recorded.*is halted'; }
