// The fleet's ledger over files that a test has written, one a node: asked without a network.
#include "library/history/fleet_ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <set>

#include "io/message.hpp"
#include "library/history/file_ledger.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/shown/ledger_answers.hpp"
#include "storage/ledger_file.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::library {
namespace {

using storage::missed;
using storage::noon;
using storage::ran;
using storage::run_id;

using Texts = std::vector<std::string>;

Row on(const std::string& node, Row row) {
  row.node = node;
  return row;
}
Row with(Row row, Status status, Reason reason = Reason::none) {
  row.status = status;
  row.reason = reason;
  return row;
}

std::string said(const Row& row) {
  std::string text =
      row.job + " " + std::to_string((row.slot - noon).count()) + " " + std::string(to_string(row.status));
  if (row.slots > 1) text += " x" + std::to_string(row.slots);
  if (row.attempt > 1) text += " attempt " + std::to_string(row.attempt);
  return text + (row.node.empty() ? "" : " on " + row.node);
}

/// Nodes host-1 (which is asked), host-2 and host-3.
struct Fleet3 : ::testing::Test {
  void write(const std::string& node, const std::vector<storage::Record>& records) {
    storage::LedgerFile(folder / (node + ".db"), Millis(100)).write(records, storage::Sync::later);
  }
  LedgerPlace place(const std::string& node) const {
    return {folder / (node + ".db"), folder / "no-runner.sock", node, std::chrono::hours(1'000'000)};
  }
  void SetUp() override {
    for (const char* node : {"host-1", "host-2", "host-3"}) write(node, {});
  }
  std::vector<Result<io::Message>> answer(const std::vector<PeerQuestion>& questions) {
    std::vector<Result<io::Message>> answers;
    for (const auto& [peer, question] : questions) {
      ++asked[peer.node];
      const auto strange = lies.find(peer.node);
      if (silent.contains(peer.node))
        answers.push_back(Error{Errc::timeout, "it has not answered in time"});
      else if (strange != lies.end())
        answers.push_back(strange->second(question));
      else
        answers.push_back(answer_question(**FileLedger::open(place(peer.node)), question));
    }
    return answers;
  }
  std::unique_ptr<FleetLedger> fleet(std::vector<Row> evidence = {}, FleetBounds bounds = {}) {
    FleetNow now{{{"host-2", "http://b", noon, ""}, {"host-3", "http://c", std::nullopt, ""}}, std::move(evidence)};
    return std::make_unique<FleetLedger>(
        "host-1", *FileLedger::open(place("host-1")), std::move(now),
        [this](const auto& questions, Millis) { return answer(questions); }, bounds);
  }
  /// That node's answers, but to these calls.
  void lie(const std::string& node, const std::string& call, const Result<io::Message>& says) {
    lies[node] = [=, this](const io::Message& question) {
      return question.text("ask") == call ? says : answer_question(**FileLedger::open(place(node)), question);
    };
  }
  static Texts history(LedgerView& ledger, const storage::Filter& filter = {.limit = std::nullopt}) {
    Texts rows;
    const auto end = ledger.history(filter, [&](const Row& row) {
      return rows.push_back(said(row) + (ledger.is_evidence(row) ? " (store)" : "")), true;
    });
    if (!end) rows.push_back(end.error().what);
    return rows;
  }
  static Texts missing(const LedgerView& ledger) {
    Texts nodes;
    for (const MissingNode& node : ledger.missing()) nodes.push_back(node.node + ": " + node.why);
    return nodes;
  }

  TempFolder folder;
  std::set<std::string> silent;
  std::map<std::string, std::function<Result<io::Message>(const io::Message&)>> lies;
  std::map<std::string, int> asked;
};

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

TEST_F(Fleet3, ANodeThatDoesNotAnswerIsNamedAndNotAskedAgain) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1)))});
  silent = {"host-2"};
  const auto ledger = fleet();
  EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-1"});
  EXPECT_TRUE(*ledger->knows_job("backup"));
  EXPECT_EQ(asked["host-2"], 1);
  EXPECT_EQ(missing(*ledger), Texts{"host-2: it has not answered in time"});
  EXPECT_EQ(ledger->missing().front().last_heard, noon);
  silent.clear();
  EXPECT_EQ(history(*fleet()).size(), 2u) << "its rows are back when it is";
  EXPECT_TRUE(missing(*fleet()).empty());
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

TEST_F(Fleet3, ASlotThatARunHadClaimedIsEvidenceUntilALedgerHasItsRow) {
  Row claimed;
  claimed.job = "backup", claimed.slot = noon, claimed.status = Status::claimed;
  const auto away = fleet({claimed});
  const auto rows = away->at("backup", noon);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_TRUE(away->is_evidence(rows->front()));
  EXPECT_EQ(*away->last_statuses({"backup", "other"}), (Texts{"claimed", ""}));
  write("host-3", {on("host-3", ran(1))});
  const auto there = fleet({claimed});
  ASSERT_EQ(there->at("backup", noon)->size(), 1u);
  EXPECT_EQ(said(there->at("backup", noon)->front()), "backup 0 succeeded on host-3");
  EXPECT_EQ(*there->last_statuses({"backup"}), Texts{"succeeded"});
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
  asked_by_another.states = {{"backup", "paused"}};
  FleetLedger own("host-1", *FileLedger::open(place("host-1")), std::move(asked_by_another), {});
  EXPECT_EQ(io::encode(answer_question(own, question("evidence"))->objects("states")[0]),
            R"({"job":"backup","node":"host-1","state":"paused"})");
}

TEST_F(Fleet3, TheOutputComesFromTheNodeThatExecutedTheRun) {
  Row row = on("host-2", ran(1));
  row.output_bytes = 5;
  write("host-2", {row, storage::OutputRecord{*row.run, 1, {"hello", "", 5}}});
  write("host-1", {row});
  const auto output = fleet()->output({run_id(1), 1}, 0);
  ASSERT_TRUE(output) << output.error().what;
  EXPECT_EQ(output->piece.bytes, "hello");
  EXPECT_EQ(output->node, "host-2");
  EXPECT_TRUE(output->ended);
  EXPECT_EQ(fleet()->output({run_id(9), 1}, 0).error().code, Errc::not_found);
  silent = {"host-2"};
  EXPECT_EQ(fleet()->output({run_id(1), 1}, 0).error().code, Errc::unavailable);
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

TEST_F(Fleet3, ANodeWhoseAnswerMakesNoSenseIsMissingAndTheOthersAreShown) {
  write("host-1", {on("host-1", ran(1))});
  write("host-3", {on("host-3", ran(3, noon + Millis(3000)))});
  std::string job = "backup";
  lies["host-2"] = [&](const io::Message&) -> Result<io::Message> {
    io::Message row, answer;
    row.set("slot", std::int64_t{5}).set("trigger", std::string("schedule")).set("status", std::string("succeeded"));
    row.set("job", job);
    return answer.set("rows", std::vector{row, row}).set("next", std::vector{io::Message()});
  };
  const auto ledger = fleet();
  EXPECT_EQ(history(*ledger), (Texts{"backup 3000 succeeded on host-3", "backup 0 succeeded on host-1"}));
  EXPECT_EQ(missing(*ledger), Texts{"host-2: its rows come in no order"});
  job.clear();
  EXPECT_EQ(history(*fleet()).size(), 2u) << "a row of no job";
  lies["host-2"] = [](const io::Message&) -> Result<io::Message> {
    io::Message row, answer;
    return answer.set("rows", std::vector{row.set("status", std::string("?"))});
  };
  EXPECT_EQ(history(*fleet()).size(), 2u);
  EXPECT_EQ(fleet()->at("backup", noon)->size(), 1u);
}

TEST_F(Fleet3, ARunThatNobodyHasIsNotDeniedWhileANodeIsMissing) {
  const auto ask = [this](LedgerView& ledger) {
    return answer_shown(ledger, io::Message().set("ask", std::string("run")).set("run", run_id(1).text()), noon)
        .error();
  };
  EXPECT_EQ(ask(*fleet()).code, Errc::not_found);
  silent = {"host-3"};
  const Error error = ask(*fleet());
  EXPECT_EQ(error.code, Errc::unavailable);
  EXPECT_NE(error.what.find("host-3 (it has not answered in time)"), std::string::npos) << error.what;
  Row open = with(on("host-3", ran(1)), Status::claimed);
  open.run.reset();
  EXPECT_EQ(ask(*fleet({open})).code, Errc::unavailable);
}

TEST_F(Fleet3, OnlyThatThereIsNoSuchRunOutputOrNameIsAnAnswer) {
  write("host-1", {on("host-1", ran(1))});
  for (const Errc code : {Errc::invalid, Errc::not_found, Errc::unavailable, Errc::refused}) {
    lies["host-2"] = [=](const io::Message&) -> Result<io::Message> { return Error{code, "it says no"}; };
    const auto rows = fleet();
    EXPECT_EQ(history(*rows), Texts{"backup 0 succeeded on host-1"});
    EXPECT_EQ(missing(*rows), Texts{"host-2: it says no"}) << static_cast<int>(code);
    const auto names = fleet();
    EXPECT_FALSE(*names->knows_group("weekly"));
    EXPECT_EQ(missing(*names), code == Errc::not_found ? Texts() : Texts{"host-2: it says no"});
  }
}

TEST_F(Fleet3, AnAnswerThatCannotBeReadLosesItsNodeAndNotTheWhole) {
  Row row = on("host-1", ran(1));
  write("host-1", {row, storage::OutputRecord{*row.run, 1, {"hello", "", 5}},
                   TermRow{"nightly", "host-1", 8, noon, std::nullopt, Cause::none}});
  const io::Message strange = io::Message().set("x", std::int64_t{1});
  lie("host-2", "output", strange);
  auto ledger = fleet();
  const auto output = ledger->output({run_id(1), 1}, 0);
  ASSERT_TRUE(output) << output.error().what;
  EXPECT_EQ(output->piece.bytes, "hello");
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "terms", io::Message().set("terms", std::vector{strange}));
  ledger = fleet();
  const auto terms = ledger->terms("nightly");
  ASSERT_TRUE(terms) << terms.error().what;
  EXPECT_EQ(terms->size(), 1u);
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "audit", io::Message().set("findings", std::vector{strange}).set("totals", std::vector{strange}));
  ledger = fleet();
  const auto audit = ledger->audit({}, {});
  ASSERT_TRUE(audit) << audit.error().what;
  EXPECT_EQ(audit->totals.size(), 1u);
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "requests", io::Message().set("requests", std::vector{strange}));
  ledger = fleet();
  EXPECT_TRUE(ledger->requests({}, [](const RequestRow&) { return true; }));
  EXPECT_EQ(missing(*ledger).size(), 1u);

  lie("host-2", "evidence", io::Message().set("rows", std::vector{strange}));
  ledger = fleet();
  EXPECT_EQ(history(*ledger).size(), 1u);
  EXPECT_EQ(missing(*ledger).size(), 1u);
}

TEST_F(Fleet3, ARunThatWasNotAskedForIsNobodysAnswer) {
  write("host-1", {on("host-1", ran(1))});
  lie("host-2", "find_run", io::Message().set("runs", Texts{run_id(2).text()}));
  const auto ledger = fleet();
  std::string upper = run_id(1).text();
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(*ledger->find_run(upper), std::vector{run_id(1)});
  EXPECT_EQ(missing(*ledger), Texts{"host-2: it answers with a run that was not asked for"});
}

TEST_F(Fleet3, OfTwoThatClaimToHaveExecutedARunTheOneCountsThatItsRowNames) {
  Row row = on("host-3", ran(1));
  row.output_bytes = 5;
  write("host-3", {row, storage::OutputRecord{*row.run, 1, {"hello", "", 5}}});
  const auto claim = [](const std::string& node) {
    return to_message(ShownOutput{ShownOutput::Place::here, node, {0, "a lie"}, 5, true});
  };
  for (const char* node : {"host-2", "host-3"}) {
    lie("host-2", "output", claim(node));
    const auto output = fleet()->output({run_id(1), 1}, 0);
    ASSERT_TRUE(output) << output.error().what;
    EXPECT_EQ(output->piece.bytes, "hello") << "host-2 claims it of " << node;
  }
  write("host-1", {row});
  silent = {"host-3"};
  for (const char* node : {"host-2", "host-3"}) {
    lie("host-2", "output", claim(node));
    const auto output = fleet()->output({run_id(1), 1}, 0);
    ASSERT_FALSE(output) << "host-2 claims it of " << node;
    EXPECT_EQ(output.error().code, Errc::unavailable);
  }
  write("host-2", {});
  lie("host-2", "output", claim("host-3"));
  EXPECT_FALSE(fleet()->output({run_id(9), 1}, 0)) << "no row of it is anywhere";
}

TEST_F(Fleet3, AQuestionAsksSoManyNodesAndNamesTheOthers) {
  write("host-3", {on("host-3", ran(3))});
  const auto ledger = fleet({}, {.nodes = 1});
  EXPECT_EQ(history(*ledger), Texts());
  EXPECT_EQ(asked["host-3"], 0);
  ASSERT_EQ(missing(*ledger).size(), 1u);
  EXPECT_NE(missing(*ledger).front().find("host-3: a question asks no more than 1"), std::string::npos);
}

TEST_F(Fleet3, NoRoundIsBegunOnceAQuestionTakesTooLong) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1)))});
  const auto ledger = fleet({}, {.patience = Millis(0)});
  EXPECT_EQ(history(*ledger), Texts{"backup 0 succeeded on host-1"}) << "the first round was that of the evidence";
  EXPECT_EQ(asked["host-2"], 1);
  EXPECT_EQ(missing(*ledger).size(), 2u);
}

TEST_F(Fleet3, OfOneNodeAloneOnlyThatNodeIsAsked) {
  write("host-1", {on("host-1", ran(1))});
  write("host-2", {on("host-2", ran(2, noon + Millis(1)))});
  FleetLedger alone("host-1", nullptr, {{{"host-2", "http://b", noon, ""}}, {}},
                    [this](const auto& questions, Millis) { return answer(questions); });
  EXPECT_EQ(history(alone), Texts{"backup 1 succeeded on host-2"});
  EXPECT_EQ(alone.sequence().error().code, Errc::invalid);
}

}  // namespace
}  // namespace ballot::library
