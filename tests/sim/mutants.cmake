# ballot_mutant(NAME FILE file FIND text REPLACE text FINDING regex [FILTER tests])
# The simulation with FIND, which stands once in FILE, replaced. ctest checks that it fails and says FINDING. FILTER:
# which tests have to kill it; by default random life.
function(ballot_mutant name)
  cmake_parse_arguments(MUTANT "" "FILE;FIND;REPLACE;FINDING;FILTER" "" ${ARGN})
  if(NOT MUTANT_FILTER)
    set(MUTANT_FILTER "Seeds/Random.*")
  endif()
  set(program simulation_${name})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cpp)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} "-DIN=${CMAKE_SOURCE_DIR}/${MUTANT_FILE}" "-DOUT=${source}" "-DFIND=${MUTANT_FIND}"
      "-DREPLACE=${MUTANT_REPLACE}" -P ${here}/mutate.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/${MUTANT_FILE} ${here}/mutate.cmake ${here}/mutants.cmake VERBATIM)
  # Its object comes before the library that has the same one unharmed, which is then not taken out of it.
  add_executable(${program} main.cpp ${source})
  ballot_flags(${program})
  target_compile_options(${program} PRIVATE -w)
  target_link_libraries(${program} PRIVATE simulation_tests ballot_sim_world GTest::gtest)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/mutants)
  add_test(NAME Mutant.${name}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> "-DFILTER=${MUTANT_FILTER}"
      "-DFINDING=${MUTANT_FINDING}" -P ${here}/expect_finding.cmake)
  set_tests_properties(Mutant.${name} PROPERTIES LABELS sim TIMEOUT 600)
endfunction()

# ---- who is told

ballot_mutant(end_told_of_each_attempt FILE runtime/core/notify.cpp
  FIND "shows_run(before, run) && !shows_run(next, run)" REPLACE "shows_run(before, run)"
  FINDING "tells the end of a run that is open" FILTER "Notices.*:Seeds/Random.*")
ballot_mutant(failures_forgotten FILE runtime/core/notify.cpp
  FIND "write.next.failing = true" REPLACE "write.next.failing = write.next.failing"
  FINDING "FAILED.*Notices.OfARecovery" FILTER "Notices.*")
ballot_mutant(told_as_it_ends FILE runtime/core/job_runs.cpp
  FIND "c.out.push_back(AwaitRecorded{run.id()})"
  REPLACE "c.out.push_back(AwaitRecorded{run.id()}), wants_to_be_told(definition_of(run)) ? c.out.push_back(Notify{Notify::Event::ended, run.row, definition_of(run), false}) : void()"
  FINDING "tells the end of a run that is open|tells a second time" FILTER "Notices.*:Seeds/Random.*")

# ---- how long a leader may act

ballot_mutant(lease_from_answer FILE runtime/core/session.cpp
  FIND "std::max(deadline_, sent + timeout_ - margin())" REPLACE "std::max(deadline_, now.steady + timeout_ - margin())"
  FINDING "started by a term that the store may have ended|outlived its term" FILTER "Lease.*:Seeds/Random.*")
ballot_mutant(no_launch_budget FILE runtime/core/job_runs.cpp
  FIND "c.session.deadline() - launch_budget" REPLACE "c.session.deadline()"
  FINDING "too near to the deadline of its term")
ballot_mutant(dead_terms_runs_are_not_waited_for FILE runtime/core/job_runs.cpp
  FIND "} else if (own || !term_) {" REPLACE "} else if (own || true) {"
  FINDING "2 runs of job" FILTER "OneHost.*")
ballot_mutant(deadline_not_told_anew FILE runtime/core/core.cpp
  FIND "if (group->told == session_.deadline()) continue;" REPLACE "if (group->told) continue;"
  FINDING "FAILED.*Deadline.MovesOn" FILTER "Deadline.*")

# ---- the claim

ballot_mutant(writes_without_version FILE tests/support/sim_store.cpp
  FIND "if (present != write.version) return" REPLACE "if (false) return"
  FINDING "went back|claimed|started")
ballot_mutant(refusal_after_unknown_believed FILE runtime/core/job_write.cpp
  FIND "if (!pending_->unknown) return on_write_failed(c, answer.text)" REPLACE "return on_write_failed(c, answer.text)"
  FINDING "FAILED.*Answers.RefusedAfter" FILTER "Answers.*")
ballot_mutant(late_claim_launched FILE runtime/core/job_runs.cpp
  FIND "if (is_late(c, *run)) return" REPLACE "if (false) return"
  FINDING "past its start deadline")
ballot_mutant(waiting_slot_never_late FILE runtime/core/job.cpp
  FIND "while (settlement_.first_due() && c.now.wall - settlement_.first_due()->due > definition_->job.start_deadline)"
  REPLACE "while (false)"
  FINDING "FAILED.*Waiting.ASlotPastItsStartDeadline" FILTER "Waiting.*")
ballot_mutant(refused_launch_given_up FILE runtime/core/job_runs.cpp
  FIND "const bool term_lives = standing_" REPLACE "const bool term_lives = false && standing_"
  FINDING "FAILED.*Refused.ALaunchIsPermittedAnew" FILTER "Refused.*")
ballot_mutant(claims_while_draining FILE runtime/core/job.cpp
  FIND "if (term_->draining || is_paused() || !is_defined()) {" REPLACE "if (is_paused() || !is_defined()) {"
  FINDING "while it stops")
ballot_mutant(paused_claim_launched FILE runtime/core/job_runs.cpp
  FIND "is_late(c, run) || (is_paused() && !run.is_by_hand())" REPLACE "is_late(c, run)"
  FINDING "FAILED.*Pause.OnceAcknowledged" FILTER "Pause.*")

# ---- policies

ballot_mutant(overlap_allowed FILE runtime/core/job.cpp
  FIND "return runs_begun() < most_at_once()" REPLACE "return true"
  FINDING "FAILED.*Overlap.Queue" FILTER "Overlap.*")
ballot_mutant(places_not_counted FILE runtime/core/core.cpp
  FIND "own_running_ += own - entry.own_running" REPLACE "(void)own"
  FINDING "too many runs at once|FAILED.*Places" FILTER "Places.*")
ballot_mutant(queue_without_bound FILE runtime/core/settlement.cpp
  FIND "while (due_count() > rules.most_due)" REPLACE "while (false)"
  FINDING "FAILED.*Overlap.Queue" FILTER "Overlap.*")
ballot_mutant(retry_not_waited_for FILE runtime/core/job_write.cpp
  FIND "if (open.waits_until && !find({open.id, open.attempt})) adopt_run(c, open)" REPLACE "(void)open"
  FINDING "FAILED.*Retries" FILTER "Retries.*")

# ---- the end

ballot_mutant(closed_before_durable FILE runtime/core/job_runs.cpp
  FIND "c.out.push_back(AwaitRecorded{run.id()})" REPLACE "run.recorded = true"
  FINDING "closed before its row was durable")
ballot_mutant(forget_never_sent FILE runtime/core/job_write.cpp
  FIND "if (run && run->known_to_runner) c.out.push_back(Forget{id})" REPLACE "(void)run"
  FINDING "still keeps the end of run")
ballot_mutant(evidence_not_copied FILE runtime/core/job_store.cpp
  FIND "  copy_dispositions(c)" REPLACE "  (void)0"
  FINDING "has no disposition")
ballot_mutant(dispositions_dropped_before_durable FILE runtime/core/job_write.cpp
  FIND "c.out.push_back(AwaitSettled{{name_, ranges_recorded_}})" REPLACE "ranges_durable_ = ranges_recorded_"
  FINDING "has no disposition" FILTER "*SlowLedger.*")
ballot_mutant(group_end_not_recorded FILE runtime/core/core_groups.cpp
  FIND "group.stored.ended_at = c.now.wall" REPLACE "group.stored.ended_at.reset()"
  FINDING "FAILED.*Stop.RecordsTheEndOfTheTerm" FILTER "Stop.*")
ballot_mutant(gap_is_due FILE runtime/core/settlement.cpp
  FIND "if (slot.dst_gap && candidates_.empty()) return add_decided(slot.at, Status::missed, Reason::dst_gap)"
  REPLACE "slot.dst_gap = false"
  FINDING "FAILED.*Gap.ADateThatDoesNotExist" FILTER "Gap.*")

# ---- runs without a claim

ballot_mutant(unclaimed_before_its_row_is_durable FILE runtime/core/job_ahead.cpp
  FIND "run.unclaimed ? run.recorded :" REPLACE "run.unclaimed ? true :"
  FINDING "FAILED.*Unclaimed.ARunWaitsForItsRow" FILTER "Unclaimed.*")
ballot_mutant(unclaimed_is_never_entered FILE runtime/core/job_ahead.cpp
  FIND "if (ahead_.empty()) return false;" REPLACE "return false;"
  FINDING "FAILED.*Unclaimed.EachSlotOfTheDoubt" FILTER "Unclaimed.*")

# ---- requests

ballot_mutant(answered_twice FILE runtime/core/core_requests.cpp
  FIND "if (answered_.contains(id)) return" REPLACE "if (false) return"
  FINDING "each is skipped once" FILTER "Answered.*")

# ---- candidates without jobs

ballot_mutant(candidate_does_not_wait_for_the_old_lease FILE runtime/core/candidacy.cpp
  FIND "std::max(event.old_deadline.value_or(now.steady), now.steady)" REPLACE "now.steady"
  FINDING "starts a second child" FILTER "Candidates.*")
