#!/bin/bash
# The whole proof that a change is sound, on a bare Debian 12: style, build with warnings as errors, every test, then
# the same under the sanitizers, and the benches' short form. Fails on the first thing that does not hold.
# Usage: tests/run.sh [--quick]     --quick: style, build and tests only, no sanitizers, no benches
set -euo pipefail
cd "$(dirname "$0")/.."

quick=
case "${1:-}" in
  '') ;;
  --quick) quick=yes ;;
  *) echo "run.sh: unknown argument: $1; there is --quick" >&2; exit 2 ;;
esac

step() { printf '\n== %s\n' "$*"; }

step 'dependencies'
packaging/install-deps.sh build test ci

step 'style'
find runtime storage plugins tests -name '*.[ch]pp' -type f -print0 2> /dev/null \
  | xargs -0 clang-format-14 --dry-run --Werror

# Two clones of the same sources share what ccache has.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true

summaries=()

# once_more PRESET: what runs real servers and processes by the clock can fail on a machine that stands still for a
# second. Where at most three such tests failed they are run again, alone, and the summary names them. A unit test or a
# simulation that fails has failed.
once_more() {
  local dir=build/$1 failed of_the_clock
  # From "12:NAME" a line; names as ctest knows them, so that a dot or a slash in them means itself.
  failed=$(sed 's/^[0-9]*://; s/[].[*^$+?()|\\/]/\\&/g' "$dir/Testing/Temporary/LastTestsFailed.log" | paste -sd'|')
  of_the_clock=$(ctest --test-dir "$dir" -N -R "^($failed)\$" -LE '^(unit|sim)$' | grep -c '^ *Test *#')
  [ "$of_the_clock" -le 3 ] || return 8
  [ "$of_the_clock" -eq "$(wc -l < "$dir/Testing/Temporary/LastTestsFailed.log")" ] || return 8
  step "$1: once more, alone: $failed"
  ctest --test-dir "$dir" -R "^($failed)\$" --output-on-failure || return 8
  summaries+=('' "$1: failed beside others, passed alone: $failed")
}

# build_and_test PRESET WERROR [LABEL...]: every test, or those of the labels; but for those labelled long
build_and_test() {
  local preset=$1 werror=$2 log
  shift 2
  local targets=("${@/#/tests_}") labels
  labels=$(IFS='|' && echo "$*")
  step "$preset: build"
  cmake --preset "$preset" -DBALLOT_WERROR="$werror" -DBALLOT_ZOOKEEPER=ON > /dev/null
  cmake --build "build/$preset" -j"$(nproc)" ${labels:+--target "${targets[@]}"}
  step "$preset: test"
  log=build/$preset/ctest.log
  # A sanitizer's report must fail the test, also where the program would go on.
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  ctest --test-dir "build/$preset" -j"$(nproc)" --no-tests=error --output-on-failure \
    -LE '^long$' ${labels:+-L "^($labels)\$"} 2>&1 | tee "$log" || once_more "$preset"
  # ctest counts a skipped test as passed: say how many did not run.
  summaries+=('' "$preset ($(grep -cE '\*\*\*(Skipped|Not Run)' "$log" || true) did not run, named above):"
    "$(grep 'tests passed' "$log")" "$(grep '^Total Test time' "$log")")
}

build_and_test dev ON
if [ -z "$quick" ]; then
  step 'release: build, without failpoints'
  cmake --preset release -DBALLOT_WERROR=ON > /dev/null
  cmake --build build/release -j"$(nproc)"
  tests/no_failpoints.sh build/release/bin/ballot build/release/bin/ballot-runner build/release/plugins/*.so
  # g++ warns wrongly in instrumented code (-Wmaybe-uninitialized); dev has shown that there is nothing to warn of.
  build_and_test asan OFF unit process conformance sim
  build_and_test tsan OFF unit process conformance sim
fi

if [ -z "$quick" ]; then
  # The short form: it shows that every bench still measures. What its figures are worth is for people to judge.
  step 'bench: build'
  cmake --preset bench -DBALLOT_WERROR=OFF > /dev/null
  cmake --build build/bench -j"$(nproc)" --target ballot_bench
  step 'bench: short form'
  build/bench/tests/ballot_bench --short
fi

step 'summary'
printf '%s\n' "${summaries[@]}"
