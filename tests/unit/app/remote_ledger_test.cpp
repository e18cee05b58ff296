// The ledger as a command reads it through the daemon's socket: every answer is that of the file.
#include "app/client/remote_ledger.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "app/client/ledger_access.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/jobs/subject.hpp"
#include "io/control_client.hpp"
#include "io/control_server.hpp"
#include "io/main_loop.hpp"
#include "library/history/definition_wire.hpp"
#include "library/history/ledger_desk.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/history/request_wire.hpp"
#include "storage/ledger_file.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::app {
namespace {

using library::FileLedger;
using library::LedgerView;
using storage::noon;
using storage::ran;
using storage::run_id;

/// A daemon's desk on a loop of its own, over a ledger that the test has written.
struct Remote : ::testing::Test {
  ~Remote() override {
    if (thread.joinable()) loop.post([this] { server.reset(), desk->close(), loop.stop(); });
    if (thread.joinable()) thread.join();
  }
  void write(const std::vector<storage::Record>& records) {
    storage::LedgerFile(folder / "history.db", Millis(100)).write(records, storage::Sync::later);
  }
  void serve(library::DeskLimits limits = {}) {
    desk = std::make_unique<library::LedgerDesk>(loop, place, limits);
    if (others) desk->answer_for(*others);
    auto made = io::ControlServer::listen(
        loop.context(), folder / "sock", roles,
        [this](const io::Question& question, const io::Reply& reply) { desk->answer(question, reply); });
    ASSERT_TRUE(made) << made.error().what;
    server = *std::move(made);
    thread = std::thread([this] { loop.run(); });
  }
  std::unique_ptr<LedgerView> file() { return *FileLedger::open(place); }

  TempFolder folder;
  library::LedgerPlace place{folder / "history.db", folder / "no-runner.sock", "host-1", std::chrono::hours(1'000'000)};
  io::Roles roles;
  io::MainLoop loop;
  library::FleetSource* others = nullptr;  // null: the daemon asks no other node
  std::unique_ptr<library::LedgerDesk> desk;
  std::unique_ptr<io::ControlServer> server;
  std::thread thread;
  RemoteLedger remote{folder / "sock"};
};

std::string text_of(const Row& row) { return io::encode(library::to_message(row)); }

Row full_row() {
  Row row = ran(7, noon + Millis(7), "each@host-1");
  row.slot_until = noon + Millis(9);
  row.slots = 3;
  row.trigger = Trigger::manual;
  row.attempt = 2;
  row.status = *Named<Status>::parse("paroled");  // of a newer ballot
  row.reason = *Named<Reason>::parse("solar_flare");
  row.exit_code = 3;
  row.signal = 9;
  row.output_bytes = 12;
  row.leftover = Leftover::unkillable;
  return row;
}

std::vector<std::string> history(LedgerView& ledger, const storage::Filter& filter) {
  std::vector<std::string> rows;
  const auto page = ledger.history(filter, [&](const Row& row) { return rows.push_back(text_of(row)), true; });
  if (!page) rows.push_back(page.error().what);
  return rows;
}

TEST_F(Remote, HistoryIsTheFilesOwnOverManyPages) {
  std::vector<storage::Record> records{full_row(), storage::missed(noon, Reason::no_leader, "other")};
  for (std::uint32_t i = 0; i < 2500; ++i) records.emplace_back(ran(100 + i, noon + Millis(i)));
  write(records);
  serve();
  const auto own = file();
  for (const storage::Filter& filter : {storage::Filter{},
                                        {.limit = std::nullopt},
                                        {.limit = 1000},
                                        {.limit = 2100},
                                        {.jobs = {"each@host-1"}},
                                        {.groups = {"nightly"}, .statuses = {Status::missed}},
                                        {.nodes = {"host-1"}, .reasons = {Reason::no_leader}},
                                        {.run = run_id(101)},
                                        {.since = noon + Millis(3), .until = noon + Millis(5)},
                                        {.jobs = {"none"}}})
    EXPECT_EQ(history(remote, filter), history(*own, filter));
  EXPECT_EQ(history(remote, {.limit = std::nullopt}).size(), 2502u);
  int seen = 0;
  ASSERT_TRUE(remote.history({.limit = std::nullopt}, [&](const Row&) { return ++seen < 5; }));
  EXPECT_EQ(seen, 5) << "no more than is wanted";
}

std::vector<std::string> requests(LedgerView& ledger, const storage::RequestFilter& filter) {
  std::vector<std::string> rows;
  const auto page = ledger.requests(
      filter, [&](const RequestRow& row) { return rows.push_back(io::encode(library::to_message(row))), true; });
  if (!page) rows.push_back(page.error().what);
  return rows;
}

std::vector<std::string> definitions(LedgerView& ledger, const storage::DefinitionFilter& filter) {
  std::vector<std::string> rows;
  const auto page = ledger.definitions(
      filter, [&](const auto& one) { return rows.push_back(io::encode(library::to_message(one))), true; });
  if (!page) rows.push_back(page.error().what);
  return rows;
}

TEST_F(Remote, WhichDefinitionsBeganIsTheFilesOwnOverManyPages) {
  std::vector<storage::Record> records;
  for (int i = 0; i < 2500; ++i) {
    DefinitionRow row = storage::full_definition();
    row.job = "job-" + std::to_string(i % 100), row.digest = "d" + std::to_string(i), row.from = noon + Millis(i / 3);
    row.basis = i < 100 ? Basis::created : Basis::defined;
    records.emplace_back(row);
  }
  write(records);
  serve();
  const auto own = file();
  for (const storage::DefinitionFilter& filter : {storage::DefinitionFilter{},
                                                  {.limit = std::nullopt},
                                                  {.limit = 2100},
                                                  {.jobs = {"job-7"}, .limit = std::nullopt},
                                                  {.since = noon + Millis(3), .until = noon + Millis(5)},
                                                  {.of = {{"job-7", "d7"}, {"job-7", "d107"}}}})
    EXPECT_EQ(definitions(remote, filter), definitions(*own, filter));
  EXPECT_EQ(definitions(remote, {.limit = std::nullopt}).size(), 2500u);
  EXPECT_EQ(definitions(remote, {.of = {{"job-7", "d7"}, {"job-7", "d107"}}}).size(), 2u);
}

TEST_F(Remote, WhatPeopleAskedIsTheFilesOwnOverManyPages) {
  std::vector<storage::Record> records;
  for (std::uint32_t i = 0; i < 2500; ++i) {
    RequestRow row;
    row.id = run_id(i), row.kind = i % 2 ? "kill" : "trigger", row.job = "backup", row.node = "host-1";
    row.at = noon + Millis(i / 3), row.by = "host-2 uid " + std::to_string(i % 5);
    if (i % 2) row.run = run_id(i - 1);
    records.emplace_back(row);
    if (i % 3) records.emplace_back(AnswerRow{row.id, i % 3 == 1 ? "done" : "refused", "so", row.at});
  }
  write(records);
  serve();
  const auto own = file();
  for (const storage::RequestFilter& filter : {storage::RequestFilter{},
                                               {.limit = std::nullopt},
                                               {.limit = 2100},
                                               {.kinds = {"kill"}, .by = "uid 3", .limit = std::nullopt},
                                               {.run = run_id(100)},
                                               {.since = noon + Millis(3), .until = noon + Millis(5)}})
    EXPECT_EQ(requests(remote, filter), requests(*own, filter));
  EXPECT_EQ(requests(remote, {.limit = std::nullopt}).size(), 2500u);
  EXPECT_EQ(requests(remote, {.nodes = {"host-9"}}).size(), 0u);
}

TEST_F(Remote, OfAnotherNodeNothingIsSaidWhereTheDaemonAsksNone) {
  write({ran(1)});
  serve();
  RemoteLedger other(folder / "sock", LedgerScope{true, "host-2"});
  EXPECT_EQ(other.knows_job("backup").error().code, Errc::unavailable);
  RemoteLedger own(folder / "sock", LedgerScope{true, "host-1"});
  EXPECT_TRUE(*own.knows_job("backup"));
  EXPECT_FALSE(own.is_of_fleet()) << "and it says so";
}

TEST_F(Remote, ChangesComeInTheirOrderFromWhereTheyWereLeft) {
  std::vector<storage::Record> records;
  for (std::uint32_t i = 0; i < 2500; ++i) records.emplace_back(ran(100 + i, noon + Millis(i)));
  write(records);
  serve();
  std::vector<std::string> here, there;
  const auto end = file()->changes({}, 10, [&](const Row& row) { return here.push_back(text_of(row)), true; });
  EXPECT_EQ(*remote.changes({}, 10, [&](const Row& row) { return there.push_back(text_of(row)), true; }), *end);
  EXPECT_EQ(there, here);
  EXPECT_EQ(*remote.sequence(), *end);
  EXPECT_EQ(*remote.changes({}, *end, [](const Row&) { return ADD_FAILURE(), true; }), *end);
}

TEST_F(Remote, WhatAnAttemptPrintedComesByteForByte) {
  std::string all;
  for (int i = 0; i < 3 * 256 * 1024; ++i) all += static_cast<char>(i * 7);
  Row row = ran(1);
  row.output_bytes = std::ssize(all) + 10;
  write({row, storage::OutputRecord{*row.run, 1, {all.substr(0, 500'000), all.substr(500'000), std::ssize(all) + 10}}});
  serve();
  std::string read;
  std::int64_t at = 0, total = 1;
  while (at < total) {
    const auto shown = remote.output({*row.run, 1}, at);
    ASSERT_TRUE(shown) << shown.error().what;
    EXPECT_TRUE(shown->ended);
    EXPECT_EQ(shown->node, "host-1");
    read += shown->piece.bytes;
    at = shown->piece.end(), total = shown->total;
  }
  EXPECT_EQ(read, all);
  EXPECT_EQ(total, std::ssize(all) + 10);
  EXPECT_EQ(remote.output({*row.run, 2}, 0).error().code, Errc::not_found);
}

TEST_F(Remote, AnswersAboutNamesRunsSlotsAndTermsAreTheFilesOwn) {
  TermRow term{"nightly", "host-1", 7, noon, noon + Millis(9), Cause::evicted};
  Row failed = ran(2, noon + Millis(2));
  failed.status = Status::failed, failed.reason = Reason::oom;
  write({ran(1), failed, full_row(), term});
  serve();
  const auto own = file();
  const std::vector<std::string> jobs{"backup", "none", "each@host-1"};
  EXPECT_EQ(*remote.last_statuses(jobs), (std::vector<std::string>{"failed: oom", "", "paroled: solar_flare"}));
  EXPECT_EQ(*remote.last_statuses(std::vector<std::string>(2500, "backup")),
            std::vector<std::string>(2500, "failed: oom"));
  EXPECT_EQ(*remote.find_run(run_id(2).text().substr(28)), std::vector<RunId>{run_id(2)});
  EXPECT_EQ(remote.find_run("12345").error().code, Errc::invalid);
  ASSERT_EQ(remote.at("backup", noon)->size(), 1u);
  EXPECT_EQ(text_of(remote.at("backup", noon)->front()), text_of(own->at("backup", noon)->front()));
  ASSERT_EQ(remote.terms("nightly")->size(), 1u);
  EXPECT_EQ(remote.terms("nightly")->front().cause, Cause::evicted);
  EXPECT_EQ(remote.terms("nightly")->front().ended_at, noon + Millis(9));
  EXPECT_EQ(*remote.instances_of("each"), std::vector<std::string>{"each@host-1"});
  EXPECT_EQ(*remote.jobs_of({"nightly"}), *own->jobs_of({"nightly"}));
  EXPECT_TRUE(*remote.knows_job("backup"));
  EXPECT_FALSE(*remote.knows_job("none"));
  EXPECT_TRUE(*remote.knows_group("nightly"));
}

/// One other node, which does not answer.
struct SilentNode : library::FleetSource {
  library::FleetNow now(const io::Message&) override { return {{{"host-2", "http://b", noon, ""}}, {}}; }
  std::vector<Result<io::Message>> ask(const std::vector<library::PeerQuestion>& questions, Millis,
                                       const std::function<bool()>&) override {
    return std::vector<Result<io::Message>>(questions.size(), Error{Errc::timeout, "it is silent"});
  }
  std::map<std::string, library::Heard> heard(Millis, const std::function<bool()>&) override { return as_nodes_says; }

  std::map<std::string, library::Heard> as_nodes_says;
};

TEST_F(Remote, AMissingNodeWasLastHeardOfWhenBallotNodesSaysSo) {
  write({ran(1)});
  SilentNode silent;
  silent.as_nodes_says = {{"host-2", {noon + Millis(1234), "election"}}, {"host-3", {noon, "answer"}}};
  others = &silent;
  serve();
  RemoteLedger fleet(folder / "sock", {.is_fleet = true});
  (void)history(fleet, {});
  const std::vector<library::MissingNode> missing = fleet.missing();
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].last_heard, noon + Millis(1234));
  EXPECT_EQ(missing[0].heard_by, "election");
}

TEST_F(Remote, AMissingNodeOfWhichBallotNodesKnowsNoTimeWasHeardOfByWhatIsKnownOtherwise) {
  write({ran(1)});
  SilentNode silent;
  silent.as_nodes_says = {{"host-2", {}}};
  others = &silent;
  serve();
  RemoteLedger fleet(folder / "sock", {.is_fleet = true});
  (void)history(fleet, {});
  ASSERT_EQ(fleet.missing().size(), 1U);
  EXPECT_EQ(fleet.missing()[0].last_heard, noon);
}

TEST_F(Remote, WhatNobodyHasWhoAnswersIsNotDeniedWhileANodeIsMissing) {
  write({ran(1)});
  SilentNode silent;
  others = &silent;
  serve();
  config::Config config;
  config.node = "host-1";
  config.jobs_dir = folder / "no-jobs";
  config.control_socket = folder / "sock";
  const auto errors = [&](LedgerView& ledger) {
    return std::vector<Error>{find_run(ledger, config, "777777").error(),
                              require_job("nope", config, ledger).error(),
                              require_group("nope", config, ledger).error(),
                              find_subject("nope", config, ledger).error(),
                              find_subject("decade", config, ledger).error(),  // which may be the end of a run's id
                              library::attempt_row(ledger, run_id(9), std::nullopt).error()};
  };
  for (const Error& error : errors(remote)) EXPECT_EQ(error.code, Errc::not_found) << error.what;
  RemoteLedger fleet(folder / "sock", {.is_fleet = true});
  for (const Error& error : errors(fleet)) {
    EXPECT_EQ(error.code, Errc::unavailable) << error.what;
    EXPECT_NE(error.what.find("host-2 (last heard of at 2025-03-09T12:00:00Z; it is silent)"), std::string::npos)
        << error.what;
  }
  EXPECT_TRUE(find_subject("backup", config, fleet)) << "what is known is";
}

/// One other node, which answers once the test lets it.
struct SlowNode : SilentNode {
  std::vector<Result<io::Message>> ask(const std::vector<library::PeerQuestion>& questions, Millis within,
                                       const std::function<bool()>& goes_on) override {
    if (++asked == 3) three.set_value();
    released.wait();
    return SilentNode::ask(questions, within, goes_on);
  }
  std::atomic<int> asked = 0;
  std::promise<void> release, three;
  std::shared_future<void> released = release.get_future().share();
};

struct LastLine : io::AnswerSink {
  void send(const io::Message&) override {}
  void finish(std::string line) override { is_finished = true, text.set_value(std::move(line)); }
  bool is_over() const override { return is_finished; }
  bool is_finished = false;
  std::promise<std::string> text;
};

TEST_F(Remote, ThoseWhoHaveNotShownWhoTheyAreTakeAllButOneOfTheThreadsForOthersHoweverManyTheyAre) {
  write({ran(1)});
  SlowNode slow;
  others = &slow;
  serve();
  const auto asks = [this](const char* question, io::Asker asker) {
    const auto sink = std::make_shared<LastLine>();
    loop.post([=, this] { desk->answer({*io::decode(question), asker}, io::Reply(sink)); });
    return sink->text.get_future();
  };
  const auto anonymous = [](const std::string& address) {
    return io::Asker{.role = io::Role::viewer, .key = address, .name = address, .is_known = false};
  };
  constexpr auto slowly = R"({"do":"ledger","ask":"history","scope":"fleet"})";
  std::vector<std::future<std::string>> slow_ones;
  for (const char* address : {"1", "2", "3", "4", "5"}) slow_ones.push_back(asks(slowly, anonymous(address)));
  EXPECT_EQ(slow.three.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready)
      << "they wait for other nodes side by side";
  auto known =
      asks(R"({"do":"ledger","ask":"history"})", {.role = io::Role::viewer, .key = "token ci", .name = "token ci"});
  EXPECT_EQ(known.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(slow.asked, 3);
  slow.release.set_value();
  for (auto& one : slow_ones) one.wait();
}

TEST_F(Remote, AnAuditIsTheFilesOwn) {
  Row unended = ran(2, noon + Millis(2));
  unended.ended_at.reset(), unended.run = run_id(3);
  write({ran(1), unended});
  serve();
  const auto here = file()->audit({}, {}), there = remote.audit({}, {});
  ASSERT_TRUE(here && there);
  EXPECT_GT(there->finding_count, 0);
  EXPECT_EQ(io::encode(library::to_message(*there)), io::encode(library::to_message(*here)));
}

TEST_F(Remote, SaysThatThereIsNoLedgerYet) {
  serve();
  EXPECT_EQ(remote.sequence().error().code, Errc::io);
}

TEST_F(Remote, AQuestionThatTakesTooLongIsEnded) {
  std::vector<storage::Record> records;
  for (std::uint32_t i = 0; i < 20'000; ++i) records.emplace_back(ran(100 + i, noon + Millis(i)));
  write(records);
  serve({.longest = Millis(0)});
  const auto answer = remote.jobs_of({"nightly"});  // looks at all of them
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::timeout) << answer.error().what;
}

TEST_F(Remote, QuestionsThatMakeNoSenseAreRefused) {
  write({ran(1)});
  serve();
  for (const char* line :
       {R"({"do":"ledger"})", R"({"do":"ledger","ask":"drop"})", R"({"do":"ledger","ask":"at"})",
        R"({"do":"ledger","ask":"output","run":"x"})", R"({"do":"ledger","ask":"history","statuses":["odd"]})",
        R"({"do":"ledger","ask":"history","run":"1"})"}) {
    const auto answer = io::ask_once(folder / "sock", *io::decode(line), Millis(10'000));
    ASSERT_FALSE(answer) << line;
    EXPECT_EQ(answer.error().code, Errc::invalid) << line << answer.error().what;
  }
  EXPECT_TRUE(
      io::ask_once(folder / "sock", *io::decode(R"({"do":"ledger","ask":"history","limit":-5})"), Millis(10'000)));
}

}  // namespace
}  // namespace ballot::app
