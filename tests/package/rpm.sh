#!/bin/bash
# The rpm packages, as far as a machine with Debian can have them. Builds them, then:
#   - rpmlint without errors and warnings, the files that each has, and that they need no library, and no version of a
#     symbol, that Enterprise Linux 10 has not (el10.txt);
#   - in a root with rpm, whose libraries are Debian 12's: installed, a job file dropped in, its run in `ballot history`; removed;
#   - the same root booted with systemd: an upgrade while a job runs, a configuration that was changed, removal.
# Usage: tests/package/rpm.sh [--quick]     --quick: the first of these only. The rest needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/root.sh

# ---- packages, and what can be seen from outside

build_packages rpm
version=$(rpm -qp --qf '%{VERSION}' "$packages"/ballot-[0-9]*.rpm)
passed "packages of version $version"

rpmlint --strict --config packaging/rpm/rpmlint.toml packaging/rpm/ballot.spec "$packages"/*.rpm > "$work/rpmlint.log" 2>&1 || true
grep -q ' 0 errors, 0 warnings' "$work/rpmlint.log" || { cat "$work/rpmlint.log"; fail 'rpmlint'; }
passed 'rpmlint'

for package in "$packages"/*.rpm; do
  rpm -qp --qf '[%{=NAME} %{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILENAMES} %{FILEFLAGS:fflags}\n]' "$package"
done | grep -vE ' /usr/(lib/ballot/help/ballot-|share/(man/man1/ballot-|doc/ballot/.*|licenses/.*/lib))' | sed 's/ *$//' | sort | diff tests/package/rpm_files.txt - \
  || fail 'the packages have other files than tests/package/rpm_files.txt says'
for package in "$packages"/*.rpm; do rpm2archive - < "$package" | tar -xz -C "$work/unpacked"; done
expect_examples
grep -qx DelegateSubgroup=daemon "$work/unpacked/usr/lib/systemd/system/ballot.service" || fail 'the unit has no subgroup'
passed 'the files of each package'

# needs FILE: "LIBRARY" for each that it is linked with, "LIBRARY VERSION" for each version of a symbol
needs() {
  readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
  readelf -VW "$1" | awk '/ File: / { sub(/.* File: /, ""); file = $1 } / Name: .* Flags: / && file != "" { sub(/.* Name: /, ""); print file, $1 }'
}
# What of "LIBRARY [VERSION]" a line of el10.txt does not allow.
beyond() {
  awk 'function newer(a, b,   x, y, i) {
         split(a, x, "."); split(b, y, ".")
         for (i = 1; i in x || i in y; i++) if (x[i] + 0 != y[i] + 0) return x[i] + 0 > y[i] + 0
         return 0
       }
       FNR == NR && /^#/ { next }
       FNR == NR { has[$1] = 1; for (i = 2; i <= NF; i++) { split($i, v, /_/); n = match($i, /[0-9.]+$/); newest[$1, substr($i, 1, n - 1)] = substr($i, n) }; next }
       !($1 in has) { print; next }
       NF > 1 { n = match($2, /[0-9.]+$/); f = substr($2, 1, n - 1); if (n == 0 || !(($1, f) in newest) || newer(substr($2, n), newest[$1, f])) print }' \
    tests/package/el10.txt -
}
printf '%s\n' 'libc.so.6 GLIBC_2.40' 'libcurl.so.4 CURL_OPENSSL_4' libfmt.so.9 'libc.so.6 GLIBC_PRIVATE' > "$work/too-new"
printf '%s\n' 'libc.so.6 GLIBC_2.4' 'libstdc++.so.6 CXXABI_1.3.9' libcurl.so.4 | cat "$work/too-new" - | beyond | diff "$work/too-new" - || fail 'the comparison with el10.txt is wrong'
while read -r file; do
  said=$(needs "$file" | beyond)
  [ -z "$said" ] || fail "${file#"$work/unpacked"} needs what Enterprise Linux 10 has not: $said"
  said=$(ldd -r "$file" 2>&1 | grep -E 'undefined|not found' || true)
  [ -z "$said" ] || fail "${file#"$work/unpacked"}: $said"
done < <(find "$work/unpacked" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print)
passed 'libraries and their symbols'
[ "$quick" = no ] || exit 0

# ---- in a root with rpm

make_root
debian_packages rpm libsqlite3-0 libcurl4 libssl3 libpq5 libprotobuf-c1 tzdata passwd
mkdir "$root/rpms"
cp "$packages"/*.rpm "$root/rpms"
in_rpm() { "$1" rpm --dbpath /var/lib/rpm "${@:2}" > "$work/rpm.log" 2>&1; }
said() { grep -qF -- "$1" "$work/rpm.log" || { cat "$work/rpm.log"; fail "rpm does not say: $1"; }; }

# Its own package, and what the root has instead of a distribution's packages: what its libraries provide by rpm's own rules.
{
  printf '%s\n' 'Name: debian' 'Version: 12' 'Release: 1' 'Summary: The libraries of this root' 'License: none' 'BuildArch: x86_64' \
    'Provides: tzdata' 'Provides: systemd' 'Provides: /usr/sbin/groupadd' 'Provides: /bin/sh' 'Provides: rtld(GNU_HASH)'
  (cd "$root" && find usr/lib -name '*.so*' -printf "$root/%p\n") | /usr/lib/rpm/rpmdeps --provides | grep '(64bit)$' | sed 's/^/Provides: /'
  printf '%s\n' '%description' 'None.' '%files'
} > "$work/debian.spec"
rpmbuild -bb --define "_topdir $work/debian" "$work/debian.spec" > "$work/debian.log" 2>&1 || { tail "$work/debian.log"; fail 'rpmbuild of the root'; }
cp "$work"/debian/RPMS/*/*.rpm "$root/rpms/debian.rpm"
in_rpm in_root --initdb
in_rpm in_root -i /rpms/debian.rpm || { cat "$work/rpm.log"; fail 'the package of the root'; }

in_rpm in_root -i "/rpms/ballot-etcd-$version-1.el10.x86_64.rpm" && fail 'a plugin can be installed without ballot'
said "ballot(x86-64) = $version-1.el10 is needed by"
in_rpm in_root -i $(cd "$root" && printf '/%s ' rpms/ballot*.rpm) || { cat "$work/rpm.log"; fail 'rpm -i'; }
in_root ballot version > "$work/version"
for plugin in local zookeeper etcd consul nats; do grep -q "$plugin" "$work/version" || { cat "$work/version"; fail "the plugin $plugin is not found"; }; done
begin_first_job
end_first_job
in_rpm in_root -V ballot || { cat "$work/rpm.log"; fail 'rpm -V'; }
passed 'installed; a job file, and its run'

rm "$root/etc/ballot/jobs.d/hello.toml"
in_rpm in_root -e ballot ballot-zookeeper ballot-etcd ballot-consul ballot-nats ballot-postgresql || { cat "$work/rpm.log"; fail 'rpm -e'; }
[ ! -e "$root/etc/ballot" ] && [ ! -e "$root/usr/lib/ballot" ] || fail 'a removal leaves files of its own'
[ -s "$root/var/lib/ballot/history.db" ] || fail 'a removal takes the state away'
rm -r "$root/var/lib/ballot"
passed 'removed'

# ---- booted

debian_packages systemd systemd-sysv dbus
mkdir -p "$root/etc/systemd/system-preset"
echo 'disable *' > "$root/etc/systemd/system-preset/99-default-disable.preset"  # as Enterprise Linux has it
mkdir "$work/old"
sed '/^%pre$/i echo "# as it was" >> %{buildroot}%{_sysconfdir}/ballot/ballot.toml\n' packaging/rpm/ballot.spec > "$work/old.spec"
packaging/rpm/build.sh 0.0.9 "$work/old" "$work/old.spec" > "$work/rpmbuild.log" 2>&1 || { tail "$work/rpmbuild.log"; fail 'an older version'; }
cp "$work"/old/*.rpm "$root/rpms"
boot
in_rpm inside -i /rpms/ballot-0.0.9-1.el10.x86_64.rpm /rpms/ballot-etcd-0.0.9-1.el10.x86_64.rpm || { cat "$work/rpm.log"; fail 'rpm -i, booted'; }
[ "$(inside systemctl is-active ballot.service)" = inactive ] || fail 'an installation starts the service'
inside systemctl --quiet enable --now ballot.service
inside getent group ballot > /dev/null || fail 'no group'
passed 'booted: installed, and the service is up'

begin_slow_run
in_rpm inside -U "/rpms/ballot-$version-1.el10.x86_64.rpm" "/rpms/ballot-etcd-$version-1.el10.x86_64.rpm" || { cat "$work/rpm.log"; fail 'rpm -U'; }
said ballot.toml.rpmnew
end_slow_run
passed 'upgrade: the run goes on, its exit code is exact, the configuration is kept'

before=$(main_pid)
in_rpm inside -i "/rpms/ballot-consul-$version-1.el10.x86_64.rpm" || { cat "$work/rpm.log"; fail 'rpm -i of a plugin'; }
is_back "$before" || fail 'a plugin that came does not restart the daemon'
passed 'a plugin that comes: the daemon is restarted'

in_rpm inside -e ballot ballot-etcd ballot-consul || { cat "$work/rpm.log"; fail 'rpm -e, booted'; }
[ "$(inside systemctl is-active ballot.service)" != active ] || fail 'the daemon runs after the removal'
inside test -s /var/lib/ballot/history.db -a -s /etc/ballot/ballot.toml.rpmsave || fail 'a removal takes state or configuration away'
inside sh -c 'grep -lx ballot /proc/[0-9]*/comm' && fail 'a daemon is left'
inside sh -c 'ls /etc/systemd/system/*/ballot.service' 2> /dev/null && fail 'the service is still enabled'
passed 'removed'
