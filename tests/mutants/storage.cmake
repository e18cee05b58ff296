ballot_mutant(backlog_prefers_lost FILE storage/backlog.cpp
  FIND "return later.status != Status::lost || !is_final(earlier.status);" REPLACE "return true;"
  BY unit_storage FILTER "Backlog.*" FINDING "FAILED.*Backlog.KeepsTheEndOfARun")
ballot_mutant(backlog_keeps_one_attempt FILE storage/backlog.cpp
  FIND "&rows[{*row->run, row->attempt}]" REPLACE "&rows[{*row->run, 1}]"
  BY unit_storage FILTER "Backlog.*" FINDING "FAILED.*Backlog.KeepsTheRowsOfEveryAttempt")
ballot_mutant(backlog_flushes_early FILE storage/backlog.cpp
  FIND "flushes_.front().after <= first_left" REPLACE "flushes_.front().after <= pushed_"
  BY unit_storage FILTER "Backlog.*" FINDING "FAILED.*Backlog.HandsOutAFlush")
ballot_mutant(backlog_drops_rows_before_output FILE storage/backlog.cpp
  FIND "    drop_outputs();" REPLACE "    (void)0;"
  BY unit_storage FILTER "Backlog.*" FINDING "FAILED.*Backlog.DropsOutputFirst")
ballot_mutant(spool_believes_its_disk FILE storage/spool.cpp
  FIND " || crc32(payload) != get(std::string_view(head).substr(4))" REPLACE ""
  BY unit_storage FILTER "SpoolTest.*" FINDING "FAILED.*SpoolTest.FindsAFlippedBit")
ballot_mutant(spool_throws_its_unreadable_end_away FILE storage/spool.cpp
  FIND "if (!save(rest, file_.get(), size_, file.st_size)) return failed(" REPLACE "if (false) return failed("
  BY unit_storage FILTER "SpoolTest.*" FINDING "FAILED.*SpoolTest.KeepsTheUnreadableEnd")
ballot_mutant(spool_is_replayed_into_nothing FILE storage/writer.cpp
  FIND "file_->write(records, Sync::later);" REPLACE "(void)records;"
  BY unit_storage FILTER "Degraded.*" FINDING "FAILED.*Degraded.*(Spool|Replay|spool)")
ballot_mutant(retention_deletes_open_rows FILE storage/retention.cpp
  FIND "WHERE slot < ?1 AND status > 2 AND change <= ?3\"" REPLACE "WHERE slot < ?1 AND change <= ?3\""
  BY unit_storage FILTER "RetentionTest.*" FINDING "FAILED.*RetentionTest.LeavesOpenRows")
ballot_mutant(retention_does_not_wait_for_the_outbox FILE storage/retention.cpp
  FIND "WHERE slot < ?1 AND status > 2 AND change <= ?3\"" REPLACE "WHERE slot < ?1 AND status > 2 AND ?3 = ?3\""
  BY unit_storage FILTER "OutboxCase.*" FINDING "FAILED.*OutboxCase.RetentionLeavesWhatHasNotBeenHandedOn")
ballot_mutant(outbox_skips_what_a_bound_left_out FILE storage/outbox.cpp
  FIND "if (complete_to) batch.last = std::min(batch.last, *complete_to), all_of.is_all = false;" REPLACE "(void)complete_to;"
  BY unit_storage FILTER "OutboxCase.*" FINDING "FAILED.*OutboxCase.GoesOnFromBatchToBatch")
ballot_mutant(retention_deletes_what_ended_lately FILE storage/retention.cpp
  FIND ", ifnull(ended_at, slot)) < ?1 ORDER" REPLACE ") < ?1 ORDER"
  BY unit_storage FILTER "RetentionTest.*" FINDING "FAILED.*RetentionTest.LeavesOpenRowsAndWhatEndedLately")
ballot_mutant(retention_says_nothing_of_it FILE storage/retention.cpp
  FIND "raise_horizon_.run(job, last_slot + Millis(1));" REPLACE "(void)job;"
  BY unit_storage FILTER "Definitions.*" FINDING "FAILED.*Definitions.TellUpToWhere")
ballot_mutant(retention_leaves_orphans FILE storage/retention.cpp
  FIND "delete_orphans_.run(Blob{first_kept}, slice_rows);" REPLACE "(void)first_kept;"
  BY unit_storage FILTER "RetentionTest.*" FINDING "FAILED.*RetentionTest.DeletesTermsThatEnded")
ballot_mutant(ledger_goes_on_in_a_file_that_is_gone FILE storage/writer.cpp
  FIND "if (!file_->database().moved()) return;" REPLACE "return;"
  BY unit_storage FILTER "LedgerTest.*" FINDING "FAILED.*LedgerTest.BeginsAnew")
ballot_mutant(slow_disk_is_not_said FILE storage/writer.cpp
  FIND "is_slow_ = backlog_.busy_for() > options_.slow_write ||" REPLACE "is_slow_ ="
  BY unit_storage FILTER "SlowDisk.*" FINDING "FAILED.*SlowDisk.IsSaid")
ballot_mutant(flush_is_not_synced FILE storage/ledger_file.cpp
  FIND "db_.run(\"PRAGMA synchronous = FULL\");" REPLACE "(void)sync;"
  BY unit_storage FILTER "PowerLoss.*" FINDING "FAILED.*PowerLoss.(TakesNothing|LeavesASound)")
ballot_mutant(copy_is_not_synced FILE storage/backup.cpp
  FIND "!file || ::fsync(file.get()) != 0 ||" REPLACE "!file ||"
  BY unit_storage FILTER "PowerLoss.*" FINDING "FAILED.*PowerLoss.TakesNoCopy")
ballot_mutant(lost_beats_an_end FILE storage/merge.cpp
  FIND "row.status == Status::lost ? 1 : 2;" REPLACE "row.status == Status::lost ? 3 : 2;"
  BY unit_storage FILTER "Merge.*" FINDING "FAILED.*Merge.WhoeverKnowsTheEnd")
ballot_mutant(halted_beats_lost FILE storage/merge.cpp
  FIND "row.reason == Reason::halted ? 0 :" REPLACE "row.reason == Reason::halted ? 1 :"
  BY unit_storage FILTER "Merge.*" FINDING "FAILED.*Merge.LostBeatsHalted")
ballot_mutant(evidence_beats_the_runs_own_node FILE storage/merge.cpp
  FIND "(is_own ? 2 : account.is_evidence ? 1 : 0)" REPLACE "(is_own ? 1 : account.is_evidence ? 2 : 0)"
  BY unit_storage FILTER "Merge.*" FINDING "FAILED.*Merge.TheExecutingNodesRow")
ballot_mutant(a_slot_in_a_range_is_counted_twice FILE storage/merge.cpp
  FIND "outer.row.slots -= inner.slots;" REPLACE "outer.row.slots -= 0;"
  BY unit_storage FILTER "Merge.*" FINDING "FAILED.*Merge.ASlotInOtherWords")
ballot_mutant(pages_do_not_wait_for_each_other FILE storage/page_merge.cpp
  FIND "if (source.rows.empty() && !source.is_done) return std::nullopt;" REPLACE "if (false) return std::nullopt;"
  BY unit_storage FILTER "PageMerge.*" FINDING "FAILED.*PageMerge.WaitsForThePage")
ballot_mutant(copy_that_was_put_back_goes_on FILE storage/history_sender.cpp
  FIND "!goes_on || (line_.newest > newest_" REPLACE "(line_.newest > newest_"
  BY unit_storage FILTER "HistorySenderSteps.*" FINDING "FAILED.*HistorySenderSteps.RenewALedgerThatIsAnOlderCopy")
ballot_mutant(opening_that_went_further_is_not_seen FILE storage/outbox.cpp
  FIND "line.newest <= found.number(0)" REPLACE "(line.newest <= found.number(0) || true)"
  BY unit_storage FILTER "OutboxCase.*" FINDING "FAILED.*OutboxCase.ACopyThatIsPutBack")
ballot_mutant(ledger_that_ends_early_is_sent_on FILE storage/history_sender.cpp
  FIND "batch.ledger != line_.ledger || part->newest < line_.change" REPLACE "batch.ledger != line_.ledger"
  BY unit_storage FILTER "HistorySenderSteps.*" FINDING "FAILED.*HistorySenderSteps.AskOfALedgerThatEnds")
ballot_mutant(definition_begins_at_each_takeover FILE storage/definition_query.cpp
  FIND "CASE d.basis WHEN 0 THEN d.digest ELSE '' END" REPLACE "''"
  BY unit_storage FILTER "BegunDefinitions.*" FINDING "FAILED.*BegunDefinitions.(OfSeveralNodes|OfALedger)")
ballot_mutant(definition_begins_again_on_the_next_node FILE storage/definition_merge.cpp
  FIND "if (goes_on(one, same)) continue;" REPLACE "(void)goes_on;"
  BY unit_storage FILTER "BegunDefinitions.*" FINDING "FAILED.*BegunDefinitions.OfSeveralNodesAreOne")
ballot_mutant(definition_that_is_back_goes_on FILE storage/definition_merge.cpp
  FIND "if (has_written(other->row)) break;" REPLACE "(void)0;"
  BY unit_storage FILTER "BegunDefinitions.*" FINDING "FAILED.*BegunDefinitions.ThatAreBack")

# ---- backfills

ballot_mutant(backfill_hides_what_became_of_its_slot FILE storage/ledger_file.cpp
  FIND "WHERE job_id = ?1 AND slot = ?2 AND trigger <> 6" REPLACE "WHERE job_id = ?1 AND slot = ?2"
  FINDING "FAILED.*LedgerTest.TakesEvidenceOfASlotOfWhich" BY unit_storage FILTER "LedgerTest.*")
