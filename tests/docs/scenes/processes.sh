# A daemon with jobs whose files come with the page.
begin() {
  settings host-1
  serve
}
spins() { ends spins; }
loads() { until_true ballot jobs loads; }
ends() {
  until_true ballot jobs "$1"
  ballot trigger "$1" --wait > /dev/null 2>&1
}
