# What the tests of both kinds of packages share: their argument, packages in $packages, a bare Debian 12 root in $root,
# entered and booted, and what jobs must do in it. Sourced by deb.sh and rpm.sh, in bash, from the tree's folder. The root
# needs root, and is cached in build/.

case "${1:-}" in
  '') quick=no ;;
  --quick) quick=yes ;;
  *) echo "${0##*/}: unknown argument: $1; there is --quick" >&2; exit 2 ;;
esac

packages=$PWD/build/release/packages
work=$PWD/build/package-test/$(basename "$0" .sh)
root=$work/root
container=
served=
began=$SECONDS

fail() { echo "${0##*/}: $*" >&2; exit 1; }
passed() { printf '%4d s  ok: %s\n' $((SECONDS - began)) "$*"; }

# until_true SECONDS WHAT COMMAND...: tries it five times a second.
until_true() {
  local left=$(($1 * 5)) what=$2
  shift 2
  until "$@" > /dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { say_more; fail "not within the time: $what"; }
    sleep 0.2
  done
}

say_more() {
  [ -z "$container" ] || inside journalctl --no-pager -n 60 || true
  [ ! -s "$work/serve.log" ] || tail -40 "$work/serve.log"
}

# build_packages deb|rpm: in $packages, and an empty $work.
build_packages() {
  packaging/install-deps.sh package packagetest
  packaging/build-packages.sh "$1"
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi  # of a test that was killed
  rm -rf "$work"
  mkdir -p "$work/unpacked"
}

# Of what was unpacked to $work/unpacked.
expect_examples() {
  local example
  for example in jobs.d/*; do [ -e "$work/unpacked/usr/share/doc/ballot/examples/${example#*/}" ] || fail "$example is not among the examples"; done
}

in_root() { DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$root" "$@"; }
inside() { nsenter -t "$container" -a env LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

make_root() {
  packaging/install-deps.sh roottest
  [ "$(id -u)" = 0 ] || fail 'a Debian root is made, entered and booted by root only'
  local cache=$PWD/build/debian-12.tar mirror
  if [ ! -s "$cache" ]; then
    # From where this machine has its own packages.
    mirror=$(apt-get indextargets --format '$(LABEL) $(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' \
      | awk '$1 == "Debian" && $2 == "bookworm" && $3 == "main" && !found++ { print $4 }')
    rm -rf "$cache.d"
    debootstrap --variant=minbase bookworm "$cache.d" ${mirror:+"$mirror"} > "$work/debootstrap.log" || { tail "$work/debootstrap.log"; fail debootstrap; }
    tar -C "$cache.d" -cf "$cache.new" . && mv "$cache.new" "$cache"
    rm -rf "$cache.d"
  fi
  mkdir -p "$root" && tar -C "$root" -xf "$cache"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  trap cleanup EXIT
  mount -t proc proc "$root/proc"
  passed 'a bare Debian 12 root'
}

cleanup() {
  [ -z "$served" ] || kill -KILL "$served" 2> /dev/null || true
  if [ -n "$container" ]; then
    inside systemctl poweroff > /dev/null 2>&1 || true
    wait "$nspawn" 2> /dev/null || true
  fi
  umount "$root/proc" 2> /dev/null || true
}

# debian_packages NAME...: into the root, by its own apt
debian_packages() {
  in_root apt-get update -qq
  in_root apt-get install -y -qq --no-install-recommends "$@" > "$work/apt.log" 2>&1 || { tail "$work/apt.log"; fail "apt-get install $*"; }
}

boot() {
  umount "$root/proc"
  systemd-nspawn -q --register=no --keep-unit --private-network --console=pipe --kill-signal=SIGRTMIN+3 -D "$root" -b < /dev/null > "$work/nspawn.log" 2>&1 &
  nspawn=$!
  until_true 20 'the container begins' pgrep -P "$nspawn"
  container=$(pgrep -P "$nspawn")
  until_true 60 'the container is up' sh -c "nsenter -t $container -a systemctl is-system-running | grep -qE 'running|degraded'"
}

main_pid() { inside systemctl show -P MainPID ballot.service; }
one_run() { inside ballot history --job "$1" --limit 1 --format csv | tail -1; }
has_status() { grep -q ",$2," < <(one_run "$1"); }
# A daemon other than PID serves.
is_back() { [ "$(main_pid)" != "$1" ] && inside systemctl --quiet is-active ballot.service; }

# ---- not booted: a job file dropped in, its run in `ballot history`

begin_first_job() {
  local run
  cat > "$root/etc/ballot/jobs.d/hello.toml" <<'END'
[job.hello]
schedule = "* * * * * *"
shell    = 'echo "hello, $(id -un)"'
user     = "daemon"
END
  in_root ballot check
  chroot "$root" ballot serve > "$work/serve.log" 2>&1 &
  served=$!
  until_true 20 'a run in ballot history' sh -c "chroot '$root' ballot history --job hello --status succeeded --format csv | grep -q ,succeeded,"
  run=$(in_root ballot history --job hello --status succeeded --limit 1 --format csv | tail -1 | cut -d, -f1)
  [ "$(in_root ballot output "$run")" = 'hello, daemon' ] || fail 'the output of a run is not as expected'
}
end_first_job() {
  kill -TERM "$served"
  wait "$served" || fail 'the daemon does not end well'
  served=
}

# ---- booted: a run, and a line of one's own in ballot.toml, that outlive an upgrade of two packages

begin_slow_run() {
  cat > "$root/etc/ballot/jobs.d/slow.toml" <<'END'
[job.slow]
shell = "while [ ! -e /tmp/end-now ]; do sleep 0.1; done; exit 7"
user  = "daemon"
END
  inside sh -c 'echo "timezone = \"Europe/Paris\"" | cat - /etc/ballot/ballot.toml > /root/new && cat /root/new > /etc/ballot/ballot.toml'
  inside systemctl reload ballot.service
  until_true 10 'the job file is read' inside ballot jobs slow
  inside ballot trigger slow > /dev/null
  until_true 10 'the job runs' has_status slow running
  before=$(main_pid)
}
end_slow_run() {
  until_true 20 'the service is up after the upgrade' is_back "$before"
  [ "$(inside journalctl --no-pager -u ballot.service -o cat | grep -c ' serves ')" = 2 ] || fail 'the upgrade of two packages is more than one restart'
  grep -q Paris < <(inside head -1 /etc/ballot/ballot.toml) || fail 'the configuration was replaced'
  has_status slow running || fail "the run did not outlive the upgrade: $(one_run slow)"
  inside touch /tmp/end-now
  until_true 10 'the run ends' has_status slow failed
  grep -q ',failed,exit_code,7,' < <(one_run slow) || fail "not the exit code of the run: $(one_run slow)"
  [ "$(inside ballot history --job slow --format csv | wc -l)" = 2 ] || fail 'the run was started twice'
}
