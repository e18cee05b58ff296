#!/bin/bash
# The sizes that a reader can still take in: prints the five largest of each kind, and fails where one is beyond its
# limit. Counted by ctags (universal-ctags). Usage: tests/size_rules.sh
set -euo pipefail
shopt -s lastpipe  # show() runs in this shell
cd "$(dirname "$0")/.."

command -v ctags > /dev/null || { echo 'size_rules.sh: ctags is missing: packaging/install-deps.sh ci' >&2; exit 2; }

product=(runtime storage plugins)
failed=0

# show LIMIT WHAT: the five largest of the lines "SIZE NAME" on standard input
show() {
  local limit=$1 what=$2 sorted
  sorted=$(sort -rn)
  printf '%s (at most %d):\n' "$what" "$limit"
  head -5 <<< "$sorted" | sed 's/^/  /'
  if awk -v limit="$limit" '$1 > limit { found = 1 } END { exit !found }' <<< "$sorted"; then
    printf '  beyond: %d\n' "$(awk -v limit="$limit" '$1 > limit' <<< "$sorted" | wc -l)"
    failed=1
  fi
}

# tags KIND...: NAME, file and fields of the product's sources, tab by tab
tags() {
  find "${product[@]}" -name '*.[ch]pp' -print0 | xargs -0 ctags -f - --sort=no --languages=C++ --kinds-C++="$1" --fields=+neKZ
}

find "${product[@]}" tests -name '*.[ch]pp' -print0 | xargs -0 wc -l | awk '$2 != "total" { print $1, $2 }' \
  | show 450 'lines of a file'

tags f | awk -F'\t' '{
  first = last = 0
  for (i = 4; i <= NF; i++) {
    if ($i ~ /^line:/) first = substr($i, 6)
    if ($i ~ /^end:/) last = substr($i, 5)
  }
  if (last) print last - first + 1, $2 ":" first, $1
}' | show 60 'lines of a function'

tags m | awk -F'\t' '{
  for (i = 4; i <= NF; i++)
    if ($i ~ /^scope:class:/) members[substr($i, 13) " " $2]++
} END { for (class in members) print members[class], class }' | show 25 'data members of a class'

tags f | awk -F'\t' '$2 ~ /\.cpp$/ {
  for (i = 4; i <= NF; i++)
    if ($i ~ /^scope:class:/ && !seen[$i, $2]++) files[substr($i, 13)]++
} END { for (class in files) print files[class], class }' | show 1 '.cpp files of a class'

exit $failed
