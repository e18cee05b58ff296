# One daemon with a chain whose first job fails.
begin() {
  settings host-1
  put etc/ballot/jobs.d/etl.toml '[job.extract]
group    = "etl"
schedule = "*/4 * * * * *"
shell    = "sleep 2; exit 3"
[job.load]
group = "etl"
after = ["extract"]
shell = "true"
[job.report]
group = "etl"
after = ["load"]
shell = "true"
'
  serve
}
upstream() { until_true reported; }
reported() { ballot history --job report --format csv | grep -q ,upstream,; }
