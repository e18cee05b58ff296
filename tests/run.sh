#!/bin/bash
# The whole proof that a change is sound, on a bare Debian 12: style; what is shipped, with warnings as errors, and its
# benches' short form; every test. As the commit says, either what has threads under ThreadSanitizer, and the release before
# beside this one; or rooms, parsers and backends under AddressSanitizer, with the runner and single daemons, or with the
# simulation. Fails on the first step that does not hold; says at the end what each took.
# Usage: tests/run.sh [--quick | --long | --fuzz MINUTES]
#   --quick   style, build and tests: no release, no benches, no sanitizers
#   --long    besides all of it, what takes hours: 20,000 seeds, three servers, 10,000 groups, a fault at each call
#   --fuzz    nothing but the harnesses of tests/fuzz, each for so many minutes
set -euo pipefail
cd "$(dirname "$0")/.."

form=whole
case "${1:-}" in
  '') ;;
  --quick | --long) form=${1#--} ;;
  --fuzz) form=fuzz minutes=${2:?run.sh: --fuzz wants minutes} ;;
  *) echo "run.sh: unknown argument: $1; there are --quick, --long and --fuzz MINUTES" >&2; exit 2 ;;
esac
cores=$(nproc)
# Half of the tests wait most of the time; those that do not count as two (cmake/ballot_test.cmake).
at_a_time=$((cores * 3))

# Two clones of the same sources share what ccache has; by what the compiler says that a file includes, so that the
# preprocessor does not go over each file a second time.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true CCACHE_DEPEND=true

# ---- steps, and the summary

steps=() notes=() current= began=0 cpu=0 cpu_before=0 ahead= scratch=$(mktemp)

# Sets cpu: the seconds of all children that have ended. Not in a subshell, which has none.
count_cpu() {
  times > "$scratch"
  cpu=$(awk 'NR == 2 { split($1 $2, t, /[ms]/); printf "%d", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$scratch")
}

end_step() {
  [ -n "$current" ] || return 0
  count_cpu
  steps+=("$(printf '%6d %6d  %s' $((SECONDS - began)) $((cpu - cpu_before)) "$current")")
  current=
}

step() {
  end_step
  printf '\n== %s\n' "$*"
  count_cpu
  current=$* began=$SECONDS cpu_before=$cpu
}

summary() {
  local code=$? failed=$current
  [ -z "$ahead" ] || kill -- "-$ahead" 2> /dev/null || true
  end_step
  printf '\n== summary\n'
  printf '%s\n' ${notes[@]+"${notes[@]}"} '' 'wall s  CPU s  step' ${steps[@]+"${steps[@]}"}
  printf '%6d %6d  total: %d min %02d s\n' "$SECONDS" "$cpu" $((SECONDS / 60)) $((SECONDS % 60))
  [ "$code" = 0 ] || echo "FAILED in: ${failed:-run.sh}"
  rm -f "$scratch"
}
trap summary EXIT

# What a run leaves out, so that it takes 25 minutes, is chosen by the commit: turn N [DIGITS] is a number below N, another
# one for each commit and the same for one, of those DIGITS of its name.
turn() {
  echo $((0x$(git rev-parse HEAD 2> /dev/null | cut -c "${2:-1-4}" || echo 0) % $1))
}

# Whether this run asks about threads, and about two builds in one fleet, as every third one does; the others ask about
# addresses. The long form asks all of it, and the quick one about the builds.
asks_about_threads() {
  [ "$form" != quick ] && { [ "$form" = long ] || [ "$(turn 3 5-8)" = 0 ]; }
}
asks_about_addresses() {
  [ "$form" = long ] || { [ "$form" = whole ] && ! asks_about_threads; }
}

# under_asan: the labels of what this run asks under AddressSanitizer, in words.
under_asan() {
  local labels='unit fuzz mutants conformance'
  [ "$form-$(turn 3 5-8)" = whole-2 ] || labels+=' runner daemon'
  [ "$form-$(turn 3 5-8)" = whole-1 ] || labels+=' sim'
  echo "$labels"
}

# ---- building and testing

# build PRESET [TARGET...]
build() {
  step "$1: build"
  compile "$@"
}

# compile PRESET [TARGET...]
compile() {
  local preset=$1 two_builds=OFF elsewhere=OFF mutants= by=()
  shift
  # What is shipped is compiled by g++; to test what clang compiles takes half of the time.
  [ "$preset-$form" != proof-long ] || by=(-DCMAKE_CXX_COMPILER=g++)
  # The packages are looked at, and the benches show that they measure: the long form has them as they are shipped.
  [ "$preset-$form" != release-whole ] || by=(-DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG')
  case $preset-$form in
    proof-quick) two_builds=ON ;;
    proof-whole) ! asks_about_threads || two_builds=ON ;;
    proof-long) two_builds=ALL ;;
  esac
  # The tests of rooms and parsers go under AddressSanitizer, where that is built: once is enough.
  [ "$preset-$form" != proof-whole ] || ! asks_about_addresses || elsewhere=ON
  case $form in long) mutants=all ;; whole) mutants=$(tests/mutants/chosen 6) ;; esac
  # --fresh: in a folder that another compiler was used in, cmake would drop the values given here, without a word.
  cmake --fresh --preset "$preset" -DBALLOT_WERROR=ON -DBALLOT_BACKENDS=ON -DBALLOT_TWO_BUILDS=$two_builds \
    -DBALLOT_SANITIZED_ELSEWHERE=$elsewhere "-DBALLOT_MUTANTS=$mutants" ${by[@]+"${by[@]}"} > /dev/null
  cmake --build "build/$preset" -j"$cores" ${1:+--target "$@"}
}

# build_ahead "PRESET [TARGET...]"...: what the steps after the tests need is built while those run, which wait most of
# the time, and only in the time of the processors that nobody else wants.
build_ahead() {
  rm -f build/ahead.*
  set -m  # a process group of its own
  (
    renice -n 19 -p "$BASHPID" && chrt -i -p 0 "$BASHPID" && ionice -c 3 -p "$BASHPID"
    for one in "$@"; do
      read -ra words <<< "$one"
      compile "${words[@]}" && touch "build/ahead.${words[0]}" || exit
    done
  ) > build/ahead.log 2>&1 &
  ahead=$!
  set +m
}

# built_ahead PRESET
built_ahead() {
  step "$1: build (begun before proof: test)"
  # From here on somebody waits for it: no more than others are, on a machine that others use too.
  pgrep -g "$ahead" | xargs -r -n 1 chrt -o -p 0 2> /dev/null || true
  while [ ! -e "build/ahead.$1" ] && kill -0 "$ahead" 2> /dev/null; do sleep 0.2; done
  [ -e "build/ahead.$1" ] || { cat build/ahead.log; return 1; }
}

# Nothing of it may be tried again: a sanitizer's report, a crash, or what a checker has found.
never_again='(Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:|\*\*\*Exception|SEGFAULT|SIGTRAP'
never_again+='|Subprocess (aborted|killed)|terminate called|does not hold:|Findings|core dumped|invariant'

# may_be_tried_again NAME: not what is no matter of time, nor what every backend is asked, nor what stands in
# tests/second_tries, which is the memory of the runs before: a name that needed it in two runs has failed.
may_be_tried_again() {
  ! grep -qxF -- "$1" <(sed 's/ *#.*//' tests/second_tries)
}

# tried_again NAME WHERE: writes down that it needed a second try
tried_again() {
  echo "$1  # $2, $(git log -1 --format=%cs 2> /dev/null || date +%F)" >> tests/second_tries
  notes+=("$2: failed beside others, passed alone: $1. Commit its line of tests/second_tries: there is no third.")
}

# once_more PRESET: what runs real servers and processes by the clock can fail on a machine that stands still for a
# second. Where one such test of tests/integration has failed, or two, they are run again, alone.
once_more() {
  local dir=build/$1 failed pattern one
  # From "12:NAME" a line; the pattern is of names as ctest knows them, so that a dot or a slash means itself.
  failed=$(sed 's/^[0-9]*://' "$dir/Testing/Temporary/LastTestsFailed.log")
  [ "$(wc -l <<< "$failed")" -le 2 ] || return 1
  while read -r one; do may_be_tried_again "$one" || return 1; done <<< "$failed"
  pattern="^($(sed 's/[].[*^$+?()|\\/]/\\&/g' <<< "$failed" | paste -sd'|'))\$"
  [ "$(ctest --test-dir "$dir" -N -R "$pattern" -L '^integration$' | grep -c '^ *Test *#')" -eq "$(wc -l <<< "$failed")" ] || return 1
  if grep -qE "$never_again" "$dir/ctest.log" || [ -n "$(ls "$dir/reports")" ]; then return 1; fi
  step "$1: once more, alone: ${failed//$'\n'/, }"
  ctest --test-dir "$dir" -R "$pattern" --output-on-failure || return 1
  [ -z "$(ls "$dir/reports")" ] || return 1
  while read -r one; do tried_again "$one" "$1"; done <<< "$failed"
}

# run_tests PRESET [CTEST_ARGUMENT...]: every test but those with a label of $left_out, or those that the arguments choose
left_out='^long$'
run_tests() {
  local preset=$1 dir=build/$1 failed= said
  shift
  step "$preset: test"
  # A sanitizer's report fails the run also where the process that made it is a daemon, whose end nobody has looked at.
  rm -rf "$dir/reports" && mkdir -p "$dir/reports"
  local reports="log_path=$PWD/$dir/reports/report"
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:$reports
  export LSAN_OPTIONS=suppressions=$PWD/tests/leaks_of_others:print_suppressions=0
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:$reports
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tests/races_of_others:$reports
  ctest --test-dir "$dir" -j"$at_a_time" --no-tests=error --output-on-failure -LE "$left_out" "$@" 2>&1 | tee "$dir/ctest.log" \
    || failed=yes
  said=$dir/Testing/Temporary/LastTest.log
  # ctest counts what was skipped as passed, and an executable's many tests as one.
  notes+=("$preset: $(grep 'tests passed' "$dir/ctest.log"): $(grep -cE '^\[       OK \]' "$said" || true) of googletest")
  local skipped
  skipped=$(grep -oE '^\[  SKIPPED \] [^ ,]+\.[^ ,]+' "$said" | cut -c14- | sort -u || true)
  [ -z "$skipped" ] || notes+=("$preset: $(wc -l <<< "$skipped") skipped, as tests/expected_skips has them")
  # None, where the process of a test has died.
  [ -z "$failed" ] || notes+=("$preset: failed: $({ grep -hoE '^\[  FAILED  \] [^ ,]+\.[^ ,]+' "$said" || true; } | cut -c14- | sort -u | paste -sd' ')")
  if [ -n "$(ls "$dir/reports")" ]; then
    cat "$dir"/reports/*
    notes+=("$preset: $(ls "$dir/reports" | wc -l) sanitizer reports: $dir/reports")
    return 1
  fi
  [ -z "$failed" ] || once_more "$preset"
  tests/check_skips "$preset" "$said" || { notes+=("$preset: skipped, and not in tests/expected_skips; see above"); return 1; }
}

# faults ARGUMENT...: scenarios with real servers on every backend; the table is in the summary too.
faults() {
  tests/chaos/run "$@" --jobs $((cores * 3)) --once-more 2>&1 | tee build/chaos.log || { notes+=("$(cat build/chaos.log)"); return 1; }
  notes+=("$(cat build/chaos.log)")
}

# asked_elsewhere PRESET: the pattern of what this sanitizer leaves to the other one, or to another commit. As the commit says,
# a run asks the conformance of one networked store under a sanitizer, and an eighth of the simulation under
# AddressSanitizer; the long form all of it.
asked_elsewhere() {
  [ "$form" != long ] || { echo '^$'; return; }
  local stores=(zookeeper etcd consul nats) one=$(turn 8)
  case $1 in
    asan) unset "stores[$((one % 4))]" ;;
    tsan) unset "stores[$(((one + 2) % 4))]" ;;
  esac
  printf '^conformance_(%s)' "$(IFS='|' && echo "${stores[*]}")"
  [ "$1" != asan ] || printf '|^simulation\.[^%d]' "$one"
  echo
}

# asked_of_others: the pattern of the stores on which no fleet is asked this time (tests/integration/fleet): the whole form
# asks on one, as the commit says, the quick one and the long one on all; and of what fails under load on the way to the
# fleet's history a third, and half of the page's views, in a browser.
asked_of_others() {
  local stores=(zookeeper etcd consul nats)
  [ "$form" = whole ] || { echo '^$'; return; }
  unset "stores[$(turn 4)]"
  printf '^store_fleet_tests\\.(%s)asked$' "$(IFS='|' && echo "${stores[*]}")"
  local one=$(turn 3)
  printf '|^history_faults_tests\\.[^%d%d]' "$one" $((one + 3))
  local views=('now|week|timeline' 'attention|jobs|job')
  printf '|^Browser\\.(%s)$' "${views[$(turn 2 3-6)]}"
}

# ---- what does not fit into minutes

run_long() {
  build proof tests_long
  step 'long: 20,000 seeds'
  seq 0 7 | xargs -P "$cores" -I SHARD env GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=SHARD BALLOT_SEEDS=20000 \
    build/proof/tests/simulation --gtest_filter='Seeds/Random.*'
  step 'long: a fault at each call'
  BALLOT_FAULTS=all ctest --test-dir build/proof --output-on-failure -j"$cores" -R '^unit_(storage|local)\.'
  step 'long: three servers, ten thousand groups, minutes of candidates'
  ctest --test-dir build/proof --output-on-failure --no-tests=error -L '^long$'
  step 'long: faults with real servers, three seeds'
  faults all --long --seeds 3
  step 'long: job files by Ansible and Puppet'
  packaging/install-deps.sh management
  tests/package/config_management.sh
  step 'long: packages installed, upgraded and removed'
  tests/package/deb.sh
  tests/package/rpm.sh
  step 'long: samples of the docs that need servers'
  tests/docs/samples --long build/proof/bin/ballot
  step 'long: the store stands still'
  faults standstill --long
  step 'long: how long hand-overs take'
  faults handover --tries 20
}

# ---- the proof

if [ "$form" = fuzz ]; then
  step 'dependencies'
  packaging/install-deps.sh build test clang
  step "fuzz: $minutes minutes each"
  tests/fuzz/run "$minutes"
  exit
fi

step 'dependencies'
packaging/install-deps.sh build test ci clang browser

step 'style'
find runtime storage plugins tests examples -name '*.[ch]pp' -type f -print0 | xargs -0 -n 50 -P "$cores" clang-format-14 --dry-run --Werror
tests/size_rules.sh
tests/script_rules.sh

build proof
sanitized=$(under_asan)
ahead_of_time=('release all ballot_bench')
! asks_about_addresses || ahead_of_time+=("asan tests_${sanitized// / tests_}")
! asks_about_threads || ahead_of_time+=('tsan tests_threads')
[ "$form" = quick ] || build_ahead "${ahead_of_time[@]}"
# What is asked under AddressSanitizer of the runner and of a daemon alone is not asked again.
[ "$form" = whole ] && asks_about_addresses && [[ $sanitized == *runner* ]] && left_out='^(long|runner|daemon)$'
run_tests proof -E "$(asked_of_others)"
left_out='^long$'
step 'proof: faults with real servers'
# As asked_elsewhere(): which stores of a scenario are left out changes with the commit; the quick form leaves out none.
rotation=()
[ "$form" != whole ] || rotation=(--rotation "$(turn 65536)")
faults smoke ${rotation[@]+"${rotation[@]}"}
if [ "$form" != quick ]; then
  built_ahead release
  step 'release: no failpoints'
  tests/no_failpoints.sh build/release/bin/ballot build/release/bin/ballot-runner build/release/plugins/*.so
  step 'release: packages'
  # One of the two each time; the long form tries both, as it is shipped.
  [ "$form" = long ] || export BALLOT_CONFIGURED=yes
  [ "$form" != long ] && [ "$(turn 2)" = 1 ] || tests/package/deb.sh --quick
  [ "$form" != long ] && [ "$(turn 2)" = 0 ] || tests/package/rpm.sh --quick
  # It shows that every bench still measures, and waits most of the time: what its figures are worth is for people to judge.
  build/release/tests/ballot_bench --short > build/release/benches.log 2>&1 &
  benches=$!
  if asks_about_addresses; then
    built_ahead asan
    # What takes most of the time is the same few steps very often, and that ten times as long.
    # A backend's candidates in processes of their own run the code that those in one process run; days and fleets that
    # are simulated run that of an hour and of three nodes; ten thousand runs that of one.
    BALLOT_SEEDS=8 GTEST_FILTER='-Peers.*:Deposed.*:Slots.*:EveryTransition.*:BruteForce.*:ChosenDays.*:JobKeys.UnknownInGreat*:ImportCommand.WritesSeveral*:BothWays.ANodeThatHas*:Audit.OfADay*:Audit/EachRow.*:Scale.*:Isolation.OfTenThousand*:*/processes' \
      run_tests asan -L "^(${sanitized// /|})\$" -E "$(asked_elsewhere asan)"
  fi
  if asks_about_threads; then
    built_ahead tsan
    # What fails at each call in turn, is sent megabytes of junk, or has ten thousand groups in one thread, shows nothing
    # about threads.
    GTEST_FILTER='-HandingOnALedger.*:*/processes:Of/*:*Hostile*:LocalHandover.*TenThousand*' run_tests tsan -L '^threads$' -E "$(asked_elsewhere tsan)"
  fi
  wait "$ahead"
  ahead=
  step 'release: benches, short form (begun after the packages)'
  wait "$benches" || { cat build/release/benches.log; exit 1; }
  cat build/release/benches.log
fi
[ "$form" != long ] || run_long
