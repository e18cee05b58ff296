// KeptHistory: daemons of one host, and the real PostgreSQL that their ledgers are handed on to. Afterwards the two are
// compared letter by letter.
//
//   TEST_F(KeptHistory, CatchesUpWithAServerThatWasKilledUnderLoad) {
//     start();                        // eleven jobs a second
//     server.kill();
//     await_trouble("...");           // `ballot status` says so
//     server.start();
//     stop_and_expect_all_kept();
//   }
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <set>

#include "ballot/history.hpp"
#include "conformance/plugin_file.hpp"
#include "storage/outbox.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/postgres_server.hpp"

namespace ballot::testing {

/// A change in words, and its number.
inline std::string said(const LedgerChange& change) {
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

inline std::set<std::string> all_said(const std::vector<LedgerChange>& changes) {
  std::set<std::string> all;
  for (const LedgerChange& change : changes) EXPECT_TRUE(all.insert(said(change)).second) << said(change);
  return all;
}

/// Daemons of one host, and the server that their ledgers are handed on to.
class KeptHistory : public ::testing::Test {
 protected:
  explicit KeptHistory(const std::vector<std::string>& nodes = {"n1"}, const PostgresServer::Settings& settings = {})
      : server(settings), fleet(nodes, configuration(server.url("ballot", "ballot"))) {
    server.ask("CREATE ROLE ballot LOGIN");
    server.ask("CREATE DATABASE ballot");
  }
  ~KeptHistory() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  /// `more`: of [postgresql].
  static std::string configuration(const std::string& url, const std::string& more = "") {
    return "[fleet]\nhistory = \"postgresql\"\n[postgresql]\nurl = \"" + url +
           "\"\nmigrate_user = \"postgres\"\nstatement_timeout = \"2s\"\n" + more;
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
  /// The server that has the history now.
  virtual const PostgresServer& primary() const { return server; }
  std::string ask(const std::string& sql) const { return primary().ask(sql, "ballot"); }
  std::int64_t rows_kept() const { return std::stoll(ask("SELECT count(*) FROM ballot.rows")); }
  /// Of that node's ledger all up to this change is there.
  std::int64_t sent_of(const std::string& node) const {
    return std::stoll(ask("SELECT max(change) FROM ballot.ledger WHERE node = '" + node + "'"));
  }
  /// Those of the daemons, which come again.
  void end_connections() const {
    ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'ballot'");
  }
  std::string status() { return fleet["n1"].ballot({"status"}).out; }
  /// The node says that its ledger is not handed on, and why.
  void await_trouble(const std::string& why) {
    const auto is_said = [&] {
      const std::string text = status();
      const std::size_t from = text.find("history:");
      return from != std::string::npos && text.find(why, from) != std::string::npos;
    };
    ASSERT_TRUE(wait_until(is_said, std::chrono::seconds(60))) << why << "\n" << status();
    const std::string text = status();
    const std::size_t from = text.find("history:");
    if (from != std::string::npos) std::cout << text.substr(from, text.find('\n', from) - from) << "\n";
  }
  /// The load goes on for a while.
  void run_on(int seconds_long) {
    const auto until = Instant::now().wall + std::chrono::seconds(seconds_long);
    ASSERT_TRUE(wait_until([&] { return Instant::now().wall >= until; }, std::chrono::seconds(seconds_long + 30)));
  }

  /// As the superuser, who needs no password.
  std::unique_ptr<History> reader() const {
    Error error;
    const PluginInfo& plugin = conformance::plugin_info(BALLOT_POSTGRESQL_PLUGIN);
    std::unique_ptr<History> made(
        plugin.create_history({{{"url", primary().url("postgres", "ballot")}}, "/", HistoryUse::read}, error));
    EXPECT_TRUE(made) << error.what;
    return made;
  }
  struct Changes {
    RunId ledger{};
    std::vector<LedgerChange> all{};
  };
  /// All that the node's ledger has.
  Changes own_of(const std::string& node) {
    Changes own;
    auto outbox = storage::Outbox::open(fleet[node].history, node);
    if (!outbox) throw std::runtime_error(outbox.error().what);
    const auto identity = outbox->identity();
    if (!identity) throw std::runtime_error(identity.error().what);
    own.ledger = *identity;
    for (std::int64_t after = 0;;) {
      auto part = outbox->read(after);
      if (!part) throw std::runtime_error(part.error().what);
      after = part->batch.last;
      std::move(part->batch.changes.begin(), part->batch.changes.end(), std::back_inserter(own.all));
      if (part->is_all) return own;
    }
  }
  /// All that the history has of that ledger.
  std::vector<LedgerChange> kept_of(const RunId& ledger) const {
    const auto kept = reader()->changes(ledger, 0, 1'000'000);
    if (!kept) throw std::runtime_error(kept.error().what);
    return kept->changes;
  }
  /// All that the node's ledger has is kept, as it is there, and nothing else of that ledger.
  void expect_all_kept(const std::string& node) {
    const Changes own = own_of(node);
    EXPECT_EQ(all_said(kept_of(own.ledger)), all_said(own.all)) << node;
    std::cout << own.all.size() << " changes of " << node << " are kept\n";
  }
  /// Stops the daemons, which hand on what they have recorded last. None of it is there a second time, as another
  /// ledger's.
  void stop_and_expect_all_kept(const std::vector<std::string>& nodes = {"n1"}, int other_ledgers = 0) {
    for (const std::string& node : nodes)
      ASSERT_TRUE(wait_until([&] { return fleet[node].ballot({"status"}).out.find("history:") == std::string::npos; }));
    for (const std::string& node : nodes) EXPECT_EQ(fleet[node].stop(), 0);
    for (const std::string& node : nodes) expect_all_kept(node);
    EXPECT_GT(rows_kept(), 20);
    EXPECT_EQ(std::stoi(ask("SELECT count(*) FROM ballot.ledger")), std::ssize(nodes) + other_ledgers);
  }

  PostgresServer server;
  Fleet fleet;
};

}  // namespace ballot::testing
