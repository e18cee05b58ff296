#!/bin/bash
# Scripts with pipefail: none of them pipes into a reader that ends before its input does (head, grep -q, grep -m). Whoever
# writes to it dies of SIGPIPE if it is the slower one of the two, and the script with it, once in some hundred runs.
# Usage: tests/script_rules.sh
set -euo pipefail
cd "$(dirname "$0")/.."

found=$(git ls-files -coz --exclude-standard tests packaging examples .ci | xargs -0 grep -lsE '^set -[a-z]*o pipefail' | xargs grep -nE '\| *(head|grep( -[a-zA-Z]+)* -[a-zA-Z]*[qm])\b' \
  | grep -vE '^tests/script_rules\.sh:|\|\| *grep|sh -c ' || true)
[ -z "$found" ] || { printf '%s\n' "$found" 'script_rules.sh: use sed -n, or grep -q PATTERN < <(COMMAND): under pipefail these fail by SIGPIPE now and then' >&2; exit 1; }
echo 'scripts hold'
