ballot_mutant(predecessor_of_another_boot_counts FILE plugins/support/predecessor.cpp
  FIND "if (!term.clean && member->boot_id == boot_id)" REPLACE "if (!term.clean)"
  BY unit_plugin_support FILTER "ThePredecessor.*" FINDING "FAILED.*ThePredecessor.ThatDiedMayRun")
ballot_mutant(predecessor_goes_on_past_its_deadline FILE plugins/support/predecessor.cpp
  FIND " && now < *term.resumable_until;" REPLACE ";"
  BY unit_plugin_support FILTER "ThePredecessor.*" FINDING "FAILED.*ThePredecessor.OfThisNodeGoesOn")
ballot_mutant(predecessor_before_the_last_is_forgotten FILE plugins/support/predecessor.cpp
  FIND "if (term.earlier_until && *term.earlier_until > now)" REPLACE "if (false)"
  BY unit_plugin_support FILTER "ThePredecessor.*" FINDING "FAILED.*ThePredecessor")
ballot_mutant(queue_entry_of_ours_is_the_first FILE plugins/support/queue_place.cpp
  FIND "(place.own.empty() || one.name == known)" REPLACE "place.own.empty()"
  BY unit_plugin_support FILTER "QueuePlace.*" FINDING "support_queue_test.cpp:[0-9]+: Failure")
ballot_mutant(queue_entries_behind_us_are_waited_for FILE plugins/support/queue_place.cpp
  FIND "if (one.name == place.own) before = false;" REPLACE ""
  BY unit_plugin_support FILTER "QueuePlace.*" FINDING "FAILED.*QueuePlace.TheFirstHasNobodyAhead")
ballot_mutant(older_words_of_a_term_count FILE plugins/support/keys/key_view.cpp
  FIND "if (version <= term.version) return false;" REPLACE ""
  BY unit_plugin_support FILTER "KeyViewTest.*" FINDING "FAILED.*KeyViewTest.AnOlderWordOfATerm")
ballot_mutant(terms_that_are_gone_have_not_changed FILE plugins/support/keys/key_view.cpp
  FIND "if (!there.contains(group)) changed.push_back(group);" REPLACE ""
  BY unit_plugin_support FILTER "KeyViewTest.*" FINDING "FAILED.*KeyViewTest.ATermThatAListLeavesOut")
ballot_mutant(term_put_out_forgets_its_session FILE plugins/support/keys/key_view.cpp
  FIND "if (term.session != no_session) term.before.push_back({term.node, term.session});" REPLACE ""
  BY unit_plugin_support FILTER "KeyViewTest.*" FINDING "FAILED.*KeyViewTest.WhoeverFollowsATerm")
ballot_mutant(registers_wait_for_elections_for_ever FILE plugins/support/keys/key_batches.cpp
  FIND "(registers_.empty() || in_a_row_ < most_in_a_row)" REPLACE "true"
  BY unit_plugin_support FILTER "KeyBatchesTest.*" FINDING "FAILED.*KeyBatchesTest.RegistersOfTerms")
ballot_mutant(sent_again_goes_last FILE plugins/support/keys/key_batches.cpp
  FIND "waiting.push_front(std::move(*part));" REPLACE "waiting.push_back(std::move(*part));"
  BY unit_plugin_support FILTER "KeyBatchesTest.*" FINDING "FAILED.*KeyBatchesTest.WhatIsToBeSentAgain")
ballot_mutant(commit_is_answered_by_its_first_part FILE plugins/support/keys/key_batches.cpp
  FIND "if (--batch_->open == 0) batch_->done(batch_->answers);" REPLACE "if (batch_->open-- == batch_->answers.size()) batch_->done(batch_->answers);"
  BY unit_plugin_support FILTER "KeyBatchesTest.*" FINDING "FAILED.*KeyBatchesTest.SendsSoMany")
ballot_mutant(renewal_past_the_deadline_extends FILE plugins/support/machine/liveness.cpp
  FIND "if (!is_past()) deadline_ = std::max(deadline_, until);" REPLACE "deadline_ = std::max(deadline_, until);"
  BY unit_plugin_support FILTER "TheLiveness.*" FINDING "FAILED.*TheLiveness.ARenewalPastTheDeadline")
ballot_mutant(overdue_is_not_barred FILE plugins/support/machine/liveness.cpp
  FIND "leases_.bar(session.slot, session.id);" REPLACE ""
  BY unit_plugin_support FILTER "TheLiveness.*" FINDING "FAILED.*TheLiveness.WhoeverIsFoundOverdueIsBarred")
ballot_mutant(observer_bars FILE plugins/support/machine/liveness.cpp
  FIND "if (id_ != 0 && !is_live(session) && session.slot > 0) {" REPLACE "if (!is_live(session) && session.slot > 0) {"
  BY unit_plugin_support FILTER "TheLiveness.*" FINDING "FAILED.*TheLiveness.AnObserverEndsNobody")
ballot_mutant(secret_that_others_read_is_taken FILE plugins/support/secret_file.cpp
  FIND "if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)" REPLACE "if (false)"
  BY unit_plugin_support FILTER "ASecret.*" FINDING "FAILED.*ASecret.IsReadOnlyWhere")
ballot_mutant(session_of_another_boot_is_gone_on_with FILE plugins/support/handle_store.cpp
  FIND "before->boot_id == request.boot_id && " REPLACE ""
  BY unit_plugin_support FILTER "TheHandleStore.*" FINDING "FAILED.*TheHandleStore.GoesOnWithNothing")
ballot_mutant(directions_of_a_server_are_shown FILE plugins/support/excerpt.cpp
  FIND "code >= 0x202a && code <= 0x202e" REPLACE "code == 0"
  BY unit_plugin_support FILTER "Excerpt.*" FINDING "FAILED.*Excerpt.WhatMovesACursor")
ballot_mutant(each_line_of_a_kind_is_logged FILE plugins/support/log_rate.cpp
  FIND "if (now < known.written + pause) {" REPLACE "if (false) {"
  BY unit_plugin_support FILTER "LogRate.*" FINDING "FAILED.*LogRate.OneLineASecond")
