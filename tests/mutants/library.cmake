ballot_mutant(why_takes_the_last_known_term_for_the_leader FILE runtime/library/why/why_detail.cpp
  FIND "if (may_be_another || is_unknown)" REPLACE "if (is_unknown)"
  BY unit_fleet FILTER "WhyInAFleet.*" FINDING "FAILED.*WhyInAFleet.AnUnclaimedSlotNamesNoTermBeforeThatOfANode")
ballot_mutant(why_doubts_a_node_that_was_gone_before FILE runtime/library/why/why_detail.cpp
  FIND "return !is_sure || *node.last_heard >= from;" REPLACE "return (void)is_sure, (void)from, true;"
  BY unit_fleet FILTER "WhyInAFleet.*" FINDING "FAILED.*WhyInAFleet.AnUnclaimedSlotIsThatOfTheLastTerm")
ballot_mutant(why_waits_for_a_run_that_has_ended FILE runtime/library/why/run_in_the_way.cpp
  FIND "return has_begun && (!span.ended || " REPLACE "return has_begun && (true || "
  BY unit_fleet FILTER "WhyInAFleet.*" FINDING "FAILED.*WhyInAFleet.ASlotInAQueueNamesTheRunThatGoesOnNow")
ballot_mutant(why_asks_no_store_what_holds_a_retry FILE runtime/library/why/why_answer.cpp
  FIND "return facts.is_whole || !waits_for_attempt(answer) ? " REPLACE "return true ? "
  BY unit_fleet FILTER "WhyOfARetry.*" FINDING "FAILED.*WhyOfARetry.ThatWaitsInAHaltNamesTheHalt")
ballot_mutant(why_pauses_what_was_settled_before FILE runtime/library/why/why_nothing.cpp
  FIND " && *slot.slot > *slot.settled_until" REPLACE ""
  BY unit_app FILTER "WhyWaiting.*" FINDING "FAILED.*WhyWaiting.ASlotThatHadWaitedWhenAPauseBegan")
ballot_mutant(strips_of_an_unknown_job_are_lost FILE runtime/library/shown/ledger_answers.cpp
  FIND "unknown->size() == jobs.size()" REPLACE "!unknown->empty()"
  BY unit_library FILTER "ShownLedger.*" FINDING "FAILED.*ShownLedger.AJobThatNobodyKnowsCostsTheOthersNothing")
ballot_mutant(why_goes_by_a_repair_that_had_nothing_to_do FILE runtime/library/why/why_detail.cpp
  FIND "one.result == \"done\" && !one.text.starts_with(\"nothing to repair\")" REPLACE "one.result == \"done\""
  BY unit_fleet FILTER "WhyInAFleet.*" FINDING "FAILED.*WhyInAFleet.AnAttemptThatARepairHasDropped")
ballot_mutant(why_blames_a_run_that_had_ended_in_time FILE runtime/library/why/run_in_the_way.cpp
  FIND "(run->ended && *run->ended < until)" REPLACE "false"
  BY unit_fleet FILTER "WhyInAFleet.*" FINDING "FAILED.*WhyInAFleet.ASlotThatWaitedForARunUntil")
