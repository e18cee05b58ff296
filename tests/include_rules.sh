#!/bin/bash
# Which room may include what (docs/developers/design.md has the table), and that the pure rooms touch no clock, file or thread.
# Usage: include_rules.sh [TREE]. Prints each offence as file:line: what; exits 1 if there is one.
set -euo pipefail

third_party='boost|CLI|toml\+\+|absl|sqlite3|zookeeper|curl|openssl|libpq-fe|gtest|gmock'

# folder | rooms whose headers it may include, beside its own and the public ones | third-party libraries | pure
rules='
runtime/include/ballot |                                          |             | pure
runtime/base           |                                          |             | -
runtime/zones          | base                                     | absl        | -
runtime/schedule       | base zones                               |             | pure
runtime/audit          | base schedule                            |             | pure
runtime/config         | base zones schedule                      | toml\+\+ absl | -
runtime/core           | base schedule                            | absl        | pure
runtime/simulation     | base schedule core                       |             | pure
runtime/io             | base core                                | boost       | -
runtime/http           | base io                                  | boost openssl | -
runtime/runner         | base                                     |             | -
runtime/ping           |                                          | curl        | -
runtime/library        | base zones schedule audit config core http io storage |             | -
runtime/app            | base zones schedule audit config core simulation io http runner library storage | CLI | -
storage                | base                                     | sqlite3     | -
plugins/support        |                                          |             | -
plugins/local          | support                                  | sqlite3     | -
plugins/http_client    | support                                  | boost openssl | -
plugins/consul         | support http_client                      |             | -
plugins/etcd           | support http_client                      |             | -
plugins/zookeeper      | support                                  | zookeeper   | -
plugins/jetstream      | support http_client                      | boost openssl | -
plugins/nats           | support http_client jetstream            |             | -
plugins/postgresql     | support                                  | libpq-fe    | -
'
impure='<(fstream|filesystem|thread|mutex|shared_mutex|condition_variable|atomic|future|unistd\.h|fcntl\.h|time\.h|sys/[a-z]+\.h)>'
impure+='|_clock::now|clock_gettime|gettimeofday|std::time\(|std::(i|o)?fstream|fopen|std::thread|[^a-z_]getenv|BALLOT_FAIL'

# What is shared counts who has it.
exempt='runtime/include/ballot/shared.hpp'

sources() { find "$1" \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -type f | sort; }

any_of() { printf '%s' "$*" | sed 's/ /|/g'; }

# offences FOLDER PURE ROOMS LIBRARIES
offences() {
  local folder=$1 pure=$2 own quoted libraries
  own=$(basename "$folder")
  # shellcheck disable=SC2086  # lists of words
  quoted="($(any_of ballot $own $3))/" libraries="($(any_of none $4))"
  # A plugin's own files have no folder in front: nobody else can include them.
  case $folder in plugins/*) quoted="($quoted|[a-z_0-9]+\.hpp\")" ;; esac
  # All files in one go: FILE:LINE:TEXT.
  local all='' pattern='^[^:]*:[0-9]*:'
  all=$(sources "$folder" | xargs -r grep -nHE "^ *# *include|$impure" || true)
  grep -E "$pattern *# *include *\"" <<< "$all" | grep -vE "include *\"$quoted" \
    | sed "s|^\([^:]*:[0-9]*\):.*\(\".*\"\).*|\1: $folder may not include \2|" || true
  grep -E "$pattern *# *include *[<\"]($third_party)[./]" <<< "$all" | grep -vE "[<\"]$libraries[./]" \
    | sed "s|^\([^:]*:[0-9]*\):.*\([<\"].*[>\"]\).*|\1: $folder may not use \2|" || true
  [ "$pure" != pure ] || grep -vE "^$exempt:|$pattern *//" <<< "$all" | grep -E "$pattern.*($impure)" \
    | sed "s|^\([^:]*:[0-9]*\):|\1: $folder is pure: |" || true
}

check() {
  cd "$1"
  local folder rooms libraries pure
  while IFS='|' read -r folder rooms libraries pure; do
    folder=${folder// /} pure=${pure// /}
    [ ! -d "$folder" ] || offences "$folder" "$pure" "$rooms" "$libraries"
  done < <(grep -F '|' <<< "$rules")
  for folder in runtime/* plugins/*; do
    [ ! -d "$folder" ] || [ "$folder" = runtime/include ] || grep -q "^$folder " <<< "$rules" \
      || echo "$folder: no rule for this folder"
  done
  # Two rooms of one name: which of the two "NAME/file.hpp" is depends on the order of a target's folders.
  for folder in plugins/*; do
    [ ! -d "runtime/$(basename "$folder")" ] || echo "$folder: runtime/ has a room of this name"
  done
}

# The rules must see an offence of each kind.
self_test() {
  local tree found
  tree=$(mktemp -d)
  mkdir -p "$tree"/runtime/{core,config,include/ballot,app,new} "$tree"/plugins/{local,core}
  printf '#include "io/loop.hpp"\n#include <boost/asio.hpp>\n#include <fstream>\nauto now = std::chrono::system_clock::now();\nBALLOT_FAILPOINT("core.x");\n' > "$tree/runtime/core/bad.cpp"
  printf '#include "core/run.hpp"\n#include <sqlite3.h>\n' > "$tree/runtime/config/bad.hpp"
  printf '#include <sys/types.h>\n#include "base/x.hpp"\n' > "$tree/runtime/include/ballot/bad.hpp"
  printf '#include "base/x.hpp"\n#include "own.hpp"\n#include "ballot/run.hpp"\n#include <sqlite3.h>\n' > "$tree/plugins/local/x.cpp"
  printf '#include <CLI/CLI.hpp>\n#include "io/x.hpp"\n#include "app/y.hpp"\n#include "ballot/log.hpp"\n#include <fstream>\n' > "$tree/runtime/app/good.cpp"
  found=$(check "$tree" | wc -l)
  rm -r "$tree"
  # core 5, config 2, public 2, plugin 1, the folders without a rule 2, the name that two rooms have 1
  [ "$found" = 13 ] || { echo "include_rules.sh: its own test found $found offences instead of 13"; exit 1; }
}

(self_test)
found=$(check "${1:-$(dirname "$0")/..}")
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "include rules hold"
