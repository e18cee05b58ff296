// The fleet's ledger: which rows, names and states it shows of those that its nodes have.
#include <random>

#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

TEST_F(Fleet3, EachRunAndSlotIsShownOnceNewestFirst) {
  write("host-2", {on("host-2", ran(1, noon)), on("host-2", ran(2, noon + Millis(1000)))});
  write("host-1", {with(on("host-2", ran(2, noon + Millis(1000))), Status::lost, Reason::node_died),
                   on("host-1", ran(3, noon + Millis(2000)))});
  write("host-3", {with(on("host-2", ran(2, noon + Millis(1000))), Status::running)});
  EXPECT_EQ(history(*fleet()), (Texts{"backup 2000 succeeded on host-1", "backup 1000 succeeded on host-2",
                                      "backup 0 succeeded on host-2"}));
}

TEST_F(Fleet3, AFilterIsOfTheRowsThatCount) {
  write("host-2", {on("host-2", ran(1))});
  write("host-1", {with(on("host-2", ran(1)), Status::lost, Reason::node_died)});
  EXPECT_EQ(history(*fleet(), {.statuses = {Status::lost}}), Texts()) << "it had ended on host-2, which says so";
  EXPECT_EQ(history(*fleet(), {.nodes = {"host-2"}}), Texts{"backup 0 succeeded on host-2"});
  silent = {"host-2"};
  EXPECT_EQ(history(*fleet(), {.statuses = {Status::lost}}), Texts{"backup 0 lost on host-2"});
}

TEST_F(Fleet3, ARunThatEndsWhileItsPageIsReadIsNotAmongThoseThatGoOn) {
  const Row row = on("host-2", ran(1));
  write("host-2", {with(row, Status::running)});
  EXPECT_EQ(history(*fleet(), {.statuses = {Status::running}}).size(), 1u);
  lie("host-2", "rows_of", io::Message().set("rows", std::vector{to_message(row)}));
  EXPECT_EQ(history(*fleet(), {.statuses = {Status::running}}), Texts());
  EXPECT_EQ(history(*fleet()), Texts{"backup 0 succeeded on host-2"});
}

TEST_F(Fleet3, PagesOfAnySizeAddUpToTheWholeAndEachRowComesOnce) {
  std::mt19937 random(11);
  std::map<std::string, std::vector<storage::Record>> records;
  std::set<std::string> slots;
  const Texts nodes{"host-1", "host-2", "host-3"};
  for (std::uint32_t i = 0; i < 150; ++i) {
    const std::string& node = nodes[random() % 3];
    const Row row = on(node, ran(i + 1, noon + Millis(random() % 40)));
    records[node].emplace_back(row);
    if (random() % 3 == 0) records[nodes[random() % 3]].emplace_back(with(row, Status::lost, Reason::node_died));
    if (random() % 4 == 0) records[nodes[random() % 3]].emplace_back(on(node, missed(noon + Millis(100 + i % 60))));
  }
  for (const auto& [node, all] : records) write(node, all);
  const auto whole = history(*fleet());
  EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size() >= 40, true);
  for (const std::int64_t most : {7, 50}) {
    Texts pages;
    storage::Filter filter{.limit = most};
    do {
      const auto end = fleet()->walk(
          filter, [&](const Row& row, const storage::Position&) { return pages.push_back(said(row)), true; });
      ASSERT_TRUE(end) << end.error().what;
      filter.after = *end;
    } while (filter.after);
    EXPECT_EQ(pages, whole) << "pages of " << most;
  }
}

TEST_F(Fleet3, WhatTheStoreShowsStandsInForANodeThatIsAway) {
  Row open = with(on("host-2", ran(1, noon + Millis(5000))), Status::claimed);
  write("host-2", {on("host-2", ran(1, noon + Millis(5000)))});
  silent = {"host-2"};
  const auto ledger = fleet({open});
  EXPECT_EQ(history(*ledger), Texts{"backup 5000 claimed on host-2 (store)"});
  EXPECT_TRUE(*ledger->knows_job("backup"));
  EXPECT_EQ(*ledger->find_run(run_id(1).text().substr(24)), std::vector{run_id(1)});
  const auto output = ledger->output({run_id(1), 1}, 0);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::unavailable);
  EXPECT_NE(output.error().what.find("host-2"), std::string::npos) << output.error().what;
  silent.clear();
  EXPECT_EQ(history(*fleet({open})), Texts{"backup 5000 succeeded on host-2"});
}

TEST_F(Fleet3, AJobOfWhichARunWaitsIsQueuedWhateverWasSkippedMeanwhile) {
  Row skipped = on("host-2", missed(noon + Millis(60'000), Reason::overlap));
  skipped.status = Status::skipped;
  write("host-2", {with(on("host-1", ran(1)), Status::failed, Reason::exit_code), skipped});
  EXPECT_EQ(*fleet()->last_statuses({"backup"}), Texts{"skipped: overlap"});
  Row waiting = with(on("host-2", ran(1)), Status::queued);
  waiting.attempt = 2;
  const auto ledger = fleet({waiting});
  EXPECT_EQ(*ledger->last_statuses({"backup"}), Texts{"queued"});
  waiting.status = Status::claimed;
  EXPECT_EQ(*fleet({waiting})->last_statuses({"backup"}), Texts{"running"});
  EXPECT_TRUE(ledger->known_by_store().contains("backup"));
}

/// What the node answers of a job that it leads, of which a run goes on.
io::Message running_job() {
  io::Message state = io::Message().set("job", std::string("backup")).set("state", std::string("active"));
  return io::Message().set("rows", std::vector<io::Message>()).set("states", std::vector{state.set("running", true)});
}

TEST_F(Fleet3, AJobIsRunningOnEachNodeWhileItsLeaderSaysThatARunGoesOn) {
  Row skipped = with(on("host-2", missed(noon + Millis(60'000), Reason::overlap)), Status::skipped, Reason::overlap);
  write("host-3", {with(on("host-3", ran(1)), Status::running)});
  write("host-2", {skipped});
  EXPECT_EQ(*fleet()->last_statuses({"backup"}), Texts{"skipped: overlap"}) << "nobody leads it";
  lie("host-2", "evidence", running_job());
  const auto ledger = fleet();
  EXPECT_EQ(*ledger->last_statuses({"backup", "other"}), (Texts{"running", ""}));
  EXPECT_FALSE(ledger->known_by_store().contains("backup"));
  write("host-2", {on("host-2", ran(2, noon + Millis(120'000)))});
  EXPECT_EQ(*fleet()->last_statuses({"backup"}), Texts{"running"}) << "beside it a newer one has ended";
}

/// As history has it: whether it goes on only that node knows.
TEST_F(Fleet3, AJobWhoseRunIsOneOfANodeThatDoesNotAnswerIsClaimedByTheStore) {
  write("host-2", {with(on("host-2", missed(noon + Millis(60'000))), Status::skipped, Reason::overlap)});
  lie("host-2", "evidence", running_job());
  silent = {"host-3"};
  const Row open = with(on("host-3", ran(1)), Status::claimed);
  const auto ledger = fleet({open});
  EXPECT_EQ(*ledger->last_statuses({"backup"}), Texts{"claimed"});
  EXPECT_TRUE(ledger->known_by_store().contains("backup"));
  lies.clear();
  EXPECT_EQ(*fleet({open})->last_statuses({"backup"}), Texts{"claimed"}) << "nobody leads it";
}

TEST_F(Fleet3, OnTheNodeThatLeadsItAJobIsRunningToo) {
  write("host-1", {on("host-1", ran(2, noon + Millis(120'000)))});
  LedState running{"backup", "", "active"};
  running.is_running = true;
  FleetNow now;
  now.states = {running};
  FleetLedger own("host-1", *FileLedger::open(place("host-1")), std::move(now), {});
  const auto answer = answer_question(own, question("last_statuses").set("jobs", Texts{"backup"}));
  EXPECT_EQ(answer->texts("statuses"), Texts{"running"});
  EXPECT_TRUE(answer->objects("states")[0].flag("running").value_or(false)) << "so it says to others";
}

TEST_F(Fleet3, AJobOfWhichARunWaitsIsQueuedWhateverCameOfItsLast) {
  Row waiting = with(on("host-2", ran(1)), Status::queued);
  waiting.attempt = 2;
  write("host-2", {on("host-2", ran(2, noon + Millis(120'000)))});
  EXPECT_EQ(*fleet({waiting})->last_statuses({"backup"}), Texts{"queued"});
}

TEST_F(Fleet3, ASlotThatARunHadClaimedIsEvidenceUntilALedgerHasItsRow) {
  Row claimed;
  claimed.job = "backup", claimed.slot = noon, claimed.status = Status::claimed;
  const auto away = fleet({claimed});
  const auto rows = away->at("backup", noon);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_TRUE(away->is_evidence(rows->front()));
  EXPECT_EQ(rows->front().status.text(), "ended") << "the run is not open any more";
  EXPECT_EQ(history(*fleet({claimed})), Texts{"backup 0 ended (store)"});
  EXPECT_EQ(*away->last_statuses({"backup", "other"}), (Texts{"ended", ""}));
  write("host-3", {on("host-3", ran(1))});
  const auto there = fleet({claimed});
  ASSERT_EQ(there->at("backup", noon)->size(), 1u);
  EXPECT_EQ(said(there->at("backup", noon)->front()), "backup 0 succeeded on host-3");
  EXPECT_EQ(*there->last_statuses({"backup"}), Texts{"succeeded"});
}

TEST_F(Fleet3, HowARunEndedIsEvidenceUntilItsNodeAnswers) {
  const Row failed = with(on("host-2", ran(1)), Status::failed, Reason::exit_code);
  write("host-1",
        {on("host-1", ran(2, noon - Millis(9))), with(on("host-2", ran(1)), Status::lost, Reason::node_died)});
  write("host-2", {failed});
  silent = {"host-2"};
  const auto away = fleet({failed});
  const storage::Filter failures{.statuses = {Status::failed}};
  EXPECT_EQ(history(*away, failures), Texts{"backup 0 failed on host-2 (store)"});
  const auto statuses =
      answer_question(*fleet({failed}), question("last_statuses").set("jobs", Texts{"backup", "other"}));
  EXPECT_EQ(statuses->texts("statuses"), (Texts{"failed: exit_code", ""}));
  EXPECT_EQ(statuses->texts("evidence"), Texts{"backup"});
  const auto run =
      answer_shown(*fleet({failed}), io::Message().set("ask", std::string("run")).set("run", run_id(1).text()), noon);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->text("status"), "failed");
  EXPECT_EQ(run->text("evidence"), "store");
  EXPECT_EQ(run->objects("attempts").front().text("evidence"), "store");
  silent.clear();
  EXPECT_EQ(history(*fleet({failed}), failures), Texts{"backup 0 failed on host-2"});
  EXPECT_EQ(
      answer_question(*fleet({failed}), question("last_statuses").set("jobs", Texts{"backup"}))->texts("evidence"),
      Texts());
}

TEST_F(Fleet3, ALostRunThatALedgerHasIsNotCalledOneOfTheStore) {
  const Row lost = with(on("host-3", ran(1)), Status::lost, Reason::node_died);
  write("host-2", {lost});
  silent = {"host-3"};
  EXPECT_EQ(history(*fleet({lost})), Texts{"backup 0 lost on host-3"});
  silent.insert("host-2");
  EXPECT_EQ(history(*fleet({lost})), Texts{"backup 0 lost on host-3 (store)"});
}

TEST_F(Fleet3, EvidenceOfWhoeverLeadsIsTakenToo) {
  Row open = with(on("host-3", ran(4)), Status::claimed);
  lies["host-2"] = [&](const io::Message& question) -> Result<io::Message> {
    io::Message answer;
    answer.set("rows", std::vector<io::Message>());
    if (question.text("ask") == "evidence") answer.set("rows", to_messages({open}));
    return answer;
  };
  silent = {"host-3"};
  EXPECT_EQ(history(*fleet()), Texts{"backup 0 claimed on host-3 (store)"});
}

TEST_F(Fleet3, TheLastStatusOfAJobIsThatOfItsNewestSlotWhereverItRan) {
  write("host-1", {with(on("host-1", ran(1)), Status::failed, Reason::exit_code)});
  write("host-2", {on("host-2", ran(2, noon + Millis(1000))), on("host-2", ran(3, noon, "report"))});
  EXPECT_EQ(*fleet()->last_statuses({"report", "backup", "none"}), (Texts{"succeeded", "succeeded", ""}));
  silent = {"host-2"};
  EXPECT_EQ(*fleet()->last_statuses({"backup"}), Texts{"failed: exit_code"});
}

TEST_F(Fleet3, ATriggerThatWasRefusedIsNotTheLastOfAJob) {
  Row refused = with(on("host-2", ran(2, noon + Millis(1000))), Status::skipped, Reason::overlap);
  refused.trigger = Trigger::manual;
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {refused});
  EXPECT_EQ(*fleet()->last_statuses({"backup"}), Texts{"succeeded"});
  lie("host-2", "last_rows", io::Message().set("rows", std::vector{to_message(refused)}));
  EXPECT_EQ(*fleet()->last_statuses({"backup"}), Texts{"succeeded"}) << "as an older ballot says it";
}

TEST_F(Fleet3, TheStateOfAJobIsWhatTheNodeThatLeadsItSays) {
  const auto says = [](const std::string& job, const std::string& state) {
    return [=](const io::Message& question) -> Result<io::Message> {
      io::Message answer;
      answer.set("rows", std::vector<io::Message>());
      if (question.text("ask") == "evidence" && question.texts("jobs") == Texts{"backup"})
        answer.set("states", std::vector{io::Message().set("job", job).set("state", state)});
      return answer;
    };
  };
  lies["host-2"] = says("backup", "active"), lies["host-3"] = says("backup", std::string(257, 'x'));
  const auto answer = answer_question(*fleet(), question("last_statuses").set("jobs", Texts{"backup"}));
  ASSERT_TRUE(answer) << answer.error().what;
  ASSERT_EQ(answer->objects("states").size(), 1u) << "one says more than a state is long";
  EXPECT_EQ(io::encode(answer->objects("states")[0]), R"({"job":"backup","node":"host-2","state":"active"})");
  FleetNow asked_by_another;
  asked_by_another.states = {{"backup", "", "paused", noon, "host-1 uid 0"}};
  FleetLedger own("host-1", *FileLedger::open(place("host-1")), std::move(asked_by_another), {});
  EXPECT_EQ(
      io::encode(answer_question(own, question("evidence"))->objects("states")[0]),
      R"({"job":"backup","node":"host-1","paused_at":1741521600000,"paused_by":"host-1 uid 0","state":"paused"})");
}

TEST_F(Fleet3, AHistoryHasTheStateThatTheLeaderSaysWhereItIsAskedFor) {
  lies["host-2"] = [](const io::Message& question) -> Result<io::Message> {
    io::Message answer;
    answer.set("rows", std::vector<io::Message>());
    if (question.text("ask") == "evidence")
      answer.set("states",
                 std::vector{io::Message().set("job", std::string("backup")).set("state", std::string("paused"))});
    return answer;
  };
  io::Message asked = io::Message().set("ask", std::string("history")).set("jobs", Texts{"backup"});
  asked.set("defined", Texts{"backup"});
  EXPECT_FALSE(answer_shown(*fleet(), asked, noon)->fields().contains("states"));
  const auto states = answer_shown(*fleet(), asked.set("states", true), noon)->objects("states");
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0].text("state"), "paused");
}

TEST_F(Fleet3, NamesTermsAndRunsAreThoseOfAllNodes) {
  const TermRow open{"nightly", "host-2", 7, noon, std::nullopt, Cause::none};
  TermRow ended = open;
  ended.ended_at = noon + Millis(9), ended.cause = Cause::evicted;
  write("host-1", {open, TermRow{"nightly", "host-1", 8, noon + Millis(10), std::nullopt, Cause::none}});
  write("host-2", {ended, on("host-2", ran(1, noon, "trim@host-2"))});
  const auto ledger = fleet();
  const auto terms = ledger->terms("nightly");
  ASSERT_EQ(terms->size(), 2u);
  EXPECT_EQ(terms->front().epoch, 8u);
  EXPECT_EQ(terms->back().cause, Cause::evicted) << "the node that led knows how its term ended";
  EXPECT_EQ(*ledger->instances_of("trim"), Texts{"trim@host-2"});
  EXPECT_TRUE(*ledger->knows_job("trim@host-2"));
  EXPECT_FALSE(*ledger->knows_job("trim@host-3"));
  EXPECT_TRUE(*ledger->knows_group("nightly"));
  EXPECT_EQ(*ledger->jobs_of({"nightly"}), Texts{"trim@host-2"});
  EXPECT_EQ(ledger->find_run("12").error().code, Errc::invalid);
}

TEST_F(Fleet3, LateTermsAreThoseOfAllGroupsThatAnyNodeHasLed) {
  const auto term = [](const char* group, const char* node, std::uint64_t epoch, Millis at) {
    return TermRow{group, node, epoch, noon + at, std::nullopt, Cause::none};
  };
  const auto ended = [](TermRow of, Millis at) {
    of.ended_at = noon + at, of.cause = Cause::resigned;
    return of;
  };
  using std::chrono::hours;
  write("host-1",
        {term("nightly", "host-1", 8, Millis(10)), ended(term("daily", "host-1", 1, -hours(400)), -hours(200))});
  write("host-2", {ended(term("nightly", "host-2", 7, -hours(300)), Millis(9)), term("daily", "host-2", 2, Millis(5))});
  const auto shown = [&](io::Message asked) {
    Texts all;
    const auto answer = answer_shown(*fleet(), asked.set("form", "shown").set("ask", "terms_since"), noon + hours(1));
    for (const io::Message& one : answer ? answer->objects("terms") : std::vector<io::Message>())
      all.push_back(*one.text("group") + " " + *one.text("node") + " " + one.text("cause").value_or("goes on"));
    if (answer && answer->flag("left_out").value_or(true)) all.push_back("more");
    return all;
  };
  EXPECT_EQ(shown({}), (Texts{"nightly host-1 goes on", "daily host-2 goes on", "nightly host-2 resigned"}));
  EXPECT_EQ(shown(io::Message().set("limit", 2)), (Texts{"nightly host-1 goes on", "daily host-2 goes on", "more"}));
  const std::int64_t long_ago = (noon - hours(201)).time_since_epoch().count();
  EXPECT_EQ(shown(io::Message().set("since", long_ago)).size(), 4u);
  silent = {"host-2"};
  EXPECT_EQ(shown({}), Texts{"nightly host-1 goes on"});
}

TEST_F(Fleet3, AnAuditIsOfEachLedgerAndCountsAll) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1000)))});
  const auto ledger = fleet();
  const auto result = ledger->audit({}, {});
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_EQ(result->totals.size(), 1u);
  EXPECT_EQ(result->totals.front().count, 2);
  EXPECT_EQ(result->undefined, Texts{"backup"});
}

TEST_F(Fleet3, AnAuditCountsInOneOrderWhicheverLedgerHasWhatFirst) {
  write("host-1", {on("host-1", missed(noon + Millis(2000), Reason::misfire)),
                   with(on("host-1", ran(1)), Status::failed, Reason::exit_code)});
  write("host-2", {on("host-2", ran(2, noon + Millis(1000))), on("host-2", missed(noon + Millis(3000)))});
  const auto result = fleet()->audit({}, {});
  ASSERT_TRUE(result) << result.error().what;
  Texts totals;
  for (const audit::Total& total : result->totals)
    totals.push_back(std::string(to_string(total.status)) + " " + std::string(to_string(total.reason)));
  EXPECT_EQ(totals, (Texts{"succeeded ", "failed exit_code", "missed misfire", "missed no_leader"}));
}

/// What this node had read of a job before another node led it is not shown beside what the store shows now.
TEST_F(Fleet3, WhileANodeIsSilentTheStoreShowsTheRunsOfJobsThatNoNodeWhichAnswersLeads) {
  const Row failed = on("host-3", with(ran(3), Status::failed, Reason::exit_code));
  const Row old = on("host-3", with(ran(1), Status::succeeded));
  std::vector<StoreQuestion> asked_for;
  store = [&](const StoreQuestion& question) {
    asked_for.push_back(question);
    return StoreShows{{"backup"}, {failed}};
  };
  EXPECT_EQ(history(*fleet({old})), Texts{"backup 0 succeeded on host-3 (store)"}) << "all answer";
  EXPECT_TRUE(asked_for.empty());
  silent = {"host-3"};
  lies["host-2"] = [&](const io::Message& question) {
    auto says = *answer_question(**FileLedger::open(place("host-2")), question);
    if (question.text("ask") == "evidence") says.set("leads", Texts{"nightly"});
    return Result<io::Message>(says);
  };
  const auto ledger = fleet({old});
  EXPECT_EQ(history(*ledger, {.jobs = {"backup"}, .limit = std::nullopt}), Texts{"backup 0 failed on host-3 (store)"});
  EXPECT_EQ(asked_for, (std::vector<StoreQuestion>{{{"backup"}, {"nightly"}, {"host-3"}}})) << "once";
  EXPECT_EQ(missing(*ledger), Texts{"host-3: it has not answered in time"});
}

TEST_F(Fleet3, AStoreThatDoesNotAnswerEitherIsNamedAndWhatWasReadBeforeIsShown) {
  silent = {"host-3"};
  store = [](const StoreQuestion&) { return Error{Errc::unavailable, "it is away"}; };
  const auto ledger = fleet({on("host-3", ran(1))});
  EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-3 (store)"});
  EXPECT_EQ(missing(*ledger), Texts{"host-3: it has not answered in time; nor does the store (it is away): of what it "
                                    "leads this shows what was read before"});
}

TEST_F(Fleet3, OfMoreJobsThanAreReadAtOnceItIsSaidThatThereAreMore) {
  silent = {"host-3"};
  store = [](const StoreQuestion&) { return StoreShows{{"backup", "other"}, {}, true}; };
  const auto ledger = fleet();
  EXPECT_EQ(history(*ledger), Texts{});
  EXPECT_EQ(missing(*ledger),
            Texts{"host-3: it has not answered in time; of the jobs that it may lead the registers of "
                  "the first 2 were read: of the others this shows what was read before"});
}

TEST_F(Fleet3, OfOneNodeAloneOnlyThatNodeIsAsked) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1)))});
  FleetLedger alone("host-1", nullptr, {{{"host-2", "http://b", noon, ""}}, {}},
                    {[this](const auto& questions, Millis) { return answer(questions); }});
  EXPECT_EQ(history(alone), Texts{"backup 1 succeeded on host-2"});
  EXPECT_EQ(alone.sequence().error().code, Errc::invalid);
}

}  // namespace
}  // namespace ballot::library
