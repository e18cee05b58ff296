#!/bin/bash
# Builds the Debian packages: ballot, and one for each backend on servers. What is missing is installed with apt.
# Usage: packaging/build-packages.sh      They lie in build/release/packages.
set -euo pipefail
cd "$(dirname "$0")/.."

packaging/install-deps.sh build package
cmake --preset release -DBALLOT_BACKENDS=ON > /dev/null
cmake --build build/release -j"$(nproc)"
rm -rf build/release/packages
cpack --config build/release/CPackConfig.cmake -B build/release/packages "$@" > build/release/cpack.log 2>&1 || { cat build/release/cpack.log >&2; exit 1; }
rm -rf build/release/packages/_CPack_Packages
ls build/release/packages/*.deb
