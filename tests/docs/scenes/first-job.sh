# One daemon, which finds its first jobs.
begin() {
  settings host-1
  serve
}
two_runs() { rows hello 2 succeeded; }
orders_read() { until_true ballot jobs orders; }
backup_read() { until_true ballot jobs nightly-backup; }
