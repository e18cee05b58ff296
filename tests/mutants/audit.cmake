ballot_mutant(audit_reports_no_gap FILE runtime/audit/job_audit.cpp
  FIND "if (!gap) return;" REPLACE "if (!std::exchange(gap, std::nullopt) || true) return;"
  BY unit_audit FILTER "Audits.*" FINDING "audit_test.cpp:[0-9]+: Failure")
ballot_mutant(audit_counts_no_slots_of_a_gap FILE runtime/audit/job_audit.cpp
  FIND "++gap_->slots;" REPLACE "gap_->slots = 1;"
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.FindManySlotsInARowAsOne")
ballot_mutant(audit_forgets_the_end_of_a_definition FILE runtime/audit/job_audit.cpp
  FIND "if (spans_.current() && spans_.current()->closed) miss_between(next->from);" REPLACE "(void)next;"
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.FindASlotWithoutARowBeforeTheDefinition")
ballot_mutant(audit_judges_what_retention_has_deleted FILE runtime/audit/job_audit.cpp
  FIND "if (row.slot < kept_since_) {" REPLACE "if (false) {"
  BY unit_audit FILTER "Audits.*" FINDING "audit_test.cpp:[0-9]+: Failure")
ballot_mutant(audit_allows_two_claims FILE runtime/audit/job_audit.cpp
  FIND "if (first && (first->run != row.run || !row.run))" REPLACE "if (false)"
  BY unit_audit FILTER "Audits.*" FINDING "audit_test.cpp:[0-9]+: Failure")
ballot_mutant(audit_allows_a_row_within_a_range FILE runtime/audit/job_audit.cpp
  FIND "if (range_ && row.slot <= last_slot(range_->row) && !yields(range_->row) &&" REPLACE "if (false &&"
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.FindASlotThatIsAmongManyToo")
ballot_mutant(audit_excuses_all_rows_within_a_range_brought_back FILE runtime/audit/spans.cpp
  FIND " && one.epoch > range.epoch);" REPLACE ");"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatAnotherNodesRepair")
ballot_mutant(audit_reports_runs_within_a_range_of_a_clock_that_was_ahead FILE runtime/audit/job_audit.cpp
  FIND "!was_ahead_of_a_repair(*range_, {entry}))" REPLACE "!was_ahead_of_another_repair(*range_, row))"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatSlotsAreDecidedAgain")
ballot_mutant(audit_asks_for_a_run_where_a_kept_slot_says_that_a_clock_was_set_back FILE runtime/audit/job_audit.cpp
  FIND "if (passed.row.run) return false;" REPLACE "if (passed.row.run || !decided) return false;"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatSlotsAreDecidedAgain")
ballot_mutant(audit_allows_rows_out_of_schedule FILE runtime/audit/job_audit.cpp
  FIND "if (due == 0) return report(" REPLACE "if (false) return report("
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.FindARowThatIsNotInTheSchedule")
ballot_mutant(audit_allows_a_retry_more FILE runtime/audit/spans.cpp
  FIND "attempt <= 1 + span.row().retries" REPLACE "attempt <= 2 + span.row().retries"
  BY unit_audit FILTER "Audits.*" FINDING "audit_test.cpp:[0-9]+: Failure")
ballot_mutant(audit_allows_equal_fences FILE runtime/audit/job_audit.cpp
  FIND "row.fence <= claimed_->fence" REPLACE "row.fence < claimed_->fence"
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.FindAFenceThatDidNotGrow")
ballot_mutant(audit_allows_equal_fences_of_attempts FILE runtime/audit/job_audit.cpp
  FIND "row.fence <= before->fence)" REPLACE "row.fence < before->fence)"
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.FindAnAttemptWithTheFenceOfTheOneBefore")
ballot_mutant(audit_allows_late_claims FILE runtime/audit/job_audit.cpp
  FIND "*decided > latest)" REPLACE "*decided > latest + launch_takes)"
  BY unit_audit FILTER "Audits.*" FINDING "audit_test.cpp:[0-9]+: Failure")
ballot_mutant(audit_allows_pauses_of_runs FILE runtime/audit/reasons.cpp
  FIND "if (row.status != Status::skipped) return wrong_(row," REPLACE "if (false) return wrong_(row,"
  BY unit_audit FILTER "AuditedReasons.*" FINDING "FAILED.*AuditedReasons.APauseOfAnything")
ballot_mutant(audit_judges_misfires_of_chains_by_their_slot FILE runtime/audit/reasons.cpp
  FIND "if (schedule::find_after(span.row().schedule)) return;" REPLACE "(void)span;"
  BY unit_audit FILTER "AuditedReasons.*" FINDING "FAILED.*AuditedReasons.NoMisfireOfASlot")
ballot_mutant(audit_believes_each_overlap FILE runtime/audit/reasons.cpp
  FIND "doubts_.push_back({row, row.slot + by.jitter" REPLACE "if (false) doubts_.push_back({row, row.slot + by.jitter"
  BY unit_audit FILTER "AuditedReasons.*" FINDING "FAILED.*AuditedReasons.OverlapWithoutARun")
ballot_mutant(audit_orders_overlaps_by_the_clock_alone FILE runtime/audit/reasons.cpp
  FIND "if (last_change_ > change) return;" REPLACE ""
  BY unit_audit FILTER "Overlap.*" FINDING "FAILED.*Overlap.BesideARunWhoseEndWasWrittenLater")
ballot_mutant(audit_orders_overlaps_by_a_clock_that_was_ahead_of_its_term FILE runtime/audit/reasons.cpp
  FIND "*term->ended_at < row.slot) return;" REPLACE "*term->ended_at < row.slot) (void)term;"
  BY unit_audit FILTER "Overlap.*" FINDING "FAILED.*Overlap.OfASlotThatWasDecided")
ballot_mutant(audit_excuses_overlaps_of_all_terms_that_are_over FILE runtime/audit/reasons.cpp
  FIND "*term->ended_at < row.slot) return;" REPLACE "term->ended_at->time_since_epoch() > Millis(0)) return;"
  BY unit_audit FILTER "Overlap.*" FINDING "FAILED.*Overlap.OfASlotThatWasDecided")
ballot_mutant(audit_believes_when_each_term_was_elected FILE runtime/audit/job_audit.cpp
  FIND "last_slot(row) > elected_at(term->second)" REPLACE "last_slot(row) > term->second.elected_at"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.MayHaveBeenAhead")
ballot_mutant(audit_believes_when_a_term_was_elected_that_repairs FILE runtime/audit/job_audit.cpp
  FIND "return (decided && *decided < elected) ||" REPLACE "return"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfASlotThatRan")
ballot_mutant(audit_excuses_what_ran_once_a_term_was_elected_that_repairs FILE runtime/audit/job_audit.cpp
  FIND "return (decided && *decided < elected) ||" REPLACE "return decided ||"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfASlotThatRan")
ballot_mutant(audit_reports_what_a_term_had_passed_that_was_over_before FILE runtime/audit/job_audit.cpp
  FIND "(ended && *ended < run.slot)" REPLACE "false"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfASlot")
ballot_mutant(audit_excuses_what_a_term_that_is_over_had_passed FILE runtime/audit/job_audit.cpp
  FIND "(ended && *ended < run.slot)" REPLACE "ended"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfASlot")
ballot_mutant(audit_goes_by_no_next_election FILE runtime/audit/terms.cpp
  FIND "over = std::min(over.value_or(WallTime::max()), next->second.elected_at);" REPLACE "(void)0;"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfASlotThatAnotherNodesTerm")
ballot_mutant(audit_takes_small_differences_for_a_clock_that_was_set_back FILE runtime/audit/terms.cpp
  FIND "*over + clock_difference < *own" REPLACE "*over < *own"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadInATerm")
ballot_mutant(audit_believes_elections_by_a_clock_that_was_behind FILE runtime/audit/job_audit.cpp
  FIND "!was_elected_after_a_step(terms_, row.group, row.epoch) &&" REPLACE ""
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereBehindAtAnElection")
ballot_mutant(audit_excuses_no_run_before_the_newest_claim FILE runtime/audit/job_audit.cpp
  FIND "(was_behind && passed.change" REPLACE "(false && passed.change"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.MayHaveBeenBehind")
ballot_mutant(audit_excuses_runs_before_a_repair_by_a_clock_that_was_right FILE runtime/audit/job_audit.cpp
  FIND "kept < elected && run.row.slot" REPLACE "run.row.slot"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.MayHaveBeenBehind")
ballot_mutant(audit_excuses_each_fence_of_a_slot_that_a_repair_kept FILE runtime/audit/job_audit.cpp
  FIND "(set_back_since || is_claimed_before(row, *claimed_))" REPLACE "true"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.MayHaveBeenBehind")
ballot_mutant(audit_excuses_no_run_that_a_repair_kept_and_that_ended_before_its_slot FILE runtime/audit/job_audit.cpp
  FIND "(set_back_since || is_claimed_before(row, *claimed_))" REPLACE "is_claimed_before(row, *claimed_)"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfASlotThatARepairHasKept")
ballot_mutant(audit_excuses_late_starts_of_runs_that_went_on FILE runtime/audit/spans.cpp
  FIND "row.epoch < by.first_epoch && change < by.change) later" REPLACE "row.epoch < by.first_epoch) later"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.WereAheadOfARun")
ballot_mutant(audit_believes_elections_of_terms_that_repaired_before FILE runtime/audit/reasons.cpp
  FIND "has_repaired ? std::min(" REPLACE "false ? std::min("
  BY unit_audit FILTER "AuditedReasons.*" FINDING "FAILED.*AuditedReasons.MisfireBefore")
ballot_mutant(audit_excuses_chains_after_slots_that_were_passed_on_time FILE runtime/audit/chain_audit.cpp
  FIND "over && *over < last->slot) return;" REPLACE "over) return;"
  BY unit_audit FILTER "AuditedChain.*" FINDING "FAILED.*AuditedChain.SaysNothingOfAParentsSlot")
ballot_mutant(audit_excuses_each_pause_of_a_term_before FILE runtime/audit/pauses.cpp
  FIND "term.ended_at && *pause.until <= *term.ended_at &&" REPLACE "term.ended_at &&"
  BY unit_audit FILTER "AuditedPauses.*" FINDING "FAILED.*AuditedPauses.KnowThatAPauseEnded")
ballot_mutant(audit_believes_the_ids_of_runs_that_were_asked_for FILE runtime/audit/job_audit.cpp
  FIND "decided && is_asked_for ? std::min" REPLACE "!decided && is_asked_for ? std::min"
  BY unit_audit FILTER "AuditedClocks.*" FINDING "FAILED.*AuditedClocks.OfANodeThatIsAsked")
ballot_mutant(audit_mixes_triggers_of_one_instant FILE runtime/audit/chain_audit.cpp
  FIND "!may_be_of_one_trigger(one, row)" REPLACE "false"
  BY unit_audit FILTER "AuditedChain.*" FINDING "FAILED.*AuditedChain.HoldsARunAgainst")
ballot_mutant(audit_guesses_the_trigger_of_a_millisecond FILE runtime/audit/chain_audit.cpp
  FIND " || (last && last->run != one.run)" REPLACE ""
  BY unit_audit FILTER "AuditedChain.*" FINDING "FAILED.*AuditedChain.HoldsARunAgainst")
ballot_mutant(what_no_calendar_leaves_out_is_believed FILE runtime/audit/job_audit.cpp
  FIND "if (row.reason == Reason::calendar && left_out < due)" REPLACE "if (false)"
  BY unit_audit FILTER "AuditedCalendar.*" FINDING "FAILED.*AuditedCalendar.FindsADay")
ballot_mutant(runs_on_days_that_are_left_out_are_right FILE runtime/audit/job_audit.cpp
  FIND "if (kind == schedule::Slot::Kind::left_out)" REPLACE "if (false)"
  BY unit_audit FILTER "AuditedCalendar.*" FINDING "FAILED.*AuditedCalendar.FindsARun")
ballot_mutant(parents_are_not_looked_at FILE runtime/audit/chain_audit.cpp
  FIND "may_have_more(definitions->second) || is_as_asked(*last, asked)" REPLACE "true"
  BY unit_audit FINDING "FAILED.*AuditedChain.FindsARunWhoseParentHasFailed" FILTER "AuditedChain.*")
ballot_mutant(parents_of_other_slots_are_not_looked_at FILE runtime/audit/chain_audit.cpp
  FIND "(last.run && is_as_asked(last, asked))" REPLACE "last.run"
  BY unit_audit FINDING "FAILED.*AuditedOwnSchedule.FindsARunWhoseParentsLatestSlot" FILTER "AuditedOwnSchedule.*")
ballot_mutant(the_end_of_another_term_is_believed FILE runtime/audit/chain_audit.cpp
  FIND " || latest->second.epoch != row.epoch" REPLACE ""
  BY unit_audit FINDING "FAILED.*AuditedOwnSchedule.SaysNothing" FILTER "AuditedOwnSchedule.*")
ballot_mutant(a_definition_of_later_is_not_looked_at FILE runtime/audit/chain_audit.cpp
  FIND "in_force && in_force == then" REPLACE "in_force"
  BY unit_audit FINDING "FAILED.*AuditedOwnSchedule.SaysNothing" FILTER "AuditedOwnSchedule.*")
ballot_mutant(audit_orders_claims_and_pauses_by_a_clock_that_went_back FILE runtime/audit/pauses.cpp
  FIND "if (claimed && row.ended_at && *row.ended_at < *at) return;" REPLACE ""
  BY unit_audit FILTER "AuditedPauses.*" FINDING "FAILED.*AuditedPauses.MayHaveBegunAfterARun")
ballot_mutant(audit_knows_no_repair_of_another_node FILE runtime/audit/spans.cpp
  FIND "return claimed_earlier && by.row.group == later.group" REPLACE "return false && by.row.group == later.group"
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.KnowThatAnotherNodesRepairKeeps")
ballot_mutant(audit_excuses_each_fence_of_another_node FILE runtime/audit/spans.cpp
  FIND "later.slot <= by.row.from && " REPLACE ""
  BY unit_audit FILTER "Audits.*" FINDING "FAILED.*Audits.KnowThatAnotherNodesRepairKeeps")
ballot_mutant(audit_reports_what_ran_after_another_nodes_repair FILE runtime/audit/job_audit.cpp
  FIND "claimed > *over))" REPLACE "claimed > WallTime{}))"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatASlotRan")
ballot_mutant(audit_excuses_a_slot_that_ran_past_its_deadline FILE runtime/audit/job_audit.cpp
  FIND "claimed > *over))" REPLACE "claimed < WallTime{}))"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatASlotRan")
ballot_mutant(audit_excuses_a_second_row_of_the_term_that_passed_the_slot FILE runtime/audit/job_audit.cpp
  FIND "run.group != row.group || run.epoch <= row.epoch) return false;" REPLACE "run.group != row.group) return false;"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatASlotRan")
ballot_mutant(audit_excuses_a_slot_that_nobody_else_can_have_repaired FILE runtime/audit/spans.cpp
  FIND "by.before > row.epoch &&" REPLACE "true &&"
  BY unit_audit FILTER "AuditedRanges.*" FINDING "FAILED.*AuditedRanges.KnowThatASlotRan")
ballot_mutant(audit_takes_what_was_claimed_ahead_for_its_terms FILE runtime/audit/job_audit.cpp
  FIND "row.trigger != Trigger::backfill && spans_.is_from_before(row)" REPLACE "false"
  BY unit_audit FILTER "Audited.*" FINDING "FAILED.*Audited.KnowThatARunWasBegun")
ballot_mutant(audit_excuses_pauses_that_a_term_found FILE runtime/audit/pauses.cpp
  FIND "pause.change > span.definition.change &&" REPLACE ""
  BY unit_audit FILTER "AuditedPauses.*" FINDING "FAILED.*AuditedPauses.DidNotBeginBeforeTheTerm")
ballot_mutant(audit_believes_when_each_pause_began FILE runtime/audit/pauses.cpp
  FIND "!began_by_a_wrong_clock(pause, row, span) &&" REPLACE ""
  BY unit_audit FILTER "AuditedPauses.*" FINDING "FAILED.*AuditedPauses.DidNotBeginBeforeTheTerm")

# ---- backfills

ballot_mutant(attempts_of_backfills_are_not_audited FILE runtime/audit/job_audit.cpp
  FIND "check_attempts(backfilled);" REPLACE ""
  FINDING "FAILED.*AuditsOfBackfills.Find" BY unit_audit FILTER "AuditsOfBackfills.*")
