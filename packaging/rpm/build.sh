#!/bin/bash
# Makes the rpm packages of what is built in build/release. Usage: packaging/rpm/build.sh VERSION FOLDER [SPEC]
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
version=$1 folder=$(realpath "$2") spec=$(realpath "${3:-$tree/packaging/rpm/ballot.spec}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rpmbuild -bb --target x86_64 --define "_topdir $work" --define "_rpmdir $folder" --define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
  --define "ballot_version $version" --define "ballot_build $tree/build/release" --define "ballot_tree $tree" "$spec"
