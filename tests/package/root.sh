# What the tests of both kinds of packages share: a bare Debian 12 root in $root, entered and booted. Sourced by deb.sh and
# rpm.sh, in bash, from the tree's folder. Needs root. The root is cached in build/.

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

# An empty $work.
begin_work() {
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi  # of a test that was killed
  rm -rf "$work"
  mkdir -p "$work"
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
      | awk '$1 == "Debian" && $2 == "bookworm" && $3 == "main" { print $4; exit }')
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
has_status() { one_run "$1" | grep -q ",$2,"; }
# A daemon other than PID serves.
is_back() { [ "$(main_pid)" != "$1" ] && inside systemctl --quiet is-active ballot.service; }
