// A recorded week of three nodes, asked for of the nodes and of the history that they have handed it on to: the answers
// are the same, letter by letter, and a page that one of them began is gone on with by the other.
#include <random>

#include "library/history/history_ledger.hpp"
#include "storage/outbox.hpp"
#include "support/memory_history.hpp"
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

using io::Message;
using std::chrono::hours;
using std::chrono::minutes;

const Texts hosts{"host-1", "host-2", "host-3"};

/// Whose history it is, and where it is kept.
class BothWays : public Fleet3 {
 protected:
  using Records = std::map<std::string, std::vector<storage::Record>>;

  BothWays() : kept(std::make_shared<testing::MemoryHistoryStore>([this] { return asked_at; })), history_of_all(kept) {}

  void record(const Records& records) {
    for (const auto& [node, all] : records)
      storage::LedgerFile(folder / (node + ".db"), Millis(100), storage::Marks::kept).write(all, storage::Sync::later);
  }
  void hand_on(const std::string& node) {
    auto outbox = storage::Outbox::open(folder / (node + ".db"), node);
    ASSERT_TRUE(outbox) << outbox.error().what;
    auto line = history_of_all.line_of(*outbox->identity(), node);
    ASSERT_TRUE(line) << line.error().what;
    for (bool is_all = false; !is_all;) {
      const auto part = outbox->read(line->change);
      ASSERT_TRUE(part) << part.error().what;
      ASSERT_TRUE(history_of_all.put(part->batch));
      line->change = part->batch.last;
      is_all = part->is_all;
    }
    if (node == "host-1") sent = line->change;
  }
  std::unique_ptr<LedgerView> by_history(std::vector<Row> evidence = {}) {
    FleetNow now{{{"host-2", "http://b", noon, ""}, {"host-3", "http://c", std::nullopt, ""}}, std::move(evidence)};
    auto ledger = HistoryLedger::open(
        {"host-1", sent, asked_at}, *FileLedger::open(place("host-1")), std::move(now),
        AskOthers{[this](const auto& questions, Millis) { return answer(questions); }, store}, history_of_all);
    EXPECT_TRUE(ledger) << ledger.error().what;
    return ledger ? std::unique_ptr<LedgerView>(*std::move(ledger)) : fleet();
  }
  std::string said_by(std::unique_ptr<LedgerView> ledger, const Message& asked) const {
    const auto answer =
        asked.text("form") == "shown" ? answer_shown(*ledger, asked, asked_at) : answer_question(*ledger, asked);
    return answer ? io::encode(*answer) : "error " + std::to_string(static_cast<int>(answer.error().code));
  }
  void expect_same(const Message& asked, const std::vector<Row>& evidence = {}) {
    EXPECT_EQ(said_by(by_history(evidence), asked), said_by(fleet(evidence), asked)) << io::encode(asked);
  }
  void expect_same_summaries(const std::vector<Row>& evidence = {}) {
    for (const char* per : {"hour", "day", "all"})
      expect_same(since(shown("summary").set("per", std::string(per)), noon), evidence);
  }

  /// Jobs of two groups, each hour; runs that fail, are tried again, lost, and found by others; slots without a run.
  Records week() {
    std::mt19937 random(31);
    Records records;
    std::uint32_t number = 0;
    for (int hour = 0; hour < 7 * 24; ++hour)
      for (const char* job : {"backup", "report", "clean@host-2"}) {
        const WallTime slot = noon + hours(hour);
        const std::string& node = hosts[random() % 3];
        const std::string& other = hosts[random() % 3];
        const auto one_of = [&](unsigned many) { return random() % many == 0; };
        const std::string group = job == std::string("report") ? "daily" : "nightly";
        const auto add = [&](const std::string& to, Row row) {
          row.group = group;
          records[to].emplace_back(std::move(row));
        };
        if (one_of(9)) {
          Row range = on(node, missed(slot, one_of(2) ? Reason::no_leader : Reason::start_deadline, job));
          if (one_of(2)) range.slot_until = slot + minutes(40), range.slots = 3;
          add(node, range);
          if (one_of(2)) add(other, on(other, range));
          continue;
        }
        Row run = on(node, ran(++number, slot, job));
        if (one_of(6)) {
          add(node, with(run, Status::failed, Reason::exit_code));
          run.attempt = 2;
          if (number % 2 == 0) run.node = other;
        }
        if (one_of(20)) run = with(run, Status::running);
        add(run.node, run);
        if (one_of(8) && other != run.node) add(other, with(run, Status::lost, Reason::node_died));
        if (one_of(4)) records[run.node].emplace_back(storage::OutputRecord{*run.run, run.attempt, {"done", "", 4}});
      }
    for (std::uint64_t epoch = 1; epoch < 9; ++epoch)
      for (const char* group : {"nightly", "daily"}) {
        const std::string& node = hosts[epoch % 3];
        TermRow term{group, node, epoch, noon + hours(20 * epoch), noon + hours(20 * epoch + 20), Cause::resigned};
        records[node].emplace_back(term);
        RequestRow request;
        request.id = run_id(90'000 + static_cast<std::uint32_t>(epoch) * 2 + (group[0] == 'd' ? 1 : 0));
        request.kind = epoch % 2 == 0 ? "pause" : "resume", request.group = group, request.node = node;
        request.at = noon + hours(21 * epoch), request.by = node + " uid 1000";
        records[node].emplace_back(request);
        records[node].emplace_back(AnswerRow{request.id, "done", "", request.at + Millis(5)});
      }
    return records;
  }

  static Message shown(const std::string& call) { return question(call).set("form", std::string("shown")); }
  static Message since(Message asked, WallTime at) {
    return asked.set("since", std::int64_t{at.time_since_epoch().count()});
  }

  WallTime asked_at = noon + hours(7 * 24);
  std::shared_ptr<testing::MemoryHistoryStore> kept;
  testing::MemoryHistory history_of_all;
  std::int64_t sent = 0;
};

TEST_F(BothWays, TheAnswersOfAWeekAreTheSame) {
  record(week());
  for (const std::string& node : hosts) hand_on(node);
  for (const char* call : {"history", "summary", "requests"}) {
    expect_same(since(shown(call), noon));
    expect_same(since(shown(call).set("limit", std::int64_t{1000}), noon));
    expect_same(since(shown(call).set("nodes", Texts{"host-2"}), noon));
  }
  for (const char* call : {"history", "summary"}) {
    expect_same(since(shown(call).set("jobs", Texts{"backup", "clean@host-2"}), noon));
    expect_same(since(shown(call).set("groups", Texts{"daily"}), noon + hours(50)));
    expect_same(since(shown(call).set("statuses", Texts{"failed", "lost"}), noon));
    expect_same(since(shown(call).set("reasons", Texts{"no_leader"}), noon));
    expect_same(shown(call).set("jobs", Texts{"no-such-job"}));
  }
  expect_same_summaries();
  for (const char* group : {"nightly", "daily", "none"}) expect_same(shown("terms").set("group", std::string(group)));
  for (const char* name : {"backup", "clean", "clean@host-2", "nightly", "none"}) {
    expect_same(question("knows_job").set("name", std::string(name)));
    expect_same(question("knows_group").set("name", std::string(name)));
    expect_same(question("instances_of").set("name", std::string(name)));
    expect_same(question("jobs_of").set("groups", Texts{name}));
  }
  expect_same(question("last_statuses").set("jobs", Texts{"backup", "report", "clean@host-2", "none"}));
  for (int hour = 0; hour < 7 * 24; hour += 5)
    expect_same(
        question("at")
            .set("job", std::string("backup"))
            .set("slot", std::int64_t{(noon + hours(hour) + minutes(hour % 2 * 20)).time_since_epoch().count()}));
  for (std::uint32_t number = 1; number < 400; number += 7) {
    expect_same(shown("run").set("run", run_id(number).text()));
    expect_same(question("output").set("run", run_id(number).text()).set("attempt", std::int64_t{1}));
  }
}

/// A run that is counted there has gone on by what this node has not handed on yet, or by what the store shows.
TEST_F(BothWays, RunsThatWentOnAreCountedAsTheyAreNow) {
  const Row one = with(on("host-2", ran(1)), Status::failed, Reason::exit_code);
  const Row other = with(on("host-3", ran(2)), Status::failed, Reason::exit_code);
  const Row third = with(on("host-2", ran(3)), Status::failed, Reason::exit_code);
  record({{"host-1", {}}, {"host-2", {one, third}}, {"host-3", {other}}});
  for (const std::string& node : hosts) hand_on(node);
  const auto counts = history_of_all.counts({}, CountPer::all, {});
  ASSERT_TRUE(counts && counts->left);
  EXPECT_TRUE(counts->left->empty());
  expect_same_summaries();
  Row again = on("host-1", one), shown = with(on("host-1", other), Status::running);
  again.attempt = shown.attempt = 2;
  record({{"host-1", {with(again, Status::succeeded), with(on("host-2", third), Status::lost, Reason::node_died)}}});
  expect_same_summaries();
  expect_same_summaries({shown});
}

TEST_F(BothWays, APageIsGoneOnWithByEither) {
  record(week());
  for (const std::string& node : hosts) hand_on(node);
  Texts whole = history(*fleet()), pages;
  storage::Filter filter{.limit = 13};
  int page = 0;
  do {
    const auto ledger = page++ % 2 == 0 ? by_history() : fleet();
    const auto end = ledger->walk(
        filter, [&](const Row& row, const storage::Position&) { return pages.push_back(said(row)), true; });
    ASSERT_TRUE(end) << end.error().what;
    filter.after = *end;
  } while (filter.after);
  EXPECT_EQ(pages, whole);
}

TEST_F(BothWays, WhatIsNotHandedOnYetIsAddedByTheNodeThatIsAsked) {
  record({{"host-1", {with(on("host-1", ran(1)), Status::running)}},
          {"host-2", {on("host-2", ran(2, noon + minutes(1)))}}});
  for (const std::string& node : hosts) record({{node, {}}}), hand_on(node);
  record({{"host-1", {on("host-1", ran(1)), on("host-1", ran(3, noon + minutes(2)))}}});
  EXPECT_EQ(history(*by_history()), history(*fleet()));
  EXPECT_EQ(history(*by_history()).size(), 3u);
}

TEST_F(BothWays, ANodeThatHasHandedOnTwoLedgersHasEachRunOnce) {
  record(week());
  for (const std::string& node : hosts) hand_on(node);
  for (const char* node : {"host-1", "host-2"}) {
    ASSERT_TRUE(storage::renew_identity(folder / (std::string(node) + ".db"), Millis(100)));
    hand_on(node);
  }
  expect_same_summaries();
  expect_same(since(shown("history").set("limit", std::int64_t{1000}), noon));
  EXPECT_EQ(history(*by_history()), history(*fleet()));
  Texts pages;
  storage::Filter filter{.limit = 7};
  do {
    const auto end = by_history()->walk(
        filter, [&](const Row& row, const storage::Position&) { return pages.push_back(said(row)), true; });
    ASSERT_TRUE(end) << end.error().what;
    filter.after = *end;
  } while (filter.after);
  EXPECT_EQ(pages, history(*fleet()));
}

TEST_F(BothWays, ADeadNodesRowsAreThereAndItIsNamedOnlyWhereItsLedgerWasNotHeardOf) {
  record(week());
  const Texts whole = history(*fleet());
  for (const std::string& node : hosts) hand_on(node);
  silent = {"host-2"};
  EXPECT_EQ(history(*by_history()), whole);
  EXPECT_EQ(missing(*by_history()), Texts());
  EXPECT_EQ(by_history()->as_of(), asked_at);
  const WallTime last = asked_at;
  asked_at += minutes(1);
  for (const char* node : {"host-1", "host-3"}) hand_on(node);
  const auto ledger = by_history();
  ASSERT_EQ(ledger->missing().size(), 1u);
  EXPECT_EQ(ledger->missing().front().node, "host-2");
  EXPECT_EQ(ledger->missing().front().last_heard, last);
  EXPECT_EQ(ledger->as_of(), asked_at);
}

}  // namespace
}  // namespace ballot::library
