#!/bin/bash
# The public headers: that runtime.hpp reaches those that docs/embedding.md promises to be stable, and no other; and, where
# doxygen is installed, that it finds nothing in them that is undocumented or malformed. Usage: tests/public_headers.sh
set -euo pipefail
cd "$(dirname "$0")/.."
headers=runtime/include/ballot

fail() { echo "public_headers.sh: $*" >&2; exit 1; }

# reached NAME...: those headers, and what they include of each other, one a line
reached() {
  local all name
  all=$(printf '%s\n' "$@")
  while name=$(xargs -I{} sed -n 's|^#include "ballot/\(.*\)\.hpp"|\1|p' "$headers/{}.hpp" <<< "$all" | sort -u | comm -13 <(sort -u <<< "$all") -) && [ -n "$name" ]; do
    all+=$'\n'$name
  done
  sort -u <<< "$all"
}

promised=$(sed -n 's/^| `libballot\.so\.0` | the headers `\([^`]*\)`.*(`\([^`]*\)`).*/\1 \2/p' docs/embedding.md | tr ' ' '\n' | sort -u)
diff <(echo "$promised") <(reached runtime) || fail 'docs/embedding.md promises (<) other headers than runtime.hpp reaches (>)'

command -v doxygen > /dev/null || { echo 'public_headers.sh: doxygen is missing: packaging/install-deps.sh ci' >&2; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What is private is nobody's; a macro that only marks what the library shows is left out.
cat > "$folder/Doxyfile" << END
INPUT = $headers
STRIP_FROM_PATH = $headers
OUTPUT_DIRECTORY = $folder
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
WARN_IF_UNDOCUMENTED = YES
WARN_NO_PARAMDOC = NO
WARN_IF_INCOMPLETE_DOC = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
DISTRIBUTE_GROUP_DOC = YES
PREDEFINED = BALLOT_API=
END
doxygen "$folder/Doxyfile" || fail 'doxygen has found the above'
echo 'public headers hold'
