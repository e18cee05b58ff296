# One daemon with a job that is new, so that nothing is known of its past slots.
begin() {
  settings node-1
  put etc/ballot/jobs.d/load.toml '[job.load]
schedule = "*/10 * * * *"
shell    = "load --day $BALLOT_SLOT || true"
'
  serve
  until_true leads
}
leads() { ballot jobs | grep -q ' node-1$'; }
# It is done before the scene ends.
after_begun() { until_true is_done; }
is_done() { grep -q 'the backfill is done' "$scene/ballot.log"; }
