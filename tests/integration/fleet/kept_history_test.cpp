// History that outlives nodes: daemons that hand their ledgers on to a real PostgreSQL, while it and they come to harm.
// Afterwards it has all that their ledgers have, once, as it is there; and a node's rows where its disk is gone.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "ballot/history.hpp"
#include "conformance/plugin_file.hpp"
#include "storage/database.hpp"
#include "storage/outbox.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/postgres_server.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

/// A change in words, and its number.
std::string said(const LedgerChange& change) {
  const auto text = [](const auto& what) -> std::string {
    using What = std::decay_t<decltype(what)>;
    if constexpr (std::is_same_v<What, LedgerRow>)
      return what.row.job + " " + std::to_string(what.row.slot.time_since_epoch().count()) + " " +
             (what.row.run ? what.row.run->text() : "") + " attempt " + std::to_string(what.row.attempt) + " " +
             std::string(what.row.status.text()) + " " + std::string(what.row.reason.text()) + " on " + what.row.node +
             " id " + std::to_string(what.id) + " fence " + std::to_string(what.row.fence) + " bytes " +
             std::to_string(what.row.output_bytes);
    else if constexpr (std::is_same_v<What, TermRow>)
      return "term of " + what.group + " " + std::to_string(what.epoch) + (what.ended_at ? " ended" : "");
    else if constexpr (std::is_same_v<What, KeptDefinition>)
      return "definition of " + what.row.job + " " + what.row.digest + " " + std::to_string(what.row.epoch);
    else if constexpr (std::is_same_v<What, PauseRow>)
      return "pause of " + what.job + what.group + (what.until ? " ended" : "");
    else if constexpr (std::is_same_v<What, RequestRow>)
      return "request " + what.kind + " " + what.result + " by " + what.by;
    else
      return "output of " + what.run.text() + " " + what.output.head + what.output.tail;
  };
  return std::to_string(change.number) + " " + std::visit(text, change.what);
}

std::set<std::string> all_said(const std::vector<LedgerChange>& changes) {
  std::set<std::string> all;
  for (const LedgerChange& change : changes) EXPECT_TRUE(all.insert(said(change)).second) << said(change);
  return all;
}

/// Daemons of one host, and the server that their ledgers are handed on to.
class KeptHistory : public ::testing::Test {
 protected:
  explicit KeptHistory(const std::vector<std::string>& nodes = {"n1"}) : fleet(nodes, configuration(server)) {
    server.ask("CREATE ROLE ballot LOGIN");
    server.ask("CREATE DATABASE ballot");
  }
  ~KeptHistory() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  static std::string configuration(const PostgresServer& server) {
    return "[fleet]\nhistory = \"postgresql\"\n[postgresql]\nurl = \"" + server.url("ballot", "ballot") +
           "\"\nmigrate_user = \"postgres\"\nstatement_timeout = \"2s\"\n";
  }
  /// Ten jobs a second, one that fails, and something that people ask.
  void load() {
    for (int i = 0; i < 10; ++i)
      fleet.job("tick" + std::to_string(i), "schedule = \"* * * * * *\"\nshell = \"echo " + std::to_string(i) + "\"");
    fleet.job("bad", "schedule = \"* * * * * *\"\nshell = \"echo cold; exit 3\"\nretries = 1\nretry_delay = \"200ms\"");
    fleet.job("hand", "shell = \"echo by hand\"");
  }
  void migrate() {
    const Ran made = fleet["n1"].ballot({"history", "migrate"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  void start() {
    migrate();
    load();
    fleet.start();
    ASSERT_TRUE(wait_until([&] { return rows_kept() > 20; }));
    EXPECT_EQ(fleet["n1"].ballot({"trigger", "hand", "--wait"}).code, 0);
    EXPECT_EQ(fleet["n1"].ballot({"pause", "tick3"}).code, 0);
  }
  std::int64_t rows_kept() { return std::stoll(server.ask("SELECT count(*) FROM ballot.rows", "ballot")); }
  /// The load goes on for a while.
  void run_on(int seconds_long) {
    const auto until = Instant::now().wall + seconds(seconds_long);
    ASSERT_TRUE(wait_until([&] { return Instant::now().wall >= until; }, seconds(seconds_long + 30)));
  }

  std::unique_ptr<History> reader() {
    Error error;
    const PluginInfo& plugin = conformance::plugin_info(BALLOT_POSTGRESQL_PLUGIN);
    std::unique_ptr<History> made(
        plugin.create_history({{{"url", server.url("ballot", "ballot")}}, "/", HistoryUse::read}, error));
    EXPECT_TRUE(made) << error.what;
    return made;
  }
  /// All that the node's ledger has is kept, as it is there, and nothing else of that ledger.
  void expect_all_kept(const std::string& node) {
    auto outbox = storage::Outbox::open(fleet[node].history, node);
    ASSERT_TRUE(outbox) << outbox.error().what;
    const auto identity = outbox->identity();
    ASSERT_TRUE(identity) << identity.error().what;
    std::vector<LedgerChange> own;
    for (std::int64_t after = 0;;) {
      auto part = outbox->read(after);
      ASSERT_TRUE(part) << part.error().what;
      after = part->batch.last;
      std::move(part->batch.changes.begin(), part->batch.changes.end(), std::back_inserter(own));
      if (part->is_all) break;
    }
    const auto kept = reader()->changes(*identity, 0, 1'000'000);
    ASSERT_TRUE(kept) << kept.error().what;
    EXPECT_EQ(all_said(kept->changes), all_said(own)) << node;
  }
  /// Stops the daemon, which hands on what it has recorded last.
  void stop_and_expect_all_kept() {
    ASSERT_TRUE(wait_until([&] { return fleet["n1"].ballot({"status"}).out.find("history:") == std::string::npos; }));
    EXPECT_EQ(fleet["n1"].stop(), 0);
    expect_all_kept("n1");
    EXPECT_GT(rows_kept(), 20);
  }

  PostgresServer server;
  Fleet fleet;
};

TEST_F(KeptHistory, HasAllThatALedgerHasAndWhatTheDaemonRecordsLastBeforeItStops) {
  start();
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, CatchesUpWithAServerThatWasKilledUnderLoad) {
  start();
  for (int i = 0; i < 3; ++i) {
    server.kill();
    run_on(2);
    server.start();
    run_on(2);
  }
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, SaysInItsStatusThatAServerIsAwayAndAsksTheNodesMeanwhile) {
  start();
  server.stop();
  ASSERT_TRUE(wait_until([&] { return fleet["n1"].ballot({"status"}).out.find("history:") != std::string::npos; }));
  const Ran history = fleet["n1"].ballot({"history", "--limit", "5"});
  EXPECT_EQ(history.code, 0) << history.err;
  EXPECT_NE(history.out.find("tick"), std::string::npos) << history.out;
  EXPECT_NE(history.err.find("the fleet's history does not answer"), std::string::npos) << history.err;
  server.start();
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, CatchesUpWithAServerThatHungUnderLoad) {
  start();
  server.freeze();
  run_on(4);
  server.thaw();
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, IsSentAgainWhatAServerThatWasPutBackHasForgotten) {
  start();
  server.stop();
  server.save();
  server.start();
  run_on(3);
  server.stop();
  run_on(1);
  server.restore();
  server.start();
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, CatchesUpWithAServerThatOnlyReadForAWhile) {
  start();
  server.ask("ALTER SYSTEM SET default_transaction_read_only = on");
  server.stop(), server.start();
  run_on(3);
  server.ask("ALTER SYSTEM RESET default_transaction_read_only");
  server.stop(), server.start();
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, IsOfALedgerThatWasPutBackWhatThatBecomes) {
  start();
  EXPECT_EQ(fleet["n1"].stop(), 0);
  const std::string file = fleet["n1"].history;
  std::filesystem::copy_file(file, file + ".copy");
  fleet["n1"].start();
  run_on(3);
  EXPECT_EQ(fleet["n1"].stop(), 0);
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file + part);
  std::filesystem::rename(file + ".copy", file);
  fleet["n1"].start();
  run_on(3);
  stop_and_expect_all_kept();
  EXPECT_EQ(server.ask("SELECT count(*) FROM ballot.ledger", "ballot"), "2");
}

TEST_F(KeptHistory, IsHeldAgainstTheLedgerByAnAudit) {
  start();
  const auto audit = [&] { return fleet["n1"].ballot({"audit"}); };
  const Ran right = audit();
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const auto tick = [&](std::string tables, const std::string& job) {
    return " WHERE job" + std::string(tables.empty() ? "_id" : "") + " = (SELECT id FROM " + tables +
           "name WHERE text = '" + job + "')";
  };
  server.ask("DELETE FROM ballot.rows" + tick("ballot.", "tick1") + " AND slot = (SELECT min(slot) FROM ballot.rows" +
                 tick("ballot.", "tick1") + ")",
             "ballot");
  server.ask("UPDATE ballot.rows SET exit_code = 9" + tick("ballot.", "tick2") +
                 " AND slot = (SELECT min(slot) FROM ballot.rows" + tick("ballot.", "tick2") + ")",
             "ballot");
  const Ran in_history = audit();
  EXPECT_EQ(in_history.code, 1) << in_history.out << in_history.err;
  EXPECT_NE(in_history.out.find("tick1"), std::string::npos) << in_history.out;
  EXPECT_NE(in_history.out.find("and not in the fleet's history"), std::string::npos) << in_history.out;
  EXPECT_NE(in_history.out.find("differs between the ledger of n1 and the fleet's history"), std::string::npos);
  EXPECT_EQ(fleet["n1"].stop(), 0);
  storage::Database ledger(fleet["n1"].history, storage::Open::write);
  ledger.run(
      ("DELETE FROM ledger" + tick("", "tick4") + " AND slot = (SELECT max(slot) FROM ledger" + tick("", "tick4") + ")")
          .c_str());
  fleet["n1"].start();
  ASSERT_TRUE(fleet["n1"].wait_for("succeeded", 12));
  const Ran in_ledger = fleet["n1"].ballot({"audit", "--job", "tick4"});
  EXPECT_EQ(in_ledger.code, 1) << in_ledger.out << in_ledger.err;
  EXPECT_NE(in_ledger.out.find("is in the fleet's history and not in the ledger of n1"), std::string::npos)
      << in_ledger.out;
}

#ifdef BALLOT_FAILPOINTS
TEST_F(KeptHistory, HasAllOfADaemonThatWasKilledAtEachStep) {
  start();
  for (const char* point : {"feed.put=kill@2", "feed.sent=kill@1", "feed.put=kill@1", "feed.sent=kill@3"}) {
    EXPECT_EQ(fleet["n1"].stop(), 0);
    fleet["n1"].environment = {std::string("BALLOT_FAILPOINTS=") + point};
    fleet["n1"].start();
    fleet["n1"].wait();
    fleet["n1"].environment.clear();
    fleet["n1"].start();
    ASSERT_TRUE(fleet["n1"].wait_for("succeeded", 5));
  }
  stop_and_expect_all_kept();
}
#endif

/// Three nodes, of which one leads.
class KeptHistoryOfThree : public KeptHistory {
 protected:
  KeptHistoryOfThree() : KeptHistory({"n1", "n2", "n3"}) {}
};

TEST_F(KeptHistoryOfThree, OutlivesANodeWhoseDiskIsGone) {
  start();
  fleet.job("long", "shell = \"echo begun; sleep 60\"");
  ASSERT_TRUE(wait_until([&] { return fleet["n1"].ballot({"trigger", "long"}).code == 0; }));
  ASSERT_TRUE(
      wait_until([&] { return server.ask("SELECT count(*) FROM ballot.output WHERE is_partial", "ballot") == "1"; }));
  const auto before = fleet["n1"].rows();
  ASSERT_TRUE(wait_until([&] { return rows_kept() >= std::ssize(before); }));
  const std::string last = server.ask("SELECT change FROM ballot.ledger WHERE node = 'n1'", "ballot");
  fleet["n1"].kill();
  fleet["n1"].end_runner();
  std::filesystem::remove_all(fleet["n1"].folder / "state");
  ASSERT_TRUE(wait_until([&] {
    return fleet["n2"].ballot({"status"}).out.find("leads       default") != std::string::npos ||
           fleet["n3"].ballot({"status"}).out.find("leads       default") != std::string::npos;
  }));
  run_on(2);
  for (const std::string node : {"n2", "n3"}) {
    const Ran history = fleet[node].ballot({"history", "--format", "json", "--limit", "100000"});
    ASSERT_EQ(history.code, 0) << history.err;
    for (const Row& row : before)
      if (row.run && is_final(row.status)) EXPECT_NE(history.out.find(row.run->text()), std::string::npos);
    const Ran output = fleet[node].ballot({"output", before.back().run ? before.back().run->text() : "hand"});
    EXPECT_EQ(output.code, 0) << output.err;
    const Ran partial = fleet[node].ballot({"output", "long"});
    EXPECT_EQ(partial.code, 0) << partial.err;
    EXPECT_EQ(partial.out, "begun\n");
    EXPECT_NE(partial.err.find("by the fleet's history"), std::string::npos) << partial.err;
  }
  fleet["n1"].start();
  run_on(2);
  for (const std::string node : {"n1", "n2", "n3"}) {
    EXPECT_EQ(fleet[node].stop(), 0);
    if (node != "n1") expect_all_kept(node);
  }
}

}  // namespace
}  // namespace ballot::testing
