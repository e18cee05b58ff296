#!/bin/bash
# Builds the packages: ballot, and one for each backend on servers. What is missing is installed with apt.
# Usage: packaging/build-packages.sh [deb] [rpm]      (default: both)   They lie in build/release/packages.
# BALLOT_CONFIGURED=yes: of build/release as it is configured, with whatever flags; else it is configured here.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- deb rpm
for kind in "$@"; do
  case $kind in
    deb | rpm) ;;
    *) echo "build-packages.sh: no such kind: $kind; there are deb and rpm" >&2; exit 2 ;;
  esac
done

packaging/install-deps.sh build package
[ "${BALLOT_CONFIGURED:-no}" = yes ] || cmake --preset release -DBALLOT_BACKENDS=ON > /dev/null
cmake --build build/release -j"$(nproc)" --target all rpm_programs
packages=$PWD/build/release/packages
mkdir -p "$packages"

build_deb() {
  rm -f "$packages"/*.deb
  cpack --config build/release/CPackConfig.cmake -B "$packages"
  rm -rf "$packages/_CPack_Packages"
}
build_rpm() {
  local version
  version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/release/CMakeCache.txt)
  rm -f "$packages"/*.rpm
  packaging/rpm/build.sh "$version" "$packages"
}
for kind in "$@"; do
  "build_$kind" > "build/release/$kind.log" 2>&1 || { cat "build/release/$kind.log" >&2; exit 1; }
  ls "$packages"/*."$kind"
done
