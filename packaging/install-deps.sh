#!/bin/bash
# Installs what is missing of ballot's build dependencies on Debian 12, and nothing if nothing is.
# Usage: install-deps.sh [build] [package] [packagetest] [roottest] [management] [test] [ci] [clang] [browser]     (default: build)
# Of the servers that tests run, Debian 12 has no Consul: install-consul.sh installs that of the release before.
set -euo pipefail

build='g++ cmake ninja-build libboost1.81-dev libtomlplusplus-dev libsqlite3-dev libcli11-dev libabsl-dev tzdata libzookeeper-mt-dev libssl-dev libcurl4-openssl-dev libpq-dev'
test='libgtest-dev libcctz-dev libspdlog-dev zookeeper default-jre-headless etcd-server nats-server postgresql-15 redis-server libhiredis-dev nftables iproute2 sqlite3 prometheus python3-jsonschema'  # libcctz-dev, libspdlog-dev: the release before, which two_builds builds; prometheus: promtool
package='dpkg-dev file rpm'
packagetest='lintian rpmlint systemd man-db zsh fish'
roottest='debootstrap systemd-container'
management='ansible-core puppet-agent'
ci='clang-format-14 ccache mold universal-ctags doxygen'
browser='chromium nodejs'  # and npm, which comes with some builds of Node.js
clang='clang-16 libclang-rt-16-dev llvm-16'  # llvm-16: names and lines in what a sanitizer says

wanted=() consul=no
for set in "${@:-build}"; do
  case $set in
    build) wanted+=($build) ;;
    package) wanted+=($package) ;;
    packagetest) wanted+=($packagetest) ;;
    roottest) wanted+=($roottest) ;;
    management) wanted+=($management) ;;
    test) wanted+=($test) consul=yes ;;
    ci) wanted+=($ci) ;;
    clang) wanted+=($clang) ;;
    browser)
      wanted+=($browser)
      command -v npm > /dev/null || wanted+=(npm)
      ;;
    *) echo "install-deps.sh: no such set: $set; there are build, package, packagetest, roottest, management, test, ci, clang and browser" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
consul_script=$(dirname "$0")/install-consul.sh
if [ "$consul" = yes ] && "$consul_script" --check; then consul=no; fi
[ ${#missing[@]} -gt 0 ] || [ "$consul" = yes ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo > /dev/null || {
    [ ${#missing[@]} -eq 0 ] || echo "install-deps.sh: run as root: apt-get install ${missing[*]}" >&2
    [ "$consul" = no ] || echo "install-deps.sh: run as root: $consul_script" >&2
    exit 1
  }
  as_root=(sudo)
fi
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  # Tests start PostgreSQL servers of their own: no cluster is made of the package's.
  if [[ " ${missing[*]} " = *" postgresql-15 "* ]] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    "${as_root[@]}" mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | "${as_root[@]}" tee /etc/postgresql-common/createcluster.conf > /dev/null
  fi
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi
[ "$consul" = no ] || "${as_root[@]}" "$consul_script"
