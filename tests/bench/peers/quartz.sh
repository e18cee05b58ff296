#!/bin/bash
# quartz.sh N STAMP OUT INSTANTS: Quartz with N jobs in memory that are due each 30 s, sixteen at a time. Ends with 77
# where it is not installed, and says so.
set -euo pipefail
count=$1 stamp=$2 out=$3 instants=$4
here=$(cd "$(dirname "$0")" && pwd)
jars=/usr/share/java/quartz2.jar:/usr/share/java/slf4j-api.jar:/usr/share/java/slf4j-nop.jar:/usr/share/java/c3p0.jar
if ! [ -e /usr/share/java/quartz2.jar ] || ! command -v javac > /dev/null; then
  echo 'there is no Quartz: apt-get install libquartz2-java libslf4j-java libc3p0-java default-jdk-headless'
  exit 77
fi

classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -cp "$jars" -d "$classes" "$here/Quartz.java"
java -cp "$jars:$classes" Quartz "$count" "$stamp" "$out" $((instants * 30 + 15))
