# Of the runner's process: its tests run a runner that is wrong.
ballot_mutant(runner_forgets_kill_grace FILE runtime/runner/attempt.cpp
  FIND "kill_grace_(start.kill_grace)," REPLACE "kill_grace_(0),"
  BY runner_tests IN ballot-runner FILTER "AttemptDeadline.*" FINDING "FAILED.*AttemptDeadline.UsesTheRunsOwn")
ballot_mutant(runner_forgets_kill_signal FILE runtime/runner/attempt.cpp
  FIND "kill_signal_(start.kill_signal)," REPLACE "kill_signal_(SIGTERM),"
  BY runner_tests IN ballot-runner FILTER "AttemptDeadline.*" FINDING "FAILED.*AttemptDeadline.UsesTheRunsOwn")
ballot_mutant(runner_has_no_deadlines FILE runtime/runner/attempt.cpp
  FIND "if (state_ == State::running && deadline_ && now >= *deadline_)" REPLACE "if (false)"
  BY runner_tests IN ballot-runner FILTER "AttemptDeadline.EndsTheRunAndSaysSo" FINDING "FAILED.*AttemptDeadline")
ballot_mutant(second_kill_lengthens FILE runtime/runner/attempt.cpp
  FIND "kill_at_ = std::min(kill_at_, kill_at);" REPLACE "kill_at_ = kill_at;"
  BY runner_tests IN ballot-runner FILTER "Kill.GivenTwice*" FINDING "FAILED.*Kill.GivenTwiceOnlyShortens")
ballot_mutant(stopped_child_stays_stopped FILE runtime/runner/attempt.cpp
  FIND "processes_.signal(SIGCONT, now);" REPLACE "(void)now;"
  BY runner_tests IN ballot-runner FILTER "Kill.EndsAStoppedChild" FINDING "FAILED.*Kill.EndsAStoppedChild")
ballot_mutant(output_keeps_its_tail_only FILE runtime/base/kept_output.cpp
  FIND "head_limit_ = size / 2;" REPLACE "head_limit_ = 0;"
  BY runner_tests FILTER "KeptOutput.*" FINDING "FAILED.*KeptOutput")
ballot_mutant(output_is_not_turned FILE runtime/base/kept_output.cpp
  FIND "std::rotate(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(tail_begin_), tail_.end());" REPLACE ""
  BY runner_tests FILTER "KeptOutput.*" FINDING "FAILED.*KeptOutput")
ballot_mutant(term_ends_finish_runs_too FILE runtime/runner/attempt.cpp
  FIND "terminate_(start.terminate)," REPLACE "terminate_(true),"
  BY runner_tests IN ballot-runner FILTER "SessionDeadline.EndsTheSessions*" FINDING "FAILED.*SessionDeadline.EndsTheSessionsTerminateRunsAndNoOthers")
ballot_mutant(child_does_not_look_at_the_clock FILE runtime/runner/child.cpp
  FIND "if (steady_now() > plan.not_after) return {\"exec\", 0, true};" REPLACE ""
  BY runner_tests IN ballot-runner FILTER "Faults.AChildPastItsTime*" FINDING "FAILED.*Faults.AChildPastItsTimeExecutesNothing")
ballot_mutant(child_has_no_umask FILE runtime/runner/child.cpp
  FIND "raw_call(SYS_umask, plan.umask);" REPLACE ""
  BY runner_tests IN ballot-runner FILTER "Start.SetsWorkingDir*" FINDING "FAILED.*Start.SetsWorkingDirUmaskAndNice")
ballot_mutant(child_has_no_limit_of_files FILE runtime/runner/child.cpp
  FIND "{{RLIMIT_NOFILE, limits.open_files, 0," REPLACE "{{RLIMIT_CORE, limits.open_files, 0,"
  BY runner_tests IN ballot-runner FILTER "Limit.OfOpenFiles*" FINDING "FAILED.*Limit.OfOpenFilesIsTheChilds")
ballot_mutant(resigns_after_a_clean_stop FILE runtime/runner/resigner.cpp
  FIND "  successor_.reset();\n" REPLACE ""
  BY runner_tests IN ballot-runner FILTER "RunnerAlone.ResignsNeverAfter*" FINDING "FAILED.*RunnerAlone.ResignsNeverAfterACleanStop")
ballot_mutant(resigns_while_the_lock_is_held FILE runtime/runner/resigner.cpp
  FIND "  if (is_locked()) {" REPLACE "  if (false) {"
  BY runner_tests IN ballot-runner FILTER "RunnerAlone.ResignsNotWhile*" FINDING "FAILED.*RunnerAlone.ResignsNotWhileTheLockIsHeld")
