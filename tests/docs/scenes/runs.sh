# A job whose runs wait for each other.
begin() {
  settings node-1
  put etc/ballot/jobs.d/jobs.toml '[job.queues]
shell       = "while [ ! -e '"$scene"'/go ]; do sleep 0.05; done"
concurrency = "queue"
queue_limit = 1
'
  serve
  until_true leads
}
leads() { ballot jobs | grep -q ' node-1$'; }
after_third() {
  touch "$scene/go"
  rows queues 2 succeeded
}
