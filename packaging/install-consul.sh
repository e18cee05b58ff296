#!/bin/bash
# Installs the Consul that tests run, where it is not there yet: Debian 12 has none, and the one of Debian 11, 1.8.7, runs
# on it. Its package is fetched from that release by an apt configuration of its own, checked by the keys that are on
# this machine and by the checksum below, and only its program is unpacked: nothing of this machine's apt changes.
# Usage: install-consul.sh [--check] [FOLDER]     (default: /opt/ballot-test; the program is FOLDER/consul)
# --check: installs nothing; exit 1 where it is not there.
set -euo pipefail

version='1.8.7+dfsg1-2+b3'
declare -A sums=(
  [amd64]=e4e888bba104daba1d9161f49bfc52649a7e4efd45b1a7ead5bc54f2cb9c89d9
  [arm64]=7318cfa77a7ba6f71dd096e44353279de246ffc6561216ace42353685dcf8255
)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi
folder=${1:-/opt/ballot-test}
mark=$folder/consul.version

if [ -x "$folder/consul" ] && [ "$(cat "$mark" 2>/dev/null)" = "$version" ]; then exit 0; fi
[ "$check" = no ] || exit 1

architecture=$(dpkg --print-architecture)
sum=${sums[$architecture]:-}
[ -n "$sum" ] || { echo "install-consul.sh: no checksum is known for $architecture" >&2; exit 1; }
mkdir -p "$folder" 2>/dev/null || { echo "install-consul.sh: cannot write $folder: run as root, or name another folder" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
mkdir -p "$work"/{state/lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d,etc/trusted.gpg.d,etc/sources.list.d,deb}
: > "$work/state/status"

own=(-o Dir::Etc="$work/etc" -o Dir::Etc::sourcelist="$work/etc/sources.list" -o Dir::Etc::sourceparts="$work/etc/sources.list.d"
  -o Dir::State="$work/state" -o Dir::State::status="$work/state/status" -o Dir::Cache="$work/cache"
  -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false -o Acquire::Retries=2)

# Where this machine has Debian from, or what is said: releases move to another place in the end.
mirrors=${BALLOT_DEBIAN_MIRROR:-}
[ -n "$mirrors" ] || mirrors=$(sed -nE 's/^URIs: *(https?:[^ ]*\/debian)\/? *$/\1/p; s/^deb( +\[[^]]*\])? +(https?:[^ ]*\/debian)\/? .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | sed -n 1p || true)
for mirror in $mirrors; do
  echo "deb [signed-by=$keys] $mirror bullseye main" > "$work/etc/sources.list"
  echo "fetching consul $version from $mirror" >&2
  apt-get "${own[@]}" update -qq --error-on=any >&2 || continue
  (cd "$work/deb" && apt-get "${own[@]}" download -qq "consul=$version" >&2) && break
done
deb=$(ls "$work"/deb/consul_*.deb 2>/dev/null) || { echo "install-consul.sh: no mirror of Debian has consul $version: name one by BALLOT_DEBIAN_MIRROR=URL" >&2; exit 1; }
echo "$sum  $deb" | sha256sum --check --quiet || { echo "install-consul.sh: $deb is not what was expected" >&2; exit 1; }
dpkg-deb -x "$deb" "$work/unpacked"
install -m 0755 "$work/unpacked/usr/bin/consul" "$folder/consul.new"
mv "$folder/consul.new" "$folder/consul"
"$folder/consul" version >&2
echo "$version" > "$mark"
