#!/bin/bash
# Which test stands for which scenario of docs/developers/testing.md, by backend: from the tests' own tags, a line
# `// S14 local zookeeper` right before a TEST (`sim`: the simulation), and from the table of tests/chaos/scenarios.cpp.
# Usage: scenarios.sh [--check]. Prints the table; --check: says how docs/developers/testing.md differs, and exits 1 then.
set -euo pipefail
cd "$(dirname "$0")/.."

scenarios='S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11 S12 S13 S14 S15 S16 S17 S18 S19 S20 S21 S22 S22b S23 S24 S25 S26 S27 S28 S29
  S30 S31 S32 S33 S34'

# scenario | backend | Suite.Test, a line for each
tagged() {
  grep -rhE -A1 '^// (S[0-9]+b? )+(sim|local|zookeeper)( (sim|local|zookeeper))*$' tests --include='*.cpp' --include='*.hpp' \
    | awk '/^\/\/ S/ { split("", want); n = split($0, want, " "); next }
           /^TEST/ { name = $0; sub(/^[A-Z_]+\(/, "", name); sub(/\).*/, "", name); sub(/, /, ".", name)
                     for (i = 2; i <= n; ++i) if (want[i] ~ /^S/)
                       for (j = 2; j <= n; ++j) if (want[j] !~ /^S/) print want[i] "|" want[j] "|" name }' | sort
}

# scenario | who | function, a line for each: of every backend, or of those whose store can do what it needs
driven() {
  sed -nE 's/^ *\{"(S[0-9]+b?)", ".*", \{(.*)\}, ([a-z_]+)(, true)?\},$/\1|\2|\3/p' tests/chaos/scenarios.cpp
}

table() {
  local all driven scenario backend row tests
  all=$(tagged) driven=$(driven)
  echo '| scenario | every backend | simulation | local | ZooKeeper |'
  echo '| --- | --- | --- | --- | --- |'
  for scenario in $scenarios; do
    row="| $scenario | $(awk -F'|' -v s="$scenario" '$1 == s { print "`" $3 "`" ($2 == "" ? "" : " where it can be") }' <<< "$driven") |"
    for backend in sim local zookeeper; do
      tests=$(printf '%s\n' "$all" | awk -F'|' -v s="$scenario" -v b="$backend" '$1 == s && $2 == b { print "`" $3 "`" }')
      row+=" $(printf '%s' "$tests" | paste -sd' ') |"
    done
    echo "$row" | sed 's/  |/ |/g'
  done
}

if [ "${1:-}" = --check ]; then
  diff <(sed -n '/^<!-- scenarios -->$/,/^<!-- end -->$/p' docs/developers/testing.md | sed '1d;$d') <(table) && exit 0
  echo 'docs/developers/testing.md has another table: tests/scenarios.sh prints the one that stands between its marks' >&2
  exit 1
fi
table
