#!/bin/bash
# Installs what is missing of ballot's build dependencies on Debian 12, and nothing if nothing is.
# Usage: install-deps.sh [build] [test] [ci]     (default: build)
set -euo pipefail

build='g++ cmake ninja-build libboost1.81-dev libtomlplusplus-dev libsqlite3-dev libspdlog-dev libcli11-dev libcctz-dev tzdata libzookeeper-mt-dev libnats-dev libssl-dev libcurl4-openssl-dev'
test='libgtest-dev zookeeper default-jre-headless etcd-server nats-server'
ci='clang-format-14 ccache universal-ctags'

wanted=()
for set in "${@:-build}"; do
  case $set in
    build) wanted+=($build) ;;
    test) wanted+=($test) ;;
    ci) wanted+=($ci) ;;
    *) echo "install-deps.sh: no such set: $set; there are build, test and ci" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo > /dev/null || { echo "install-deps.sh: run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
