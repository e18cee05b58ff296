#!/bin/bash
# That nothing of the failpoints is in what is shipped: no symbol, no name of a point, no variable.
# Usage: no_failpoints.sh BINARY...     Prints what it finds; exits 1 if there is anything, 2 if it cannot look.
set -euo pipefail

cd "$(dirname "$0")/.."
names=$(grep -rhoE 'BALLOT_(FAILS|FAILPOINT)\("[a-z0-9_.]+"\)' runtime storage plugins --include='*.cpp' | cut -d'"' -f2 | sort -u)
[ -n "$names" ] || { echo "no_failpoints.sh: there are no failpoints in the sources" >&2; exit 2; }
cd - > /dev/null

found=0
for binary in "$@"; do
  [ -r "$binary" ] || { echo "no_failpoints.sh: cannot read $binary" >&2; exit 2; }
  texts=$(strings -n 4 "$binary" | grep -xF -e "$names" -e BALLOT_FAILPOINTS -e BALLOT_TEST_SENDMAIL || true)
  symbols=$(nm -C "$binary" 2> /dev/null | grep -E 'ballot::(set_)?failpoint' || true)
  [ -z "$texts$symbols" ] || { printf '%s has failpoints:\n%s\n%s\n' "$binary" "$texts" "$symbols"; found=1; }
done
[ "$found" = 0 ] || exit 1
echo "no failpoints in $# binaries"
