# Candidates of `ballot run cron`.
begin() {
  settings host-1 '[coordination]
session_timeout = "5s"
'
}
# The next one is there before the first tick.
two() { while [ "$(date +%3N)" -gt 200 ]; do read -r -t 0.02 <> <(:); done; }
slow() { kill -TERM "${daemons[@]}" && wait "${daemons[@]}"; }
begun() {
  daemons+=("$!")
  case ${#daemons[@]} in
    1) until_true said 'leads .* epoch=1' ;;
    2) until_true said 'leads .*candidate=a .*epoch=3' ;;
    3) until_true said 'tick skipped' ;;
  esac
}
said() { grep -q "$1" "$current"; }
