// History that outlives nodes: daemons that hand their ledgers on to a real PostgreSQL, while it and they come to harm.
// Afterwards it has all that their ledgers have, once, as it is there; and a node's rows where its disk is gone.
#include <cstdlib>
#include <random>

#include "integration/fleet/kept_history.hpp"
#include "storage/database.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

TEST_F(KeptHistory, HasAllThatALedgerHasAndWhatTheDaemonRecordsLastBeforeItStops) {
  start();
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, CatchesUpWithAServerThatWasKilledUnderLoad) {
  start();
  for (int i = 0; i < 3; ++i) {
    server.kill();
    if (i < 2)
      run_on(2);
    else
      await_trouble("Connection refused");
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
  await_trouble("it has not answered for");
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

TEST_F(KeptHistory, IsSentAgainWhatADatabaseThatWasMadeAnewOfItsDumpDoesNotHave) {
  start();
  server.dump("ballot");
  const std::int64_t dumped = rows_kept();
  ASSERT_TRUE(wait_until([&] { return rows_kept() > dumped + 60; }));
  server.load_dump("ballot");
  run_on(2);
  stop_and_expect_all_kept();
}

TEST_F(KeptHistory, CatchesUpWithAServerThatOnlyReadForAWhile) {
  start();
  server.ask("ALTER SYSTEM SET default_transaction_read_only = on");
  server.stop(), server.start();
  await_trouble("[postgresql] url is to name the primary");
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
  stop_and_expect_all_kept({"n1"}, 1);
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
/// BALLOT_KILLS=N: so many times. Each daemon comes back to the load, and to the next kill.
TEST_F(KeptHistory, HasAllOfADaemonThatWasKilledAtEachStep) {
  const char* asked = std::getenv("BALLOT_KILLS");
  const int kills = asked ? std::atoi(asked) : 5;
  const std::vector<std::string> points{"feed.put", "feed.sent", "storage.write", "feed.asked", "io.recorded"};
  std::mt19937 random(7);
  std::map<std::string, int> killed;
  start();
  EXPECT_EQ(fleet["n1"].stop(), 0);
  for (int i = 0; i < kills; ++i) {
    const std::string point = points[i % points.size()];
    // A connection is asked once where nothing fails.
    const int at = point == "feed.asked" ? 1 : 1 + static_cast<int>(random() % (asked ? 8 : 3));
    fleet["n1"].environment = {"BALLOT_FAILPOINTS=" + point + "=kill@" + std::to_string(at)};
    fleet["n1"].start();
    ASSERT_TRUE(wait_until([&] { return fleet["n1"].has_ended(); }, seconds(50))) << i << ": " << point << " " << at;
    EXPECT_EQ(fleet["n1"].wait(), 128 + SIGKILL);
    ++killed[point];
  }
  for (const auto& [point, times] : killed) std::cout << point << ": killed " << times << " times\n";
  fleet["n1"].environment.clear();
  fleet["n1"].start();
  ASSERT_TRUE(fleet["n1"].wait_for("succeeded", 5));
  stop_and_expect_all_kept();
}
#endif

/// Three nodes, of which one leads; on the store that BALLOT_TEST_STORE names (on_store.cpp).
class KeptHistoryOfThree : public KeptHistory {
 protected:
  KeptHistoryOfThree() : KeptHistory({"n1", "n2", "n3"}) {}

  /// The one that leads; "": none.
  std::string leader() {
    for (const std::string node : {"n1", "n2", "n3"})
      if (fleet[node].ballot({"status"}).out.find("leads       default") != std::string::npos) return node;
    return "";
  }
};

/// BALLOT_FAILOVERS=N: so many. Whoever leads is killed, and comes back once another one leads.
TEST_F(KeptHistoryOfThree, HasNoFindingInAnAuditOverFailovers) {
  const char* asked = std::getenv("BALLOT_FAILOVERS");
  const int failovers = asked ? std::atoi(asked) : 2;
  start();
  for (int i = 0; i < failovers; ++i) {
    std::string killed, next;
    ASSERT_TRUE(wait_until([&] { return !(killed = leader()).empty(); })) << i;
    fleet[killed].kill();
    ASSERT_TRUE(wait_until([&] { return !(next = leader()).empty(); }, seconds(60))) << i;
    EXPECT_NE(next, killed);
    fleet[killed].start();
    run_on(3);
  }
  ASSERT_TRUE(wait_until([&] { return !leader().empty(); }));
  for (const std::string node : {"n1", "n2", "n3"}) {
    const Ran audit = fleet[node].ballot({"audit"});
    EXPECT_EQ(audit.code, 0) << node << ": " << audit.out << audit.err;
    std::cout << node << ": " << audit.out.substr(audit.out.rfind('\n', audit.out.size() - 2) + 1);
  }
  const std::string terms = ask("SELECT count(DISTINCT epoch) FROM ballot.term");
  EXPECT_GT(std::stoi(terms), failovers);
  std::cout << terms << " terms, " << rows_kept() << " rows\n";
  stop_and_expect_all_kept({"n1", "n2", "n3"});
}

TEST_F(KeptHistoryOfThree, OutlivesANodeWhoseDiskIsGone) {
  start();
  fleet.job("long", "shell = \"echo begun; sleep 60\"");
  ASSERT_TRUE(wait_until([&] { return fleet["n1"].ballot({"trigger", "long"}).code == 0; }));
  ASSERT_TRUE(
      wait_until([&] { return server.ask("SELECT count(*) FROM ballot.output WHERE is_partial", "ballot") == "1"; }));
  ASSERT_TRUE(wait_until([&] { return rows_kept() > 60; }));
  server.freeze();  // what is recorded from now on is in its ledger alone, and goes with it
  run_on(3);
  fleet["n1"].kill();
  fleet["n1"].end_runner();
  server.thaw();
  const Changes own = own_of("n1");
  std::filesystem::remove_all(fleet["n1"].folder / "state");
  ASSERT_TRUE(wait_until([&] {
    return fleet["n2"].ballot({"status"}).out.find("leads       default") != std::string::npos ||
           fleet["n3"].ballot({"status"}).out.find("leads       default") != std::string::npos;
  }));
  const std::int64_t acknowledged = sent_of("n1");
  const std::set<std::string> kept = all_said(kept_of(own.ledger));
  std::vector<RunId> ended;  // whose rows were acknowledged
  for (const LedgerChange& change : own.all) {
    if (change.number > acknowledged) continue;
    EXPECT_TRUE(kept.contains(said(change))) << said(change);
    const auto* row = std::get_if<LedgerRow>(&change.what);
    if (row && row->row.run && is_final(row->row.status)) ended.push_back(*row->row.run);
  }
  EXPECT_GT(ended.size(), 20u);
  EXPECT_LT(acknowledged, own.all.back().number);
  std::cout << ended.size() << " runs acknowledged, " << acknowledged << " of " << own.all.back().number
            << " changes\n";
  run_on(2);
  for (const std::string node : {"n2", "n3"}) {
    const Ran history = fleet[node].ballot({"history", "--format", "json", "--limit", "100000"});
    ASSERT_EQ(history.code, 0) << history.err;
    for (const RunId& run : ended) EXPECT_NE(history.out.find(run.text()), std::string::npos) << run.text();
    const Ran definitions = fleet[node].ballot({"history", "--definitions"});
    EXPECT_EQ(definitions.code, 0) << definitions.err;
    EXPECT_NE(definitions.err.find(": the fleet's history is not asked for them"), std::string::npos);
    const Ran output = fleet[node].ballot({"output", ended.back().text()});
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
    expect_all_kept(node);
  }
}

}  // namespace
}  // namespace ballot::testing
