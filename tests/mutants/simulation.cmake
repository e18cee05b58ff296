# Simulation: what would be shown wrongly of a fleet that is simulated.
ballot_mutant(a_node_is_lost_after_what_is_due_then FILE runtime/simulation/simulate.cpp
  FIND "loop_.at(clock_.steady(loss.at), 0," REPLACE "loop_.at(clock_.steady(loss.at) + Millis(1), 0,"
  BY unit_simulation FILTER "Losses.*" FINDING "FAILED.*Losses.TheGroupsOfALostNode")
ballot_mutant(runs_from_before_the_span_are_left_out FILE runtime/simulation/simulate.cpp
  FIND "longest = std::max(longest, std::min(*takes, definition->job.deadline.value_or(*takes)));" REPLACE "(void)takes;"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.ARunFromBeforeTheSpan")
ballot_mutant(a_simulation_goes_on_past_its_bound FILE runtime/simulation/simulate.cpp
  FIND "if (done > fleet_.most_steps)" REPLACE "if (false)"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.WhatIsTooMuch")
ballot_mutant(assumed_times_run_into_timeouts FILE runtime/simulation/simulated_node.cpp
  FIND "is_cut && known ? Reason::deadline" REPLACE "is_cut ? Reason::deadline"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.KnownTimesAreCut")
ballot_mutant(who_waits_for_its_parents_is_late FILE runtime/simulation/tally.cpp
  FIND "until(WaitFor::upstream, upstream_end(of, launch));" REPLACE "(void)0;"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.AChildStartsWhen")
ballot_mutant(who_waits_for_its_own_run_waits_for_a_leader FILE runtime/simulation/tally.cpp
  FIND "until(WaitFor::own_run, of.last_end);" REPLACE "(void)0;"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.AQueueLets")
ballot_mutant(each_limit_is_the_nodes FILE runtime/simulation/tally.cpp
  FIND "group.max_running > 0 && (group.running >= group.max_running || fleet_.max_running == 0)" REPLACE "false"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.AGroupsLimit")
ballot_mutant(evidence_of_a_slot_counts_again FILE runtime/simulation/tally.cpp
  FIND "record.if_absent || !is_final(row.status)" REPLACE "!is_final(row.status)"
  BY unit_simulation FILTER "Losses.*" FINDING "FAILED.*Losses.ASlotThatTheNextLeaderFindsDecided")
ballot_mutant(an_attempt_before_the_last_counts FILE runtime/simulation/tally.cpp
  FIND "unsuccessful_.extract(launch.id.run)" REPLACE "unsuccessful_.extract(RunId{})"
  BY unit_simulation FILTER "Losses.*" FINDING "FAILED.*Losses.ARunThatMayBeginTwice")
ballot_mutant(slots_that_nobody_decides_are_not_told FILE runtime/simulation/tally.cpp
  FIND "  count_undecided();" REPLACE ""
  BY unit_simulation FILTER "Losses.*" FINDING "FAILED.*Losses.WithNobodyLeft")
ballot_mutant(slots_without_a_place_are_missed_by_nothing FILE runtime/simulation/tally.cpp
  FIND "if (!group_is_full && !node_is_full) return;" REPLACE "return;"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.ASlotThatWaitsForAPlace")
ballot_mutant(a_term_before_has_led_all_the_time FILE runtime/simulation/fleet_store.cpp
  FIND "were_lost_.contains(request.node) ? settings_.session_timeout" REPLACE "false ? settings_.session_timeout"
  BY unit_simulation FILTER "Losses.*" FINDING "FAILED.*Losses.WithNobodyLeft")
ballot_mutant(an_hour_forgets_what_runs_since_before FILE runtime/simulation/load_series.cpp
  FIND "hour.most_running = std::max(hour.most_running, running_);" REPLACE ""
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.ARunFromBeforeTheSpan")
ballot_mutant(a_skip_after_a_lost_run_is_no_loss FILE runtime/simulation/loss_tally.cpp
  FIND "(lost.slot == row.slot || lost.slot == parent.last)" REPLACE "false"
  BY unit_simulation FILTER "Losses.*" FINDING "FAILED.*Losses.ARunThatMayBeginOnce")
ballot_mutant(a_register_is_written_over_any_version FILE runtime/simulation/store_contents.cpp
  FIND "if (present != write.version)" REPLACE "if (false)"
  BY unit_simulation FILTER "StoreContents.*" FINDING "FAILED.*StoreContents.ARegister")
ballot_mutant(the_last_day_is_usual FILE runtime/library/history/usual_time.cpp
  FIND "{2 * day, day}," REPLACE "{2 * day, 0 * day},"
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.AreTheMiddle")
ballot_mutant(a_young_jobs_newest_runs_are_usual FILE runtime/library/history/usual_time.cpp
  FIND "std::max(least, runs.size() / 2)" REPLACE "least"
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.OfAYoungJobAreTheMiddle")
ballot_mutant(a_young_job_that_grew_slow_is_usual FILE runtime/library/history/usual_time.cpp
  FIND "std::size_t grown = grown_slow(looked.all);" REPLACE "std::size_t grown = 0;"
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.OfAYoungJobThatGrewSlow")
ballot_mutant(a_job_that_has_been_slow_for_days_is_usually_so FILE runtime/library/history/usual_time.cpp
  FIND "if (grown > 0) return" REPLACE "if (grown > 0 && is_young) return"
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.OfAJobThatHasBeenSlowForDays")
ballot_mutant(the_oldest_runs_are_not_looked_at FILE runtime/library/history/usual_time.cpp
  FIND "const Runs oldest = oldest_of(all, now);" REPLACE "const Runs oldest;"
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.AreSlowerHoweverShort")
ballot_mutant(a_quick_night_makes_the_days_slow FILE runtime/library/history/usual_time.cpp
  FIND " && !is_slow_all_day(all, oldest, now)" REPLACE " && false"
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.OfAJobThatIsQuickAtNight")
ballot_mutant(what_a_silent_node_may_have_is_not_missed FILE runtime/library/history/usual_time.cpp
  FIND " || may_lack_older(last, missing)" REPLACE ""
  BY unit_library FILTER "UsualTimes.*" FINDING "FAILED.*UsualTimes.OfAYoungJobAreNotKnown")
ballot_mutant(slots_that_nobody_starts_are_counted_without_end FILE runtime/simulation/tally.cpp
  FIND "return unrun_ > fleet_.most_unrun;" REPLACE "return false;"
  BY unit_simulation FILTER "Simulate.*" FINDING "FAILED.*Simulate.SlotsWithoutEnd")
