# Killed by the simulation; see CMakeLists.txt.

# ---- who is told

ballot_mutant(end_told_of_each_attempt FILE runtime/core/job/runs/run_notices.cpp
  FIND "shows_attempt(before, run) && !shows_run(next, run.open.id)" REPLACE "shows_attempt(before, run)"
  FINDING "notifies of the end of a run that is open" FILTER "Notices.*:Seeds/Random.*")
ballot_mutant(failures_forgotten FILE runtime/core/job/runs/run_notices.cpp
  FIND "if (is_failure(run->row)) next.failing = true;" REPLACE ""
  FINDING "FAILED.*Notices.OfARecovery" FILTER "Notices.*")
ballot_mutant(told_as_it_ends FILE runtime/core/job/runs/run_set.cpp
  FIND "c.out.push_back(AwaitRecorded{run.id()})"
  REPLACE "c.out.push_back(AwaitRecorded{run.id()}), run.definition ? c.out.push_back(Notify{Notify::Event::ended, run.row, run.definition, false}) : void()"
  FINDING "notifies of the end of a run that is open|notifies a second time" FILTER "Notices.*:Seeds/Random.*")

ballot_mutant(write_that_is_taken_for_decided_is_so_only_where_it_claims FILE runtime/core/job/register/register_writer.cpp
  FIND "pending_->is_detached = true;" REPLACE "pending_->is_detached = pending_->is<CatchUp>();"
  FINDING "RUN.*Unclaimed.TheEndOfABackfill" FILTER "Unclaimed.TheEndOfABackfill*")
ballot_mutant(slots_are_taken_up_of_a_parent_that_is_halted_or_repaired FILE runtime/core/job/chain/chained.cpp
  FIND "if (parent->is_repairing() || parent->role() == JobMachine::Role::halted) continue;" REPLACE ""
  FINDING "FAILED.*ParentOfBefore.WhileItsRepairIsWrittenNoSlot" FILTER "ParentOfBefore.*")
ballot_mutant(node_that_is_gone_may_lead_a_group FILE runtime/core/node/peers.cpp
  FIND "return known.second.life != Peer::Life::gone && may_lead(" REPLACE "return may_lead("
  BY unit_core FILTER "NodesThatMayLead.*" FINDING "FAILED.*NodesThatMayLead.AreThisNode")
ballot_mutant(register_is_led_that_another_group_has_repaired FILE runtime/core/job/job_machine.cpp
  FIND "if (is_of_another_group()) return leave(c);
  writes(c)" REPLACE "writes(c)"
  BY simulation FILTER "Seeds/RepairedByTwoLeaders.*" FINDING "FAILED.*AndTheOtherOneLeavesItsRuns")
ballot_mutant(register_is_led_that_another_group_had_repaired FILE runtime/core/job/job_machine.cpp
  FIND "if (is_of_another_group()) return leave(c);
    if" REPLACE "if"
  BY simulation FILTER "Seeds/RepairedByTwoLeaders.*" FINDING "FAILED.*WhereTheOtherOneIsAskedLater")
ballot_mutant(run_that_ends_with_its_term_outlives_it_where_its_job_is_left FILE runtime/core/job/job_machine.cpp
  FIND "kill_all(c, Reason::leadership_lost, ends_with_term);" REPLACE ""
  BY simulation FILTER "Seeds/RepairedByTwoLeaders.*" FINDING "FAILED.*ARunThatEndsWithItsTerm")
ballot_mutant(repair_goes_by_what_was_read_in_another_term FILE runtime/core/job/register/register_view.cpp
  FIND "is_older_now || (before_ && before_->epoch == term.epoch);" REPLACE "before_ != nullptr;"
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.ARepairGoesBy")
ballot_mutant(repair_believes_a_register_that_says_that_it_is_older FILE runtime/core/job/register/register_view.cpp
  FIND "(trouble().empty() || is_older(stored_, *before_, is_cursor_lost))" REPLACE "trouble().empty()"
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.WhatSaysThatItIsOlder")
ballot_mutant(repair_forgets_runs_whose_lines_are_lost FILE runtime/core/job/register/register_view.cpp
  FIND "if (is_lost(\"run\") && !is_shown" REPLACE "if (false && !is_shown"
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.ARunWhoseLine")
ballot_mutant(repair_takes_runs_for_open_that_other_lines_name_as_ended FILE runtime/core/job/register/register_view.cpp
  FIND "!is_shown && !has_ended(salvaged, run) &&" REPLACE "!is_shown &&"
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.ARunThatOther")
ballot_mutant(repair_forgets_the_slots_of_a_halt_where_since_is_lost FILE runtime/core/job/register/register_view.cpp
  FIND "if (stored_.cursor <= now) return stored_.cursor;" REPLACE ""
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.WhereSinceIsLost")
ballot_mutant(repair_goes_on_from_now_where_the_cursor_is_lost FILE runtime/core/job/register/register_view.cpp
  FIND "is_cursor_lost ? settled_until(now) : stored_.cursor;" REPLACE "is_cursor_lost ? now : stored_.cursor;"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.WhereTheCursorIsLost")
ballot_mutant(repair_goes_by_the_last_claim_alone_where_the_cursor_is_lost FILE runtime/core/record/register.cpp
  FIND "r.cursor == WallTime{} ? fault_of_lists(r) : fault_of_job(r)" REPLACE "fault_of_job(r)"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.WhereTheCursorIsLostItWasAtTheEnd")
ballot_mutant(repair_takes_a_claim_ahead_of_the_clock_for_the_lost_cursor FILE runtime/core/job/register/register_view.cpp
  FIND "if (stored_.claimed_until <= now) until" REPLACE "until"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.AClaimThatIsAhead")
ballot_mutant(repair_takes_the_claim_of_before_for_the_lost_cursor FILE runtime/core/job/register/register_view.cpp
  FIND "if (until == WallTime{}) until = std::min(found, now);" REPLACE "if (until == WallTime{} && !before_) until = std::min(found, now);"
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.WhereTheLastClaim")
ballot_mutant(halt_of_a_lost_register_has_no_slots FILE runtime/core/job/register/register_view.cpp
  FIND "if (is_known && timing != stored_.timing) return;" REPLACE "if (timing != stored_.timing) return;"
  FILTER "LostLines.*" FINDING "FAILED.*LostLines.OfAWholeRegister")
ballot_mutant(repair_ends_a_pause_whose_first_line_is_lost FILE runtime/core/record/register.cpp
  FIND "if (r.interventions->paused_at) r.paused = true;" REPLACE ""
  BY unit_core FILTER "JobRegister.*" FINDING "FAILED.*JobRegister.IsPausedYet")
ballot_mutant(repair_begins_a_pause_that_is_over FILE runtime/core/record/register.cpp
  FIND "if (!r.paused && !may_be_lost(\"paused\", left_out)) return;" REPLACE ""
  BY unit_core FILTER "JobRegister.*" FINDING "FAILED.*JobRegister.OfAPauseThatIsOver")
ballot_mutant(repair_forgets_the_end_of_a_pause_that_it_had_read FILE runtime/core/job/register/register_view.cpp
  FIND "of.pause_terms = known.pause_terms;" REPLACE "of.pause_terms = {};"
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.OfAPause")
ballot_mutant(repair_believes_a_claim_that_the_cursor_has_not_passed FILE runtime/core/job/register/register_view.cpp
  FIND "!may_be_lost(\"repaired\", lost)) stored_.claimed_until" REPLACE "false) stored_.claimed_until"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.ARepairForOtherLinesDrops")
ballot_mutant(repair_drops_claims_where_an_earlier_repair_may_be_lost FILE runtime/core/job/register/register_view.cpp
  FIND "if (claims_ahead(now) && !is_cursor_lost && !may_be_lost(\"repaired\", lost))" REPLACE "if (claims_ahead(now) && !is_cursor_lost)"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.ARepairKeepsClaims")
ballot_mutant(repair_that_is_not_finished_leaves_claims_to_be_dropped FILE runtime/core/job/register/register_view.cpp
  FIND "if (stored_.claims_beyond_cursor()) stored_" REPLACE "if (false) stored_"
  BY unit_core FILTER "View.*" FINDING "FAILED.*View.ACursorThatIsAheadOfTheClockGoesBackBehind")
ballot_mutant(since_that_is_ahead_has_settled_slots_missed FILE runtime/core/job/register/register_view.cpp
  FIND "seen = std::max(seen, stored_.cursor);" REPLACE "seen = std::max(seen, cursor_);"
  BY unit_core FILTER "View.*" FINDING "FAILED.*View.OnlyASinceThatIsAhead")
ballot_mutant(claim_ahead_of_the_clock_stands FILE runtime/core/job/register/register_view.cpp
  FIND "if (claims_ahead(now)) stored_.claimed_until = stored_.cursor;" REPLACE ""
  FILTER "LostLines.*" FINDING "FAILED.*LostLines.AreOneWhichSays")
ballot_mutant(repair_does_not_say_that_a_run_may_go_on FILE runtime/core/job/repair.cpp
  FIND "of_run = of_run || lost[i].empty() ||" REPLACE "of_run = of_run ||"
  BY unit_core FILTER "AnswerOfARepair.*" FINDING "FAILED.*AnswerOfARepair.SaysThatARun")
ballot_mutant(register_that_was_released_by_hand_is_anybodys FILE runtime/core/record/register.cpp
  FIND "if (r.released && !r.definition.empty())" REPLACE "if (false)"
  BY unit_core FILTER "JobRegister.*" FINDING "FAILED.*JobRegister.ThatIsReleasedAndHas")
ballot_mutant(repair_that_loses_the_definition_is_an_edit FILE runtime/core/job/job_machine.cpp
  FIND "if (job_.definition) job_.view.take_definition" REPLACE "if (false) job_.view.take_definition"
  FILTER "LostLines.*" FINDING "FAILED.*LostLines.OfWhichTheDefinitionIsOneAreNoEdit")
ballot_mutant(repair_that_loses_the_definition_hides_an_edit FILE runtime/core/job/register/register_view.cpp
  FIND "if (is_known && timing != stored_.timing) return;" REPLACE ""
  FILTER "LostDefinition.*" FINDING "FAILED.*LostDefinition.IsAnEditOfAJob")
ballot_mutant(slots_before_a_lost_since_that_have_run_are_due_again FILE runtime/core/job/register/register_view.cpp
  FIND "return cursor_ == WallTime{} ? now : std::min(cursor_, now);" REPLACE "return stored_.cursor;"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.WhereSinceIsLostNoSlot")
ballot_mutant(repair_runs_slots_again_whose_claim_is_lost FILE runtime/core/job/register/register_view.cpp
  FIND "if (stored_.cursor > now && is_claim_lost(stored_, lost))" REPLACE "if (false)"
  BY unit_core FILTER "Unread.*" FINDING "FAILED.*Unread.WhereTheLastClaimIsLostNoSlotUpTo")
ballot_mutant(repair_takes_an_earlier_claim_for_the_lost_one FILE runtime/core/job/register/register_view.cpp
  FIND "return is_named(\"claimed\", lost) || (" REPLACE "return ("
  BY unit_core FILTER "ReadInAnotherTerm.*" FINDING "FAILED.*ReadInAnotherTerm.WhereTheLastClaimIsLostTheOne")
ballot_mutant(timing_may_be_lost_wherever_a_line_is_of_a_newer_build FILE runtime/core/job/register/register_view.cpp
  FIND "const bool may_be_all = stored_.timing.expressions.empty() && may" REPLACE "const bool may_be_all = may"
  FILTER "LostDefinition.*" FINDING "FAILED.*LostDefinition.IsAnEditAlsoBeside")
ballot_mutant(claim_is_beyond_the_cursor_by_any_repair_of_before FILE runtime/core/job/register/pending_write.cpp
  FIND "next.note_claims_passed();" REPLACE ""
  FILTER "LostLines.*" FINDING "FAILED.*LostLines.AreOneWhichSaysThatASlotWasClaimedInAYearAlso")
ballot_mutant(claims_that_a_repair_has_left_ahead_are_passed_at_once FILE runtime/core/record/register.cpp
  FIND "if (claimed_until <= cursor && repaired" REPLACE "if (repaired"
  BY unit_core FILTER "View.*" FINDING "FAILED.*View.ARepairLeavesClaimsAhead")

# ---- what is expected

set(expectations runtime/core/job/expect/expectations.cpp)
ballot_mutant(slow_run_not_noticed FILE ${expectations}
  FIND "is_heard_of && is_counted(run) && c.now.steady" REPLACE "false && c.now.steady"
  FINDING "in quiet time: run .* takes longer than expected")
ballot_mutant(slow_run_told_with_each_write FILE ${expectations}
  FIND "if (open.slow && !(before && before->slow) && " REPLACE "if (open.slow && "
  FINDING "notifies a second time")
ballot_mutant(slow_run_of_a_dead_node FILE ${expectations}
  FIND "(run.state == State::foreign && run.goes_on)" REPLACE "run.state == State::foreign"
  FINDING "no attempt of it took so long|told of as slow")
ballot_mutant(slow_run_that_has_ended_forgotten FILE ${expectations}
  FIND "run.row.duration && *run.row.duration > within" REPLACE "false"
  FINDING "took longer than expected")
ballot_mutant(run_slow_at_its_limit FILE ${expectations}
  FIND "run.row.duration && *run.row.duration > within" REPLACE "run.row.duration && *run.row.duration >= within"
  FINDING "told of as slow")
ballot_mutant(overdue_while_paused FILE ${expectations}
  FIND "if (c.settings.dry_run || job.is_paused() || stored.paused || " REPLACE "if (c.settings.dry_run || "
  FINDING "FAILED.*Overdue.IsNoPausedJob|told of as overdue, and it is paused" FILTER "Overdue.*:Seeds/Random.*")
ballot_mutant(pause_counts_as_time_without_success FILE ${expectations}
  FIND "if (resumed_at) expect_from(success, *resumed_at);" REPLACE ""
  FINDING "goes on after it|it was resumed since")
ballot_mutant(overdue_after_a_success FILE ${expectations}
  FIND "if (has_succeeded_since(success, job.stored, next) && !is_overdue(c, job, next)) success.overdue.reset();" REPLACE ""
  FINDING "is overdue still, and a run of it has succeeded since")
ballot_mutant(overdue_after_a_success_by_a_clock_behind FILE ${expectations}
  FIND "last != stored.last_end->last_success || *last" REPLACE "*last"
  FINDING "FAILED.*Overdue.EndsWithASuccessAlsoWhere" FILTER "Overdue.*")
ballot_mutant(success_on_its_way_not_counted FILE ${expectations}
  FIND "run.has_ended() && run.row.status == Status::succeeded &&" REPLACE "false &&"
  FINDING "FAILED.*Overdue.IsNoJobWhoseSuccess" FILTER "Overdue.*")
ballot_mutant(overdue_with_time_left_by_an_edit FILE ${expectations}
  FIND "if (is_edited && !is_overdue(c, job, next)) success.overdue.reset();" REPLACE ""
  FINDING "is overdue still, and by its file has time left")
ballot_mutant(overdue_told_with_each_write FILE ${expectations}
  FIND "next.kept->success->overdue && !job.stored.kept->success->overdue" REPLACE "next.kept->success->overdue"
  FINDING "notifies a second time")
ballot_mutant(group_pause_counts_as_time_without_success FILE runtime/core/job/job_machine.cpp
  FIND "if (expects || job_.slots.settlement().has_decided())" REPLACE "if (job_.slots.settlement().has_decided())"
  FINDING "it was resumed since")
ballot_mutant(slot_late_as_it_is_due FILE ${expectations}
  FIND "late_after > Millis(0) && now - due > late_after" REPLACE "late_after > Millis(0) && now >= due"
  FINDING "notifies without cause")
ballot_mutant(late_slot_not_noticed FILE runtime/core/job/job_claims.cpp
  FIND "run.late = begins_late(job_.definition, due.due, c_.now.wall);" REPLACE ""
  FINDING "its slot began later than expected, unnoticed|begins later than expected, and nobody is told")
ballot_mutant(end_of_overdue_no_recovery FILE runtime/core/job/runs/run_notices.cpp
  FIND "job.stored.failing || is_over" REPLACE "job.stored.failing || (is_over && false)"
  FINDING "does not say that its job is well again")

# ---- how long a leader may act

ballot_mutant(lease_from_answer FILE runtime/core/session/session.cpp
  FIND "std::min(sent, event.counts_from.value_or(sent)) + lease()" REPLACE "now.steady + lease()"
  FINDING "started by a term that the store may have ended|outlived its term" FILTER "Lease.*:Seeds/Random.*")
ballot_mutant(no_launch_budget FILE runtime/core/job/runs/run_set.cpp
  FIND "c.session.deadline() - budget_of(c, run)));" REPLACE "c.session.deadline()));"
  FINDING "too near to the deadline of its term")
ballot_mutant(dead_terms_runs_are_not_waited_for FILE runtime/core/job/runs/adoption.cpp
  FIND "if (own || !job.term) return is_lost" REPLACE "if (own || true) return is_lost"
  FINDING "2 runs of job" FILTER "OneHost.*")
ballot_mutant(published_loss_beats_the_own_ledger FILE runtime/core/job/runs/adoption.cpp
  FIND "outcome.status == Status::lost" REPLACE "outcome.status != Status::lost"
  FINDING "FAILED.*Resigned.AFunctionThatHadEndedIsNotLost" FILTER "Resigned.*")
ballot_mutant(deadline_not_told_anew FILE runtime/core/group/group_machine.cpp
  FIND "if (state_.deadline_sent == session.deadline()) return std::nullopt;"
  REPLACE "if (state_.deadline_sent) return std::nullopt;"
  FINDING "FAILED.*Deadline.MovesOn" FILTER "Deadline.*")

# ---- the claim

ballot_mutant(writes_without_version FILE runtime/simulation/store_contents.cpp
  FIND "if (present != write.version) return" REPLACE "if (false) return"
  FINDING "went back|claimed|started")
ballot_mutant(refusal_after_unknown_believed FILE runtime/core/job/register/register_writer.cpp
  FIND "if (!pending_->unknown) return Next::failed;" REPLACE "return Next::failed;"
  FINDING "FAILED.*Answers.RefusedAfter" FILTER "Answers.*")
set(traffic runtime/core/store/store_traffic.cpp)
ballot_mutant(refusal_of_a_write_unnoticed FILE ${traffic}
  FIND "if (answer.outcome == StoreResult::failed) p_.refused.refuse" REPLACE "if (false) p_.refused.refuse"
  FINDING "FAILED.*Claim.RefusedForWantOfSpaceIs" FILTER "Claim.*")
ballot_mutant(refused_trigger_is_sent_again FILE runtime/core/request/request_desk.cpp
  FIND "if (asked.is_trigger() && asked.phase == Phase::sent) asked.phase = Phase::in_question;" REPLACE ""
  BY unit_core FILTER "RequestDeskAsked.*" FINDING "FAILED.*RequestDeskAsked.SendsATrigger")
ballot_mutant(refusal_of_the_second_record_is_one_of_the_request FILE runtime/core/request/request_desk.cpp
  FIND "const bool may_arrive = it != asked_.end() && it->second.was_sent;" REPLACE "const bool may_arrive = false;"
  BY unit_core FILTER "RequestDeskAsked.*" FINDING "FAILED.*RequestDeskAsked.SaysThatARequestMayYetBeDone")
ballot_mutant(request_that_is_over_is_sent_again FILE ${traffic}
  FIND "if (const RunId* const request = again ? op.asked() : nullptr) {" REPLACE "if (const RunId* const request = nullptr) {"
  FINDING "FAILED.*Requests.ATriggerThatWasRefusedIsNotSentAgainInTheNext" FILTER "Requests.*")
ballot_mutant(kill_is_answered_of_a_run_that_never_began FILE runtime/core/request/requests.cpp
  FIND "if (job.executes(request.run) && !job.leaves_to_next_leader(request.run)) {" REPLACE "if (job.executes(request.run)) {"
  FINDING "FAILED.*Requests.AKillIsAnsweredByTheNode" FILTER "Requests.*")
ballot_mutant(trigger_of_a_job_that_moves_is_refused FILE runtime/core/request/requests.cpp
  FIND "job->machine.leaves_to_another_group(request.id)) return;" REPLACE "job->machine.leaves_to_another_group(RunId{}) && false) return;"
  FINDING "FAILED.*Definitions.ATriggerOfAJobThatMoves" FILTER "Definitions.*")
ballot_mutant(refused_writes_stand_until_something_is_due FILE runtime/core/node/nodes.cpp
  FIND "if (p_.refused.is_to_be_tried(c_.now.steady))" REPLACE "if (false)"
  FINDING "FAILED.*Claim.AStoreThatHadRefused" FILTER "Claim.*")
ballot_mutant(refusal_of_writes_without_end FILE ${traffic}
  FIND "p_.refused.standing()) p_.refused.complete" REPLACE "false) p_.refused.complete"
  FINDING "FAILED.*Claim.RefusedForWantOfSpaceIs" FILTER "Claim.*")
ballot_mutant(refused_session_unnoticed FILE runtime/core/core.cpp
  FIND "if (event.refuses_writes) p.refused.refuse" REPLACE "if (false) p.refused.refuse"
  BY unit_core FILTER "FirstSession.*" FINDING "FAILED.*FirstSession.ThatTheStoreRefuses")
ballot_mutant(refused_renewal_unnoticed FILE runtime/core/core.cpp
  FIND "if (event.outcome == StoreResult::failed) p.refused.refuse" REPLACE "if (false) p.refused.refuse"
  BY unit_core FILTER "Renewals.*" FINDING "FAILED.*Renewals.ThatTheStoreRefuses")
ballot_mutant(late_claim_launched FILE runtime/core/job/runs/run_set.cpp
  FIND "if (is_late(*run, c.now.wall)) return" REPLACE "if (false) return"
  FINDING "past its start deadline")
ballot_mutant(waiting_slot_never_late FILE runtime/core/job/slots/slot_feed.cpp
  FIND "while (settlement_.first_due() && c.now.wall - settlement_.first_due()->due > start_deadline)"
  REPLACE "while (false)"
  FINDING "FAILED.*Waiting.ASlotPastItsStartDeadline" FILTER "Waiting.*")
ballot_mutant(refused_launch_given_up FILE runtime/core/job/runs/run_set.cpp
  FIND "if (!job.leading || job.term->epoch != run.open.epoch) end(" REPLACE "if (true) end("
  FINDING "FAILED.*Refused.ALaunchIsPermittedAnew" FILTER "Refused.*")
ballot_mutant(claims_while_draining FILE runtime/core/job/job_parts.cpp
  FIND "return term->draining;" REPLACE "return false;"
  FINDING "while it stops")
ballot_mutant(paused_claim_launched FILE runtime/core/job/runs/run_set.cpp
  FIND "is_late(run, c.now.wall) || (job.is_paused() && !run.is_by_hand())" REPLACE "is_late(run, c.now.wall)"
  FINDING "FAILED.*Pause.OnceAcknowledged" FILTER "Pause.*")

# ---- policies

ballot_mutant(overlap_allowed FILE runtime/core/job/runs/run_list.cpp
  FIND "return begun() < most_at_once(definition)" REPLACE "return true"
  FINDING "FAILED.*Overlap.Queue" FILTER "Overlap.Queue*")
ballot_mutant(places_not_counted FILE runtime/core/jobs/run_limits.cpp
  FIND "own_running_ += own - job.places->own_running" REPLACE "(void)own"
  FINDING "too many runs at once|FAILED.*Places" FILTER "Places.*")
ballot_mutant(places_of_unread_runs_not_counted FILE runtime/core/jobs/jobs.cpp
  FIND "const int unknown = p_.limits.limits_node() ? unknown_runs() : 0;" REPLACE "const int unknown = 0;"
  FINDING "FAILED.*Places.AreTakenByARunOfADaemonBefore" FILTER "Places.*")
ballot_mutant(places_of_known_runs_counted_twice FILE runtime/core/jobs/jobs.cpp
  FIND "return !job || !job->machine.executes(one.id.run);" REPLACE "return !job || true;"
  FINDING "FAILED.*Places.AreTakenOnce" FILTER "Places.*")
ballot_mutant(queue_without_bound FILE runtime/core/job/slots/settlement.cpp
  FIND "while (due_count() > rules.most_due)" REPLACE "while (false)"
  FINDING "FAILED.*Overlap.Queue" FILTER "Overlap.*")
ballot_mutant(retry_not_waited_for FILE runtime/core/job/runs/run_set.cpp
  FIND "if (open.waits_until && !runs_.find({open.id, open.attempt})) adopt(c, job, open)" REPLACE "(void)open"
  FINDING "FAILED.*Retries" FILTER "Retries.*")

ballot_mutant(retry_goes_by_the_wall_clock FILE runtime/core/job/runs/run_set.cpp
  FIND "end && run.is_waiting()) run.again_at" REPLACE "end && false) run.again_at"
  FINDING "FAILED.*Retries.WaitByTheBootClock" FILTER "Retries.*")
ballot_mutant(retry_waits_for_another_clock FILE runtime/core/job/runs/adoption.cpp
  FIND "std::clamp(*run.open.waits_until - c.now.wall, Millis(0), longest_wait(job, run.open))"
  REPLACE "std::max(*run.open.waits_until - c.now.wall, Millis(0))"
  FINDING "FAILED.*Retries.WaitNoLonger" FILTER "Retries.*")
ballot_mutant(one_retry_too_many FILE runtime/core/job/runs/after_run.cpp
  FIND "--run.next->retries;" REPLACE "run.next->retries -= run.open.attempt > 1;"
  FINDING "may fail" FILTER "Seeds/Random.*")
ballot_mutant(catches_up_all_at_once FILE runtime/core/job/job_claims.cpp
  FIND "return allows && due.trigger ==" REPLACE "return false && due.trigger =="
  FINDING "catches up two slots at once|FAILED.*Overlap.AllowCatchesUp" FILTER "Overlap.*")
ballot_mutant(pauses_are_not_recorded FILE runtime/core/job/job_writes.cpp
  FIND "const Interventions& of = *paused.interventions;" REPLACE "const Interventions& of = *paused.interventions; if (!until || until) return;"
  FINDING "neither its job nor its group was paused" FILTER "*Paus*:Seeds/Random.*")

# ---- the reasons: what became of a slot is what the policies, the people and the faults make of it

ballot_mutant(all_slots_overlap FILE runtime/core/job/slots/settlement.cpp
  FIND "if (skips && rules.busy && !joins)" REPLACE "if (skips && !joins)"
  FINDING "no run of the job goes on then|a slot was not run")
ballot_mutant(later_slots_wait_behind_the_one_that_waits FILE runtime/core/job/slots/settlement.cpp
  FIND "&& rules.fate_unknown;" REPLACE "&& (rules.fate_unknown || (!due_.empty() && rules.misfire != Misfire::all));"
  FINDING "no run of the job goes on then")
ballot_mutant(what_is_superseded_overlaps FILE runtime/core/job/slots/settlement.cpp
  FIND "if (rules.busy || together) return decide_first(Status::skipped, Reason::overlap);"
  REPLACE "return decide_first(Status::skipped, Reason::overlap);"
  FINDING "no run of the job goes on then" FILTER "Places.*")
ballot_mutant(turns_go_by_the_newest_slot FILE runtime/core/job/slots/settlement.cpp
  FIND "if (supersedes) waiting.waits_since = due_.front().waits_since;" REPLACE ""
  FINDING "FAILED.*Places.GoToTheJobThatHasWaitedLongest" FILTER "Places.*")
ballot_mutant(attempt_taken_for_lost_closes_the_next_one FILE runtime/core/job/register/pending_write.cpp
  FIND "if (!shows_attempt(next, run)) return;" REPLACE ""
  FINDING "FAILED.*TakenForLost.AnAttemptThatEnds" FILTER "TakenForLost.*")
ballot_mutant(attempt_taken_for_lost_is_repeated FILE runtime/core/job/runs/after_run.cpp
  FIND "if (!run.unclaimed && !shows_attempt(job.stored, run)) return;" REPLACE ""
  FINDING "FAILED.*TakenForLost.AnAttemptThatIsLost" FILTER "TakenForLost.*")
ballot_mutant(given_up_claim_is_made_anew_for_each_attempt FILE runtime/core/job/runs/run_set.cpp
  FIND "if (run.has_ended() && run.open.attempt + 1 == id.attempt)" REPLACE "if (run.has_ended())"
  FINDING "FAILED.*TakenForLost.AClaimThatIsGivenUp" FILTER "TakenForLost.*")
ballot_mutant(lost_catch_ups_run_together FILE runtime/core/job/runs/run_list.cpp
  FIND " && !(job.defined && joins_a_catch_up(run))" REPLACE ""
  FINDING "FAILED.*LostCatchUps.AreRunAgain" FILTER "LostCatchUps.*")
ballot_mutant(catch_ups_are_tried_again_together FILE runtime/core/job/runs/run_list.cpp
  FIND "if (joins_a_catch_up(run)) return false;" REPLACE ""
  FINDING "FAILED.*LostCatchUps.AreTriedAgain" FILTER "LostCatchUps.*")
ballot_mutant(pause_recorded_before_what_it_is_written_with FILE runtime/core/job/job_writes.cpp
  FIND "record_decided(*write);  // these" REPLACE "record_pauses(*write), record_decided(*write);  // these"
  FINDING "FAILED.*Audit.KnowsThatSlotsWerePassed" FILTER "Audit.*")
ballot_mutant(lost_run_is_not_repeated FILE runtime/core/job/runs/after_run.cpp
  FIND "run.repeat = job.leading;" REPLACE "run.repeat = false;"
  FINDING "at-least-once run was lost, and is not repeated")
ballot_mutant(replaces_nothing FILE runtime/core/job/runs/run_set.cpp
  FIND "if (!run.has_ended() && !run.is_queued()) kill(c, job, run, Reason::replaced);" REPLACE "(void)run;"
  FINDING "a run goes on that a later slot replaces|a slot was not run")
ballot_mutant(pause_with_an_end_does_not_end FILE runtime/core/job/job_machine.cpp
  FIND "const bool over = job_.is_pause_over(c.now.wall)" REPLACE "const bool over = false"
  FINDING "has an end, .* and goes on after it")
ballot_mutant(pause_ends_when_it_is_taken_over FILE runtime/core/job/job_machine.cpp
  FIND "if (over) at = std::min(at, *stored.pause_ends());" REPLACE ""
  FINDING "FAILED.*PauseWithAnEnd.EndsAtItsEndWhereNobodyLedThen" FILTER "PauseWithAnEnd.*")
ballot_mutant(pause_of_a_group_ends_when_it_is_taken_over FILE runtime/core/group/group_requests.cpp
  FIND "return begin_resumption(*s_.stored.value().pause_terms.ends);" REPLACE "return begin_resumption(g_.c.now.wall);"
  FINDING "FAILED.*PauseWithAnEnd.EndsAtItsEndWhereNobodyLedThen" FILTER "PauseWithAnEnd.*")
ballot_mutant(pause_ends_before_its_end FILE runtime/core/job/job_parts.cpp
  FIND "return ends && *ends <= now;" REPLACE "return ends && *ends <= now + Millis(60'000);"
  FINDING "started after its pause was acknowledged|due within a pause" FILTER "PauseWithAnEnd.*:Seeds/Random.*")
ballot_mutant(pause_is_a_misfire FILE runtime/core/job/slots/settlement.cpp
  FIND "return add_decided(slot.at, Status::skipped, Reason::paused)"
  REPLACE "return add_decided(slot.at, Status::missed, Reason::misfire)"
  FINDING "due within a pause|the policy is to run all|the latest of those that misfired|it was in time")
ballot_mutant(all_that_misfires_is_one FILE runtime/core/job/slots/settlement.cpp
  FIND "case Misfire::all: return rules.misfire_limit;" REPLACE "case Misfire::all: return 1;"
  FINDING "FAILED.*AfterADowntime.OpenSlotsAreCaughtUpByPolicy" FILTER "*AfterADowntime*")
ballot_mutant(the_latest_is_missed_too FILE runtime/core/job/slots/settlement.cpp
  FIND "case Misfire::latest: return 1;" REPLACE "case Misfire::latest: return 0;"
  FINDING "the latest of those that misfired")
ballot_mutant(nobody_ever_led FILE runtime/core/job/slots/settlement.cpp
  FIND "return covered ? Reason::unclaimed : Reason::no_leader;" REPLACE "return Reason::no_leader;"
  FINDING "covered it")
ballot_mutant(jitter_is_none FILE runtime/core/job/slots/settlement.cpp
  FIND "if (job.jitter <= Millis(0)) return slot;" REPLACE "if (job.jitter <= Millis(0) || true) return slot;"
  FINDING "are not spread over its jitter")
ballot_mutant(jitter_is_twice_as_long FILE runtime/core/job/slots/settlement.cpp
  FIND "static_cast<std::uint64_t>(job.jitter.count())" REPLACE "static_cast<std::uint64_t>(2 * job.jitter.count())"
  FINDING "started late|a slot was not run|launches")
ballot_mutant(low_priority_first FILE runtime/core/jobs/run_limits.cpp
  FIND "ByRank()(first, next)" REPLACE "ByRank()(next, first)"
  FINDING "before one of higher priority that waits")
ballot_mutant(places_before_all_were_asked FILE runtime/core/core.cpp
  FIND "if (s.all_due_asked) s.jobs.grant_places();" REPLACE "s.jobs.grant_places();"
  FINDING "FAILED.*Places.GoToHigherPriorityFirst" FILTER "Places.*")
ballot_mutant(ends_of_runs_that_cannot_be_shown_are_forgotten FILE runtime/core/core.cpp
  FIND "if (parts_.listing.is_complete() && !parts_.prior.has_open_rows())" REPLACE "if (parts_.listing.is_complete())"
  FINDING "FAILED.*Repaired.AfterARunOfADaemonBefore" FILTER "Repaired.*")
ballot_mutant(tried_again_after_a_success FILE runtime/core/job/runs/after_run.cpp
  FIND "if (!failed || run.open.retries == 0" REPLACE "if (run.open.retries == 0"
  FINDING "is tried again that had not failed|after an attempt that is not to be repeated")

# ---- people

ballot_mutant(kill_kills_nothing FILE runtime/core/job/runs/run_set.cpp
  FIND "      kill(c, job, run, Reason::operator_);" REPLACE "(void)run;"
  FINDING "a kill was asked, and the run goes on")
ballot_mutant(kill_is_a_replacement FILE runtime/core/job/runs/run_set.cpp
  FIND "      kill(c, job, run, Reason::operator_);" REPLACE "kill(c, job, run, Reason::replaced);"
  FINDING "its job replaces nothing|no later slot is due")
ballot_mutant(trigger_starts_nothing FILE runtime/core/job/job_machine.cpp
  FIND "  job_.commands.add_trigger(request);" REPLACE "  c.wants.answers.push_back({request.id, Answer::done(request.id)});"
  FINDING "a trigger is acknowledged, and has no run")
ballot_mutant(election_by_a_clock_that_was_ahead_counts FILE runtime/core/job/slots/slot_feed.cpp
  FIND "job.term->elected_by(c.now)" REPLACE "job.term->elected_at"
  FINDING "FAILED.*Repair.RunsSlotsOnTime|covered it" FILTER "Repair.*:Seeds/Random.*")
ballot_mutant(end_that_an_unreadable_register_names_is_kept_for_ever FILE runtime/core/store/takeover.cpp
  FIND "return !p_.jobs.find(ended.id.run); }))" REPLACE "return ended.id.attempt < 0; }))"
  FINDING "FAILED.*Restart.WhatAnotherNodeHasSettledIsForgottenOnce" FILTER "Restart.*")
ballot_mutant(repaired_parent_brings_up_what_a_child_has_run FILE runtime/core/job/chain/chained.cpp
  FIND "slot.slot <= of->interventions->repaired_at;" REPLACE "slot.slot < WallTime{};"
  FINDING "FAILED.*ParentOfBefore.ARepairBrings" FILTER "ParentOfBefore.*")
ballot_mutant(parent_under_repair_is_gone_by FILE runtime/core/job/chain/upstream.cpp
  FIND "return !parent.is_repairing() && parent" REPLACE "return parent"
  FINDING "FAILED.*ParentOfBefore.WhileItsRepair" FILTER "ParentOfBefore.*")
ballot_mutant(repaired_child_runs_a_slot_of_a_clock_that_was_ahead FILE runtime/core/job/job_machine.cpp
  FIND "claims(c).leave_chained(JobClaims::Leaves::as_repaired);" REPLACE "job_.slots.begin_step();"
  FINDING "FAILED.*TriggeredChain.AChildThatIsRepaired" FILTER "TriggeredChain.*")
ballot_mutant(trigger_is_queued_however_late FILE runtime/core/job/job_writes.cpp
  FIND "too_late = c_.now.wall > queue.begin_by" REPLACE "too_late = c_.now.wall < queue.begin_by - Millis(1) * 100'000'000"
  FINDING "FAILED.*TriggerWithoutPatience" FILTER "TriggerWithoutPatience.*")
ballot_mutant(no_cool_off FILE runtime/core/group/group_handover.cpp
  FIND "now + 3 * g_.c.session.timeout()" REPLACE "now"
  FINDING "takes part again too soon")
ballot_mutant(eviction_ends_nothing FILE runtime/core/group/group_machine.cpp
  FIND "if (state_.requests.evictions_stored == 0 && may_resign(g))"
  REPLACE "if (state_.requests.evictions_stored == 0 && may_resign(g) && !is_evicting())"
  FINDING "an eviction is acknowledged, and the term goes on|a slot was not run|no leader in time|missed after healing|does not move from|cannot resume")
ballot_mutant(claimed_ahead_of_the_clock_runs_again FILE runtime/core/job/slots/settlement.cpp
  FIND "while (slot && stored && stored->is_claimed(slot->at))" REPLACE "while (false)"
  FINDING "claimed twice" FILTER "Repair.*")
ballot_mutant(repair_leaves_the_cursor_ahead FILE runtime/core/job/repair.cpp
  FIND "next.go_on_from(second);" REPLACE "next.go_on_from(std::max(second, next.claimed_until));"
  FINDING "FAILED.*Repair.GoesOnFromNow" FILTER "Repair.*")
ballot_mutant(ends_of_slots_that_are_decided_anew_are_kept FILE runtime/core/record/register.cpp
  FIND "bring_back(kept.edit().ends, second), " REPLACE ""
  BY unit_core FILTER "JobRegister.*" FINDING "FAILED.*JobRegister.WhoseCursorIsBroughtBack")
ballot_mutant(claimed_slots_that_are_brought_back_lose_their_ends FILE runtime/core/record/slot_end.cpp
  FIND "return !end.run && end.from > second" REPLACE "return end.from > second"
  BY unit_core FILTER "JobRegister.*" FINDING "FAILED.*JobRegister.WhoseCursorIsBroughtBack")
ballot_mutant(passed_over_slots_count_as_claimed FILE runtime/core/job/register/pending_write.cpp
  FIND "pass_over({range.from, range.to});" REPLACE ""
  FINDING "FAILED.*Repair.GoesOnFromNow" FILTER "Repair.*")
ballot_mutant(slots_of_a_pause_count_as_claimed FILE runtime/core/job/register/pending_write.cpp
  FIND "is_missed || range.reason == Reason::paused" REPLACE "is_missed"
  BY unit_core FILTER "Writer.*" FINDING "FAILED.*Writer.AWriteHasClaimedNoSlotsOfAPause")
ballot_mutant(repair_carries_what_is_beyond_its_cursor FILE runtime/core/job/job_machine.cpp
  FIND "if (last ? unwritten || beyond" REPLACE "if (last ? unwritten"
  FINDING "FAILED.*CursorAhead.OfARegister" FILTER "CursorAhead.*")
ballot_mutant(records_another_end_of_a_term_than_its_register FILE runtime/core/group/group_machine.cpp
  FIND "ended = state_.stored.value().ended_at.value_or(std::max(elected, g.c.session.last_led(g.c.now)));"
  REPLACE "ended = std::max(elected, g.c.session.last_led(g.c.now));"
  FINDING "FAILED.*UnfitNode.ATermThatIsResignedHasOneEnd" FILTER "UnfitNode.*")
ballot_mutant(leaves_a_group_that_is_given_away FILE runtime/core/group/group_machine.cpp
  FIND "return !g.leaves_terms && is_at_rest(g);" REPLACE "return is_at_rest(g);"
  FINDING "FAILED.*Requests.AnEvictedLeaderThatLeaves" FILTER "Requests.*")
ballot_mutant(repair_keeps_the_fence FILE runtime/core/job/repair.cpp
  FIND "next.fence = fence <= largest_counter / 2 ? fence : above;" REPLACE "(void)fence;"
  FINDING "the fence of job|fence that has not grown|only grow")

# ---- terms

ballot_mutant(hands_over_what_runs FILE runtime/core/group/group_machine.cpp
  FIND "job.open_runs(ending) > 0" REPLACE "job.open_runs(ending) > 1000"
  FINDING "2 runs of job|a run ended with its term|outlived its term")
ballot_mutant(handed_to_whom_it_was_observed_for FILE runtime/core/node/nodes.cpp
  FIND "!group->machine.next_leader().empty() && !is_still_better(*group)" REPLACE "false"
  FINDING "FAILED.*Peers.NothingIsHandedToANodeWhoseFilesChangeWhileItIsObserved" FILTER "Peers.*")
ballot_mutant(leads_with_a_wrong_clock FILE runtime/core/node/node_health.cpp
  FIND "wrong = off > clock_limit" REPLACE "wrong = false"
  FINDING "with a clock that is wrong" FILTER "StoreWithAClock.*")
ballot_mutant(ends_are_not_published FILE runtime/core/job/runs/run_set.cpp
  FIND "c.wants.outcomes.push_back(run.row);" REPLACE "(void)0;"
  FINDING "its node has known for long how it ended|still keeps the end of run")
ballot_mutant(dead_terms_runs_are_lost_at_once FILE runtime/core/job/runs/run_set.cpp
  FIND "if (run.state == State::foreign && c.now.steady >= run.foreign_until)" REPLACE "if (run.state == State::foreign)"
  FINDING "2 runs of job")

# ---- a daemon that was killed: what `ballot resign` publishes and leaves for it

ballot_mutant(resign_publishes_no_end FILE runtime/core/store/left_runs.cpp
  FIND "left.ends.push_back(" REPLACE "std::vector<Record>().push_back("
  FINDING "somebody has published how it ended")
ballot_mutant(resign_takes_what_runs_for_lost FILE runtime/core/store/left_runs.cpp
  FIND "|| runner.running.contains(id) ||" REPLACE "||"
  FINDING "FAILED.*Resigned.AGroupWaits" FILTER "Resigned.*")
ballot_mutant(resign_keeps_no_group FILE runtime/core/store/left_runs.cpp
  FIND "return runner.known == Known::nothing || runner.running.contains({open.id, open.attempt});" REPLACE "return false;"
  FINDING "2 runs of job|FAILED.*Resigned.AGroupWaits" FILTER "Resigned.*:Seeds/Random.*")

ballot_mutant(own_runs_are_not_looked_for FILE runtime/core/store/takeover.cpp
  FIND "c_.now.steady + timeout + Millis" REPLACE "c_.now.steady + 100 * timeout + Millis"
  FINDING "FAILED.*Outcomes.ANodeThatHasLost" FILTER "Outcomes.*")

# ---- the end

ballot_mutant(closed_before_durable FILE runtime/core/job/runs/run_set.cpp
  FIND "c.out.push_back(AwaitRecorded{run.id()})" REPLACE "run.recorded = true"
  FINDING "closed before its row was durable")
ballot_mutant(forget_never_sent FILE runtime/core/job/runs/run_set.cpp
  FIND "if (run && run->known_to_runner) c.out.push_back(Forget{id})" REPLACE "(void)run"
  FINDING "still keeps the end of run")
ballot_mutant(evidence_not_copied FILE runtime/core/job/job_writes.cpp
  FIND "  copy_dispositions();" REPLACE "  (void)0;"
  FINDING "has no disposition")
ballot_mutant(dispositions_dropped_before_durable FILE runtime/core/job/register/register_writer.cpp
  FIND "c.out.push_back(AwaitSettled{{job, ranges_recorded_}})" REPLACE "ranges_durable_ = ranges_recorded_"
  FINDING "has no disposition" FILTER "*SlowLedger.*")
ballot_mutant(group_end_not_recorded FILE runtime/core/group/group_machine.cpp
  FIND "last.ended_at = g.c.now.wall;" REPLACE "last.ended_at.reset();"
  FINDING "FAILED.*Stop.RecordsTheEndOfTheTerm" FILTER "Stop.*")
ballot_mutant(gap_is_due FILE runtime/core/job/slots/settlement.cpp
  FIND "if (!slot.is_due()) return add_closed(closed_slot(slot))"
  REPLACE "slot.kind = schedule::Slot::Kind::due"
  FINDING "FAILED.*Gap.ADateThatDoesNotExist" FILTER "Gap.*")
ballot_mutant(unfit_node_campaigns FILE runtime/core/group/group_machine.cpp
  FIND "g.is_node_fit && state_.unfit.empty() && may_lead" REPLACE "g.is_node_fit && may_lead"
  FINDING "FAILED.*UnfitNode.GivesThatGroupAway" FILTER "UnfitNode.*")
ballot_mutant(unfit_for_ever FILE runtime/core/group/groups.cpp
  FIND "group.machine.forget_unfit();" REPLACE "(void)group;"
  FINDING "FAILED.*UnfitNode.IsTakenForFit" FILTER "UnfitNode.*")

# ---- runs without a claim

ballot_mutant(unclaimed_before_its_row_is_durable FILE runtime/core/job/runs/run_set.cpp
  FIND "run.awaited == 0 && (run.unclaimed" REPLACE "(run.unclaimed"
  FINDING "FAILED.*Unclaimed.ARunWaitsForItsRow" FILTER "Unclaimed.*")
ballot_mutant(claimed_in_doubt_before_its_row_says_so FILE runtime/core/job/runs/run_set.cpp
  FIND "else if (!run.unclaimed && run.awaited == 0" REPLACE "else if (!run.unclaimed"
  FINDING "FAILED.*Unclaimed.ARunWhoseClaimIsConfirmed" FILTER "Unclaimed.*")
ballot_mutant(unseen_runs_are_not_minded FILE runtime/core/job/runs/unseen_runs.cpp
  FIND "question_ = std::make_unique<Question>" REPLACE "(void)"
  FINDING "FAILED.*UnclaimedOnOneHost.ItsSuccessorWaitsForTheRunToEnd" FILTER "UnclaimedOnOneHost.*")
ballot_mutant(overlapping_trigger_begins FILE runtime/core/job/job_claims.cpp
  FIND "if (!by_hand || !overlaps) return Admission::begins;" REPLACE "if (overlaps || !by_hand) return Admission::begins;"
  FINDING "FAILED.*ByHand.ATriggerObeysOverlap" FILTER "ByHand.*")
ballot_mutant(what_is_not_known_is_no_word FILE runtime/core/record/register.cpp
  FIND " || !d.status.is_known();" REPLACE ";"
  FINDING "FAILED.*NewerWords" FILTER "*NewerWords*")
ballot_mutant(unclaimed_is_never_entered FILE runtime/core/job/job_claims.cpp
  FIND "if (job_.unclaimed.empty()) return false;" REPLACE "return false;"
  FINDING "FAILED.*Unclaimed.EachSlotOfTheDoubt" FILTER "Unclaimed.*")

# ---- requests

ballot_mutant(answered_twice FILE runtime/core/request/request_desk.cpp
  FIND "if (const Answer* const given = answered_.find(now.steady, *request)) {"
  REPLACE "if (const Answer* const given = answered_.find(now.steady, *request); given && false) {"
  FINDING "each is skipped once" FILTER "Answered.*")
ballot_mutant(refusal_of_before_is_that_of_a_request_made_anew FILE runtime/core/request/request_desk.cpp
  FIND "std::optional(taken->second.until) : std::nullopt" REPLACE "std::optional<WallTime>() : std::nullopt"
  BY unit_core FILTER "RequestDeskRepeated.*" FINDING "FAILED.*RequestDeskRepeated.AfterARefusalIsDecidedAnew")

# ---- candidates without jobs

ballot_mutant(candidate_does_not_wait_for_the_old_lease FILE runtime/core/candidate/candidacy.cpp
  FIND "std::max(event.old_deadline.value_or(now.steady), now.steady)" REPLACE "now.steady"
  FINDING "starts a second child" FILTER "Candidates.*")

# ---- jobs of each node

ballot_mutant(instances_of_anybody FILE runtime/base/candidates.cpp
  FIND "if (is_instance(settings.name)) return node_of_instance(settings.name) == node;" REPLACE ""
  FINDING "FAILED.*EachNode.DriftsWithTheGroupThatItsFileNames" FILTER "Each*")
ballot_mutant(standing_pause_is_not_followed FILE runtime/core/job/job_machine.cpp
  FIND "const bool follows = !ends && job_.is_to_follow();" REPLACE "const bool follows = false;"
  FINDING "FAILED.*EachPaused.HoldsForAll" FILTER "EachPaused.*")

# ---- what many nodes and jobs cost at the store

ballot_mutant(unanswered_while_it_is_read FILE runtime/core/store/store_client.cpp
  FIND "oldest.at + timeout + entry_patience * static_cast<Millis::rep>(oldest.reading)" REPLACE "oldest.at + timeout"
  FINDING "FAILED.*Scale.WhatASlowStoreReadsIsAskedForOnce" FILTER "Scale.*")
ballot_mutant(nodes_listed_at_each_change FILE runtime/core/store/store_traffic.cpp
  FIND "done, event.registers.size()" REPLACE "done, 0"
  FINDING "FAILED.*Scale.OfNodesThatJoinOneByOne" FILTER "Scale.*")

# ---- what a daemon before has seen

ballot_mutant(nothing_recalled_of_jobs FILE runtime/core/store/takeover.cpp
  FIND "p_.jobs.recall(rows);" REPLACE "static_cast<void>(rows);"
  FINDING "FAILED.*RestoredStore.ThatHasLostNothingButTheLastClaims" FILTER "RestoredStore.*")
ballot_mutant(evidence_of_others_is_not_heeded FILE runtime/core/group/groups.cpp
  FIND "if (!group.machine.leads() || !term.halted.empty()) return;" REPLACE "if (term.halted.empty() || group.machine.leads()) return;"
  FINDING "FAILED.*RestoredStore.HaltsALeaderThatDoesNotKnow" FILTER "RestoredStore.*")

# ---- a trigger that is asked for again

ballot_mutant(forgotten_run_is_made_again FILE runtime/core/job/trigger_answers.cpp
  FIND "if (may_be_forgotten(job, request))" REPLACE "if (false && may_be_forgotten(job, request))"
  FINDING "FAILED.*Requests.ATriggerThatIsRepeatedWhenItsNodeIsAway" FILTER "Requests.*")
ballot_mutant(run_of_before_a_repair_is_made_again FILE runtime/core/job/trigger_answers.cpp
  FIND "if (!stored.may_have_forgotten(made_at(request)))" REPLACE "if (true || !stored.may_have_forgotten(made_at(request)))"
  FINDING "FAILED.*Requests.ATriggerThatIsRepeatedAfterARepair" FILTER "Requests.*")
ballot_mutant(newest_runs_by_hand_are_dropped FILE runtime/core/record/register.cpp
  FIND "std::sort(triggered.begin(), triggered.end());"
  REPLACE "std::sort(triggered.begin(), triggered.end(), std::greater<>());"
  FINDING "FAILED.*Requests.ATriggerThatIsRepeatedWhenItsNodeIsAway" FILTER "Requests.*")

# ---- jobs that come after others

ballot_mutant(parents_end_is_not_waited_for FILE runtime/core/job/chain/upstream.cpp
  FIND "if (open && (!latest || *open >= latest->slot)) return Verdict::waits;" REPLACE ""
  FINDING "had not ended|began and|skipped: upstream, and all of its parents")
ballot_mutant(how_a_parent_ended_is_no_matter FILE runtime/core/job/chain/upstream.cpp
  FIND "return is_as_asked(latest->status, job.definition->job.details->after_status) ? Verdict::begins"
  REPLACE "return latest->status != Status::missed ? Verdict::begins"
  FINDING "was begun, and that slot|began and")
ballot_mutant(pause_that_is_over_passes_slots_after_it FILE runtime/core/job/job_parts.cpp
  FIND "return !ends || slot <= *ends;" REPLACE "return !ends || slot >= WallTime{};"
  FINDING "FAILED.*Chained.ASlotAfterTheEndOfItsParentsPause" FILTER "Chained.*")
ballot_mutant(ends_are_forgotten_that_a_child_needs FILE runtime/core/job/chain/slot_ends.cpp
  FIND "return slot && *slot < until;" REPLACE "return slot && *slot < from;"
  FINDING "FAILED.*ChainBehind.OneOfTwo|was skipped: upstream, and all of its parents" FILTER "ChainBehind.*:Seeds/Random.*")
ballot_mutant(newest_end_is_given_up FILE runtime/core/job/chain/slot_ends.cpp
  FIND "while (ends.size() > slot_end_limit) ends.erase(ends.begin());" REPLACE "while (ends.size() > slot_end_limit) ends.erase(ends.end() - 1);"
  FINDING "began and")
ballot_mutant(slots_of_before_an_edit_wait_for_an_end_that_was_given_up FILE runtime/core/job/chain/upstream.cpp
  FIND "if (!latest && ends.size() >= slot_end_limit) return Verdict::ended_otherwise;" REPLACE ""
  FINDING "waits for an end that was given up|FAILED.*ChainBehind.AnEdit" FILTER "ChainBehind.*:Seeds/Random.*")
ballot_mutant(lag_is_not_shown FILE runtime/core/views.cpp
  FIND "*first <= known->kept->ends.front().to" REPLACE "*first < known->kept->ends.front().from - Millis(1)"
  FINDING "is shown as behind none|FAILED.*ChainBehind" FILTER "ChainBehind.*:Seeds/Random.*")
ballot_mutant(deadline_counts_from_the_slot_of_the_parent FILE runtime/core/job/slots/settlement.cpp
  FIND "return gate.makes_due() ? std::max(due_at(slot), upstream.ended_at) : due_at(slot);" REPLACE "return upstream.ended_at > slot ? due_at(slot) : due_at(slot);"
  FINDING "start_deadline, and that has not passed")
ballot_mutant(waiting_for_a_parent_is_a_misfire FILE runtime/core/job/slots/settlement.cpp
  FIND "return std::max(due, upstream.ended_at);" REPLACE "return upstream.ended_at < due ? upstream.ended_at : due;"
  FINDING "FAILED.*Chained.ASlotOfItsOwnThatHasWaitedForItsParent" FILTER "Chained.*")
ballot_mutant(first_slot_of_a_parent_is_passed_over_while_it_runs FILE runtime/core/job/chain/upstream.cpp
  FIND "if (!latest && !ends.empty() && !goes_on)" REPLACE "if (!latest && !ends.empty())"
  FINDING "FAILED.*Chained.ASlotBeforeTheFirstOfItsParent|skipped: upstream, and all" FILTER "Chained.*")
ballot_mutant(slots_that_wait_for_one_parent_misfire FILE runtime/core/job/slots/settlement.cpp
  FIND "choose(open, on_time && open.has_waited, rules, now);"
  REPLACE "choose(open, on_time && !open.has_waited, rules, now);"
  FINDING "misfire, and it had waited for its parents")
ballot_mutant(phase_of_its_own FILE runtime/core/job/register/pending_write.cpp
  FIND "phase ? phase->anchors :" REPLACE "phase && phase->fence > next.fence + 1000000 ? phase->anchors :"
  FINDING "slots behind the cursor are decided again|FAILED.*Chained.TheSlotsOfAnEvery" FILTER "Chained.*")

# ---- triggers with variables, and of chains

ballot_mutant(variables_are_not_kept FILE runtime/core/record/open_run_text.cpp
  FIND "for (const std::string_view word : words_of(run.variables->env)) field(\"env\", word);" REPLACE ""
  FINDING "than its trigger gave")
ballot_mutant(variables_of_any_name FILE runtime/core/job/trigger_answers.cpp
  FIND "if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;" REPLACE "continue;"
  FINDING "which its job does not allow")
ballot_mutant(variables_without_room FILE runtime/core/job/job_claims.cpp
  FIND "if (!has_room_for_env(job_.view.stored(), request)) return false;" REPLACE ""
  FINDING "would be larger than")
ballot_mutant(triggered_run_is_not_waited_for FILE runtime/core/job/chain/upstream.cpp
  FIND "if (!its || !its->ended) return Verdict::waits;" REPLACE "if (!its || !its->ended) return Verdict::begins;"
  FINDING "had not ended|started twice")
ballot_mutant(job_of_a_triggered_chain_that_is_to_come_is_not_waited_for FILE runtime/core/job/chain/upstream.cpp
  FIND "(its && find(its->kept->chained, trigger)) || is_to_come(c, *parent, trigger)" REPLACE "its == nullptr && is_to_come(c, *parent, trigger)"
  FINDING "FAILED.*TriggeredChain.AJoinOfAJobAndOne|ended as it asks|had not ended" FILTER "TriggeredChain.*:Seeds/Random.*")
ballot_mutant(triggered_slot_is_taken_up_again FILE runtime/core/job/chain/chained.cpp
  FIND "std::any_of(parents.begin(), parents.end(), [&](const auto* one) { return may_have(*one, slot.trigger); });" REPLACE "parents.size() > 1000;"
  FINDING "started twice" FILTER "GoneForAWhile.*")
ballot_mutant(triggered_slot_goes_before_its_jobs_have_it FILE runtime/core/job/chain/chained.cpp
  FIND "std::any_of(children.begin(), children.end(), [&](const auto* one) { return lacks(*one, slot.trigger); }) ||" REPLACE ""
  FINDING "has no row of it")
ballot_mutant(alone_is_not_heeded FILE runtime/core/job/chain/chained.cpp
  FIND "return !request.alone && !c.chains.children(job.name).empty();" REPLACE "return !c.chains.children(job.name).empty();"
  FINDING "which somebody has triggered alone")
ballot_mutant(repaired_job_runs_a_triggered_slot_again FILE runtime/core/job/job_claims.cpp
  FIND "if (stored.may_have_forgotten(slot.slot))" REPLACE "if (false)"
  FINDING "FAILED.*TriggeredChain.AChildThatIsRepairedWhile" FILTER "TriggeredChain.*")
ballot_mutant(more_triggers_than_are_kept FILE runtime/core/job/chain/chained.cpp
  FIND "if (needed < chained_limit) return \"\";" REPLACE "if (needed < 1000) return \"\";"
  FINDING "started without a claim in the register")

ballot_mutant(days_that_are_left_out_are_due FILE runtime/core/job/slots/settlement.cpp
  FIND "if (slot.kind == schedule::Slot::Kind::left_out) return add_closed(closed_slot(slot))"
  REPLACE "if (slot.kind == schedule::Slot::Kind::left_out) slot.kind = schedule::Slot::Kind::due"
  FINDING "does not say of slot")
ballot_mutant(days_that_are_left_out_overtake_slots_that_may_be_chosen FILE runtime/core/job/slots/settlement.cpp
  FIND "if (candidates_.empty()) return add_decided(closed)" REPLACE "return add_decided(closed)"
  FINDING "the schedule has|slots behind the cursor are decided again")
ballot_mutant(a_register_forgets_calendars FILE runtime/core/job/register/definition_lines.cpp
  FIND "if (!days.empty()) timing.expressions = schedule::with_rule(job.schedule, days)" REPLACE "(void)0"
  FINDING "does not say of slot|which its calendars leave out")
ballot_mutant(a_definition_of_the_ledger_forgets_calendars FILE runtime/core/job/slots/slot_feed.cpp
  FIND "schedule::with_rule(as_loaded.schedule, *as_loaded.details->days)" REPLACE "as_loaded.schedule"
  FINDING "an audit finds")

# ---- backfills

ballot_mutant(backfilled_slot_stays_in_the_ranges FILE runtime/core/record/backfill.cpp
  FIND "std::max(left.front().from, slot + a_second)" REPLACE "std::max(left.front().from, slot)"
  FINDING "begins twice|FAILED.*Backfills.RunItsSlots" FILTER "Backfills.*:Seeds/Random.*")
ballot_mutant(backfill_over_any_time FILE runtime/core/record/backfill.cpp
  FIND "if (ranges.back().to - ranges.front().from > longest_span)" REPLACE "if (false)"
  FINDING "FAILED.*BackfillText.MoreThanARegister" BY unit_core FILTER "BackfillText.*")
ballot_mutant(backfill_minds_no_parallel FILE runtime/core/job/job_claims.cpp
  FIND "runs.backfilling() >= backfill->parallel" REPLACE "runs.backfilling() > open_run_limit"
  FINDING "runs of a backfill at once|FAILED.*Backfills.NoMoreRuns" FILTER "Backfills.*:Seeds/Random.*")
ballot_mutant(backfill_minds_no_pause FILE runtime/core/job/job_claims.cpp
  FIND "if (from == From::backfill && (job_.is_paused() || job_.is_to_follow())) return Admission::waits;" REPLACE ""
  FINDING "in a pause|after its pause was acknowledged|FAILED.*Backfills.WaitInAPause" FILTER "Backfills.*:Seeds/Random.*")
ballot_mutant(backfill_comes_before_slots_that_are_due FILE runtime/core/job/job_claims.cpp
  FIND "if (from == From::backfill && !in_turn) return Admission::waits;" REPLACE ""
  FINDING "FAILED.*Backfills" FILTER "Backfills.*")
ballot_mutant(backfill_replaces_what_goes_on FILE runtime/core/job/job_claims.cpp
  FIND "if (is_new && from != From::backfill && concurrency" REPLACE "if (is_new && concurrency"
  FINDING "FAILED.*Backfills.ReplaceNothing" FILTER "Backfills.*")
ballot_mutant(slot_does_not_wait_for_a_backfill FILE runtime/core/job/runs/run_list.cpp
  FIND "run.is_in_question() || (run.is_of_backfill() && run.is_under_way())" REPLACE "run.is_in_question()"
  FINDING "FAILED.*Backfills" FILTER "Backfills.*")
ballot_mutant(unsettled_slots_are_backfilled FILE runtime/core/job/job_backfill.cpp
  FIND "slots.back().to = std::min(slots.back().to, cursor);" REPLACE "slots.back().to = std::max(slots.back().to, cursor);"
  FINDING "are not settled|FAILED.*Backfills.SlotsThatAreNotSettled" FILTER "Backfills.*")
ballot_mutant(backfill_goes_on_with_other_slots FILE runtime/core/job/register/pending_write.cpp
  FIND "if (timing.expressions.empty() || timing != next.timing) next.end_backfill();" REPLACE ""
  FINDING "FAILED.*Backfills" FILTER "Backfills.*")
ballot_mutant(backfill_outlives_a_repair FILE runtime/core/job/job_machine.cpp
  FIND "write.next.end_backfill();" REPLACE ""
  FINDING "FAILED.*Backfills.EndWhereTheirJobIsRepaired" FILTER "Backfills.*")
ballot_mutant(backfill_that_is_over_is_forgotten FILE runtime/core/record/register.cpp
  FIND "triggered.push_back(backfill()->id);" REPLACE ""
  FINDING "FAILED.*Backfills.ARequestThatIsReadTwice" FILTER "Backfills.*")
ballot_mutant(backfill_is_over_before_its_runs FILE runtime/core/job/job_backfill.cpp
  FIND "|| job_.runs.list().backfilling() > 0) return false;" REPLACE ") return false;"
  FINDING "FAILED.*Backfills" FILTER "Backfills.*")
ballot_mutant(backfills_of_others_end_in_silence FILE runtime/core/job/job_backfill.cpp
  FIND "if (!asked) record_end(*before, cause_of(write));" REPLACE ""
  FINDING "FAILED.*Backfills" FILTER "Backfills.*")
ballot_mutant(backfill_is_asked_of_nodes_that_remove_it FILE runtime/core/node/peers.cpp
  FIND "peer.knows_backfills = parsed->knows_backfills;" REPLACE "peer.knows_backfills = true;"
  FINDING "FAILED.*Backfills.AreRefusedWhile" BY unit_core FILTER "Backfills.*")
ballot_mutant(released_register_forgets_what_was_run_of_chains FILE runtime/core/job/chain/chained.cpp
  FIND "for (ChainedSlot& slot : slots) slot.ended = Status::missed;" REPLACE "slots.clear();"
  FINDING "FAILED.*GoneForAWhile.AChild" FILTER "GoneForAWhile.*")
ballot_mutant(slots_of_a_first_job_that_is_gone_for_a_while_stay FILE runtime/core/job/chain/chained.cpp
  FIND "if (job.stored.released) return !may_be_brought_up(c, job.name, slot);" REPLACE "if (job.stored.released) return false;"
  FINDING "FAILED.*GoneForAWhile.OfAFirstJob" FILTER "GoneForAWhile.*")
ballot_mutant(slots_of_a_chain_that_moves_are_dropped_in_silence FILE runtime/core/job/job_machine.cpp
  FIND "if (!wanted && claims(c).leave_chained(JobClaims::Leaves::as_moved)) return false;" REPLACE ""
  FINDING "FAILED.*TriggeredChain.AMoveToAnotherGroup" FILTER "TriggeredChain.*")
ballot_mutant(phase_of_a_parent_is_taken_once FILE runtime/core/job/job_parts.cpp
  FIND "return first && first->anchors != view.stored().anchors;" REPLACE "return first && first->anchors.size() != view.stored().anchors.size();"
  FINDING "FAILED.*ChainPhase.IsThatOfTheParentAgain" FILTER "ChainPhase.*")
ballot_mutant(definition_waits_for_a_parent_that_is_halted FILE runtime/core/job/job_parts.cpp
  FIND "&& !phase_of(definition->plan, view.stored());" REPLACE "&& !view.stored().released;"
  FINDING "is not what its file says, long after the edit")

# ---- a namespace that moves
ballot_mutant(every_halt_is_one_of_a_move FILE runtime/core/record/move_marks.cpp
  FIND "if (!halted.starts_with(halted_by_move)) return {};" REPLACE "if (halted.size() < halted_by_move.size()) return {};"
  FINDING "FAILED.*MoveMarks.AHaltOfAMove" BY unit_core FILTER "MoveMarks.*")
ballot_mutant(run_of_an_unreadable_register_waits_for_the_next_list FILE runtime/core/store/takeover.cpp
  FIND "(is_unreadable && p_.prior.inventory().knows(id))" REPLACE "false"
  FINDING "FAILED.*Repaired.WhereAnotherNodeLeadsARunOfANode" FILTER "Repaired.*")
ballot_mutant(repair_gives_the_node_of_a_run_no_time FILE runtime/core/job/runs/adoption.cpp
  FIND "if (job.read_again || job.repair)" REPLACE "if (job.read_again)"
  FINDING "FAILED.*DeadOnOneHost.ItsRunIsClosedAsItEndedByARepair" FILTER "DeadOnOneHost.*")
