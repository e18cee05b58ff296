# A daemon that finds its first job.
begin() {
  settings host-1
  serve
}
two_runs() { rows hello 2 succeeded; }
