// Why a slot is as it is, as each node of a fleet says it.
#include "library/why/why_answer.hpp"

#include "base/short_id.hpp"
#include "base/wall_text.hpp"
#include "unit/fleet/why_in_a_fleet.hpp"

namespace ballot::library {
namespace {

TEST_F(WhyInAFleet, AnUnclaimedSlotNamesWhatBecameOfTheTermThatCoveredIt) {
  Row row = missed(noon, Reason::unclaimed);
  row.epoch = 9;
  row.node = "host-3";
  facts.scheduled = noon;
  const TermRow before{"nightly", "host-2", 8, noon - std::chrono::minutes(5), std::nullopt, Cause::none};
  const TermRow after{"nightly", "host-3", 9, noon + std::chrono::seconds(8), std::nullopt, Cause::none};
  const auto says = [&](const std::string& part) {
    const std::string text = why(*fleet());
    EXPECT_TRUE(contains(text, part)) << text;
    return text;
  };
  write("host-3", {row, after});
  silent = {"host-2"};
  says("The node that led the group then (by all that is known node host-2, last heard of " + format_millis(noon) +
       ") had lost it");
  heard_by = "record";
  says("node host-2, last heard of " + format_millis(noon) + " or later) had lost it");
  silent.clear();
  write("host-2", {before});
  const std::string died = says(
      "The node that led the group then (term 8 of node host-2) had lost it without giving it "
      "up: it died, or stood still.");
  EXPECT_TRUE(contains(died, "Node host-3 was elected after that, " + format_millis(noon + std::chrono::seconds(8))));
  EXPECT_FALSE(contains(died, "or its runner did not answer")) << died;
  TermRow cut_off = before;
  cut_off.ended_at = noon + std::chrono::seconds(3), cut_off.cause = Cause::unreachable;
  write("host-2", {cut_off});
  says(
      "The store did not answer the node that led the group then, so no claim could be confirmed: it was term 8 of "
      "node host-2, which ended " +
      format_millis(*cut_off.ended_at) + " (unreachable).");
}

/// A daemon that is killed records no end of its term: the last one that is known before a slot need not cover it.
TEST_F(WhyInAFleet, AnUnclaimedSlotNamesNoTermBeforeThatOfANodeThatIsAway) {
  Row row = missed(noon, Reason::unclaimed);
  row.epoch = 9;
  row.node = "host-3";
  facts.scheduled = noon;
  const auto at = [](int minutes) { return noon + Millis(std::chrono::minutes(minutes)); };
  const TermRow killed{"nightly", "host-3", 5, at(-60), std::nullopt, Cause::none};
  write("host-3", {row, killed, TermRow{"nightly", "host-3", 9, at(1), std::nullopt, Cause::none}});
  silent = {"host-2"};
  const std::string unknown = why(*fleet());
  EXPECT_TRUE(contains(unknown,
                       "Which node that was, and what became of its term, is not known here before the ledger "
                       "of host-2, which has not answered, can be read."))
      << unknown;
  EXPECT_TRUE(contains(unknown,
                       "The last term before the slot that is known is term 5 of node host-3. Node host-3 was "
                       "elected after it, " +
                           format_millis(at(1))))
      << unknown;
  EXPECT_FALSE(contains(unknown, "The node that led the group then (")) << unknown;
  silent.clear();
  write("host-2", {TermRow{"nightly", "host-2", 8, at(-5), std::nullopt, Cause::none}});
  EXPECT_TRUE(contains(why(*fleet()), "The node that led the group then (term 8 of node host-2) had lost it"))
      << why(*fleet());
}

TEST_F(WhyInAFleet, AnUnclaimedSlotByOneLedgerAloneSaysThatOthersWereNotAsked) {
  Row row = missed(noon, Reason::unclaimed);
  row.epoch = 9;
  row.node = "host-1";
  facts.scheduled = noon;
  TermRow before{"nightly", "host-1", 5, noon - Millis(60'000), std::nullopt, Cause::none};
  write("host-1", {row, before, TermRow{"nightly", "host-1", 9, noon + Millis(60'000), std::nullopt, Cause::none}});
  const std::string said = " the node that led the group then (term 5 of node host-1";
  EXPECT_TRUE(contains(why(**FileLedger::open(place("host-1"))), "As far as this node's ledger alone knows," + said));
  before.ended_at = noon + Millis(1000), before.cause = Cause::expired;
  write("host-1", {before});
  EXPECT_TRUE(contains(why(**FileLedger::open(place("host-1"))), "The node that led the group then (term 5"))
      << "its end was recorded";
}

/// Its ledger has two terms of host-1, around the slot, and which one had written the job's register before the second.
struct WhyOfATermBefore : WhyInAFleet {
  void begin(std::uint64_t before, std::uint64_t last = 9) {
    Row row = on("host-1", missed(noon, Reason::unclaimed));
    row.epoch = 9;
    facts.scheduled = noon;
    DefinitionRow definition = storage::full_definition();
    facts.job.digest = definition.digest;
    definition.epoch = last, definition.before = before, definition.basis = Basis::taken_over;
    write("host-1", {row, definition, TermRow{"nightly", "host-1", 5, noon - Millis(60'000), std::nullopt, Cause::none},
                     TermRow{"nightly", "host-1", 9, noon + Millis(60'000), std::nullopt, Cause::none}});
  }
  void expect(const std::string& text, const std::string& part) { EXPECT_TRUE(contains(text, part)) << text; }
};

TEST_F(WhyOfATermBefore, AnUnclaimedSlotIsThatOfTheOneInBetween) {
  begin(8, 10);  // host-1 has gone on in another term
  expect(
      why(**FileLedger::open(place("host-1"))),
      "A node led the group then, in term 8, and its term was over before it had claimed the slot. Which node that "
      "was, and what became of its term, is not known here: that is in the ledger of that node. The last term before "
      "the slot that is known is term 5");
  silent = {"host-2", "host-3"};
  expect(why(*fleet()), "A node led the group then, in term 8, ");
  silent = {"host-2"};
  expect(why(*fleet()), "The node that led the group then (by all that is known node host-2, last heard of ");
}

TEST_F(WhyOfATermBefore, AnUnclaimedSlotIsItsOwnWhereNoneWasInBetween) {
  begin(5);
  silent = {"host-2"};
  expect(why(*fleet()), " The node that led the group then (term 5 of node host-1)");
  expect(why(**FileLedger::open(place("host-1"))), " The node that led the group then (term 5 of node host-1)");
}

/// It was heard of last in an election before that term.
TEST_F(WhyInAFleet, AnUnclaimedSlotIsThatOfTheLastTermWhereTheNodeThatIsAwayWasGoneBefore) {
  Row row = missed(noon + Millis(600'000), Reason::unclaimed);
  row.epoch = 9;
  row.node = "host-3";
  facts.scheduled = row.slot;
  const TermRow died{"nightly", "host-3", 5, noon + Millis(60'000), std::nullopt, Cause::none};
  write("host-3", {row, died, TermRow{"nightly", "host-3", 9, noon + Millis(660'000), std::nullopt, Cause::none}});
  silent = {"host-2"};
  heard_by = "election";
  EXPECT_TRUE(contains(why(*fleet()), "The node that led the group then (term 5 of node host-3) had lost it"))
      << why(*fleet());
  heard_by = "record";
  EXPECT_FALSE(contains(why(*fleet()), "The node that led the group then (")) << "it may have lived longer";
}

TEST_F(WhyInAFleet, AnUnclaimedSlotOfTheTermThatSettledItHasAllCausesThatItMayHave) {
  Row row = missed(noon, Reason::unclaimed);
  row.epoch = 9;
  row.node = "host-3";
  facts.scheduled = noon;
  write("host-3", {row, TermRow{"nightly", "host-3", 9, noon - std::chrono::minutes(1), std::nullopt, Cause::none}});
  const std::string text = why(*fleet());
  EXPECT_TRUE(contains(text, "or its runner did not answer")) << text;
}

TEST_F(WhyInAFleet, ASlotThatWaitsForItsTurnIsQueuedOnEachNode) {
  Row running = with(on("host-3", ran(1, noon - Millis(60'000))), Status::running);
  running.started_at = noon - Millis(60'000);
  running.ended_at.reset();
  write("host-3", {running});
  facts.scheduled = noon;
  WhyFacts of_leader = facts;
  of_leader.slot.node = "host-2";
  of_leader.waiting = {noon - Millis(9000), noon};
  std::swap(facts, of_leader);
  const std::string by_leader = why(*fleet());
  EXPECT_TRUE(contains(by_leader, format_slot(noon) + " queued: The slot is due and waits. It waits for run"))
      << by_leader;
  EXPECT_TRUE(contains(by_leader,
                       ", which has not ended. The slot of " + format_slot(noon - Millis(9000)) + " waits before it."))
      << by_leader;
  std::swap(facts, of_leader);
  EXPECT_TRUE(contains(why(*fleet()), "not recorded")) << "its leader has not said it";
  leader_says(io::Message().set("waiting", Texts{format_slot(noon - Millis(9000)), format_slot(noon)}));
  EXPECT_EQ(why(*fleet()), by_leader);
}

/// The run of the first slot has ended by now; it had gone on when the third one was due.
TEST_F(WhyInAFleet, ASlotInAQueueNamesTheRunThatGoesOnNowAndNotTheOneBefore) {
  Row first = with(on("host-2", ran(1, noon - Millis(20'000))), Status::failed, Reason::exit_code);
  first.started_at = first.slot, first.ended_at = noon + Millis(5'000);
  Row second = with(on("host-2", ran(2, noon - Millis(10'000))), Status::running);
  second.started_at = noon + Millis(5'001), second.ended_at.reset(), second.duration.reset();
  write("host-2", {first, second});
  facts.scheduled = noon;
  leader_says(io::Message().set("waiting", Texts{format_slot(noon)}));
  const std::string text = why(*fleet());
  EXPECT_TRUE(contains(text, "The slot is due and waits. It waits for run " + short_id(run_id(2)) + " of slot "))
      << text;
  EXPECT_FALSE(contains(text, short_id(run_id(1)))) << text;
}

TEST_F(WhyInAFleet, ASlotThatItsOwnJobHasRoomForWaitsForARunOfItsGroup) {
  Row other = with(on("host-2", ran(1, noon - Millis(60'000), "sweep")), Status::running);
  other.started_at = other.slot, other.ended_at.reset(), other.duration.reset();
  Row own = other;
  own.job = "backup", own.run = run_id(2), own.slot += Millis(1000);
  write("host-2", {other});
  facts.scheduled = noon;
  facts.job.facts = JobFacts();
  facts.job.facts->group = "nightly", facts.job.facts->concurrency = Concurrency::allow;
  leader_says(io::Message().set("waiting", Texts{format_slot(noon)}));
  EXPECT_TRUE(contains(why(*fleet()), "for room under a max_running of the group or the node")) << why(*fleet());
  facts.job.group_max_running = 1;
  EXPECT_TRUE(contains(why(*fleet()),
                       "The slot is due and waits. It waits for room: group nightly has max_running = "
                       "1, and run " +
                           short_id(run_id(1)) + " of slot " + format_slot(other.slot) +
                           " of job sweep on host-2 goes on."))
      << why(*fleet());
  facts.job.group_max_running = 2;
  EXPECT_FALSE(contains(why(*fleet()), "It waits for room")) << "there is room";
  write("host-2", {own});
  EXPECT_TRUE(contains(why(*fleet()), "and 2 runs of it go on, the first of them run " + short_id(run_id(1))))
      << why(*fleet());
}

TEST_F(WhyInAFleet, ASlotThatItsOwnLeaderPassedOverWasNotWithoutALeader) {
  Row row = on("host-2", missed(noon, Reason::misfire));
  row.epoch = 5;
  facts.scheduled = noon;
  write("host-2", {row, TermRow{"nightly", "host-2", 5, noon - Millis(1), std::nullopt, Cause::none}});
  EXPECT_TRUE(contains(why(*fleet()),
                       "Node host-2 led the group when it was due, and could not start it at once: there "
                       "was no room under a max_running"))
      << why(*fleet());
  write("host-2", {TermRow{"nightly", "host-2", 5, noon + Millis(1), std::nullopt, Cause::none}});
  EXPECT_FALSE(contains(why(*fleet()), "Node host-2 led the group when")) << why(*fleet());
}

TEST_F(WhyInAFleet, ASlotOfAFullJobWaitsForOneOfItsRuns) {
  std::vector<storage::Record> rows;
  for (std::uint32_t i = 1; i <= 2; ++i) {
    Row row = with(on("host-2", ran(i, noon - Millis(60'000) + i * Millis(1000))), Status::running);
    row.started_at = row.slot, row.ended_at.reset(), row.duration.reset();
    rows.emplace_back(row);
  }
  write("host-2", rows);
  facts.scheduled = noon;
  leader_says(io::Message().set("waiting", Texts{format_slot(noon)}));
  const std::string text = why(*fleet());
  EXPECT_TRUE(contains(text, "It waits for one of 2 runs of the job to end, the first of them run " +
                                 short_id(run_id(1)) + " of slot " + format_slot(noon - Millis(59'000))))
      << text;
}

/// Its leader alone knows that nothing is known of the run; the node that is asked had not even read its claim.
TEST_F(WhyInAFleet, ASlotThatWaitsForARunOfADeadNodeSaysSoOnEachNode) {
  Row lost = with(on("host-3", ran(1, noon - Millis(60'000))), Status::running);
  lost.ended_at.reset(), lost.duration.reset();
  facts.scheduled = noon;
  leader_says(io::Message().set("in_question", to_messages({lost})));
  silent = {"host-3"};
  const std::string text = why(*fleet());
  EXPECT_TRUE(contains(text, format_slot(noon) + " queued: The slot is due and waits for run " + short_id(run_id(1)) +
                                 " of slot " + format_slot(lost.slot) + " on host-3. Nothing is known of that run"))
      << text;
}

/// What its store shows of it while the run waits for its next attempt.
struct WhyOfARetry : WhyInAFleet {
  WhyOfARetry() {
    Row failed = with(on("host-2", ran(1)), Status::failed, Reason::exit_code);
    failed.ended_at = noon + Millis(1000);
    Row next = with(on("", ran(1)), Status::queued);
    next.attempt = 2, next.ended_at.reset(), next.started_at.reset();
    write("host-2", {failed});
    leader_says({}, {next});
    facts.job.facts = JobFacts();
    facts.job.facts->retries = 1;
    facts.job.facts->retry_delay = facts.job.facts->retry_max_delay = std::chrono::hours(2);
    facts.job.now = noon + Millis(2000);
  }
};

TEST_F(WhyOfARetry, ThatWaitsInAHaltNamesTheHaltOnceTheStoreWasAsked) {
  facts.is_whole = false;
  EXPECT_EQ(why(*fleet()), "what is known is not all");
  facts.is_whole = true;
  EXPECT_TRUE(contains(why(*fleet()), "It starts between 2025-")) << why(*fleet());
  facts.slot.state = "halted", facts.slot.trouble = "it cannot be read";
  for (const WhyAsked& asked : {WhyAsked{"backup"}, WhyAsked{"backup", run_id(1)}, WhyAsked{"backup", {}, noon}}) {
    const std::string text = why(*fleet(), asked);
    EXPECT_TRUE(contains(text, "The job is halted: it cannot be read. Nothing of it is launched until `ballot repair"))
        << text;
    EXPECT_TRUE(contains(text, "It is due between 2025-")) << text;
    EXPECT_FALSE(contains(text, "It starts between")) << text;
  }
  facts.job.now = noon + std::chrono::hours(9);
  EXPECT_FALSE(contains(why(*fleet()), "as far as is known here")) << "the halt is why: " << why(*fleet());
}

TEST_F(WhyOfARetry, ThatWaitsInAPauseNamesThePause) {
  facts.slot.state = "paused";
  facts.slot.pauses = {{Pause::Of::group, noon + Millis(500), "ada", std::nullopt, ""}};
  const std::string text = why(*fleet(), {"backup", run_id(1)});
  EXPECT_TRUE(contains(text, "The job is paused with its group since " + format_millis(noon + Millis(500)) +
                                 ", by ada, and no attempt of the run starts before that is over (`ballot resume "
                                 "--group nightly`)."))
      << text;
}

TEST_F(WhyInAFleet, ASlotOfAnEveryThatItsSilentLeaderMayHaveHadIsNotTakenForTheLastOneThatIsKnown) {
  write("host-3", {on("host-3", ran(1))});
  facts.slot.has_phase = false;
  facts.every = std::chrono::minutes(7);
  const std::string known = why(*fleet());
  EXPECT_TRUE(contains(known, " backup 0 succeeded on host-3: ")) << known;
  silent = {"host-2"};
  facts.slot.leader_is_silent = true;
  facts.slot.leader_heard = noon + std::chrono::minutes(30);
  const std::string later = why(*fleet());
  EXPECT_TRUE(later.starts_with("not recorded: Its @every counts from a time that only")) << later;
  EXPECT_TRUE(contains(later, "does not renew its session")) << later;
  EXPECT_TRUE(contains(later, "The last slot that is known is that of " + format_slot(noon) + ".")) << later;
  EXPECT_EQ(why(*fleet(), {.job = "backup", .at = noon + std::chrono::minutes(6)}), known)
      << "no other was due by then";
  EXPECT_TRUE(contains(why(*fleet(), {.job = "backup", .run = run_id(1)}), "succeeded on host-3"));
  facts.slot.leader = "host-3";
  EXPECT_EQ(why(*fleet()), known) << "its leader answers";
  facts.slot.leader = "host-2", facts.is_whole = false;
  EXPECT_EQ(why(*fleet()), "what is known is not all");
}

TEST_F(WhyInAFleet, OfTheRunInTheWayItIsSaidWhereItBeganAndWhichAttemptGoesOnWhereSinceWhen) {
  Row before = with(on("host-2", ran(1, noon - Millis(60'000))), Status::lost, Reason::node_died);
  before.started_at = noon - Millis(59'000);
  Row now = with(on("host-3", ran(1, noon - Millis(60'000))), Status::running);
  now.attempt = 2, now.started_at = noon - Millis(20'000), now.ended_at.reset(), now.duration.reset();
  Row skipped = with(on("host-2", missed(noon)), Status::skipped, Reason::overlap);
  write("host-3", {now, before});
  write("host-2", {skipped});
  facts.scheduled = noon;
  const std::string text = why(*fleet());
  EXPECT_TRUE(contains(text, " of slot " + format_slot(noon - Millis(60'000)) + ", begun on host-2 at " +
                                 format_millis(noon - Millis(59'000)) + ", in attempt 2 on host-3, started " +
                                 format_millis(noon - Millis(20'000)) + ", which has not ended."))
      << text;
}

/// Its run is one of host-2, which has lost the group; host-3 has recorded its loss, and that the slot was missed.
struct WhyBehindALostRun : WhyInAFleet {
  void begin(Reason why_lost, Reason why_missed, WallTime lost_at = noon + Millis(30'000)) {
    Row lost = with(on("host-2", ran(1, noon - Millis(60'000))), Status::lost, why_lost);
    lost.epoch = 8;
    lost.ended_at = lost_at;
    Row row = on("host-3", missed(noon, why_missed));
    row.epoch = 9;
    facts.scheduled = noon;
    write("host-3", {row, lost});
  }
  void expect(const std::string& part) { EXPECT_TRUE(contains(why(*fleet()), part)) << why(*fleet()); }
  void expect_none(const std::string& part) { EXPECT_FALSE(contains(why(*fleet()), part)) << why(*fleet()); }

  const std::string run = "It waited for run " + short_id(run_id(1)) + " of slot " +
                          format_slot(noon - Millis(60'000)) +
                          " on host-2. Nothing was known of that run since its node had lost the group";
  const std::string until = ", until it was recorded as lost, " + format_millis(noon + Millis(30'000));
};

TEST_F(WhyBehindALostRun, AMissedSlotNamesTheRunAndUntilWhenNothingWasKnownOfIt) {
  begin(Reason::node_died, Reason::misfire);
  expect(run + until + ". The job's misfire policy");
  expect_none("no leader could start it");
}

TEST_F(WhyBehindALostRun, AMissedSlotNamesTheTermThatHasFollowedTheRuns) {
  begin(Reason::node_died, Reason::misfire);
  const TermRow own{"nightly", "host-2", 8, noon - Millis(90'000), std::nullopt, Cause::none};
  const TermRow next{"nightly", "host-3", 9, noon - Millis(20'000), noon + Millis(40'000), Cause::resigned};
  const TermRow last{"nightly", "host-1", 10, noon + Millis(41'000), std::nullopt, Cause::none};
  write("host-3", {own, next, last});
  expect(run + " (node host-3 was elected " + format_millis(next.elected_at) + ")" + until);
}

TEST_F(WhyBehindALostRun, ASlotPastItsStartDeadlineNamesTheRunAndNoOtherCause) {
  begin(Reason::node_died, Reason::start_deadline);
  expect(run + until + ". By then the job's start_deadline was over.");
  expect_none("there was no room");
}

TEST_F(WhyBehindALostRun, AMissedSlotSaysThatTheRunWasForgotten) {
  begin(Reason::forgotten, Reason::misfire);
  expect(run + until + " (`ballot forget`).");
}

TEST_F(WhyBehindALostRun, AMissedSlotDidNotWaitForARunOfWhichItsNodeKnewTheLoss) {
  begin(Reason::runner_died, Reason::misfire);
  expect_none("It waited for run");
}

TEST_F(WhyBehindALostRun, AMissedSlotDidNotWaitForARunWhoseLossWasRecordedBeforeIt) {
  begin(Reason::node_died, Reason::misfire, noon - Millis(1));
  expect("no leader could start it");
}

TEST_F(WhyBehindALostRun, ASlotThatNoNodeLedDidNotWaitForTheRun) {
  begin(Reason::node_died, Reason::no_leader);
  expect_none("It waited for run");
}

TEST_F(WhyBehindALostRun, AMissedSlotOfAJobWhoseRunsMayGoOnAtOnceDidNotWaitForIt) {
  begin(Reason::node_died, Reason::misfire);
  facts.job.facts = JobFacts();
  facts.job.facts->concurrency = Concurrency::allow;
  expect("no leader could start it");
}

}  // namespace
}  // namespace ballot::library
