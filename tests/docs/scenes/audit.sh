# A daemon that was killed four times while its jobs went on; then a row of its ledger is deleted.
begin() {
  local kills
  settings node-1
  put etc/ballot/jobs.d/jobs.toml '[job.tick]
schedule = "* * * * * *"
command  = ["true"]
[job.order]
shell = "exit 4"
[job.slow]
command = ["sleep", "60"]
'
  serve
  ballot trigger slow > /dev/null
  for kills in 1 2 3 4; do
    rows tick $kills succeeded
    kill -KILL "$daemon"
    wait "$daemon" 2> /dev/null
    serve
  done
  ballot trigger order --wait > /dev/null 2>&1
  ballot trigger slow > /dev/null 2>&1
  rows slow 1 skipped overlap
  rows tick 5 succeeded
}
row_deleted() {
  sqlite3 -cmd '.timeout 5000' var/lib/ballot/history.db \
    "DELETE FROM ledger WHERE id = (SELECT id FROM ledger WHERE job_id = (SELECT id FROM name WHERE text = 'tick') ORDER BY slot LIMIT 1 OFFSET 2)"
}
