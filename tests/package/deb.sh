#!/bin/bash
# The Debian packages, as their users have them. Builds them, then:
#   - lintian without errors and warnings, the files that each has, the unit as systemd-analyze sees it, man pages, completions;
#   - on a bare Debian 12 root: installed by apt, a job file dropped in, its run in `ballot history`; removed;
#   - the same root booted with systemd: the service, an upgrade and a crash while a job runs, a configuration that is
#     wrong, removal and purge.
# What docs/guide shows of it is in build/package-test/deb/samples, and compared with it.
# Usage: tests/package/deb.sh [--quick]     --quick: the first of these only. Needs root. The root is cached in build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/root.sh

# ---- packages, and what can be seen from outside

build_packages deb
version=$(dpkg-deb -f "$packages"/ballot_*.deb Version)
passed "packages of version $version"

lintian --fail-on error,warning --allow-root --tag-display-limit 0 "$packages"/*.deb
passed 'lintian'

listing() {
  local deb
  for deb in "$packages"/*.deb; do
    dpkg-deb -c "$deb" | awk -v package="$(dpkg-deb -f "$deb" Package)" '$NF !~ /\/$/ || $NF ~ /\/(etc|plugins)\// { print package, $1, $2, $6 }'
  done | grep -vE ' \./usr/(lib/ballot/help/ballot-|share/(man/man1/ballot-|doc/ballot/(.*\.(md|svg|png)|examples/.*\.toml)$))' \
    | grep -vE '^libballot-dev .* \./usr/(include/ballot/.*\.hpp|share/ballot/suite/.*\.[ch]pp|share/doc/libballot-dev/examples/.*)$' | sort
}
listing | diff tests/package/files.txt - || fail 'the packages have other files than tests/package/files.txt says'
for deb in "$packages"/*.deb; do dpkg-deb -x "$deb" "$work/unpacked"; done
expect_examples
passed 'the files of each package'

symbols=packaging/debian/libballot0/symbols
# Of a template's members the library has those that the compiler has not inlined, which its flags decide.
not_inlined() { grep -v '^ _ZNK6ballot5NamedI' | LC_ALL=C sort; }
nm -D --defined-only "$work"/unpacked/usr/lib/*/libballot.so.0 | awk '{ sub("@@", "@", $3); print " " ($3 ~ /@/ ? $3 : $3 "@" $3) }' | not_inlined > "$work/symbols"
awk 'NR > 1 { print " " $1 }' "$symbols" | not_inlined | diff - "$work/symbols" > "$work/symbols.diff" ||
  { c++filt < "$work/symbols.diff"; fail "libballot.so.0 shows other symbols than $symbols says: new ones are added there, none may go"; }
passed 'the symbols of libballot.so.0'

unit=$work/unpacked/usr/lib/systemd/system/ballot.service
# Of this machine's unit it would find no program.
sed "s|^ExecStart=/usr/bin/ballot|ExecStart=$work/unpacked/usr/bin/ballot|; s|^ExecStopPost=-/usr/bin/ballot|ExecStopPost=-$work/unpacked/usr/bin/ballot|" \
  "$unit" > "$work/ballot.service"
said=$(systemd-analyze verify --man=no "$work/ballot.service" 2>&1) || fail "systemd-analyze verify: $said"
[ -z "$said" ] || fail "systemd-analyze verify: $said"
# Jobs of any user run inside: what is left out, and why, is in the unit. 9.1 of 10 is what is left; no more may go.
systemd-analyze security --no-pager --offline=yes --threshold=91 "$unit" > "$work/security.log" || { cat "$work/security.log"; fail 'systemd-analyze security'; }
passed 'systemd-analyze verify and security'

while read -r command; do
  grep -q . < <(find "$work/unpacked/usr/share/man" -name "ballot-$command.[18].gz") || fail "no man page of ballot $command"
done < <(build/release/bin/ballot --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
for page in "$work"/unpacked/usr/share/man/man*/*.gz; do
  said=$(cd "$work/unpacked/usr/share/man" && LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=100 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 > /dev/null)
  [ -z "$said" ] || fail "$page: $said"
done
passed 'man pages'

tests/package/completions.sh "$PWD/build/release/bin/ballot"
passed 'completions'
[ "$quick" = no ] || exit 0

# ---- the root

make_root

# show COMMAND: has it run in the container, and keeps both as docs/guide shows them.
show() { { echo "\$ $*"; inside sh -c "$*" 2>&1; } | sed 's/^/    /' >> "$work/samples"; }

# Files that are there, without what any installation changes.
files_of_root() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/lib/apt \
    -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./run \) -prune -o -print) | sort
}

# An older version of the same build.
cpack --config build/release/CPackConfig.cmake -D CPACK_PACKAGE_VERSION=0.0.9 -B "$work/old" > "$work/cpack.log"
mkdir -p "$root/debs" && cp "$work"/old/*.deb "$packages"/*.deb "$root/debs"
install_debs() { "$1" sh -c "apt-get install -y -qq --no-install-recommends $2" > "$work/apt.log" 2>&1 || { tail -30 "$work/apt.log"; fail "apt-get install $2"; }; }
in_root apt-get update -qq

# ---- bare: no systemd, no configuration but what the package brings

install_debs in_root "/debs/ballot_${version}_amd64.deb"
begin_first_job
[ "$(stat -c %a:%G "$root/run/ballot/ballot.sock")" = "660:$(stat -c %G "$root/run/ballot/ballot.sock")" ] || fail 'the mode of the socket'
[ "$(stat -c %g "$root/run/ballot/ballot.sock")" = "$(in_root getent group ballot | cut -d: -f3)" ] || fail 'the socket is not of the group ballot'
end_first_job
passed 'bare root: installed, a job file dropped in, its run in ballot history'
in_root dpkg --purge ballot > "$work/purge.log" 2>&1
grep -q 'removing the ledger' "$work/purge.log" || fail 'purge does not say that it removes the ledger'
grep -q '/etc/ballot stays' "$work/purge.log" || fail 'purge does not say why /etc/ballot stays'
[ -z "$(find "$root/var/lib/ballot" "$root/run/ballot" 2> /dev/null)" ] || fail 'purge leaves state'
[ "$(find "$root/etc/ballot" -type f)" = "$root/etc/ballot/jobs.d/hello.toml" ] || fail 'purge touches job files, or leaves others'
rm -r "$root/etc/ballot"
passed 'bare root: purged'

# ---- booted

debian_packages systemd systemd-sysv dbus
# What the packages depend on is there already, and stays: it is not theirs.
install_debs in_root "/debs/ballot_0.0.9_amd64.deb /debs/ballot-etcd_0.0.9_amd64.deb"
in_root dpkg --purge ballot-etcd ballot > /dev/null 2>&1
boot
files_of_root > "$work/before"
install_debs inside "/debs/ballot_0.0.9_amd64.deb /debs/ballot-etcd_0.0.9_amd64.deb"
inside systemctl --quiet is-active ballot.service || fail 'an installation does not start the service'
inside systemctl --quiet is-enabled ballot.service || fail 'an installation does not enable the service'
passed 'booted: installed, and the service is up'

# In a scope of its own, below which limits can be handed out, and which ends after the service.
scope=$(inside systemctl list-units --plain --no-legend 'ballot-runner-*.scope' | awk '{ print $1 }')
[ "$(inside systemctl show -P Delegate "$scope")" = yes ] || fail "the runner has no scope: '$scope'"
grep -qw ballot.service < <(inside systemctl show -P Before "$scope") || fail 'the scope does not end after the service'
runner=$(inside sh -c 'grep -lx ballot-runner /proc/[0-9]*/comm')
inside grep -qx "0::/system.slice/$scope/runner" "${runner%/comm}/cgroup" || fail "the runner is elsewhere: $(inside cat "${runner%/comm}/cgroup")"
[ -z "$(inside cat "/sys/fs/cgroup/unified/system.slice/$scope/cgroup.procs" 2> /dev/null)" ] || fail 'processes stand in the way of limits'
passed 'the runner is in a scope of its own'

cat > "$root/etc/ballot/jobs.d/hello.toml" <<'END'
[job.hello]
schedule = "*/10 * * * * *"
shell    = 'echo "hello, $(id -un)"'
user     = "daemon"
END
until_true 30 'two runs of the first job' sh -c "[ \"\$(nsenter -t $container -a ballot history --job hello --status succeeded --format csv | wc -l)\" -gt 2 ]"
show cat /etc/ballot/jobs.d/hello.toml
show ballot jobs
show ballot history --limit 2
show "ballot output $(one_run hello | cut -d, -f1 | tail -c 13)"
echo >> "$work/samples"
show 'journalctl -u ballot -o cat -n 2 BALLOT_JOB=hello PRIORITY=6 | cut -c-150'
echo >> "$work/samples"
for field in BALLOT_JOB=hello "BALLOT_NODE=$(inside uname -n)" SYSLOG_IDENTIFIER=ballot "BALLOT_RUN_ID=$(one_run hello | cut -d, -f1)"; do
  grep -q hello < <(inside journalctl --no-pager -u ballot -o cat "$field") || fail "no entry of the journal has $field"
done
inside rm /etc/ballot/jobs.d/hello.toml

cat > "$root/etc/ballot/jobs.d/crashed.toml" <<'END'
[job.crashed]
shell = "while [ ! -e /tmp/end-too ]; do sleep 0.1; done; exit 9"
END
begin_slow_run
install_debs inside "/debs/ballot_${version}_amd64.deb /debs/ballot-etcd_${version}_amd64.deb"
[ "$(inside dpkg-query -W -f '${Version}' ballot)" = "$version" ] || fail 'it is not upgraded'
end_slow_run
show 'journalctl -u ballot -o cat --no-pager | grep -A99 stopping | cut -c-150'
show ballot history --job slow
echo >> "$work/samples"
passed 'upgrade: the run goes on, its exit code is exact, the configuration is kept'

before=$(main_pid)
echo broken > "$root/etc/ballot/jobs.d/broken.toml"
install_debs inside "--reinstall /debs/ballot_${version}_amd64.deb"
grep -q 'the daemon is not restarted, as `ballot check` finds errors' "$work/apt.log" || fail 'an upgrade says nothing of a job file that is broken'
[ "$(main_pid)" = "$before" ] || fail 'an upgrade restarts the daemon where a job file is broken'
inside rm /etc/ballot/jobs.d/broken.toml
passed 'a job file that is broken: an upgrade does not restart the daemon, and says so'

inside ballot trigger crashed > /dev/null
until_true 10 'the job runs' has_status crashed running
before=$(main_pid)
inside sh -c "kill -KILL $before"
until_true 10 'the service is up after a crash' is_back "$before"
until_true 10 'the daemon knows its run again' has_status crashed running
inside touch /tmp/end-too
until_true 10 'the run ends' has_status crashed failed
grep -q ',failed,exit_code,9,' < <(one_run crashed) || fail "not the exit code of the run: $(one_run crashed)"
passed 'kill -9: the service is back, the run goes on, its exit code is exact'

before=$(main_pid)
inside sh -c "kill -STOP $before"
until_true 40 'a daemon that hangs is replaced' is_back "$before"
inside journalctl --no-pager -u ballot.service -o cat | grep -i 'watchdog timeout' > /dev/null || fail 'the daemon was replaced for another reason than its silence'
passed 'a daemon that hangs: replaced'

inside systemctl stop ballot.service
inside mkdir -p /run/ballot/ballot.sock
inside systemctl start ballot.service > /dev/null 2>&1 && fail 'it starts without a socket'
until_true 10 'a pause after a start that failed' sh -c "[ \"\$(nsenter -t $container -a systemctl show -P SubState ballot.service)\" = stop-post ]"
inside rmdir /run/ballot/ballot.sock
until_true 20 'it is tried again' inside systemctl --quiet is-active ballot.service
passed 'a start that failed: tried again, after a pause'

inside sh -c 'cp /etc/ballot/ballot.toml /root/good && echo "nod = 1" >> /etc/ballot/ballot.toml'
inside systemctl restart ballot.service > /dev/null 2>&1 && fail 'it starts with a configuration that is wrong'
[ "$(inside systemctl show -P ExecMainStatus ballot.service)" = 78 ] || fail 'it does not end with 78'
[ "$(inside systemctl is-active ballot.service)" = failed ] || fail 'it is tried again with a configuration that is wrong'
inside sh -c 'cat /root/good > /etc/ballot/ballot.toml'
inside systemctl start ballot.service
passed 'a configuration that is wrong: 78, and no restart'

inside systemd-analyze verify --man=no ballot.service || fail 'systemd-analyze verify in the container'
inside apt-get remove -y -qq ballot ballot-etcd > "$work/remove.log" 2>&1
[ "$(inside systemctl is-active ballot.service)" != active ] || fail 'the daemon runs after the removal'
inside test -s /var/lib/ballot/history.db -a -s /etc/ballot/ballot.toml || fail 'a removal takes state or configuration away'
inside sh -c 'grep -lx ballot /proc/[0-9]*/comm' && fail 'a daemon is left'
inside rm /root/good /root/new
show dpkg --purge ballot
inside rm -r /etc/ballot
# What boot has made is not the package's.
files_of_root | comm -13 "$work/before" - | grep -i ballot && fail 'these files are left after a purge'
passed 'removed and purged: nothing is left but the group'
tests/docs/samples --printed "$work/samples" docs/guide/install.md docs/guide/upgrade.md
passed 'what docs/guide shows of this'
